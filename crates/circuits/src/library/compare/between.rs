//! Whether a word lies between two numbers.

use super::{equal, less_than_unsigned};
use crate::library::word::constant;
use crate::{Builder, Wire};

/// Whether `low ≤ x ≤ high`, of an unsigned word of at most 64 bits and known numbers.
///
/// Where both numbers begin alike, x has to begin so, too; behind that, x's next bit says which of the
/// two it is compared with. For letters and digits among 32 bits that is an equality with zero and a
/// function of a few bits, where a difference and its comparison are two chains of 32.
///
/// # Panics
/// For numbers that are no such words, and `low > high`.
pub fn between(b: &mut Builder, x: &[Wire], low: u64, high: u64) -> Wire {
    assert!(
        low <= high && differing_bits(0, high) <= x.len(),
        "{low} to {high} among {} bits",
        x.len()
    );
    let Some(next) = differing_bits(low, high).checked_sub(1) else {
        return equal(b, x, &constant(low, x.len()));
    };
    let (below, above) = x.split_at(next);
    let (bit, above) = (above[0], &above[1..]);
    let rest = |number: u64| number & ((1 << next) - 1);
    let begins = equal(b, above, &constant(low >> next >> 1, above.len()));
    let enough = match rest(low) {
        0 => Wire::TRUE,
        least => !less_than_unsigned(b, below, &constant(least, next)),
    };
    let not_too_much = match rest(high) {
        most if most == rest(u64::MAX) => Wire::TRUE,
        most => !less_than_unsigned(b, &constant(most, next), below),
    };
    let inside = b.mux(bit, not_too_much, enough);
    b.and(begins, inside)
}

/// How many of the lowest bits there are up to the highest in which two numbers differ.
fn differing_bits(low: u64, high: u64) -> usize {
    (u64::BITS - (low ^ high).leading_zeros()) as usize
}
