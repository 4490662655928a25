//! Sums, products, quotients, roots, comparisons.

use super::Context;
use super::round::round;
use super::unpack::{
    Layout, Number, Value, invalid, is_negative, process_nan, process_nans, unpack,
};
use crate::float::{FloatException, FloatFormat, FloatRounding, Invalid};

/// `FPAdd`.
pub(super) fn add(c: &mut Context, format: FloatFormat, a: u64, b: u64) -> u64 {
    let operands = (unpack(c, format, a), unpack(c, format, b));
    if let Some(nan) = process_nans(c, format, &[(operands.0, a), (operands.1, b)]) {
        return nan;
    }
    sum_of(c, format, operands.0, operands.1)
}

/// `FPSub`: a NaN keeps its sign, so this is no addition of a negated operand.
pub(super) fn subtract(c: &mut Context, format: FloatFormat, a: u64, b: u64) -> u64 {
    let operands = (unpack(c, format, a), unpack(c, format, b));
    if let Some(nan) = process_nans(c, format, &[(operands.0, a), (operands.1, b)]) {
        return nan;
    }
    let negated = match operands.1 {
        Value::Infinity(negative) => Value::Infinity(!negative),
        Value::Zero(negative) => Value::Zero(!negative),
        Value::Finite(number) => Value::Finite(Number {
            negative: !number.negative,
            ..number
        }),
        nan => nan,
    };
    sum_of(c, format, operands.0, negated)
}

/// The sum of two values that are no NaNs.
fn sum_of(c: &mut Context, format: FloatFormat, a: Value, b: Value) -> u64 {
    let layout = Layout::of(format);
    let rounding = c.mode.rounding;
    match (a, b) {
        (Value::Infinity(a), Value::Infinity(b)) if a != b => invalid(c, format),
        (Value::Infinity(negative), _) | (_, Value::Infinity(negative)) => {
            layout.infinity(negative)
        }
        (Value::Zero(a), Value::Zero(b)) if a == b => layout.sign(a),
        (Value::Finite(a), Value::Finite(b)) => match exact_sum(a, b) {
            Some(sum) => round(c, format, rounding, &sum),
            None => layout.sign(rounding == FloatRounding::Down),
        },
        (Value::Finite(number), _) | (_, Value::Finite(number)) => {
            round(c, format, rounding, &number)
        }
        _ => layout.sign(rounding == FloatRounding::Down),
    }
}

/// `a + b`, of significands of at most 106 bits; `None` is zero.
fn exact_sum(a: Number, b: Number) -> Option<Number> {
    let (high, low) = if a.top() >= b.top() { (a, b) } else { (b, a) };
    // The highest bit of the higher number comes to place 124: what the other one loses then lies
    // at least 18 places below its own highest bit, so no difference cancels down to it.
    let shift = high.significand.leading_zeros() - 3;
    let exponent = high.exponent - shift as i32;
    let high_significand = high.significand << shift;
    let distance = exponent - low.exponent;
    let (low_significand, more) = if distance <= 0 {
        (low.significand << distance.unsigned_abs(), false)
    } else if distance > 127 {
        (0, true)
    } else {
        let lost = low.significand & ((1 << distance) - 1);
        (low.significand >> distance, lost != 0)
    };
    let number = |negative, significand| Number {
        negative,
        exponent,
        significand,
        more,
    };
    if high.negative == low.negative {
        return Some(number(high.negative, high_significand + low_significand));
    }
    if low_significand > high_significand {
        // The two have their highest bits in one place, so nothing was lost.
        return Some(number(low.negative, low_significand - high_significand));
    }
    // With a loss the exact difference lies a little below this one: one less, and a little more.
    let difference = high_significand - low_significand - u128::from(more);
    (difference != 0).then(|| number(high.negative, difference))
}

/// The product of two finite numbers: 106 bits at most.
fn exact_product(a: Number, b: Number) -> Number {
    Number {
        negative: a.negative != b.negative,
        exponent: a.exponent + b.exponent,
        significand: a.significand * b.significand,
        more: false,
    }
}

/// `FPMul`.
pub(super) fn multiply(c: &mut Context, format: FloatFormat, a: u64, b: u64) -> u64 {
    let operands = (unpack(c, format, a), unpack(c, format, b));
    if let Some(nan) = process_nans(c, format, &[(operands.0, a), (operands.1, b)]) {
        return nan;
    }
    let negative = is_negative(format, a) != is_negative(format, b);
    let layout = Layout::of(format);
    match operands {
        (Value::Infinity(_), Value::Zero(_)) | (Value::Zero(_), Value::Infinity(_)) => {
            invalid(c, format)
        }
        (Value::Infinity(_), _) | (_, Value::Infinity(_)) => layout.infinity(negative),
        (Value::Finite(a), Value::Finite(b)) => {
            let rounding = c.mode.rounding;
            round(c, format, rounding, &exact_product(a, b))
        }
        _ => layout.sign(negative),
    }
}

/// `FPDiv`.
pub(super) fn divide(c: &mut Context, format: FloatFormat, a: u64, b: u64) -> u64 {
    let operands = (unpack(c, format, a), unpack(c, format, b));
    if let Some(nan) = process_nans(c, format, &[(operands.0, a), (operands.1, b)]) {
        return nan;
    }
    let negative = is_negative(format, a) != is_negative(format, b);
    let layout = Layout::of(format);
    match operands {
        (Value::Infinity(_), Value::Infinity(_)) | (Value::Zero(_), Value::Zero(_)) => {
            invalid(c, format)
        }
        (Value::Infinity(_), _) => layout.infinity(negative),
        (_, Value::Zero(_)) => {
            c.meet(FloatException::DivisionByZero);
            layout.infinity(negative)
        }
        (Value::Finite(a), Value::Finite(b)) => {
            // A dividend of 120 bits gives a quotient of at least 67.
            let shift = a.significand.leading_zeros() - 8;
            let dividend = a.significand << shift;
            let quotient = Number {
                negative,
                exponent: a.exponent - shift as i32 - b.exponent,
                significand: dividend / b.significand,
                more: !dividend.is_multiple_of(b.significand),
            };
            let rounding = c.mode.rounding;
            round(c, format, rounding, &quotient)
        }
        _ => layout.sign(negative),
    }
}

