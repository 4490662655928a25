//! The one rounding: fraction, leading one and exponent are one number, to which at most one is
//! added. The carry out of the fraction makes the next exponent, of the largest one infinity.

use super::format::Format;
use super::mode::{Mode, Rounding};
use crate::library::add::add_with_carry;
use crate::library::columns::Columns;
use crate::library::select::select;
use crate::library::word::{Word, constant};
use crate::{Builder, Wire};

/// A magnitude before it is rounded.
pub(super) struct Unrounded {
    pub(super) negative: Wire,
    /// The exponent field, less one where there is a leading one.
    pub(super) exponent: Word,
    /// What is yet to be taken from it; none in most cases.
    pub(super) lowered: Word,
    pub(super) leading: Wire,
    pub(super) fraction: Word,
    /// The bit below the fraction.
    pub(super) guard: Wire,
    /// Whether there is a one below that.
    pub(super) sticky: Wire,
    /// The exponent is too large already: it is the largest less one, and all else is zero.
    pub(super) overflow: Wire,
    /// This is no number but an infinity or a NaN.
    pub(super) special: Wire,
}

/// Exponent and fraction, without the sign.
pub(super) struct Packed {
    pub(super) magnitude: Word,
    pub(super) overflow: Wire,
    pub(super) inexact: Wire,
}

/// Whether a magnitude is rounded up, away from zero.
pub(super) fn rounds_up(
    b: &mut Builder,
    rounding: Rounding,
    negative: Wire,
    lowest: Wire,
    [guard, sticky]: [Wire; 2],
) -> Wire {
    match rounding {
        Rounding::NearestEven => {
            let more = b.or(lowest, sticky);
            b.and(guard, more)
        }
        Rounding::NearestAway => guard,
        Rounding::Zero => Wire::FALSE,
        Rounding::Up | Rounding::Down => {
            let inexact = b.or(guard, sticky);
            b.and(inexact, negative.invert_if(rounding == Rounding::Up))
        }
    }
}

/// Rounds.
pub(super) fn pack(b: &mut Builder, format: Format, mode: Mode, number: &Unrounded) -> Packed {
    let &Unrounded {
        negative,
        ref exponent,
        ref lowered,
        leading,
        ref fraction,
        guard,
        sticky,
        overflow,
        special,
    } = number;
    let up = rounds_up(b, mode.rounding, negative, fraction[0], [guard, sticky]);
    let leading = b.disjoint(&[leading, overflow]);
    let (mut magnitude, carry) = match lowered.is_empty() {
        true => {
            let mut field = fraction.clone();
            field.extend_from_slice(exponent);
            let mut one = constant(0, field.len());
            one[fraction.len()] = leading;
            let added = add_with_carry(b, &field, &one, up);
            (added.sum, added.carry)
        }
        false => lower(b, number, leading, up, format.exponent),
    };
    let overflow = if format.has_infinity {
        let all = b.all(&magnitude[format.fraction..]);
        b.andyn(all, special)
    } else {
        carry
    };
    if !format.has_infinity {
        for bit in &mut magnitude {
            *bit = b.or(*bit, overflow);
        }
    } else if !mode.rounding.is_nearest() {
        // Away from zero to infinity, towards zero to the largest number.
        let to_infinity = match mode.rounding {
            Rounding::Up => !negative,
            Rounding::Down => negative,
            _ => Wire::FALSE,
        };
        let mut limit = vec![!to_infinity; format.fraction];
        limit.push(to_infinity);
        limit.resize(magnitude.len(), Wire::TRUE);
        magnitude = select(b, overflow, &limit, &magnitude);
    }
    Packed {
        magnitude,
        overflow,
        inexact: b.any(&[guard, sticky, overflow]),
    }
}

/// Exponent and fraction of a number whose exponent is a difference yet, and the carry.
fn lower(
    b: &mut Builder,
    number: &Unrounded,
    leading: Wire,
    up: Wire,
    exponent: usize,
) -> (Word, Wire) {
    let mut significand = number.fraction.clone();
    significand.push(leading);
    let added = add_with_carry(b, &significand, &constant(0, significand.len()), up);
    let mut magnitude = added.sum;
    let mut columns = Columns::new(exponent + 1);
    columns.push(0, magnitude.pop().unwrap_or(Wire::FALSE));
    columns.push(1, added.carry);
    columns.push_word(0, &number.exponent);
    columns.push_word_negative(0, &number.lowered);
    magnitude.extend(columns.sum(b));
    let carry = magnitude.pop().unwrap_or(Wire::FALSE);
    (magnitude, carry)
}
