//! The fifteen conditions an instruction may stand under.

use std::fmt;

/// When an instruction takes effect. The discriminant is the condition field of the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Condition {
    /// `EQ`: Z.
    Equal = 0,
    /// `NE`: ¬Z.
    NotEqual = 1,
    /// `CS`, `HS`: C; after a compare, unsigned ≥.
    CarrySet = 2,
    /// `CC`, `LO`: ¬C; after a compare, unsigned <.
    CarryClear = 3,
    /// `MI`: N.
    Minus = 4,
    /// `PL`: ¬N.
    Plus = 5,
    /// `VS`: V.
    OverflowSet = 6,
    /// `VC`: ¬V.
    OverflowClear = 7,
    /// `HI`: C ∧ ¬Z; unsigned >.
    UnsignedHigher = 8,
    /// `LS`: ¬C ∨ Z; unsigned ≤.
    UnsignedLowerOrSame = 9,
    /// `GE`: N = V; signed ≥.
    SignedGreaterOrEqual = 10,
    /// `LT`: N ≠ V; signed <.
    SignedLess = 11,
    /// `GT`: ¬Z ∧ N = V; signed >.
    SignedGreater = 12,
    /// `LE`: Z ∨ N ≠ V; signed ≤.
    SignedLessOrEqual = 13,
    /// `AL`: unconditionally.
    Always = 14,
}

impl Condition {
    /// Every condition, in the order of their encodings.
    pub const ALL: [Condition; 15] = [
        Condition::Equal,
        Condition::NotEqual,
        Condition::CarrySet,
        Condition::CarryClear,
        Condition::Minus,
        Condition::Plus,
        Condition::OverflowSet,
        Condition::OverflowClear,
        Condition::UnsignedHigher,
        Condition::UnsignedLowerOrSame,
        Condition::SignedGreaterOrEqual,
        Condition::SignedLess,
        Condition::SignedGreater,
        Condition::SignedLessOrEqual,
        Condition::Always,
    ];

    /// The condition of a word's top four bits; `None` for the unconditional space `1111`.
    #[must_use]
    pub fn of(word: u32) -> Option<Condition> {
        Condition::ALL.get((word >> 28) as usize).copied()
    }

    /// The suffix that assembly writes: `eq`, …, `le`, and nothing for [`Condition::Always`].
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        const SUFFIXES: [&str; 15] = [
            "eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "",
        ];
        SUFFIXES[self as usize]
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Condition::Always => "al",
            other => other.suffix(),
        })
    }
}
