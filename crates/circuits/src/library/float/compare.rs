//! Comparisons.
//!
//! Signs and magnitudes are compared as they stand: with both negative the borrow comes in at the
//! bottom, so that "not greater" becomes "less" the other way round.

use super::format::Format;
use super::mode::Mode;
use super::unpack::{Unpacked, unpack};
use crate::library::add::add_with_carry;
use crate::library::bitwise;
use crate::library::compare::equal;
use crate::library::weighted::{capacity, functions};
use crate::{Builder, Wire};

/// Which operands that are not numbers make a comparison invalid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Invalid {
    /// Signaling ones.
    Signaling,
    /// All.
    Every,
}

/// How two values compare. At most one is set; none where the first is greater.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compared {
    /// The first is less.
    pub less: Wire,
    /// They are equal, zeros of either sign too.
    pub equal: Wire,
    /// One of them is not a number.
    pub unordered: Wire,
    /// The comparison is invalid.
    pub invalid: Wire,
    /// A subnormal operand was flushed to zero.
    pub input_denormal: Wire,
}

/// Compares `x` with `y`.
///
/// ```
/// use blindcore_circuits::library::constant;
/// use blindcore_circuits::library::float::{self, Format, Invalid, Mode};
/// use blindcore_circuits::{Builder, Profile, Wire};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let [x, y] = [-1.5_f32, 2.25].map(|value| constant(value.to_bits().into(), 32));
/// let compared = float::compare(b, Format::SINGLE, Mode::IEEE, Invalid::Signaling, &x, &y);
/// assert_eq!(compared.less, Wire::TRUE);
/// ```
///
/// # Panics
/// If an operand has not the format's width.
pub fn compare(
    b: &mut Builder,
    format: Format,
    mode: Mode,
    which: Invalid,
    x: &[Wire],
    y: &[Wire],
) -> Compared {
    let (mut x, mut y) = (unpack(b, format, mode, x), unpack(b, format, mode, y));
    if !mode.flushes(format) && format.has_infinity {
        [&mut x, &mut y]
            .into_iter()
            .for_each(|operand| ends_at_once(b, operand));
    }
    let unordered = b.or(x.nan, y.nan);
    let Ordered { less, same } = order(b, &x, &y);
    Compared {
        less: among_numbers(b, less, [&x, &y], |less, zeros| less && zeros < 2),
        equal: among_numbers(b, same, [&x, &y], |same, zeros| same || zeros == 2),
        unordered,
        invalid: match which {
            Invalid::Signaling => b.or(x.signaling, y.signaling),
            Invalid::Every => unordered,
        },
        input_denormal: b.or(x.flushed, y.flushed),
    }
}

/// Whether an operand is zero and whether it is no number, by one lookup beside those that look at
/// the fraction: `t = Σ¬e + ¬(some f)` is 0 of a NaN, and all there is of a zero.
fn ends_at_once(b: &mut Builder, operand: &mut Unpacked) {
    let places = operand.field.len() as u32 + 1;
    if capacity(b).is_none_or(|capacity| capacity < places) {
        return;
    }
    let some = b.any(&operand.fraction);
    let mut terms: Vec<(Wire, i8)> = operand.field.iter().map(|&bit| (!bit, 1)).collect();
    terms.push((!some, 1));
    let made = functions(b, &terms, 2, |t| {
        u32::from(t == 0) | u32::from(t == places as i32) << 1
    });
    (operand.nan, operand.zero) = (made[0], made[1]);
}

