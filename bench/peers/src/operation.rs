//! The rows of the table: what both sides compute, and what the answer must be.

use clap::ValueEnum;

/// One row. The words are unsigned and of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Operation {
    /// One NAND of two encrypted bits.
    Nand,
    /// Two NANDs that have nothing to do with each other.
    TwoNands,
    Add,
    Subtract,
    Less,
    Equal,
    And,
    Xor,
    /// One of two words, by an encrypted bit.
    Select,
    /// Left, by an encrypted amount below 32.
    Shift,
    Multiply,
    /// The quotient; asked for by name or by `--divide`, since the peer takes most of a minute.
    Divide,
}

impl Operation {
    /// As on the command line and in the records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nand => "nand",
            Self::TwoNands => "two-nands",
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Less => "less",
            Self::Equal => "equal",
            Self::And => "and",
            Self::Xor => "xor",
            Self::Select => "select",
            Self::Shift => "shift",
            Self::Multiply => "multiply",
            Self::Divide => "divide",
        }
    }

    pub fn is_gate(self) -> bool {
        matches!(self, Self::Nand | Self::TwoNands)
    }

    /// The answer, computed in the clear. A truth value is 0 or 1; the gates of
    /// `TwoNands` stand in bits 0 and 1.
    pub fn expected(self, of: Operands) -> u32 {
        let Operands { a, b, choice } = of;
        match self {
            Self::Nand => !(a & b) & 1,
            Self::TwoNands => !(a & b) & 3,
            Self::Add => a.wrapping_add(b),
            Self::Subtract => a.wrapping_sub(b),
            Self::Less => u32::from(a < b),
            Self::Equal => u32::from(a == b),
            Self::And => a & b,
            Self::Xor => a ^ b,
            Self::Select => {
                if choice {
                    a
                } else {
                    b
                }
            }
            Self::Shift => a << (b % 32),
            Self::Multiply => a.wrapping_mul(b),
            Self::Divide => a / b,
        }
    }
}

/// The clear values of one round.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    pub a: u32,
    pub b: u32,
    pub choice: bool,
}

impl Operands {
    /// Round `round`'s values: the same in every run, so that a wrong answer can be met again.
    pub fn of_round(operation: Operation, round: u64) -> Self {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(round + 1);
        let mut next = || {
            // SplitMix64 (Steele, Lea, Flood 2014): any sequence without a pattern would do.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 32) as u32
        };
        let (a, mut b, choice) = (next(), next(), next() & 1 == 1);
        match operation {
            Operation::Equal if choice => b = a,
            Operation::Shift => b %= 32,
            // Quotients of random words are mostly 0 or 1; a short divisor exercises more.
            Operation::Divide => b = (b >> 16).max(1),
            _ => {}
        }
        Self { a, b, choice }
    }
}
