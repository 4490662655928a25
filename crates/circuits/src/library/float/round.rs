//! `FPRound` of a number whose exponent may be too small or too large for its format.

use super::align::{Amount, shift_right};
use super::exponent;
use super::flip::keep_if;
use super::format::Format;
use super::mode::Mode;
use super::pack::{Packed, Unrounded, pack};
use crate::library::weighted::{capacity, functions};
use crate::library::word::{Word, constant};
use crate::{Builder, Wire};

/// A number: `±1.… · 2^…`.
pub(super) struct Number<'a> {
    pub(super) negative: Wire,
    /// The exponent field that it would have if there were no bounds to it, less one; two's
    /// complement.
    pub(super) exponent: &'a [Wire],
    /// What the exponent lies between, for all operands that count.
    pub(super) range: [i64; 2],
    /// The highest bit is the leading one.
    pub(super) significand: &'a [Wire],
    /// Whether there is more below it.
    pub(super) sticky: Wire,
    /// All of it counts for nothing: the magnitude becomes zero.
    pub(super) nothing: Wire,
    /// Whether the significand is zero then in any case.
    pub(super) is_zero_then: bool,
}

/// A magnitude, and whether the result was tiny and inexact, or flushed.
pub(super) struct Rounding {
    pub(super) packed: Packed,
    pub(super) underflow: Wire,
}

/// Rounds to the format.
pub(super) fn round(b: &mut Builder, format: Format, mode: Mode, number: &Number<'_>) -> Rounding {
    let &Number {
        negative,
        exponent,
        range: [least, greatest],
        nothing,
        is_zero_then,
        ..
    } = number;
    // Fraction, leading one and guard; the rest is told by one bit.
    let kept = format.fraction + 2;
    let short = kept.saturating_sub(number.significand.len());
    let mut places = constant(0, short);
    let (below, upper) = number
        .significand
        .split_at((number.significand.len() + short) - kept);
    places.extend_from_slice(upper);
    let mut rest = below.to_vec();
    rest.push(number.sticky);

    let limit = format.largest() - i64::from(format.has_infinity);
    let overflow = if greatest < limit {
        Wire::FALSE
    } else {
        let reaches = exponent::is_at_least(b, exponent, limit);
        b.andyn(reaches, nothing)
    };
    let small = match least < 0 {
        true => exponent.last().copied().unwrap_or(Wire::FALSE),
        false => Wire::FALSE,
    };
    let hidden = if is_zero_then { Wire::FALSE } else { nothing };
    let blank = b.or(hidden, overflow);
    let flushes = mode.flushes(format) && least < 0;
    let (places, lost) = if flushes {
        let blank = b.or(blank, small);
        (keep_if(b, &places, !blank), Wire::FALSE)
    } else if least < 0 {
        let distance = exponent::sum(b, exponent.len(), &[], &[exponent], 0);
        let bits = (kept + 1).next_power_of_two().ilog2() as usize;
        let bits = bits.min(distance.len());
        let mut beyond = vec![Wire::FALSE];
        beyond.extend_from_slice(&distance[bits..]);
        let beyond = b.any(&beyond);
        let amount = Amount {
            bits: &keep_if(b, &distance[..bits], small),
            beyond: b.and(beyond, small),
            blank,
        };
        shift_right(b, &places, kept, &amount)
    } else {
        (keep_if(b, &places, !blank), Wire::FALSE)
    };
    rest.push(lost);
    let rest = b.any(&rest);
    let sticky = b.andyn(rest, hidden);
    let sticky = if flushes {
        b.andyn(sticky, small)
    } else {
        sticky
    };
    let zero = b.or(small, nothing);
    let unrounded = Unrounded {
        negative,
        exponent: clamp(b, format, exponent, zero, overflow),
        lowered: Word::new(),
        leading: places[kept - 1],
        fraction: places[1..kept - 1].to_vec(),
        guard: places[0],
        sticky,
        overflow,
        special: Wire::FALSE,
    };
    let packed = pack(b, format, mode, &unrounded);
    let tiny = b.andyn(small, nothing);
    let underflow = match flushes {
        true => tiny,
        false => b.and(tiny, packed.inexact),
    };
    Rounding { packed, underflow }
}

/// The exponent's lowest bits: 0 where `zero`, the largest that rounding can carry over where
/// `overflow`.
pub(super) fn clamp(
    b: &mut Builder,
    format: Format,
    exponent: &[Wire],
    zero: Wire,
    overflow: Wire,
) -> Word {
    let top = format.largest() - i64::from(format.has_infinity);
    let mut low = exponent.to_vec();
    low.resize(low.len().max(format.exponent), Wire::FALSE);
    low.truncate(format.exponent);
    if overflow == Wire::FALSE || capacity(b).is_none_or(|capacity| capacity < 11) {
        let kept = keep_if(b, &low, !zero);
        let limit = constant(top as u64, kept.len());
        return crate::library::select::select(b, overflow, &limit, &kept);
    }
    let mut clamped = Word::new();
    for (number, pair) in low.chunks(2).enumerate() {
        // Where both hold, nothing is left.
        let mut terms: Vec<(Wire, i8)> = (pair.iter().enumerate())
            .map(|(at, &bit)| (bit, 1 << at))
            .collect();
        let full = 1i32 << pair.len();
        terms.extend([
            (zero, full as i8),
            (overflow, full as i8),
            (overflow, full as i8),
        ]);
        let limit = (top >> (2 * number)) as u32;
        clamped.extend(functions(b, &terms, pair.len(), |t| match t / full {
            0 => (t % full) as u32,
            2 => limit,
            _ => 0,
        }));
    }
    clamped
}
