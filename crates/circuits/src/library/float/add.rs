//! Sums and differences.

use super::align::{Amount, shift_right};
use super::exponent;
use super::flip::{exchange_if, invert_if, keep_if};
use super::format::Format;
use super::mode::{Mode, Rounding};
use super::nan::{Chosen, choose};
use super::normalise::{Out, Settled, settle};
use super::outcome::{Exceptions, Rounded};
use super::pack::{Unrounded, pack};
use super::unpack::{Unpacked, unpack};
use crate::library::add::add_with_carry;
use crate::library::compare::less_than_unsigned;
use crate::library::weighted::functions;
use crate::library::word::{Word, constant};
use crate::{Builder, Wire};

/// Places below the larger operand's: guard, round and sticky.
const BELOW: usize = 3;

/// `x + y`.
///
/// ```
/// use blindcore_circuits::library::constant;
/// use blindcore_circuits::library::float::{self, Format, Mode};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let [x, y] = [1.5_f32, 2.25].map(|value| constant(value.to_bits().into(), 32));
/// let sum = float::add(b, Format::SINGLE, Mode::IEEE, &x, &y);
/// assert_eq!(sum.value, constant(3.75_f32.to_bits().into(), 32));
/// let difference = float::subtract(b, Format::SINGLE, Mode::IEEE, &x, &y);
/// assert_eq!(difference.value, constant((-0.75_f32).to_bits().into(), 32));
/// ```
///
/// # Panics
/// If an operand has not the format's width.
pub fn add(b: &mut Builder, format: Format, mode: Mode, x: &[Wire], y: &[Wire]) -> Rounded {
    sum(b, format, mode, [x, y], false)
}

/// `x − y`; a NaN keeps its sign.
///
/// # Panics
/// If an operand has not the format's width.
pub fn subtract(b: &mut Builder, format: Format, mode: Mode, x: &[Wire], y: &[Wire]) -> Rounded {
    sum(b, format, mode, [x, y], true)
}

/// The operands by their magnitudes.
struct Ordered {
    larger: Word,
    exponent: Word,
    /// The sign of the larger one as it is added.
    negative: Wire,
    smaller: Word,
    smaller_exponent: Word,
    /// Whether the second operand is the larger one.
    swapped: Wire,
}

fn order(
    b: &mut Builder,
    format: Format,
    [x, y]: [&Unpacked; 2],
    chosen: &Chosen,
    minus: bool,
) -> Ordered {
    let magnitude = |operand: &Unpacked| [&*operand.fraction, &*operand.field].concat();
    let less = less_than_unsigned(b, &magnitude(x), &magnitude(y));
    // Of two NaNs the one that is the result counts as larger.
    let swapped = match chosen.operands[..] {
        [takes_first, takes_second] => {
            let terms = [(less, 1), (takes_first, 2), (takes_second, 4)];
            functions(b, &terms, 1, |t| u32::from(t >= 4 || t == 1))[0]
        }
        _ => less,
    };
    let all = |operand: &Unpacked, negative: Wire| {
        let signs = [operand.leading, negative];
        [&*operand.fraction, &*operand.exponent, &signs].concat()
    };
    let first = all(x, x.negative);
    let second = all(y, y.negative.invert_if(minus));
    let [larger, smaller] = exchange_if(b, &first, &second, swapped);
    let parts = |word: &[Wire]| {
        let mut significand = word[..format.fraction].to_vec();
        significand.push(word[format.width() - 1]);
        (
            significand,
            word[format.fraction..format.width() - 1].to_vec(),
        )
    };
    let negative = larger[format.width()];
    let ((larger, exponent), (smaller, smaller_exponent)) = (parts(&larger), parts(&smaller));
    Ordered {
        larger,
        exponent,
        negative,
        smaller,
        smaller_exponent,
        swapped,
    }
}

