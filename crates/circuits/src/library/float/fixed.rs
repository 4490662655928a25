//! From and to integers and fixed point.

use super::align::{Amount, shift_right};
use super::exponent;
use super::flip::{invert_if, keep_if};
use super::format::Format;
use super::mode::{Mode, Rounding};
use super::normalise::{normalise, normalise_unlike};
use super::outcome::{Exceptions, Rounded};
use super::pack::rounds_up;
use super::round::{Number, round};
use super::unpack::unpack;
use crate::library::add::add_with_carry;
use crate::library::columns::Columns;
use crate::library::subtract::negate_if;
use crate::library::weighted::{capacity, functions};
use crate::library::word::{Signedness, Word, constant};
use crate::{Builder, Wire};

/// What an integer stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fixed {
    /// Whether it has a sign.
    pub signedness: Signedness,
    /// How many of its bits stand behind the point: 0 of an integer.
    pub fraction: usize,
}

impl Fixed {
    /// An unsigned integer.
    pub const UNSIGNED: Self = Self {
        signedness: Signedness::Unsigned,
        fraction: 0,
    };
    /// A signed integer.
    pub const SIGNED: Self = Self {
        signedness: Signedness::Signed,
        fraction: 0,
    };
}

/// The value of a word, of any width.
///
/// ```
/// use blindcore_circuits::library::constant;
/// use blindcore_circuits::library::float::{self, Fixed, Format, Mode};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let quarters = Fixed { fraction: 2, ..Fixed::SIGNED };
/// let value = float::from_fixed(b, Format::SINGLE, Mode::IEEE, quarters, &constant(13, 32));
/// assert_eq!(value.value, constant(3.25_f32.to_bits().into(), 32));
/// let whole = float::to_fixed(b, Format::SINGLE, Mode::IEEE, Fixed::UNSIGNED, 8, &value.value);
/// assert_eq!(whole.value, constant(3, 8));
/// ```
pub fn from_fixed(
    b: &mut Builder,
    format: Format,
    mode: Mode,
    fixed: Fixed,
    word: &[Wire],
) -> Rounded {
    let negative = match (fixed.signedness, word.last()) {
        (Signedness::Signed, Some(&sign)) => sign,
        _ => Wire::FALSE,
    };
    let top = word.len() as i64 - 1;
    let lowest = format.bias() - 1 - fixed.fraction as i64;
    let fits = lowest > 0 && lowest + top + 2 < format.largest();
    let fits = fits && word.len().is_power_of_two() && top > 0;
    if fits && capacity(b).is_some_and(|capacity| capacity >= 15) {
        return from_word(b, format, mode, [lowest, top], word, negative);
    }
    let magnitude = negate_if(b, negative, word);
    let (significand, zeros) = normalise(b, &magnitude);
    // The leading one is in the highest place, or the word is zero.
    let nothing = !significand.last().copied().unwrap_or(Wire::FALSE);
    let greatest = format.bias() + top - fixed.fraction as i64 - 1;
    let least = greatest - top;
    let width = exponent::width(least - top - 1, greatest);
    let exponent = exponent::sum(b, width, &[], &[&zeros], greatest);
    let number = Number {
        negative,
        exponent: &exponent,
        range: [least, greatest],
        significand: &significand,
        sticky: Wire::FALSE,
        nothing,
        is_zero_then: true,
    };
    let rounded = round(b, format, mode, &number);
    let mut value = rounded.packed.magnitude;
    value.push(negative);
    let exceptions = Exceptions {
        overflow: rounded.packed.overflow,
        inexact: rounded.packed.inexact,
        underflow: rounded.underflow,
        ..Exceptions::NONE
    };
    Rounded { value, exceptions }
}

