//! What the bits of a number stand for, and the rules of those that are no numbers.

use super::Context;
use crate::float::{FloatException, FloatFormat};

/// How a format divides its bits: a sign, an exponent, a fraction.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) exponent_bits: u32,
    pub(super) fraction_bits: u32,
}

impl Layout {
    pub(super) const fn of(format: FloatFormat) -> Layout {
        let (exponent_bits, fraction_bits) = match format {
            FloatFormat::Half => (5, 10),
            FloatFormat::Single => (8, 23),
            FloatFormat::Double => (11, 52),
        };
        Layout {
            exponent_bits,
            fraction_bits,
        }
    }

    /// The exponent of the smallest normal number: −14, −126, −1022.
    pub(super) const fn least_exponent(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1))
    }

    /// The exponent field with all bits set.
    pub(super) const fn exponent_mask(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    pub(super) const fn sign(self, negative: bool) -> u64 {
        (negative as u64) << (self.exponent_bits + self.fraction_bits)
    }

    pub(super) const fn infinity(self, negative: bool) -> u64 {
        self.sign(negative) | self.exponent_mask() << self.fraction_bits
    }

    /// The bit of the fraction that makes a NaN quiet.
    pub(super) const fn quiet(self) -> u64 {
        1 << (self.fraction_bits - 1)
    }

    pub(super) const fn default_nan(self) -> u64 {
        self.infinity(false) | self.quiet()
    }
}

/// `±significand · 2^exponent`, the significand not zero and below 2^127; with `more`, a little
/// farther from zero, by less than one unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) negative: bool,
    pub(super) exponent: i32,
    pub(super) significand: u128,
    pub(super) more: bool,
}

impl Number {
    /// The exponent of its highest bit.
    pub(super) const fn top(&self) -> i32 {
        self.exponent + 127 - self.significand.leading_zeros() as i32
    }
}

/// What bits stand for (`FPUnpack`).
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    QuietNan,
    SignalingNan,
    Infinity(bool),
    Zero(bool),
    Finite(Number),
}

impl Value {
    pub(super) const fn is_nan(&self) -> bool {
        matches!(self, Value::QuietNan | Value::SignalingNan)
    }

    pub(super) const fn is_infinity(&self) -> bool {
        matches!(self, Value::Infinity(_))
    }

    pub(super) const fn is_zero(&self) -> bool {
        matches!(self, Value::Zero(_))
    }
}

pub(super) fn is_negative(format: FloatFormat, bits: u64) -> bool {
    bits & Layout::of(format).sign(true) != 0
}

/// `FPUnpack`: subnormal operands are flushed where the mode says so, but no halves.
pub(super) fn unpack(c: &mut Context, format: FloatFormat, bits: u64) -> Value {
    let layout = Layout::of(format);
    let negative = is_negative(format, bits);
    let fraction = bits & ((1 << layout.fraction_bits) - 1);
    let field = bits >> layout.fraction_bits & layout.exponent_mask();
    let number = |field: u64, significand: u64| {
        Value::Finite(Number {
            negative,
            exponent: layout.least_exponent() + field as i32 - 1 - layout.fraction_bits as i32,
            significand: significand.into(),
            more: false,
        })
    };
    let has_infinity = format != FloatFormat::Half || !c.mode.alternative_half;
    if field == 0 {
        if fraction == 0 {
            Value::Zero(negative)
        } else if c.mode.flush_to_zero && format != FloatFormat::Half {
            c.meet(FloatException::InputDenormal);
            Value::Zero(negative)
        } else {
            number(1, fraction)
        }
    } else if field == layout.exponent_mask() && has_infinity {
        if fraction == 0 {
            Value::Infinity(negative)
        } else if fraction & layout.quiet() == 0 {
            Value::SignalingNan
        } else {
            Value::QuietNan
        }
    } else {
        number(field, fraction | 1 << layout.fraction_bits)
    }
}

/// `FPProcessNaN`.
pub(super) fn process_nan(c: &mut Context, format: FloatFormat, value: Value, bits: u64) -> u64 {
    if let Value::SignalingNan = value {
        c.meet(FloatException::InvalidOperation);
    }
    let layout = Layout::of(format);
    if c.mode.default_nan {
        layout.default_nan()
    } else {
        bits | layout.quiet()
    }
}

/// `FPProcessNaNs`, `FPProcessNaNs3`: the first signaling one, else the first quiet one, if there
/// is one.
pub(super) fn process_nans(
    c: &mut Context,
    format: FloatFormat,
    operands: &[(Value, u64)],
) -> Option<u64> {
    let signaling = operands
        .iter()
        .find(|(value, _)| matches!(value, Value::SignalingNan));
    let nan = signaling.or_else(|| operands.iter().find(|(value, _)| value.is_nan()));
    nan.map(|&(value, bits)| process_nan(c, format, value, bits))
}

/// There is no result.
pub(super) fn invalid(c: &mut Context, format: FloatFormat) -> u64 {
    c.meet(FloatException::InvalidOperation);
    Layout::of(format).default_nan()
}
