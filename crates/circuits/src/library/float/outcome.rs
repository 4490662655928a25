//! A result and what was met on the way.

use crate::Wire;
use crate::library::word::Word;

/// What an operation can meet, each as a bit: IEEE 754's five, and ARM's flushed operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exceptions {
    /// There is no result, as of 0 / 0, or an operand is a signaling NaN.
    pub invalid: Wire,
    /// A finite number was divided by zero.
    pub division_by_zero: Wire,
    /// The result is too large for its format.
    pub overflow: Wire,
    /// The result is subnormal and inexact (found before rounding), or was flushed to zero.
    pub underflow: Wire,
    /// The result was rounded.
    pub inexact: Wire,
    /// A subnormal operand was flushed to zero.
    pub input_denormal: Wire,
}

impl Exceptions {
    /// None.
    pub const NONE: Self = Self {
        invalid: Wire::FALSE,
        division_by_zero: Wire::FALSE,
        overflow: Wire::FALSE,
        underflow: Wire::FALSE,
        inexact: Wire::FALSE,
        input_denormal: Wire::FALSE,
    };
}

/// A result in its format, and its exceptions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rounded {
    /// The bits, as many as the format has.
    pub value: Word,
    /// What was met.
    pub exceptions: Exceptions,
}
