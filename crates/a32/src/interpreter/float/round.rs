//! The one rounding: `FPRound`.

use super::Context;
use super::unpack::{Layout, Number};
use crate::float::{FloatException, FloatFormat, FloatRounding};

/// How much lies between a number and the multiple of a unit below it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    Nothing,
    BelowHalf,
    Half,
    AboveHalf,
}

/// The significand in units of 2^`unit`, rounded, and whether that changed it. The result must be
/// below 2^127.
pub(super) fn to_unit(number: &Number, unit: i32, rounding: FloatRounding) -> (u128, bool) {
    let shift = unit - number.exponent;
    let (whole, rest) = if shift <= 0 {
        // More bits would be lost below this unit: whoever sets `more` leaves room for them.
        (number.significand << shift.unsigned_abs(), Rest::Nothing)
    } else if shift > 127 {
        // A significand is below 2^127, so this is less than a half.
        (0, Rest::BelowHalf)
    } else {
        let lost = number.significand & ((1 << shift) - 1);
        let half = 1 << (shift - 1);
        let rest = match lost.cmp(&half) {
            _ if lost == 0 => Rest::Nothing,
            std::cmp::Ordering::Less => Rest::BelowHalf,
            std::cmp::Ordering::Equal => Rest::Half,
            std::cmp::Ordering::Greater => Rest::AboveHalf,
        };
        (number.significand >> shift, rest)
    };
    let rest = match rest {
        Rest::Nothing if number.more => Rest::BelowHalf,
        Rest::Half if number.more => Rest::AboveHalf,
        rest => rest,
    };
    let away = match rounding {
        FloatRounding::NearestEven => {
            rest == Rest::AboveHalf || rest == Rest::Half && whole & 1 == 1
        }
        FloatRounding::NearestAway => rest >= Rest::Half,
        FloatRounding::Up => rest != Rest::Nothing && !number.negative,
        FloatRounding::Down => rest != Rest::Nothing && number.negative,
        FloatRounding::Zero => false,
    };
    (whole + u128::from(away), rest != Rest::Nothing)
}

/// `FPRound`: the number in a format. It is tiny if it is before it is rounded.
pub(super) fn round(
    c: &mut Context,
    format: FloatFormat,
    rounding: FloatRounding,
    number: &Number,
) -> u64 {
    let layout = Layout::of(format);
    let least = layout.least_exponent();
    let sign = layout.sign(number.negative);
    let top = number.top();
    if top < least && c.mode.flush_to_zero && format != FloatFormat::Half {
        c.meet(FloatException::Underflow);
        return sign;
    }
    let unit = top.max(least) - layout.fraction_bits as i32;
    let (mut significand, inexact) = to_unit(number, unit, rounding);
    let mut exponent = top.max(least);
    if top < least && inexact {
        c.meet(FloatException::Underflow);
    }
    if significand >> (layout.fraction_bits + 1) != 0 {
        significand >>= 1;
        exponent += 1;
    }
    // A subnormal has the field 0, and a subnormal that was rounded to a normal number the field 1.
    let normal = significand >> layout.fraction_bits != 0;
    let field = if normal { exponent - least + 1 } else { 0 };
    let fraction = significand as u64 & ((1 << layout.fraction_bits) - 1);
    let mask = layout.exponent_mask();
    if format == FloatFormat::Half && c.mode.alternative_half {
        if field as u64 > mask {
            c.meet(FloatException::InvalidOperation);
            return sign | (layout.sign(true) - 1);
        }
    } else if field as u64 >= mask {
        c.meet(FloatException::Overflow);
        c.meet(FloatException::Inexact);
        let to_infinity = match rounding {
            FloatRounding::NearestEven | FloatRounding::NearestAway => true,
            FloatRounding::Up => !number.negative,
            FloatRounding::Down => number.negative,
            FloatRounding::Zero => false,
        };
        let infinity = layout.infinity(number.negative);
        return if to_infinity { infinity } else { infinity - 1 };
    }
    if inexact {
        c.meet(FloatException::Inexact);
    }
    sign | (field as u64) << layout.fraction_bits | fraction
}
