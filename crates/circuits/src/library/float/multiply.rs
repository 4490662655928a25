//! Products.
//!
//! The product of both significands has its leading one in one of the upper two places, unless an
//! operand is subnormal. One shift brings it to its place, for normal and subnormal results: by as
//! many places as zeros lead, or as the exponent allows if those are fewer, perhaps less than none.

use super::align::{Amount, shift_right};
use super::exponent;
use super::format::Format;
use super::mode::Mode;
use super::nan::{Special, choose};
use super::outcome::{Exceptions, Rounded};
use super::pack::{Unrounded, pack};
use super::round::{self, Number, clamp};
use super::unpack::unpack;
use crate::library::leading_zeros::count_leading_zeros;
use crate::library::multiply::multiply_long;
use crate::library::select::select;
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
    let infinite = b.or(x.infinite, y.infinite);
    let not_infinite = b.or(undefined, chosen.any);
    let infinite = b.andyn(infinite, not_infinite);
    let special = Special::of(b, infinite, undefined, &chosen, &[&x, &y]);

    let product = multiply_long(b, Signedness::Unsigned, &x.significand(), &y.significand());
    let nothing = b.any(&[x.special, y.special, x.zero, y.zero]);
    // Of the highest place of the product, less one.
    let bias = format.bias();
    let range = [2 - bias, 2 * (format.largest() - 1) - bias];
    let width = exponent::width(range[0] - format.fraction as i64 - 1, range[1]);
    let exponent = exponent::sum(b, width, &[&x.exponent, &y.exponent], &[], -bias);
    let (packed, underflow) = if mode.flushes(format) {
        let number = once(b, &product, &exponent);
        let number = Number {
            negative,
            exponent: &number.0,
            range: [range[0] - 1, range[1]],
            significand: &number.1,
            sticky: Wire::FALSE,
            nothing,
            is_zero_then: false,
        };
        let rounded = round::round(b, format, mode, &number);
        (rounded.packed, rounded.underflow)
    } else {
        let product = Product {
            negative,
            exponent: &exponent,
            product: &product,
            nothing,
        };
        let (number, tiny) = product.place(b, format);
        let packed = pack(b, format, mode, &number);
        let underflow = b.and(tiny, packed.inexact);
        (packed, underflow)
    };
    let exceptions = Exceptions {
        invalid: b.or(chosen.signaling, undefined),
        overflow: packed.overflow,
        underflow,
        inexact: b.andyn(packed.inexact, flushed(mode, format, underflow)),
        input_denormal: b.or(x.flushed, y.flushed),
        ..Exceptions::NONE
    };
    let value = special.over(b, format, negative, &packed.magnitude);
    Rounded { value, exceptions }
}

fn flushed(mode: Mode, format: Format, underflow: Wire) -> Wire {
    match mode.flushes(format) {
        true => underflow,
        false => Wire::FALSE,
    }
}

/// The product of two normal numbers: the leading one is at the top, or one place below.
fn once(b: &mut Builder, product: &[Wire], exponent: &[Wire]) -> (Word, Word) {
    let top = product.last().copied().unwrap_or(Wire::FALSE);
    let mut doubled = vec![Wire::FALSE];
    doubled.extend_from_slice(&product[..product.len() - 1]);
    let places = select(b, top, product, &doubled);
    let exponent = exponent::sum(b, exponent.len(), &[exponent, &[top]], &[], -1);
    (exponent, places)
}

struct Product<'a> {
    negative: Wire,
    exponent: &'a [Wire],
    product: &'a [Wire],
    nothing: Wire,
}

impl Product<'_> {
    /// In its place, and whether it is tiny.
    fn place(&self, b: &mut Builder, format: Format) -> (Unrounded, Wire) {
        let (significand, exponent) = (format.fraction + 1, self.exponent);
        // Of one operand at least zeros lead the significand by no more than its places.
        let upper = &self.product[self.product.len() - significand..];
        let zeros = count_leading_zeros(b, upper);
        let count = (usize::BITS - significand.leading_zeros()) as usize;
        let zeros = &zeros[..count.min(significand)];
        let rest = exponent::sum(b, exponent.len(), &[exponent], &[zeros], 0);
        let limited = rest[rest.len() - 1];

        // To the right by `reach − 1 − distance` of what stands that much too far left.
        let bits = (format.fraction + 3).next_power_of_two().ilog2() as usize;
        let reach = 1usize << bits;
        let mut counted = zeros.to_vec();
        counted.resize(bits, Wire::FALSE);
        let distance = select(b, limited, &exponent[..bits], &counted);
        let negative = exponent[exponent.len() - 1];
        let mut amount: Word = distance.iter().map(|&bit| !bit).collect();
        amount.push(negative);
        let near = b.all(&exponent[bits..]);
        let gone = b.andyn(negative, near);

        let limit = format.largest() - 1;
        let reaches = exponent::is_at_least(b, &rest, limit);
        let overflow = b.andyn(reaches, self.nothing);
        let blank = b.or(self.nothing, overflow);
        let mut places = constant(0, reach - 1 - format.fraction);
        places.extend_from_slice(self.product);
        let amount = Amount {
            bits: &amount,
            beyond: gone,
            blank,
        };
        let (places, lost) = shift_right(b, &places, significand + 1, &amount);
        let zero = b.or(limited, self.nothing);
        let number = Unrounded {
            negative: self.negative,
            exponent: clamp(b, format, &rest, zero, overflow),
            leading: places[significand],
            fraction: places[1..significand].to_vec(),
            guard: places[0],
            sticky: lost,
            overflow,
            special: Wire::FALSE,
        };
        (number, b.andyn(limited, self.nothing))
    }
}