/// The value of a word that fits the format, its sign apart; `lowest` is the exponent field, less
/// one, of a 1 in its lowest place.
///
/// A negative word is brought to its place as it is. What it is negated with, inversion and a one
/// at the bottom, is part of the rounding: the one is carried into what is kept where all below is
/// zero, and otherwise what is below says how its negative is rounded.
fn from_word(
    b: &mut Builder,
    format: Format,
    mode: Mode,
    [lowest, top]: [i64; 2],
    word: &[Wire],
    negative: Wire,
) -> Rounded {
    let (places, zeros) = normalise_unlike(b, word, negative);
    let kept = format.fraction + 1;
    let split = places.len().saturating_sub(kept);
    let (below, upper) = places.split_at(split);
    let (guard, rest) = match below.split_last() {
        Some((&guard, rest)) => (guard, b.any(rest)),
        None => (Wire::FALSE, Wire::FALSE),
    };
    let terms = [(guard, 1), (rest, 2), (negative, 4), (upper[0], 8)];
    let rounding = mode.rounding;
    let made = functions(b, &terms, 2, |t| {
        let bit = |at: u32| t as u32 >> at & 1 == 1;
        let (guard, rest, negative) = (bit(0), bit(1), bit(2));
        let exact = !guard && !rest;
        // Of the negative: beyond the middle becomes short of it.
        let half = if negative { guard != rest } else { guard };
        let up = match rounding {
            Rounding::NearestEven => half && (rest || bit(3) != negative),
            Rounding::NearestAway => half,
            Rounding::Zero => false,
            Rounding::Up => !exact && !negative,
            Rounding::Down => !exact && negative,
        };
        u32::from(up || exact && negative) | u32::from(!exact) << 1
    });
    let (up, inexact) = (made[0], made[1]);
    let (significand, carry) = negate_and_add(b, upper, negative, up);
    let (leading, fraction) = significand
        .split_last()
        .map_or((Wire::FALSE, &[][..]), |(&leading, rest)| (leading, rest));
    let mut value = constant(0, format.fraction - fraction.len());
    value.extend_from_slice(fraction);
    // Of zero neither is set, and as many zeros as there can be are taken for leading ones.
    let most = (1i64 << zeros.len()) - 1;
    let mut columns = Columns::new(format.exponent);
    let ones: Word = zeros.iter().map(|&bit| !bit).collect();
    columns.push_word(0, &ones);
    for (wire, amount) in [(leading, 1), (carry, 2)] {
        push_times(&mut columns, wire, lowest + top - most + amount);
    }
    value.extend(columns.sum(b));
    value.push(negative);
    let exceptions = Exceptions {
        inexact,
        ..Exceptions::NONE
    };
    Rounded { value, exceptions }
}

/// The word, inverted where `negative`, and one more where `up`; with its carry. Two columns have
/// the sixteen states `x₀ + 2x₁ + 4s + 8c`.
fn negate_and_add(b: &mut Builder, word: &[Wire], negative: Wire, up: Wire) -> (Word, Wire) {
    if negative.as_constant().is_some() {
        let word = invert_if(b, word, negative);
        let added = add_with_carry(b, &word, &constant(0, word.len()), up);
        return (added.sum, added.carry);
    }
    let (mut sum, mut carry) = (Word::new(), up);
    for columns in word.chunks(2) {
        let count = columns.len();
        let mut terms: Vec<(Wire, i8)> = (columns.iter().enumerate())
            .map(|(at, &bit)| (bit, 1 << at))
            .collect();
        terms.extend([(negative, 1 << count), (carry, 2 << count)]);
        let mut made = functions(b, &terms, count + 1, |t| {
            let t = t as u32;
            let all = (1 << count) - 1;
            let bits = if t >> count & 1 == 1 {
                !t & all
            } else {
                t & all
            };
            bits + (t >> (count + 1))
        });
        carry = made.pop().unwrap_or(Wire::FALSE);
        sum.extend(made);
    }
    (sum, carry)
}

/// Adds a clear number where the wire is set, as few powers of two with a sign as there are.
fn push_times(columns: &mut Columns, wire: Wire, number: i64) {
    let (mut rest, mut at) = (number, 0);
    while rest != 0 {
        if rest & 1 == 1 {
            // Of two ones in a row the next higher power less this one.
            match rest & 3 {
                1 => {
                    columns.push(at, wire);
                    rest -= 1;
                }
                _ => {
                    columns.push_negative(at, wire);
                    rest += 1;
                }
            }
        }
        rest >>= 1;
        at += 1;
    }
}

