//! To the nearest number without a fraction.

use super::align::{Amount, shift_right};
use super::exponent;
use super::format::Format;
use super::mode::Mode;
use super::nan::choose;
use super::normalise::normalise;
use super::outcome::{Exceptions, Rounded};
use super::pack::rounds_up;
use super::round::{Number, round};
use super::unpack::unpack;
use crate::library::add::add_with_carry;
use crate::library::select::select;
use crate::library::word::constant;
use crate::{Builder, Wire};

/// `x` rounded as the mode says; `exact` asks that a changed value counts as inexact.
///
/// ```
/// use blindcore_circuits::library::constant;
/// use blindcore_circuits::library::float::{self, Format, Mode};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let x = constant(2.5_f32.to_bits().into(), 32);
/// let whole = float::round_to_integral(b, Format::SINGLE, Mode::IEEE, true, &x);
/// assert_eq!(whole.value, constant(2.0_f32.to_bits().into(), 32));
/// ```
///
/// # Panics
/// If the operand has not the format's width.
pub fn round_to_integral(
    b: &mut Builder,
    format: Format,
    mode: Mode,
    exact: bool,
    x: &[Wire],
) -> Rounded {
    let x = unpack(b, format, mode, x);
    let chosen = choose(b, mode, &[&x]);
    // To the right by as many places as stand behind the point.
    let whole_from = format.bias() + format.fraction as i64;
    let width = exponent::width(whole_from - format.largest(), whole_from);
    let behind = exponent::sum(b, width, &[], &[&x.exponent], whole_from);
    let has_none = b.any(&behind[..width - 1]);
    let is_whole = b.orny(has_none, behind[width - 1]);
    let mut places = vec![Wire::FALSE];
    places.extend(x.significand());
    let bits = (places.len().next_power_of_two().ilog2() as usize + 1).min(width - 1);
    let amount = Amount {
        bits: &behind[..bits],
        beyond: b.any(&behind[bits..width - 1]),
        blank: is_whole,
    };
    let kept = places.len();
    let (shifted, sticky) = shift_right(b, &places, kept, &amount);
    let rest = [shifted[0], sticky];
    let up = rounds_up(b, mode.rounding, x.negative, shifted[1], rest);
    let mut whole = shifted[1..].to_vec();
    whole.push(Wire::FALSE);
    let none = constant(0, whole.len());
    let whole = add_with_carry(b, &whole, &none, up).sum;
    let (significand, zeros) = normalise(b, &whole);
    let zero = !significand[whole.len() - 1];
    // The highest place of the sum counts 2^(fraction + 1).
    let greatest = whole_from;
    let least = greatest - 2 * whole.len() as i64;
    let width = exponent::width(least, greatest);
    let exponent = exponent::sum(b, width, &[], &[&zeros], greatest);
    let number = Number {
        negative: x.negative,
        exponent: &exponent,
        range: [greatest - whole.len() as i64, greatest],
        significand: &significand,
        sticky: Wire::FALSE,
        nothing: zero,
        is_zero_then: true,
    };
    let rounded = round(b, format, mode, &number);
    let own = [&*x.fraction, &*x.field].concat();
    let mut value = select(b, is_whole, &own, &rounded.packed.magnitude);
    let quiet = format.fraction - 1;
    let sign = if mode.default_nan {
        for bit in &mut value[..quiet] {
            *bit = b.andyn(*bit, x.nan);
        }
        b.andyn(x.negative, x.nan)
    } else {
        x.negative
    };
    value[quiet] = b.or(value[quiet], chosen.any);
    value.push(sign);
    let changed = b.any(&rest);
    let exceptions = Exceptions {
        invalid: chosen.signaling,
        inexact: if exact { changed } else { Wire::FALSE },
        input_denormal: x.flushed,
        ..Exceptions::NONE
    };
    Rounded { value, exceptions }
}
