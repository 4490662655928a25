//! Restoring division whose remainder grows with the digits read.
//!
//! From the top bit of x on: `c = 2r + xᵢ`, the quotient's bit is `q = (c ≥ y)`, and `r = c − q·y`.
//! After k steps c is below 2ᵏ, so only the k lowest bits of the divisor are compared; a flag says
//! whether it has higher ones, which makes q = 0. So half of the work of full-width steps remains.
//! A zero divisor counts as 2ⁿ: one more bit above all, set where the others are 0.
//!
//! Per step of width k: with lookups ⌈(k + 1)/3⌉ for the comparison and the flag, which the last
//! slice takes in, ⌈k/3⌉ for `q·y` (three bits and q in one sum) and ⌈k/3⌉ for the difference;
//! with gates k ANDs for the subtraction, 1 for the flag and k for the choice between c and c − y.
//!
//! The subtraction that decides q is not the one that makes r: three bits of a difference, three of
//! c and q do not fit one lookup, three bits of y and q do.

use super::Divided;
use crate::library::add::add_with_carry;
use crate::library::weighted::{capacity, functions};
use crate::library::{Word, bitwise, select};
use crate::{Builder, Wire};

pub(super) fn divide(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Divided {
    let n = x.len();
    let above = higher_bits(b, y);
    let mut quotient = vec![Wire::FALSE; n];
    let mut rest = Word::new();
    for (step, &bit) in x.iter().rev().enumerate() {
        let width = step + 1;
        let mut candidate = vec![bit];
        candidate.append(&mut rest);
        let (divisor, too_high) = (&y[..width], above[step]);
        let (fits, next) = match capacity(b).filter(|&capacity| capacity >= MASKED_RANGE) {
            Some(capacity) => {
                let fits = not_below(b, capacity, &candidate, divisor, too_high);
                let masked = mask(b, fits, divisor);
                (fits, super::super::subtract(b, &candidate, &masked))
            }
            None => {
                let difference = add_with_carry(b, &candidate, &bitwise::not(divisor), Wire::TRUE);
                let fits = b.andyn(difference.carry, too_high);
                (fits, select(b, fits, &difference.sum, &candidate))
            }
        };
        quotient[n - width] = fits;
        rest = next;
    }
    Divided {
        quotient,
        remainder: rest,
    }
}

/// What three bits and a condition need.
const MASKED_RANGE: u32 = 15;
/// Columns of a slice.
const COLUMNS: usize = 3;

/// For each k below n: whether the divisor has bits above bit k, or is 0.
fn higher_bits(b: &mut Builder, y: &[Wire]) -> Vec<Wire> {
    let zero = !b.any(y);
    let mut above = vec![zero; y.len()];
    let mut seen = zero;
    if capacity(b).is_none_or(|capacity| capacity < MASKED_RANGE) {
        for (at, &bit) in y.iter().enumerate().skip(1).rev() {
            seen = b.or(seen, bit);
            above[at - 1] = seen;
        }
        return above;
    }
    let Some((_, upper)) = y.split_first() else {
        return above;
    };
    let mut end = upper.len();
    for bits in upper.rchunks(COLUMNS) {
        let width = bits.len();
        let mut terms: Vec<(Wire, i8)> = bits
            .iter()
            .enumerate()
            .map(|(at, &bit)| (bit, 1 << at))
            .collect();
        terms.push((seen, 1 << width));
        // Output j: any bit from j on.
        let flags = functions(b, &terms, width, |t| {
            (0..width).fold(0, |flags, at| flags | u32::from(t >> at != 0) << at)
        });
        end -= width;
        above[end..end + width].copy_from_slice(&flags);
        seen = flags[0];
    }
    above
}

/// Whether `x ≥ y`, unless `never`: a chain of borrows whose last slice takes the flag in.
fn not_below(b: &mut Builder, capacity: u32, x: &[Wire], y: &[Wire], never: Wire) -> Wire {
    if never == Wire::TRUE {
        return Wire::FALSE;
    }
    let is_clear = |wire: Wire| wire.as_constant().is_some();
    let mut borrow = Wire::FALSE;
    let mut at = 0;
    while at < x.len() {
        let mut terms = vec![(borrow, -1i8)];
        let mut range = u32::from(!is_clear(borrow));
        let mut width = 0;
        // The sum of a slice reaches `high`, and the flag must bring it below 0.
        let mut high = 0;
        while at + width < x.len() {
            let (x, y) = (x[at + width], y[at + width]);
            let secret = u32::from(!is_clear(x)) + u32::from(!is_clear(y));
            let with_column = range + (secret << width);
            if with_column > capacity || width == COLUMNS + 1 {
                break;
            }
            range = with_column;
            high += i32::from(x != Wire::FALSE) << width;
            terms.extend([(x, 1 << width), (y, -(1 << width))]);
            width += 1;
        }
        at += width;
        let flag = u32::from(!is_clear(never)) * (high + 1) as u32;
        let last = at == x.len();
        let with_flag = last && range + flag <= capacity;
        if with_flag {
            terms.push((never, -(high + 1) as i8));
        }
        borrow = functions(b, &terms, 1, |difference| u32::from(difference < 0))[0];
        if with_flag {
            return !borrow;
        }
    }
    b.nor(borrow, never)
}

/// `condition ∧ y`, three bits in one lookup.
fn mask(b: &mut Builder, condition: Wire, y: &[Wire]) -> Word {
    if let Some(value) = condition.as_constant() {
        return y
            .iter()
            .map(|&y| if value { y } else { Wire::FALSE })
            .collect();
    }
    let secret: Vec<Wire> = y
        .iter()
        .copied()
        .filter(|y| y.as_constant().is_none())
        .collect();
    let mut masked = Vec::with_capacity(secret.len());
    for bits in secret.chunks(COLUMNS) {
        let width = bits.len();
        let mut terms: Vec<(Wire, i8)> = bits
            .iter()
            .enumerate()
            .map(|(at, &bit)| (bit, 1 << at))
            .collect();
        terms.push((condition, 1 << width));
        let bits = |t: i32| {
            if t >> width == 1 {
                t as u32 & ((1 << width) - 1)
            } else {
                0
            }
        };
        masked.extend(functions(b, &terms, width, bits));
    }
    let mut masked = masked.into_iter();
    let of_bit = |y: &Wire| match y.as_constant() {
        Some(true) => condition,
        Some(false) => Wire::FALSE,
        None => masked.next().unwrap_or(Wire::FALSE),
    };
    y.iter().map(of_bit).collect()
}
