//! What comes out of an addition.

use crate::Wire;
use crate::library::word::Word;

/// A sum and what the processor's flags need of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Added {
    /// The sum modulo 2ⁿ.
    pub sum: Word,
    /// The carry out of the top column: ARM's C, also for subtractions (no borrow).
    pub carry: Wire,
    /// The signed sum does not fit: ARM's V.
    pub overflow: Wire,
}

/// Which carries an adder has, for its costs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::library) enum Carries {
    /// None comes in, and nobody reads the one that comes out: a sum modulo 2ⁿ.
    Dropped,
    /// One comes in; carry out and overflow are read.
    InAndOut,
}
