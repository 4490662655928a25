//! A product and a sum with one rounding between them.
//!
//! The product is exact. The addend starts as far above it as makes no difference to the rounding,
//! and moves down by what the exponents differ. The sum is brought to the top and rounded.

use super::align::{Amount, shift_right};
use super::exponent;
use super::flip::{invert_if, keep_if};
use super::format::Format;
use super::mode::{Mode, Rounding};
use super::nan::{Special, choose};
use super::normalise::normalise;
use super::outcome::{Exceptions, Rounded};
use super::round::{Number, round};
use super::unpack::unpack;
use crate::library::add::add_with_carry;
use crate::library::multiply::multiply_long;
use crate::library::select::select;
use crate::library::word::{Signedness, constant};
use crate::{Builder, Wire};

/// Places below the product: what cancels then loses nothing that counts.
const BELOW: usize = 3;

/// `x · y + z`, rounded once. Where NaNs are compared `z` comes first; zero times infinity is
/// invalid even if `z` is a quiet NaN.
///
/// ```
/// use blindcore_circuits::library::constant;
/// use blindcore_circuits::library::float::{self, Format, Mode};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let [x, y, z] = [0.1_f32, 10.0, -1.0];
/// let words = [x, y, z].map(|value| constant(value.to_bits().into(), 32));
/// let fused = float::multiply_add(b, Format::SINGLE, Mode::IEEE, &words[0], &words[1], &words[2]);
/// assert_eq!(fused.value, constant(x.mul_add(y, z).to_bits().into(), 32));
/// ```
///
/// # Panics
/// If an operand has not the format's width.
pub fn multiply_add(
    b: &mut Builder,
    format: Format,
    mode: Mode,
    x: &[Wire],
    y: &[Wire],
    z: &[Wire],
) -> Rounded {
    let [x, y, z] = [x, y, z].map(|operand| unpack(b, format, mode, operand));
    let chosen = choose(b, mode, &[&z, &x, &y]);
    let negative = b.xor(x.negative, y.negative);
    let opposite = b.xor(negative, z.negative);
    let first = b.and(x.infinite, y.zero);
    let second = b.and(x.zero, y.infinite);
    let meaningless = b.or(first, second);
    let factors = b.or(x.infinite, y.infinite);
    let infinities = b.all(&[factors, z.infinite, opposite]);
    // Of no product and a signaling addend the addend is the result.
    let quiet = b.or(infinities, meaningless);
    let other_nan = b.orny(meaningless, z.signaling);
    let other_nan = b.and(chosen.any, other_nan);
    let undefined = b.andyn(quiet, other_nan);
    let mut chosen = chosen;
    for operand in &mut chosen.operands {
        *operand = b.andyn(*operand, undefined);
    }
    let infinite = b.or(factors, z.infinite);
    let not_infinite = b.or(undefined, chosen.any);
    let infinite = b.andyn(infinite, not_infinite);
    let special = Special::of(b, infinite, undefined, &chosen, &[&z, &x, &y]);
    let sign_of_infinity = b.mux(z.infinite, z.negative, negative);
    let none = b.any(&[x.special, y.special, z.special]);

    let product = multiply_long(b, Signedness::Unsigned, &x.significand(), &y.significand());
    let no_product = b.or(x.zero, y.zero);
    // The exponent field of the highest place, above the product by a fraction and more.
    let (fraction, bias) = (format.fraction as i64, format.bias());
    let ahead = fraction + 3;
    let greatest = 2 * (format.largest() - 1) - bias + 1 + ahead;
    let least = 2 - bias + 1 + ahead - format.largest();
    let width = exponent::width(least - 1, greatest + 1);
    let plus = [&*x.exponent, &*y.exponent];
    let top = exponent::sum(b, width, &plus, &[], 1 + ahead - bias);
    let distance = exponent::sum(b, width, &[&top], &[&z.exponent], 0);
    let stays = b.or(distance[width - 1], no_product);
    let places = BELOW + product.len() + ahead as usize;
    let mut addend = constant(0, places - 1 - (format.fraction + 1));
    addend.extend(z.significand());
    let bits = (places.next_power_of_two().ilog2() as usize).min(width - 1);
    let distance = keep_if(b, &distance[..width - 1], !stays);
    let amount = Amount {
        bits: &distance[..bits],
        beyond: b.any(&distance[bits..]),
        blank: Wire::FALSE,
    };
    let wide = addend.len();
    let (aligned, lost) = shift_right(b, &addend, wide, &amount);
    let mut addend = vec![lost];
    addend.extend(aligned);
    // A place for the carry, and one for the sign.
    addend.resize(places + 2, Wire::FALSE);
    let mut product_places = constant(0, BELOW);
    product_places.extend(product);
    product_places.resize(places + 2, Wire::FALSE);
    let product_places = invert_if(b, &product_places, opposite);
    let total = add_with_carry(b, &addend, &product_places, opposite).sum;
    let below = total[places + 1];
    let flipped = invert_if(b, &total[..=places], below);
    let magnitude = add_with_carry(b, &flipped, &constant(0, places + 1), below).sum;

    let mut exponent_of_z = z.exponent.clone();
    exponent_of_z.resize(width, Wire::FALSE);
    let top = select(b, stays, &exponent_of_z, &top);
    let (significand, zeros) = normalise(b, &magnitude);
    let zero = !significand[places];
    let wide = exponent::width(least - 4 * places as i64, greatest + 1);
    let mut top = top;
    let sign = top[width - 1];
    top.resize(wide.max(width), sign);
    let exponent = exponent::sum(b, top.len(), &[&top], &[&zeros], 0);
    let sign = b.xor(z.negative, below);
    let number = Number {
        negative: sign,
        exponent: &exponent,
        range: [least - places as i64, greatest],
        significand: &significand,
        sticky: Wire::FALSE,
        nothing: b.or(none, zero),
        is_zero_then: false,
    };
    let rounded = round(b, format, mode, &number);
    let cancelled = b.and(zero, opposite);
    let down = Wire::constant(mode.rounding == Rounding::Down);
    let sign = b.mux(cancelled, down, sign);
    let sign = b.mux(infinite, sign_of_infinity, sign);
    let exceptions = Exceptions {
        invalid: b.or(chosen.signaling, undefined),
        overflow: rounded.packed.overflow,
        underflow: rounded.underflow,
        inexact: match mode.flushes(format) {
            true => b.andyn(rounded.packed.inexact, rounded.underflow),
            false => rounded.packed.inexact,
        },
        input_denormal: b.any(&[x.flushed, y.flushed, z.flushed]),
        ..Exceptions::NONE
    };
    let value = special.over(b, format, sign, &rounded.packed.magnitude);
    Rounded { value, exceptions }
}
