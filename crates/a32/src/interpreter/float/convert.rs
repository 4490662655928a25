//! Conversions between formats, and from and to integers and fixed point.

use super::Context;
use super::round::{round, to_unit};
use super::unpack::{Layout, Number, Value, is_negative, process_nan, unpack};
use crate::float::{FloatException, FloatFormat, FloatRounding};
use crate::machine::Signedness;

/// `FPRoundInt`.
pub(super) fn to_integral(
    c: &mut Context,
    format: FloatFormat,
    rounding: Option<FloatRounding>,
    inexact: bool,
    bits: u64,
) -> u64 {
    let layout = Layout::of(format);
    let number = match unpack(c, format, bits) {
        value @ (Value::QuietNan | Value::SignalingNan) => {
            return process_nan(c, format, value, bits);
        }
        Value::Infinity(negative) => return layout.infinity(negative),
        Value::Zero(negative) => return layout.sign(negative),
        Value::Finite(number) => number,
    };
    if number.exponent >= 0 {
        return bits;
    }
    let (whole, changed) = to_unit(&number, 0, c.rounding(rounding));
    if changed && inexact {
        c.meet(FloatException::Inexact);
    }
    if whole == 0 {
        return layout.sign(number.negative);
    }
    let whole = Number {
        significand: whole,
        exponent: 0,
        ..number
    };
    // At most one bit more than the format has, and then that bit alone: exact.
    round(c, format, FloatRounding::Zero, &whole)
}

/// `FixedToFP`: the word times 2^−`fraction_bits`.
pub(super) fn from_fixed(
    c: &mut Context,
    format: FloatFormat,
    (signedness, fraction_bits): (Signedness, i32),
    rounding: Option<FloatRounding>,
    word: u32,
) -> u64 {
    if word == 0 {
        return 0;
    }
    let negative = signedness == Signedness::Signed && word >> 31 == 1;
    let magnitude = if negative { word.wrapping_neg() } else { word };
    let number = Number {
        negative,
        exponent: -fraction_bits,
        significand: magnitude.into(),
        more: false,
    };
    let rounding = c.rounding(rounding);
    round(c, format, rounding, &number)
}

/// `FPToFixed`: the integer of `width` bits nearest to the value times 2^`fraction_bits`, extended
/// to 32 bits; 0 of a NaN.
pub(super) fn to_fixed(
    c: &mut Context,
    format: FloatFormat,
    (signedness, width, fraction_bits): (Signedness, u32, i32),
    rounding: Option<FloatRounding>,
    bits: u64,
) -> u64 {
    let (least, greatest): (i64, i64) = match signedness {
        Signedness::Unsigned => (0, (1 << width) - 1),
        Signedness::Signed => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
    };
    let wide = |value: i64| u64::from(value as u32);
    let saturated = |negative: bool| wide(if negative { least } else { greatest });
    let mut number = match unpack(c, format, bits) {
        Value::QuietNan | Value::SignalingNan => {
            c.meet(FloatException::InvalidOperation);
            return 0;
        }
        Value::Infinity(negative) => {
            c.meet(FloatException::InvalidOperation);
            return saturated(negative);
        }
        Value::Zero(_) => return 0,
        Value::Finite(number) => number,
    };
    number.exponent += fraction_bits;
    if number.top() > 40 {
        c.meet(FloatException::InvalidOperation);
        return saturated(number.negative);
    }
    let (whole, inexact) = to_unit(&number, 0, c.rounding(rounding));
    let magnitude = whole as i64;
    let value = if number.negative {
        -magnitude
    } else {
        magnitude
    };
    if value < least || value > greatest {
        c.meet(FloatException::InvalidOperation);
        return saturated(number.negative);
    }
    if inexact {
        c.meet(FloatException::Inexact);
    }
    wide(value)
}

/// `FPSingleToDouble`, `FPDoubleToSingle`, `FPHalfToSingle`, `FPSingleToHalf` and their relatives.
pub(super) fn convert(c: &mut Context, from: FloatFormat, to: FloatFormat, bits: u64) -> u64 {
    let layout = Layout::of(to);
    let alternative = to == FloatFormat::Half && c.mode.alternative_half;
    match unpack(c, from, bits) {
        Value::QuietNan | Value::SignalingNan if alternative => {
            c.meet(FloatException::InvalidOperation);
            layout.sign(is_negative(from, bits))
        }
        value @ (Value::QuietNan | Value::SignalingNan) => {
            if let Value::SignalingNan = value {
                c.meet(FloatException::InvalidOperation);
            }
            if c.mode.default_nan {
                return layout.default_nan();
            }
            // The fraction keeps its highest bits.
            let (old, new) = (Layout::of(from).fraction_bits, layout.fraction_bits);
            let fraction = bits & ((1 << old) - 1);
            let fraction = fraction << (52 - old) >> (52 - new);
            layout.infinity(is_negative(from, bits)) | layout.quiet() | fraction
        }
        Value::Infinity(negative) if alternative => {
            c.meet(FloatException::InvalidOperation);
            layout.sign(negative) | (layout.sign(true) - 1)
        }
        Value::Infinity(negative) => layout.infinity(negative),
        Value::Zero(negative) => layout.sign(negative),
        Value::Finite(number) => {
            let rounding = c.mode.rounding;
            round(c, to, rounding, &number)
        }
    }
}