fn sum(b: &mut Builder, format: Format, mode: Mode, [x, y]: [&[Wire]; 2], minus: bool) -> Rounded {
    let (x, y) = (unpack(b, format, mode, x), unpack(b, format, mode, y));
    let chosen = choose(b, mode, &[&x, &y]);
    let special = b.or(x.special, y.special);
    let opposite = b.xor(x.negative, y.negative).invert_if(minus);
    let undefined = b.all(&[x.infinite, y.infinite, opposite]);
    let ordered = order(b, format, [&x, &y], &chosen, minus);

    // Beside an infinity or a NaN the smaller operand vanishes.
    let distance = exponent::sum(
        b,
        format.exponent,
        &[&ordered.exponent],
        &[&ordered.smaller_exponent],
        0,
    );
    let bits = (format.fraction + 3).next_power_of_two().ilog2() as usize;
    let bits = bits.min(format.exponent);
    let amount = Amount {
        bits: &distance[..bits],
        beyond: b.any(&distance[bits..]),
        blank: special,
    };
    let mut places = constant(0, BELOW - 1);
    places.extend_from_slice(&ordered.smaller);
    let width = places.len();
    let (aligned, lost) = shift_right(b, &places, width, &amount);
    let mut addend = vec![lost];
    addend.extend(aligned);
    let addend = invert_if(b, &addend, opposite);
    let mut larger = constant(0, BELOW);
    larger.extend_from_slice(&ordered.larger);
    let added = add_with_carry(b, &larger, &addend, opposite);
    let mut total = added.sum;
    let carry = b.andyn(added.carry, opposite);
    total.push(carry);

    // An exponent that the carry makes too large is known before anything is shifted.
    let nearly = b.or(x.nearly_infinite, y.nearly_infinite);
    let overflow = b.all(&[nearly, carry, !special]);
    let default = if mode.default_nan {
        chosen.any
    } else {
        Wire::FALSE
    };
    let blank = b.or(overflow, default);
    // Zeros lead as far as the exponent goes, and of no sum it goes nowhere.
    let some = b.any(&total);
    let exponent = keep_if(b, &ordered.exponent, some);
    let bits = (total.len() + 1).next_power_of_two().ilog2() as usize;
    let mut places = constant(0, (1 << bits) - 1);
    places.extend(total);
    let Settled { places, by, .. } = settle(b, &places, bits, &exponent, (blank, Out::Above));
    // Even where all zeros could lead, one may lead less.
    let (below, kept) = places.split_at(BELOW + 1);
    let (guard, below) = below
        .split_last()
        .map_or((Wire::FALSE, below), |(&g, rest)| (g, rest));
    let leading = kept[format.fraction];
    let mut fraction = kept[..format.fraction].to_vec();
    let mut flushed = Wire::FALSE;
    if mode.flushes(format) {
        // Such a sum is exact: there is nothing below it.
        fraction = keep_if(b, &fraction, leading);
        let tiny = b.nor(leading, blank);
        flushed = b.and(tiny, some);
    }
    let unrounded = Unrounded {
        negative: ordered.negative,
        exponent,
        lowered: by,
        leading,
        fraction,
        guard,
        sticky: b.any(below),
        overflow,
        special,
    };
    let packed = pack(b, format, mode, &unrounded);

    let mut value = packed.magnitude;
    let quiet = format.fraction - 1;
    value[quiet] = b.any(&[value[quiet], chosen.any, undefined]);
    let cancelled = b.andyn(opposite, some);
    let down = Wire::constant(mode.rounding == Rounding::Down);
    let sign = b.mux(cancelled, down, ordered.negative);
    let sign = match mode.default_nan {
        true => b.andyn(sign, chosen.any),
        false if minus => {
            // The second operand's own sign.
            let own = b.and(chosen.any, ordered.swapped);
            b.xor(sign, own)
        }
        false => sign,
    };
    value.push(b.andyn(sign, undefined));
    let underflow = flushed;
    let inexact = b.andyn(packed.inexact, flushed);
    let exceptions = Exceptions {
        invalid: b.or(chosen.signaling, undefined),
        overflow: packed.overflow,
        underflow,
        inexact,
        input_denormal: b.or(x.flushed, y.flushed),
        ..Exceptions::NONE
    };
    Rounded { value, exceptions }
}
