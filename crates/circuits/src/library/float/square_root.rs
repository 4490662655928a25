//! Square roots, by a non-restoring root extraction.
//!
//! Two bits of the radicand make one of the root. With the root Q so far and the remainder R the
//! next remainder is `4R + bits − (4Q + 1)`, or `4R + bits + (4Q + 3)` where R is negative; its sign
//! is the next bit. Both are `4R + bits + 4(Q or ¬Q) + 3` in two's complement.
//!
//! Source: Li, Chu, A new non-restoring square root algorithm and its VLSI implementations, 1996.

use super::divide::to_the_top;
use super::exponent;
use super::flip::invert_if;
use super::format::Format;
use super::mode::Mode;
use super::nan::{Special, choose};
use super::outcome::{Exceptions, Rounded};
use super::round::{Number, round};
use super::unpack::unpack;
use crate::library::add::add_with_carry;
use crate::library::select::select;
use crate::library::word::{Word, constant};
use crate::{Builder, Wire};

/// `√x`; −0 of −0.
///
/// ```
/// use blindcore_circuits::library::constant;
/// use blindcore_circuits::library::float::{self, Format, Mode};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let two = constant(2.0_f32.to_bits().into(), 32);
/// let root = float::square_root(b, Format::SINGLE, Mode::IEEE, &two);
/// assert_eq!(root.value, constant(2.0_f32.sqrt().to_bits().into(), 32));
/// ```
///
/// # Panics
/// If the operand has not the format's width.
pub fn square_root(b: &mut Builder, format: Format, mode: Mode, x: &[Wire]) -> Rounded {
    let x = unpack(b, format, mode, x);
    let chosen = choose(b, mode, &[&x]);
    let undefined = b.all(&[x.negative, !x.zero, !x.nan]);
    let infinite = b.andyn(x.infinite, x.negative);
    let special = Special::of(b, infinite, undefined, &chosen, &[&x]);
    let nothing = b.any(&[x.special, x.zero, undefined]);

    let (significand, zeros) = to_the_top(b, format, mode, &x);
    // The exponent less the bias, doubled if it is odd: `2e + odd`.
    let bias = format.bias();
    let width = exponent::width(-bias - 2 * format.fraction as i64 - 4, format.largest());
    let unbiased = exponent::sum(b, width, &[&x.exponent], &[&zeros], -bias);
    let odd = unbiased[0];
    // One place above for the doubled significand, below as many as the root has bits for.
    let mut single = significand.clone();
    single.push(Wire::FALSE);
    let mut double = vec![Wire::FALSE];
    double.extend_from_slice(&significand);
    let upper = select(b, odd, &double, &single);
    let bits = format.fraction + 2;
    let mut radicand = constant(0, 2 * bits - upper.len());
    radicand.extend(upper);
    let (root, inexact) = root(b, &radicand);

    let mut half = unbiased[1..].to_vec();
    half.push(unbiased[width - 1]);
    let exponent = add_with_carry(b, &half, &constant(bias as u64 - 1, width), Wire::FALSE).sum;
    let number = Number {
        negative: Wire::FALSE,
        exponent: &exponent,
        // Roots are far from both ends.
        range: [0, format.largest() - 3],
        significand: &root,
        sticky: inexact,
        nothing,
        is_zero_then: false,
    };
    let rounded = round(b, format, mode, &number);
    let exceptions = Exceptions {
        invalid: b.or(chosen.signaling, undefined),
        inexact: rounded.packed.inexact,
        input_denormal: x.flushed,
        ..Exceptions::NONE
    };
    let value = special.over(b, format, x.negative, &rounded.packed.magnitude);
    Rounded { value, exceptions }
}

/// The root of an even number of bits, rounded down, and whether a remainder is left.
fn root(b: &mut Builder, radicand: &[Wire]) -> (Word, Wire) {
    let mut root = Word::new();
    let mut rest = Word::new();
    let mut negative = Wire::FALSE;
    for pair in radicand.rchunks(2) {
        let width = root.len() + 3;
        let sign = rest.last().copied().unwrap_or(Wire::FALSE);
        let mut next = pair.to_vec();
        next.extend_from_slice(&rest);
        next.resize(next.len().max(width), sign);
        next.truncate(width);
        let mut addend = vec![Wire::FALSE, Wire::TRUE];
        addend.extend(invert_if(b, &root, !negative));
        // The sign of what is added.
        addend.resize(width, !negative);
        rest = add_with_carry(b, &next, &addend, Wire::TRUE).sum;
        negative = rest[width - 1];
        root.insert(0, !negative);
    }
    // Nothing is left, or exactly twice the root and one are missing.
    let mut twice = vec![Wire::TRUE];
    twice.extend_from_slice(&root);
    twice.resize(rest.len(), Wire::FALSE);
    let missing = add_with_carry(b, &rest, &twice, Wire::FALSE).sum;
    let (some, missing) = (b.any(&rest), b.any(&missing));
    (root, b.and(some, missing))
}