/// `FPSqrt`.
pub(super) fn square_root(c: &mut Context, format: FloatFormat, a: u64) -> u64 {
    match unpack(c, format, a) {
        value @ (Value::QuietNan | Value::SignalingNan) => process_nan(c, format, value, a),
        Value::Zero(negative) => Layout::of(format).sign(negative),
        Value::Infinity(true) => invalid(c, format),
        Value::Finite(Number { negative: true, .. }) => invalid(c, format),
        Value::Infinity(false) => Layout::of(format).infinity(false),
        Value::Finite(number) => {
            // An even exponent, and at least 119 bits: the root has at least 60.
            let room = number.significand.leading_zeros() - 8;
            let shift = room + ((number.exponent - room as i32) & 1) as u32;
            let radicand = number.significand << shift;
            let root = radicand.isqrt();
            let root = Number {
                negative: false,
                exponent: (number.exponent - shift as i32) / 2,
                significand: root,
                more: root * root != radicand,
            };
            let rounding = c.mode.rounding;
            round(c, format, rounding, &root)
        }
    }
}

/// `FPMulAdd`: `a · b + addend`. The addend comes first where NaNs are compared; zero times
/// infinity is invalid even if the addend is a quiet NaN.
pub(super) fn multiply_add(
    c: &mut Context,
    format: FloatFormat,
    (a, b): (u64, u64),
    addend: u64,
) -> u64 {
    let third = unpack(c, format, addend);
    let (first, second) = (unpack(c, format, a), unpack(c, format, b));
    let undefined =
        first.is_infinity() && second.is_zero() || first.is_zero() && second.is_infinity();
    let nan = process_nans(c, format, &[(third, addend), (first, a), (second, b)]);
    match nan {
        Some(_) if undefined && matches!(third, Value::QuietNan) => return invalid(c, format),
        Some(nan) => return nan,
        None if undefined => return invalid(c, format),
        None => {}
    }
    let negative = is_negative(format, a) != is_negative(format, b);
    let product = match (first, second) {
        (Value::Finite(a), Value::Finite(b)) => Value::Finite(exact_product(a, b)),
        (Value::Infinity(_), _) | (_, Value::Infinity(_)) => Value::Infinity(negative),
        _ => Value::Zero(negative),
    };
    sum_of(c, format, third, product)
}

/// Whether `a` is less than `b`, and whether they are equal; of no NaNs.
fn order(format: FloatFormat, (a, b): (Value, Value), bits: (u64, u64)) -> (bool, bool) {
    // Without its sign a number grows with its bits. Flushed operands count as zero.
    let key = |value: Value, bits: u64| {
        let sign = Layout::of(format).sign(true);
        let magnitude = if value.is_zero() {
            0
        } else {
            (bits & (sign - 1)).cast_signed()
        };
        if bits & sign == 0 {
            magnitude
        } else {
            -magnitude
        }
    };
    let (a, b) = (key(a, bits.0), key(b, bits.1));
    (a < b, a == b)
}

/// `FPMaxNum`, `FPMinNum`: a quiet NaN beside something else counts as the infinity that loses.
pub(super) fn extreme(
    c: &mut Context,
    format: FloatFormat,
    greatest: bool,
    (mut a, mut b): (u64, u64),
) -> u64 {
    let layout = Layout::of(format);
    let quiet = [a, b].map(|bits| matches!(unpack(c, format, bits), Value::QuietNan));
    match quiet {
        [true, false] => a = layout.infinity(greatest),
        [false, true] => b = layout.infinity(greatest),
        _ => {}
    }
    let (first, second) = (unpack(c, format, a), unpack(c, format, b));
    if let Some(nan) = process_nans(c, format, &[(first, a), (second, b)]) {
        return nan;
    }
    let (negative_a, negative_b) = (is_negative(format, a), is_negative(format, b));
    let (less, _) = order(format, (first, second), (a, b));
    let (value, chosen) = if less == greatest {
        (second, b)
    } else {
        (first, a)
    };
    if !value.is_zero() {
        return chosen;
    }
    // Two zeros of either sign; the one beside a number may also be a flushed one.
    layout.sign(match (first.is_zero(), second.is_zero()) {
        (true, true) if greatest => negative_a && negative_b,
        (true, true) => negative_a || negative_b,
        _ => is_negative(format, chosen),
    })
}

/// `FPCompare`: N, Z, C, V in the highest bits of 32.
pub(super) fn compare(
    c: &mut Context,
    format: FloatFormat,
    which: Invalid,
    (a, b): (u64, u64),
) -> u64 {
    let (first, second) = (unpack(c, format, a), unpack(c, format, b));
    if first.is_nan() || second.is_nan() {
        let signaling = |value: Value| matches!(value, Value::SignalingNan);
        if which == Invalid::Every || signaling(first) || signaling(second) {
            c.meet(FloatException::InvalidOperation);
        }
        return 0x3000_0000;
    }
    match order(format, (first, second), (a, b)) {
        (true, _) => 0x8000_0000,
        (_, true) => 0x6000_0000,
        _ => 0x2000_0000,
    }
}
