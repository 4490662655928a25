//! From one format to another.

use super::exponent;
use super::format::Format;
use super::mode::Mode;
use super::nan::{Special, choose};
use super::normalise::normalise;
use super::outcome::{Exceptions, Rounded};
use super::round::{Number, round};
use super::unpack::unpack;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// The value in another format. A NaN keeps the upper bits of its fraction; in a format without
/// NaNs it becomes zero, and an infinity the largest number.
///
/// ```
/// use blindcore_circuits::library::constant;
/// use blindcore_circuits::library::float::{self, Format, Mode};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let third = constant((1.0_f64 / 3.0).to_bits(), 64);
/// let single = float::convert(b, Format::DOUBLE, Format::SINGLE, Mode::IEEE, &third);
/// assert_eq!(single.value, constant((1.0_f32 / 3.0).to_bits().into(), 32));
/// assert_eq!(single.exceptions.inexact, blindcore_circuits::Wire::TRUE);
/// ```
///
/// # Panics
/// If the operand has not the width of `from`.
pub fn convert(b: &mut Builder, from: Format, to: Format, mode: Mode, x: &[Wire]) -> Rounded {
    let x = unpack(b, from, mode, x);
    let (significand, least, zeros) = source(b, from, to, &x);
    let greatest = from.largest() - i64::from(from.has_infinity) - from.bias() + to.bias() - 1;
    let shift = to.bias() - from.bias() - 1;
    let width = exponent::width(
        shift - 2 * significand.len() as i64,
        greatest.max(from.largest() + shift),
    );
    let exponent = exponent::sum(b, width, &[&x.exponent], &[&zeros], shift);
    let number = Number {
        negative: x.negative,
        exponent: &exponent,
        range: [least, greatest],
        significand: &significand,
        sticky: Wire::FALSE,
        nothing: b.or(x.special, x.zero),
        is_zero_then: false,
    };
    let rounded = round(b, to, mode, &number);
    let mut exceptions = Exceptions {
        invalid: x.signaling,
        overflow: rounded.packed.overflow,
        underflow: rounded.underflow,
        inexact: rounded.packed.inexact,
        input_denormal: x.flushed,
        ..Exceptions::NONE
    };
    if mode.flushes(to) {
        exceptions.inexact = b.andyn(exceptions.inexact, rounded.underflow);
    }
    let magnitude = rounded.packed.magnitude;
    if !to.has_infinity {
        let mut value: Word = (magnitude.iter())
            .map(|&bit| b.disjoint(&[bit, x.infinite]))
            .collect();
        value.push(x.negative);
        exceptions.invalid = b.any(&[x.special, exceptions.overflow]);
        exceptions.inexact = b.andyn(exceptions.inexact, exceptions.overflow);
        exceptions.overflow = Wire::FALSE;
        return Rounded { value, exceptions };
    }
    let chosen = choose(b, mode, &[&x]);
    let mut special = Special::of(b, x.infinite, Wire::FALSE, &chosen, &[&x]);
    let fraction = payload(from, to, &x.fraction);
    for (_, _, nan) in &mut special.nans {
        *nan = &fraction;
    }
    let value = special.over(b, to, x.negative, &magnitude);
    Rounded { value, exceptions }
}

/// The significand with its leading one on top, the least exponent that counts, and how many zeros
/// led. Subnormals that are too small for the other format whatever they are stay as they are.
fn source(
    b: &mut Builder,
    from: Format,
    to: Format,
    x: &super::unpack::Unpacked,
) -> (Word, i64, Word) {
    let least = to.bias() - from.bias();
    let lost = -(to.fraction as i64) - 2;
    if least < lost {
        return (x.significand(), least, Word::new());
    }
    let (significand, zeros) = normalise(b, &x.significand());
    (significand, least - from.fraction as i64, zeros)
}

fn payload(from: Format, to: Format, fraction: &[Wire]) -> Word {
    let mut payload = vec![Wire::FALSE; to.fraction.saturating_sub(from.fraction)];
    payload.extend_from_slice(&fraction[from.fraction.saturating_sub(to.fraction)..]);
    payload
}
