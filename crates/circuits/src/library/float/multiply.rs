//! Products.
//!
//! The product of both significands has its leading one in one of the upper two places, unless an
//! operand is subnormal. One shift brings it to its place, for normal and subnormal results: up by
//! as many places as zeros lead, or as the exponent allows if those are fewer, perhaps less than
//! none ([`settle`]).
//!
//! NaNs and infinities flow through the product: the other operand's significand is taken for 1, so
//! that what remains is the operand's own.

use super::align::Stages;
use super::exponent;
use super::flip::keep_if;
use super::format::Format;
use super::mode::Mode;
use super::nan::{Chosen, choose};
use super::normalise::{Out, Settled, settle};
use super::outcome::{Exceptions, Rounded};
use super::pack::{Unrounded, pack};
use super::unpack::{Unpacked, unpack};
use crate::library::multiply::multiply_long;
use crate::library::select::select;
use crate::library::weighted::{capacity, functions};
use crate::library::word::{Signedness, Word, constant};
use crate::{Builder, Wire};

/// `x · y`.
///
/// ```
/// use blindcore_circuits::library::constant;
/// use blindcore_circuits::library::float::{self, Format, Mode};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let [x, y] = [1.5_f64, -2.25].map(|value| constant(value.to_bits(), 64));
/// let product = float::multiply(b, Format::DOUBLE, Mode::IEEE, &x, &y);
/// assert_eq!(product.value, constant((-3.375_f64).to_bits(), 64));
/// ```
///
/// # Panics
/// If an operand has not the format's width.
pub fn multiply(b: &mut Builder, format: Format, mode: Mode, x: &[Wire], y: &[Wire]) -> Rounded {
    let (x, y) = (unpack(b, format, mode, x), unpack(b, format, mode, y));
    let chosen = choose(b, mode, &[&x, &y]);
    let negative = b.xor(x.negative, y.negative);
    let first = b.and(x.infinite, y.zero);
    let second = b.and(x.zero, y.infinite);
    let undefined = b.or(first, second);
    let special = b.or(x.special, y.special);

    let factors = factors(b, [&x, &y], &chosen);
    let product = multiply_long(b, Signedness::Unsigned, &factors[0], &factors[1]);
    let parts = Product {
        negative,
        special,
        zeros: [x.zero, y.zero],
        exponents: [&x.exponent, &y.exponent],
        product: &product,
    };
    let (number, tiny) = match mode.flushes(format) {
        true => parts.once(b, format),
        false => parts.place(b, format),
    };
    let packed = pack(b, format, mode, &number);
    let (underflow, flushed) = match mode.flushes(format) {
        true => (tiny, tiny),
        false => (b.and(tiny, packed.inexact), Wire::FALSE),
    };
    let exceptions = Exceptions {
        invalid: b.or(chosen.signaling, undefined),
        overflow: packed.overflow,
        underflow,
        inexact: b.andyn(packed.inexact, flushed),
        input_denormal: b.or(x.flushed, y.flushed),
        ..Exceptions::NONE
    };
    let mut value = packed.magnitude;
    let quiet = format.fraction - 1;
    value[quiet] = b.any(&[value[quiet], chosen.any, undefined]);
    let sign = match chosen.operands[..] {
        [takes_first, takes_second] => {
            // A NaN keeps its own.
            let terms = [
                (x.negative, 1),
                (y.negative, 2),
                (takes_first, 4),
                (takes_second, 8),
            ];
            functions(b, &terms, 1, |t| {
                let (first, second) = (t as u32 & 1, t as u32 >> 1 & 1);
                match t >> 2 {
                    0 => first ^ second,
                    1 => first,
                    _ => second,
                }
            })[0]
        }
        _ => b.andyn(negative, chosen.any),
    };
    value.push(b.andyn(sign, undefined));
    Rounded { value, exceptions }
}

