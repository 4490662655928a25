//! What our circuit is told to do, with its bus or without.

/// Rows of a number: digit `n` of row `t` is digit `t + 1024·n`.
#[cfg(feature = "whole")]
pub(crate) const ROWS: usize = 1024;

/// Where a spectrum is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The first; of a modulus n, for -1/n modulo 2^786432.
    Zero,
    /// The second; for n itself.
    One,
}

/// What the circuit is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// The product of both operands.
    Multiply,
    /// The square of the first.
    Square,
    /// Keeps the spectrum of the first.
    Keep(Slot),
    /// The product of the first with what is kept.
    Kept(Slot),
    /// The product of what both slots keep.
    BothKept,
    /// The operands' product modulo n, divided by 2^786432.
    Modular,
    /// The square of the first, as [`Command::Modular`].
    ModularSquare,
}

impl Command {
    #[cfg(feature = "whole")]
    pub(crate) fn code(self) -> (u8, u8) {
        match self {
            Self::Multiply => (0, 0),
            Self::Square => (1, 0),
            Self::Keep(slot) => (2, slot as u8),
            Self::Kept(slot) => (3, slot as u8),
            Self::BothKept => (4, 0),
            Self::Modular => (5, 0),
            Self::ModularSquare => (6, 0),
        }
    }

    /// Rows that it takes.
    #[cfg(feature = "whole")]
    pub(crate) fn rows(self) -> usize {
        if self == Self::BothKept { 0 } else { ROWS }
    }
}
