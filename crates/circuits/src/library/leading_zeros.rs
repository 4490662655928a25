//! Counting leading zeros.
//!
//! * Lookups: from the top, three bits and whether a one was seen give that flag for the next
//!   three and how many zeros lead here (`t = x₀ + 2x₁ + 4x₂ + 8f`): ⌈n/3⌉ lookups; the counts, two
//!   bits each, are then added in columns. 32 bits: 11 lookups and 4.
//! * Gates: halves are counted, then joined: if the upper half is zero, its count is its width plus
//!   the lower half's count. ≈ 2n ANDs at depth ⌈log₂n⌉.

use super::columns::Columns;
use super::weighted::{capacity, functions};
use super::word::{Word, constant};
use crate::{Builder, Wire};

/// The number of zeros above the highest one, n for a word of zeros, as a word of n bits.
///
/// ```
/// use blindcore_circuits::library::{self, constant};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// assert_eq!(library::count_leading_zeros(b, &constant(0b0001_1000, 8)), constant(3, 8));
/// ```
pub fn count_leading_zeros(b: &mut Builder, x: &[Wire]) -> Word {
    let width = x.len();
    // Clear zeros at the top count without gates, and nothing below a clear one matters.
    let clear = x
        .iter()
        .rev()
        .take_while(|&&bit| bit == Wire::FALSE)
        .count();
    let rest = &x[..width - clear];
    let mut columns = Columns::new(width);
    columns.push_word(0, &constant(clear as u64, width));
    match capacity(b) {
        Some(capacity) => by_chain(b, capacity, &mut columns, rest),
        None => {
            let (count, _) = by_halves(b, rest);
            columns.push_word(0, &count);
        }
    }
    columns.sum(b)
}

fn by_chain(b: &mut Builder, capacity: u32, columns: &mut Columns, x: &[Wire]) {
    // Bits and flag are read as one number.
    let group = ((capacity + 1).ilog2() as usize - 1).max(1);
    let mut seen = Wire::FALSE;
    for bits in x.rchunks(group) {
        let width = bits.len() as u32;
        let mut terms: Vec<(Wire, i8)> = bits
            .iter()
            .enumerate()
            .map(|(at, &bit)| (bit, 1 << at))
            .collect();
        terms.push((seen, 1 << width));
        let made = functions(b, &terms, 3, |t| {
            let t = t as u32;
            let zeros = match t.checked_ilog2() {
                None => width,
                Some(top) => width.saturating_sub(1 + top),
            };
            zeros | u32::from(t != 0) << 2
        });
        columns.push(0, made[0]);
        columns.push(1, made[1]);
        seen = made[2];
        if seen == Wire::TRUE {
            break;
        }
    }
}

/// The count in as few bits as it needs, and whether the word is zero.
fn by_halves(b: &mut Builder, x: &[Wire]) -> (Word, Wire) {
    match *x {
        [] => (Word::new(), Wire::TRUE),
        [bit] => (vec![!bit], !bit),
        _ => {
            // The upper half's width is a power of two, so that the sum is a concatenation, but
            // for a lower half of the same width that is zero itself.
            let upper = x.len().next_power_of_two() / 2;
            let (low, high) = x.split_at(x.len() - upper);
            let (low_count, low_zero) = by_halves(b, low);
            let (high_count, high_zero) = by_halves(b, high);
            let stages = upper.ilog2() as usize;
            let at = |count: &Word, bit: usize| count.get(bit).copied().unwrap_or(Wire::FALSE);
            let mut count: Word = (0..stages)
                .map(|bit| b.mux(high_zero, at(&low_count, bit), at(&high_count, bit)))
                .collect();
            let zero = b.and(high_zero, low_zero);
            // Where both halves are zero and of equal width, the count is twice that width.
            let twice = if low.len() == upper {
                zero
            } else {
                Wire::FALSE
            };
            count.push(b.andyn(high_zero, twice));
            count.push(twice);
            (count, zero)
        }
    }
}
