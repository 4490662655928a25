//! Karatsuba's product: three products of halves instead of four.
//!
//! With `a = a₀ + a₁·B^h` and `b` likewise, `a₀b₁ + a₁b₀ = a₀b₀ + a₁b₁ − (a₀ − a₁)(b₀ − b₁)`. The
//! form with differences needs no limb for carries: their magnitudes fit in halves (Karatsuba and
//! Ofman 1962; Knuth, The Art of Computer Programming 2, §4.3.3). `O(n^1.585)` products of limbs.

use crate::limbs;
use crate::small::{self, Ladder};

/// `out = a·b` for operands of one length of at least two limbs.
pub(crate) fn multiply(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64], with: &Ladder) {
    let half = a.len().div_ceil(2);
    let (a0, a1) = a.split_at(half);
    let (b0, b1) = b.split_at(half);
    let (difference, rest) = scratch.split_at_mut(2 * half);
    let negative = {
        let (x, y) = out[..2 * half].split_at_mut(half);
        let negative =
            limbs::absolute_difference(x, a0, a1) != limbs::absolute_difference(y, b0, b1);
        small::multiply_balanced(difference, x, y, rest, with);
        negative
    };
    let (low, high) = out.split_at_mut(2 * half);
    small::multiply_balanced(low, a0, b0, rest, with);
    small::multiply_balanced(high, a1, b1, rest, with);
    combine(out, half, difference, negative, rest);
}

/// `out = a²` for an operand of at least two limbs.
pub(crate) fn square(out: &mut [u64], a: &[u64], scratch: &mut [u64], with: &Ladder) {
    let half = a.len().div_ceil(2);
    let (a0, a1) = a.split_at(half);
    let (difference, rest) = scratch.split_at_mut(2 * half);
    let x = &mut out[..half];
    limbs::absolute_difference(x, a0, a1);
    small::square_any(difference, x, rest, with);
    let (low, high) = out.split_at_mut(2 * half);
    small::square_any(low, a0, rest, with);
    small::square_any(high, a1, rest, with);
    combine(out, half, difference, false, rest);
}

/// Adds `low + high ∓ difference` at the middle of `out = low + high·B^(2·half)`.
fn combine(out: &mut [u64], half: usize, difference: &[u64], negative: bool, rest: &mut [u64]) {
    let (low, high) = out.split_at(2 * half);
    let middle = &mut rest[..2 * half + 1];
    middle[2 * half] = u64::from(limbs::add(&mut middle[..2 * half], low, high));
    if negative {
        limbs::add_assign(middle, difference);
    } else {
        limbs::subtract_assign(middle, difference);
    }
    // The whole product fits in `out`, and with it every partial sum: zeros beyond its end may be
    // left out.
    let above = out.len() - half;
    let middle = &middle[..above.min(middle.len())];
    limbs::add_assign(&mut out[half..], middle);
}