/// The nearest word of `width` bits, 0 of a NaN.
///
/// # Panics
/// If the operand has not the format's width, or `width` is 0.
pub fn to_fixed(
    b: &mut Builder,
    format: Format,
    mode: Mode,
    fixed: Fixed,
    width: usize,
    x: &[Wire],
) -> Rounded {
    let x = unpack(b, format, mode, x);
    let is_signed = fixed.signedness == Signedness::Signed;
    // What is left for the magnitude of a number that fits.
    let places = width - usize::from(is_signed);
    // The place of the leading one is `exponent − bias + fraction`: to the right from the highest
    // place that fits, by `distance`; negative if the number is too large.
    let highest = places as i64 - 1 + format.bias() - fixed.fraction as i64;
    let bound = exponent::width(highest - format.largest(), highest);
    let distance = exponent::sum(b, bound, &[], &[&x.exponent], highest);
    let too_large = distance[bound - 1];

    let kept = places + 1;
    let mut word = constant(0, kept.saturating_sub(format.fraction + 1));
    word.extend(x.significand());
    let extra = word.len() - kept;
    let bits = ((kept + 1).next_power_of_two().ilog2() as usize).min(bound - 1);
    let wrong_sign = if is_signed { Wire::FALSE } else { x.negative };
    let outside = b.any(&[too_large, x.special]);
    let blank = b.or(outside, wrong_sign);
    let amount = Amount {
        bits: &distance[..bits],
        beyond: b.any(&distance[bits..bound - 1]),
        blank: outside,
    };
    let below = b.any(&word[..extra]);
    let (shifted, lost) = shift_right(b, &word[extra..], kept, &amount);
    let below = b.andyn(below, outside);
    let sticky = b.or(lost, below);
    let (guard, magnitude) = (shifted[0], &shifted[1..]);
    let rest = [guard, sticky];
    let up = rounds_up(b, mode.rounding, x.negative, magnitude[0], rest);

    // Of a number that is too large the magnitude is zero, and what is inverted saturates.
    let finite_or_infinite = !x.nan;
    let value = if is_signed {
        // −m is ¬m + 1; saturated 0 − 1 and 0, less the sign's place.
        let low = b.xor(x.negative, outside);
        let low = b.and(low, finite_or_infinite);
        let flipped = invert_if(b, magnitude, low);
        let carry = b.xor(x.negative, up);
        let carry = b.andyn(carry, outside);
        let added = add_with_carry(b, &flipped, &constant(0, places), carry);
        // A magnitude of 2^places fits with a minus; else it is the largest number.
        let nonzero = b.any(&[magnitude, &[up]].concat());
        let over = b.andyn(added.carry, x.negative);
        let mut value: Word = added
            .sum
            .iter()
            .map(|&bit| b.disjoint(&[bit, over]))
            .collect();
        let minus_number = b.and(x.negative, nonzero);
        let minus = b.mux(outside, x.negative, minus_number);
        value.push(b.and(minus, finite_or_infinite));
        value
    } else {
        let up = b.andyn(up, blank);
        let kept = keep_if(b, magnitude, !x.negative);
        let added = add_with_carry(b, &kept, &constant(0, places), up);
        let all = b.all(&[outside, !x.negative, finite_or_infinite]);
        let full = b.or(all, added.carry);
        added
            .sum
            .iter()
            .map(|&bit| b.disjoint(&[bit, full]))
            .collect()
    };
    let checked = Checked {
        x: &x,
        is_signed,
        places,
        outside,
        distance: &distance,
        magnitude,
        up,
    };
    let [invalid, least] = invalid(b, mode, &checked);
    let inexact = b.any(&[guard, sticky, least]);
    let exceptions = Exceptions {
        invalid,
        inexact: b.andyn(inexact, invalid),
        input_denormal: x.flushed,
        ..Exceptions::NONE
    };
    Rounded { value, exceptions }
}

struct Checked<'a> {
    x: &'a super::unpack::Unpacked,
    is_signed: bool,
    places: usize,
    outside: Wire,
    distance: &'a [Wire],
    magnitude: &'a [Wire],
    up: Wire,
}

/// Whether the number does not fit after it was rounded, and whether it was rounded to the least one.
fn invalid(b: &mut Builder, mode: Mode, checked: &Checked<'_>) -> [Wire; 2] {
    let &Checked {
        x,
        is_signed,
        places,
        outside,
        distance,
        magnitude,
        up,
    } = checked;
    // Rounded up to one place more.
    let all = b.all(magnitude);
    let over = b.and(all, up);
    if !is_signed {
        let nonzero = b.any(&[magnitude, &[up]].concat());
        let below = b.and(nonzero, x.negative);
        return [b.any(&[outside, over, below]), Wire::FALSE];
    }
    let over = b.andyn(over, x.negative);
    // −2^places fits, and what is rounded to it: its leading one stands one place too high.
    let one_above = b.all(distance);
    let split = x.fraction.len().saturating_sub(places);
    let (below, whole) = x.fraction.split_at(split);
    let whole = b.any(whole);
    let (guard, sticky) = match below.split_last() {
        Some((&guard, rest)) => (guard, b.any(rest)),
        None => (Wire::FALSE, Wire::FALSE),
    };
    let up = rounds_up(b, mode.rounding, Wire::TRUE, Wire::FALSE, [guard, sticky]);
    let more = b.or(whole, up);
    let fits = b.all(&[one_above, x.negative, !more, !x.special]);
    let outside = b.andyn(outside, fits);
    let inexact = b.or(guard, sticky);
    [b.or(outside, over), b.and(fits, inexact)]
}
