//! The rows of the tables: what both sides compute, and what the answer must be.

use clap::ValueEnum;

/// One row. The words are unsigned and of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Operation {
    /// One NAND of two encrypted bits.
    Nand,
    /// Two NANDs that have nothing to do with each other.
    TwoNands,
    /// 256 NANDs that have nothing to do with each other.
    Layer,
    Add,
    Subtract,
    Less,
    Equal,
    And,
    Or,
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
    /// The gates, in the order of their tables.
    pub const GATES: [Self; 3] = [Self::Nand, Self::TwoNands, Self::Layer];

    /// The words, in the order of their tables.
    pub const WORDS: [Self; 11] = [
        Self::Add,
        Self::Subtract,
        Self::Less,
        Self::Equal,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Select,
        Self::Shift,
        Self::Multiply,
        Self::Divide,
    ];

    /// As on the command line and in the records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nand => "nand",
            Self::TwoNands => "two-nands",
            Self::Layer => "layer",
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Less => "less",
            Self::Equal => "equal",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Select => "select",
            Self::Shift => "shift",
            Self::Multiply => "multiply",
            Self::Divide => "divide",
        }
    }

    /// How many gates a row of gates has; 0 for words.
    pub fn gates(self) -> usize {
        match self {
            Self::Nand => 1,
            Self::TwoNands => 2,
            Self::Layer => 256,
            _ => 0,
        }
    }

    /// The answer, computed in the clear: bits in words of 32. A truth value is bit 0, a
    /// gate of several its number's bit.
    pub fn expected(self, of: Operands) -> Vec<u32> {
        let Operands { a, b, choice } = of;
        vec![match self {
            Self::Nand | Self::TwoNands | Self::Layer => {
                let nands: Vec<bool> = of.gate_inputs(self).map(|(a, b)| !(a && b)).collect();
                return words(nands);
            }
            Self::Add => a.wrapping_add(b),
            Self::Subtract => a.wrapping_sub(b),
            Self::Less => u32::from(a < b),
            Self::Equal => u32::from(a == b),
            Self::And => a & b,
            Self::Or => a | b,
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
        }]
    }
}

/// Bits, 32 to a word, the first lowest.
pub fn words(bits: impl IntoIterator<Item = bool>) -> Vec<u32> {
    let bits: Vec<bool> = bits.into_iter().collect();
    let word = |bits: &[bool]| {
        let places = bits.iter().enumerate();
        places.map(|(at, &bit)| u32::from(bit) << at).sum()
    };
    bits.chunks(32).map(word).collect()
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

    /// The two bits of every gate of a row: those of `a` and `b`, and of the same turned, by
    /// different amounts, where a row has more than 32.
    pub fn gate_inputs(self, row: Operation) -> impl Iterator<Item = (bool, bool)> {
        (0..row.gates()).map(move |gate| {
            let turn = (gate / 32) as u32;
            let bit = |word: u32| word >> (gate % 32) & 1 == 1;
            (
                bit(self.a.rotate_left(turn)),
                bit(self.b.rotate_left(5 * turn)),
            )
        })
    }

    /// The bits of `a`, then of `b`, then the choice.
    pub fn bits(self) -> Vec<bool> {
        let bits_of = |word: u32| (0..32).map(move |at| word >> at & 1 == 1);
        bits_of(self.a)
            .chain(bits_of(self.b))
            .chain([self.choice])
            .collect()
    }
}
