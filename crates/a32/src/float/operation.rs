//! The arithmetic that a machine provides: one primitive with these operations.
//!
//! Everything that looks at more than a sign is here; moves, signs and selections are composed of
//! the primitives on words.

use super::{FloatMode, FloatRounding, Precision};
use crate::machine::Signedness;

/// A format of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatFormat {
    /// 16 bits, in the low half of a word whose high half is not looked at.
    Half,
    /// 32 bits.
    Single,
    /// 64 bits, in two words, the low one first.
    Double,
}

impl FloatFormat {
    /// The number of words of a value: 1 or 2.
    #[must_use]
    pub const fn words(self) -> usize {
        match self {
            FloatFormat::Half | FloatFormat::Single => 1,
            FloatFormat::Double => 2,
        }
    }
}

impl From<Precision> for FloatFormat {
    fn from(precision: Precision) -> FloatFormat {
        match precision {
            Precision::Single => FloatFormat::Single,
            Precision::Double => FloatFormat::Double,
        }
    }
}

/// Which operands that are not numbers make a comparison invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invalid {
    /// Signaling ones: `VCMP`.
    Signaling,
    /// All: `VCMPE`.
    Every,
}

/// What [`Machine::float`](crate::Machine::float) computes. Operands and results are values of the
/// precision that stands in the variant, one or two words each, the low one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatOperation {
    /// `a + b`.
    Add(Precision),
    /// `a − b`.
    Subtract(Precision),
    /// `a · b`.
    Multiply(Precision),
    /// `a / b`.
    Divide(Precision),
    /// `√a`.
    SquareRoot(Precision),
    /// `a · b + c`, rounded once.
    MultiplyAdd(Precision),
    /// `maxNum` of IEEE 754-2008: a number rather than a quiet NaN.
    MaximumNumber(Precision),
    /// `minNum` of IEEE 754-2008.
    MinimumNumber(Precision),
    /// Compares; the result is a word with N, Z, C, V in bits 31 ..= 28 and zeros below.
    Compare(Precision, Invalid),
    /// To the nearest number without a fraction.
    RoundToIntegral {
        /// Of what.
        precision: Precision,
        /// How; `None` as the mode says.
        rounding: Option<FloatRounding>,
        /// Whether a changed value counts as inexact.
        inexact: bool,
    },
    /// One word, read as an integer, times `2^−fraction_bits`.
    FromFixed {
        /// Of the result.
        precision: Precision,
        /// How the word is read.
        signedness: Signedness,
        /// 0 ..= 32.
        fraction_bits: u8,
        /// How; `None` as the mode says.
        rounding: Option<FloatRounding>,
    },
    /// The value times `2^fraction_bits` as an integer of `width` bits, the nearest one where it
    /// has none; the result is one word, sign- or zero-extended.
    ToFixed {
        /// Of the operand.
        precision: Precision,
        /// Which integers.
        signedness: Signedness,
        /// 16 or 32.
        width: u8,
        /// 0 ..= 32.
        fraction_bits: u8,
        /// How; `None` as the mode says.
        rounding: Option<FloatRounding>,
    },
    /// From one format to another. A half in the result has zeros above it.
    Convert {
        /// Of the operand.
        from: FloatFormat,
        /// Of the result.
        to: FloatFormat,
    },
}

impl FloatOperation {
    /// How many words its operands have together: 1 ..= 6.
    #[must_use]
    pub const fn operand_words(self) -> usize {
        match self {
            FloatOperation::MultiplyAdd(precision) => 3 * precision.words(),
            FloatOperation::Add(precision)
            | FloatOperation::Subtract(precision)
            | FloatOperation::Multiply(precision)
            | FloatOperation::Divide(precision)
            | FloatOperation::MaximumNumber(precision)
            | FloatOperation::MinimumNumber(precision)
            | FloatOperation::Compare(precision, _) => 2 * precision.words(),
            FloatOperation::SquareRoot(precision)
            | FloatOperation::RoundToIntegral { precision, .. }
            | FloatOperation::ToFixed { precision, .. } => precision.words(),
            FloatOperation::FromFixed { .. } => 1,
            FloatOperation::Convert { from, .. } => from.words(),
        }
    }

    /// How many words its result has: 1 or 2.
    #[must_use]
    pub const fn result_words(self) -> usize {
        match self {
            FloatOperation::MultiplyAdd(precision)
            | FloatOperation::Add(precision)
            | FloatOperation::Subtract(precision)
            | FloatOperation::Multiply(precision)
            | FloatOperation::Divide(precision)
            | FloatOperation::MaximumNumber(precision)
            | FloatOperation::MinimumNumber(precision)
            | FloatOperation::SquareRoot(precision)
            | FloatOperation::RoundToIntegral { precision, .. }
            | FloatOperation::FromFixed { precision, .. } => precision.words(),
            FloatOperation::Compare(..) | FloatOperation::ToFixed { .. } => 1,
            FloatOperation::Convert { to, .. } => to.words(),
        }
    }

    /// Carries it out on known words: the operands in order, the low word of each first. Words that
    /// are missing count as 0, and more than [`operand_words`](Self::operand_words) are not read.
    ///
    /// ```
    /// use blindcore_a32::{FloatMode, FloatOperation, Precision};
    ///
    /// let sum = FloatOperation::Add(Precision::Single);
    /// let outcome = sum.compute(FloatMode::of(0), &[1.5_f32.to_bits(), 2.25_f32.to_bits()]);
    /// assert_eq!(f32::from_bits(outcome.words[0]), 3.75);
    /// assert_eq!(outcome.exceptions, 0);
    /// ```
    #[must_use]
    pub fn compute(self, mode: FloatMode, operands: &[u32]) -> FloatOutcome {
        crate::interpreter::float::compute(self, mode, operands)
    }
}

/// What an operation gives on known words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatOutcome {
    /// The result, the low word first; 0 where there is no second word.
    pub words: [u32; 2],
    /// What it met, in the places of FPSCR: see [`FloatException`](crate::FloatException).
    pub exceptions: u32,
}