/// A finding about two operands in the light of how many of them are zero; none if one of them is
/// no number.
fn among_numbers(
    b: &mut Builder,
    finding: Wire,
    [x, y]: [&Unpacked; 2],
    f: impl Fn(bool, i32) -> bool,
) -> Wire {
    if capacity(b).is_none_or(|capacity| capacity < 13) {
        let numbers = b.nor(x.nan, y.nan);
        let zeros = b.and(x.zero, y.zero);
        let [one, both] = [1, 2].map(|zeros| [false, true].map(|finding| f(finding, zeros)));
        let value = |b: &mut Builder, [no, yes]: [bool; 2]| {
            b.mux(finding, Wire::constant(yes), Wire::constant(no))
        };
        let (both, one) = (value(b, both), value(b, one));
        let value = b.mux(zeros, both, one);
        return b.and(value, numbers);
    }
    // No operand is both, so the sum is at most 1 + 6 + 6.
    let terms = [
        (finding, 1),
        (x.zero, 2),
        (y.zero, 2),
        (x.nan, 6),
        (y.nan, 6),
    ];
    let secret = terms
        .iter()
        .filter(|(wire, _)| wire.as_constant().is_none());
    if secret.count() < terms.len() {
        return functions_of_clear(b, &terms, f);
    }
    let holds = |t: i32| t < 6 && f(t & 1 == 1, t >> 1);
    let table = (0..14).fold(0u16, |table, t| table | u16::from(holds(t)) << t);
    b.lookup_within(&terms, 0, 13, &[table])[0]
}

/// The same where something is clear, which narrows the sum.
fn functions_of_clear(
    b: &mut Builder,
    terms: &[(Wire, i8)],
    f: impl Fn(bool, i32) -> bool,
) -> Wire {
    let (zeros, nan) = (b.and(terms[1].0, terms[2].0), b.or(terms[3].0, terms[4].0));
    let terms = [(terms[0].0, 1), (zeros, 2), (nan, 4)];
    functions(b, &terms, 1, |t| {
        u32::from(t < 4 && f(t & 1 == 1, if t & 2 == 2 { 2 } else { 1 }))
    })[0]
}

/// Whether `x` is less by sign and magnitude, of two zeros one of which is −0 too.
pub(super) fn below(b: &mut Builder, x: &Unpacked, y: &Unpacked) -> Wire {
    order(b, x, y).less
}

/// How two operands are ordered.
struct Ordered {
    /// See [`below`].
    less: Wire,
    /// They are the same bits.
    same: Wire,
}

fn order(b: &mut Builder, x: &Unpacked, y: &Unpacked) -> Ordered {
    let magnitude = |operand: &Unpacked| [&*operand.fraction, &*operand.field].concat();
    let (high, low) = (magnitude(x), bitwise::not(&magnitude(y)));
    let (Some((&top, high)), Some((&other, low))) = (high.split_last(), low.split_last()) else {
        return Ordered {
            less: Wire::FALSE,
            same: Wire::TRUE,
        };
    };
    // x − y − 1 where x is negative: no carry out is "x ≤ y" then. The last column is read together
    // with the signs.
    let added = add_with_carry(b, high, low, !x.negative);
    let carry = added.carry;
    let terms = [
        (top, 1),
        (other, 1),
        (carry, 1),
        (x.negative, 4),
        (y.negative, 8),
    ];
    let made = functions(b, &terms, 3, |t| {
        let carries = t & 3 >= 2;
        match t >> 2 {
            // Of equal ones the difference is 0 with a carry, or −1 without one.
            0 => u32::from(!carries) | u32::from(t == 2) << 1,
            1 => 1,
            2 => 0,
            _ => u32::from(carries) | u32::from(t & 3 == 1) << 2,
        }
    });
    if capacity(b).is_none() {
        let same = same(b, x, y);
        return Ordered {
            less: made[0],
            same,
        };
    }
    // What a slice of the difference is, is known where it is made.
    let some = b.any(&added.sum);
    let ones: Vec<Wire> = added.sum.iter().map(|&bit| !bit).collect();
    let short = b.any(&ones);
    let (zero, full) = (b.andyn(made[1], some), b.andyn(made[2], short));
    Ordered {
        less: made[0],
        same: b.or(zero, full),
    }
}

fn same(b: &mut Builder, x: &Unpacked, y: &Unpacked) -> Wire {
    let all =
        |operand: &Unpacked| [&*operand.fraction, &*operand.field, &[operand.negative]].concat();
    equal(b, &all(x), &all(y))
}
