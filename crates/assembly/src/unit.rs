//! What a text means: every operand resolved, every name an index.

use super::diagnostic::Diagnostic;
use super::place::Position;
use a32::Condition;
use a32::SetFlags;
use a32::ShiftKind;
use a32::Signedness;

/// How wide registers and words of memory are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
}

impl Width {
    /// 16 or 32.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Width::Half => 16,
            Width::Word => 32,
        }
    }

    /// 2 or 4.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.bits() / 8
    }

    /// A register full of ones.
    #[must_use]
    pub const fn mask(self) -> u32 {
        u32::MAX >> (32 - self.bits())
    }
}

/// A checked program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// How wide registers and words are.
    pub width: Width,
    /// How many registers there are, 1 ..= [`REGISTER_LIMIT`](super::REGISTER_LIMIT).
    pub registers: u16,
    /// The data memory: what is declared in its order, then undeclared words in the order of their
    /// first use. All of it has at most [`DATA_LIMIT`](super::DATA_LIMIT) bytes.
    pub data: Vec<Datum>,
    /// The instructions.
    pub steps: Vec<Step>,
    /// The labels, in order.
    pub labels: Vec<Label>,
    /// Labels that branches name and nobody defines.
    pub undefined: Vec<String>,
    /// What is strange but has a meaning.
    pub warnings: Vec<Diagnostic>,
}

/// A named word or array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datum {
    /// Its name.
    pub name: String,
    /// How many words, at least 1.
    pub count: u32,
    /// Whether it was declared as an array.
    pub array: bool,
    /// What the first words hold; the others hold 0. Not wider than a word.
    pub values: Vec<u32>,
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// The step that it stands before; the number of steps at the end of the program.
    pub step: usize,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it stands.
    pub at: Position,
    /// What it does.
    pub action: Action,
}

/// A source: a register's number, or a constant that fits the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// This register.
    Register(u16),
    /// This number, its upper bits zero.
    Constant(u32),
}

/// A word of the data memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// An index into [`Unit::data`].
    pub datum: usize,
    /// Which of its words. A constant lies within the array.
    pub index: Value,
}

/// Operations with two sources and one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `a + b`; sets N, Z, C, V.
    Add,
    /// `a − b`; sets N, Z, C (no borrow), V.
    Subtract,
    /// The low half of `a · b`; sets N, Z.
    Multiply,
    /// `⌊a / b⌋` or towards zero; 0 where `b` is; sets nothing.
    Divide(Signedness),
    /// A shift by the low four or five bits of `b`, never a rotation; sets nothing.
    Shift(ShiftKind),
    /// `a ∧ b`; sets N, Z.
    And,
    /// `a ∨ b`; sets N, Z.
    Or,
    /// `a ⊕ b`; sets N, Z.
    Xor,
    /// `a ∨ ¬b`; sets N, Z.
    OrNot,
}

/// Operations with one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// The source; sets N, Z.
    Copy,
    /// Its complement; sets N, Z.
    Not,
    /// Its bits in the opposite order; sets nothing.
    ReverseBits,
    /// Its bytes in the opposite order; sets nothing.
    ReverseBytes,
}

/// Where a branch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// An index into [`Unit::labels`].
    Label(usize),
    /// An index into [`Unit::undefined`].
    Undefined(usize),
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are what the variants say")]
pub enum Action {
    /// The word into the register.
    Load { to: u16, from: Cell },
    /// The register into the word.
    Store { from: u16, to: Cell },
    /// One source.
    Unary {
        op: Unary,
        set_flags: SetFlags,
        to: u16,
        source: Value,
    },
    /// Two sources.
    Binary {
        op: Binary,
        set_flags: SetFlags,
        to: u16,
        a: Value,
        b: Value,
    },
    /// Both halves of a product; flags N, Z of all of it.
    MultiplyLong {
        signedness: Signedness,
        set_flags: SetFlags,
        low: u16,
        high: u16,
        a: Value,
        b: Value,
    },
    /// The bits `lowest .. lowest + width` become those of the source, or 0.
    Field {
        to: u16,
        source: Option<Value>,
        lowest: u8,
        width: u8,
    },
    /// Flags of `a − b`.
    Compare { a: Value, b: Value },
    /// Goes on at the target, if the condition holds.
    Branch {
        condition: Condition,
        target: Target,
    },
    /// Nothing.
    Nop,
    /// Ends the program.
    Halt,
}