/// The significands that are multiplied: 1 beside an infinity or a NaN that is the result.
fn factors(b: &mut Builder, [x, y]: [&Unpacked; 2], chosen: &Chosen) -> [Word; 2] {
    let mut factor = |operand: &Unpacked, other: &Unpacked, number: usize| {
        let stays = match chosen.operands.get(number) {
            Some(&takes) => b.oryn(takes, other.special),
            None => b.nor(other.special, chosen.any),
        };
        one_unless(b, &operand.significand(), stays)
    };
    [factor(x, y, 0), factor(y, x, 1)]
}

/// The word where the condition holds, else its highest bit alone. Three places and the condition are
/// a lookup, of which the multiplier may ask more.
fn one_unless(b: &mut Builder, word: &[Wire], stays: Wire) -> Word {
    if capacity(b).is_none_or(|capacity| capacity < 15) {
        let mut kept = keep_if(b, word, stays);
        let top = kept.pop().unwrap_or(Wire::FALSE);
        kept.push(b.oryn(top, stays));
        return kept;
    }
    let mut made = Word::new();
    for digit in word.chunks(3) {
        let count = digit.len();
        let one = match made.len() + count == word.len() {
            true => 1 << (count - 1),
            false => 0,
        };
        let mut terms: Vec<(Wire, i8)> = (digit.iter().enumerate())
            .map(|(at, &bit)| (bit, 1 << at))
            .collect();
        terms.push((stays, 1 << count));
        made.extend(functions(b, &terms, count, |t| {
            let t = t as u32;
            if t >> count == 1 { t } else { one }
        }));
    }
    made
}

struct Product<'a> {
    negative: Wire,
    /// It is an infinity or a NaN.
    special: Wire,
    /// Whether an operand is zero.
    zeros: [Wire; 2],
    exponents: [&'a [Wire]; 2],
    product: &'a [Wire],
}

