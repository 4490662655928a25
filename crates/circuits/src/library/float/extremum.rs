//! The greater and the lesser of two numbers, a number rather than a quiet NaN.

use super::compare::below;
use super::format::Format;
use super::mode::Mode;
use super::nan::choose;
use super::outcome::{Exceptions, Rounded};
use super::unpack::{Unpacked, unpack};
use crate::library::select::select;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// IEEE 754-2008's `maxNum`.
///
/// ```
/// use blindcore_circuits::library::constant;
/// use blindcore_circuits::library::float::{self, Format, Mode};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let [x, y] = [-1.5_f32, f32::NAN].map(|value| constant(value.to_bits().into(), 32));
/// assert_eq!(float::maximum_number(b, Format::SINGLE, Mode::IEEE, &x, &y).value, x);
/// assert_eq!(float::minimum_number(b, Format::SINGLE, Mode::IEEE, &y, &x).value, x);
/// ```
///
/// # Panics
/// If an operand has not the format's width.
pub fn maximum_number(
    b: &mut Builder,
    format: Format,
    mode: Mode,
    x: &[Wire],
    y: &[Wire],
) -> Rounded {
    extremum(b, format, mode, [x, y], true)
}

/// IEEE 754-2008's `minNum`.
///
/// # Panics
/// If an operand has not the format's width.
pub fn minimum_number(
    b: &mut Builder,
    format: Format,
    mode: Mode,
    x: &[Wire],
    y: &[Wire],
) -> Rounded {
    extremum(b, format, mode, [x, y], false)
}

fn extremum(
    b: &mut Builder,
    format: Format,
    mode: Mode,
    [x, y]: [&[Wire]; 2],
    greatest: bool,
) -> Rounded {
    let (x, y) = (unpack(b, format, mode, x), unpack(b, format, mode, y));
    let chosen = choose(b, mode, &[&x, &y]);
    let both = b.and(x.nan, y.nan);
    let nan = b.or(both, chosen.signaling);
    let less = below(b, &x, &y);
    // Of two zeros the sign is chosen apart; which one it is does not matter.
    let second = less.invert_if(!greatest);
    let second = b.or(second, x.nan);
    let second = b.andyn(second, y.nan);
    let second = match chosen.operands[..] {
        [_, takes_second] => b.mux(nan, takes_second, second),
        _ => second,
    };
    let magnitude = |operand: &Unpacked| [&*operand.fraction, &*operand.field].concat();
    let mut value: Word = select(b, second, &magnitude(&y), &magnitude(&x));
    let zeros = b.and(x.zero, y.zero);
    let sign = b.mux(second, y.negative, x.negative);
    let sign_of_zeros = match greatest {
        true => b.and(x.negative, y.negative),
        false => b.or(x.negative, y.negative),
    };
    let sign = b.mux(zeros, sign_of_zeros, sign);
    let quiet = format.fraction - 1;
    if mode.default_nan {
        for (at, bit) in value.iter_mut().enumerate() {
            *bit = match at >= quiet {
                true => b.or(*bit, nan),
                false => b.andyn(*bit, nan),
            };
        }
        value.push(b.andyn(sign, nan));
    } else {
        value[quiet] = b.or(value[quiet], nan);
        value.push(sign);
    }
    let exceptions = Exceptions {
        invalid: chosen.signaling,
        input_denormal: b.or(x.flushed, y.flushed),
        ..Exceptions::NONE
    };
    Rounded { value, exceptions }
}
