//! What results depend on besides operands.

use super::format::Format;

/// How a result that lies between two numbers of its format is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rounding {
    /// To the nearest, of two as near to the even one.
    NearestEven,
    /// To the nearest, of two as near to the one farther from zero.
    NearestAway,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero.
    Zero,
}

impl Rounding {
    /// Whether to the nearest.
    pub(super) const fn is_nearest(self) -> bool {
        matches!(self, Self::NearestEven | Self::NearestAway)
    }
}

/// The mode of a floating-point unit, known when the circuit is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mode {
    /// How results are rounded.
    pub rounding: Rounding,
    /// Whether subnormal operands and results become zero; halves never do.
    pub flush_to_zero: bool,
    /// Whether every result that is not a number is the default NaN.
    pub default_nan: bool,
}

impl Mode {
    /// IEEE 754's: to the nearest even, nothing flushed, NaNs as they are.
    pub const IEEE: Self = Self {
        rounding: Rounding::NearestEven,
        flush_to_zero: false,
        default_nan: false,
    };

    /// Whether subnormal numbers of a format become zero.
    pub(super) fn flushes(self, format: Format) -> bool {
        self.flush_to_zero && format.exponent != Format::HALF.exponent
    }
}