impl Product<'_> {
    /// In its place, and whether it is tiny.
    fn place(&self, b: &mut Builder, format: Format) -> (Unrounded, Wire) {
        let kept = format.fraction + 2;
        let bits = (format.fraction + 3).next_power_of_two().ilog2() as usize;
        // So far up is where it stands already.
        let ahead = 1i64 << bits;
        let top = self.product.last().copied().unwrap_or(Wire::FALSE);
        let field = self.exponent(b, format, ahead, &[]);
        let small = field[field.len() - 1];
        let exponent = self.clamp(b, format, &field, ahead, top, small);
        let mut places = constant(0, kept + ahead as usize - 1 - self.product.len());
        places.extend_from_slice(self.product);
        places.resize(kept + 2 * ahead as usize - 1, Wire::FALSE);
        let blank = (exponent.overflow, Out::Below);
        let settled = settle(b, &places, bits + 1, &exponent.field, blank);
        let Settled { places, lost, by } = settled;
        let leading = places[kept - 1];
        let number = Unrounded {
            negative: self.negative,
            exponent: exponent.field,
            lowered: by,
            leading,
            fraction: places[1..kept - 1].to_vec(),
            guard: places[0],
            sticky: lost,
            overflow: exponent.overflow,
            special: self.special,
        };
        (number, b.nor(leading, exponent.overflow))
    }

    /// The same of normal operands where a tiny result is flushed: the leading one is at the top, or
    /// one place below.
    fn once(&self, b: &mut Builder, format: Format) -> (Unrounded, Wire) {
        let kept = format.fraction + 2;
        let top = self.product.last().copied().unwrap_or(Wire::FALSE);
        let field = self.exponent(b, format, -1, &[top]);
        let small = field[field.len() - 1];
        let exponent = self.clamp(b, format, &field, 0, Wire::FALSE, small);
        let blank = b.any(&[exponent.zero, exponent.overflow]);
        let (below, places) = self.product.split_at(self.product.len() - kept - 1);
        let mut stages = Stages::of(places, kept);
        stages.move_by(b, &[top], 0, [blank, Wire::FALSE]);
        let (places, lost) = stages.finish(b);
        let rest = b.any(&[below, &[lost]].concat());
        let number = Unrounded {
            negative: self.negative,
            exponent: exponent.field,
            lowered: Word::new(),
            leading: places[kept - 1],
            fraction: places[1..kept - 1].to_vec(),
            guard: places[0],
            sticky: b.andyn(rest, blank),
            overflow: exponent.overflow,
            special: self.special,
        };
        let zero = b.or(self.zeros[0], self.zeros[1]);
        let normal = b.or(zero, self.special);
        (number, b.andyn(small, normal))
    }

    /// The exponent field, less one, of the highest place (or, with its bit in `more`, of the
    /// leading one), and `ahead`; two's complement.
    fn exponent(&self, b: &mut Builder, format: Format, ahead: i64, more: &[Wire]) -> Word {
        let bias = format.bias();
        let range = [2 - bias + ahead, 2 * format.largest() + 1 - bias + ahead];
        let width = exponent::width(range[0], range[1]);
        let plus = [self.exponents[0], self.exponents[1], more];
        exponent::sum(b, width, &plus, &[], ahead - bias)
    }

    /// What the exponent becomes: zero if it is too `small` or the product is zero, the largest less
    /// one if it is too large, with `top` added, and what gives the largest where that is the result.
    fn clamp(
        &self,
        b: &mut Builder,
        format: Format,
        exponent: &[Wire],
        ahead: i64,
        top: Wire,
        small: Wire,
    ) -> Clamped {
        // The limit is odd: a one more makes a difference only to what is even.
        let largest = format.largest();
        let limit = if ahead == 0 {
            largest - 1
        } else {
            largest + ahead
        };
        let mut raised = exponent.to_vec();
        raised[0] = b.or(raised[0], top);
        let reaches = exponent::is_at_least(b, &raised, limit);
        let low = b.any(&[small, self.zeros[0], self.zeros[1], self.special]);
        let high = b.or(reaches, self.special);
        let width = exponent::width(0, largest + ahead) - 1;
        let mut word = exponent[..width.min(exponent.len())].to_vec();
        word.resize(width, Wire::FALSE);
        // A place below the highest, and the leading one adds one; or that one alone.
        let special = if ahead == 0 {
            largest - 1
        } else {
            largest + ahead
        };
        let values = [largest - 1, special];
        Clamped {
            field: by_case(b, &word, [low, high], values),
            overflow: b.andyn(high, low),
            zero: b.andyn(low, high),
        }
    }
}

/// An exponent without what does not count.
struct Clamped {
    field: Word,
    overflow: Wire,
    /// It is zero.
    zero: Wire,
}

/// The word; zero where only the first condition holds; the two values where only the second one
/// does, and where both do.
fn by_case(b: &mut Builder, word: &[Wire], [first, second]: [Wire; 2], values: [i64; 2]) -> Word {
    if capacity(b).is_none_or(|capacity| capacity < 15) {
        let [one, both] = values.map(|value| constant(value as u64, word.len()));
        let kept = keep_if(b, word, !first);
        let special = select(b, first, &both, &one);
        return select(b, second, &special, &kept);
    }
    let mut made = Word::new();
    for (number, pair) in word.chunks(2).enumerate() {
        let mut terms: Vec<(Wire, i8)> = (pair.iter().enumerate())
            .map(|(at, &bit)| (bit, 1 << at))
            .collect();
        let full = 1u32 << pair.len();
        terms.extend([(first, full as i8), (second, 2 * full as i8)]);
        made.extend(functions(b, &terms, pair.len(), |t| {
            match t as u32 / full {
                0 => t as u32 % full,
                1 => 0,
                2 => (values[0] >> (2 * number)) as u32,
                _ => (values[1] >> (2 * number)) as u32,
            }
        }));
    }
    made
}
