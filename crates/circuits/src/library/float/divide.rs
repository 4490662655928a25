//! Quotients, by non-restoring division.
//!
//! Both significands are brought to the top, so that the quotient is between one half and two. Each
//! step doubles the remainder and subtracts the divisor, or adds it where the remainder is
//! negative: three places of the divisor are inverted by one lookup, and three columns added by
//! another. The signs of the remainders are the quotient, and what is left tells whether it is exact.
//!
//! Source: Ercegovac, Lang, Digital Arithmetic, 2004, §5.

use super::exponent;
use super::flip::invert_if;
use super::format::Format;
use super::mode::Mode;
use super::nan::{Special, choose};
use super::normalise::normalise;
use super::outcome::{Exceptions, Rounded};
use super::round::{Number, round};
use super::unpack::{Unpacked, unpack};
use crate::library::add::add_with_carry;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// `x / y`.
///
/// ```
/// use blindcore_circuits::library::constant;
/// use blindcore_circuits::library::float::{self, Format, Mode};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let [x, y] = [1.0_f32, 3.0].map(|value| constant(value.to_bits().into(), 32));
/// let quotient = float::divide(b, Format::SINGLE, Mode::IEEE, &x, &y);
/// assert_eq!(quotient.value, constant((1.0_f32 / 3.0).to_bits().into(), 32));
/// ```
///
/// # Panics
/// If an operand has not the format's width.
pub fn divide(b: &mut Builder, format: Format, mode: Mode, x: &[Wire], y: &[Wire]) -> Rounded {
    let (x, y) = (unpack(b, format, mode, x), unpack(b, format, mode, y));
    let chosen = choose(b, mode, &[&x, &y]);
    let negative = b.xor(x.negative, y.negative);
    let infinities = b.and(x.infinite, y.infinite);
    let zeros = b.and(x.zero, y.zero);
    let undefined = b.or(infinities, zeros);
    let by_zero = b.all(&[y.zero, !x.zero, !x.special]);
    let infinite = b.or(x.infinite, y.zero);
    let not_infinite = b.or(undefined, chosen.any);
    let infinite = b.andyn(infinite, not_infinite);
    let special = Special::of(b, infinite, undefined, &chosen, &[&x, &y]);
    let nothing = b.any(&[x.special, y.special, x.zero, y.zero]);

    let (dividend, from_x) = to_the_top(b, format, mode, &x);
    let (divisor, from_y) = to_the_top(b, format, mode, &y);
    let (quotient, inexact) = quotient(b, &dividend, &divisor);
    // The quotient's highest bit counts 1; where it is not set the next one is.
    let top = quotient[quotient.len() - 1];
    let mut lower = vec![Wire::FALSE];
    lower.extend_from_slice(&quotient[..quotient.len() - 1]);
    let places = crate::library::select::select(b, top, &quotient, &lower);

    let bias = format.bias();
    let zeros = match mode.flushes(format) {
        true => 0,
        false => format.fraction as i64,
    };
    let range = [
        1 - (format.largest() - 1) + bias - 2 - zeros,
        format.largest() - 2 + bias - 1 + zeros,
    ];
    let wide = 2 * (format.fraction as i64 + 1);
    let width = exponent::width(range[0] - wide - 2, range[1] + wide + 2);
    let plus = [&*x.exponent, &*from_y, &[top]];
    let exponent = exponent::sum(b, width, &plus, &[&y.exponent, &from_x], bias - 2);
    let number = Number {
        negative,
        exponent: &exponent,
        range,
        significand: &places,
        sticky: inexact,
        nothing,
        is_zero_then: false,
    };
    let rounded = round(b, format, mode, &number);
    let exceptions = Exceptions {
        invalid: b.or(chosen.signaling, undefined),
        division_by_zero: by_zero,
        overflow: rounded.packed.overflow,
        underflow: rounded.underflow,
        inexact: match mode.flushes(format) {
            true => b.andyn(rounded.packed.inexact, rounded.underflow),
            false => rounded.packed.inexact,
        },
        input_denormal: b.or(x.flushed, y.flushed),
    };
    let value = special.over(b, format, negative, &rounded.packed.magnitude);
    Rounded { value, exceptions }
}

/// The significand with its leading one on top, and how many zeros led.
pub(super) fn to_the_top(
    b: &mut Builder,
    format: Format,
    mode: Mode,
    x: &Unpacked,
) -> (Word, Word) {
    match mode.flushes(format) {
        true => (x.significand(), Word::new()),
        false => normalise(b, &x.significand()),
    }
}

/// Two bits more than the operands have, the highest of which counts 1, and whether a remainder is
/// left.
fn quotient(b: &mut Builder, dividend: &[Wire], divisor: &[Wire]) -> (Word, Wire) {
    let steps = dividend.len() + 2;
    let mut wide = divisor.to_vec();
    wide.resize(divisor.len() + 2, Wire::FALSE);
    let mut rest = dividend.to_vec();
    rest.resize(wide.len(), Wire::FALSE);
    let mut negative = Wire::FALSE;
    let mut quotient = Word::new();
    for step in 0..steps {
        if step > 0 {
            rest.pop();
            rest.insert(0, Wire::FALSE);
        }
        let addend = invert_if(b, &wide, !negative);
        rest = add_with_carry(b, &rest, &addend, !negative).sum;
        negative = rest[rest.len() - 1];
        quotient.insert(0, !negative);
    }
    // Nothing is left, or exactly the divisor is missing.
    let missing = add_with_carry(b, &rest, &wide, Wire::FALSE).sum;
    let (some, missing) = (b.any(&rest), b.any(&missing));
    (quotient, b.and(some, missing))
}
