//! Toom's product in thirds: five products instead of nine.
//!
//! Operands become quadratic polynomials in `B^k`; their product, of degree 4, is known from its
//! values at 0, 1, −1, 2 and ∞, and interpolated by Bodrato's sequence (Towards Optimal Toom-Cook
//! Multiplication, 2007, §4), of which only the value at −1 can be negative. `O(n^1.465)` products
//! of limbs.

use crate::limbs;
use crate::small::{self, Ladder};

/// Three times this modulo 2^64 is 1: division by 3 without remainder is a product.
const THIRD: u64 = 0xAAAA_AAAA_AAAA_AAAB;

/// Limbs of working memory that are kept during the recursion.
const fn own_scratch(n: usize) -> usize {
    let k = n.div_ceil(3);
    // Two evaluations, and the products at 1, −1 and 2.
    2 * (k + 1) + 3 * (2 * k + 2)
}

/// `out = a·b` for operands of one length of at least five limbs.
pub(crate) fn multiply(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64], with: &Ladder) {
    let k = a.len().div_ceil(3);
    let (work, rest) = scratch.split_at_mut(own_scratch(a.len()));
    let (x, work) = work.split_at_mut(k + 1);
    let (y, work) = work.split_at_mut(k + 1);
    let (one, work) = work.split_at_mut(2 * k + 2);
    let (minus, two) = work.split_at_mut(2 * k + 2);

    at_one(x, a, k);
    at_one(y, b, k);
    small::multiply_balanced(one, x, y, rest, with);
    let negative = at_minus_one(x, a, k) != at_minus_one(y, b, k);
    small::multiply_balanced(minus, x, y, rest, with);
    at_two(x, a, k);
    at_two(y, b, k);
    small::multiply_balanced(two, x, y, rest, with);
    let (low, high) = ends(out, k);
    small::multiply_balanced(low, &a[..k], &b[..k], rest, with);
    small::multiply_balanced(high, &a[2 * k..], &b[2 * k..], rest, with);
    interpolate(out, k, one, minus, negative, two);
}

/// `out = a²` for an operand of at least five limbs.
pub(crate) fn square(out: &mut [u64], a: &[u64], scratch: &mut [u64], with: &Ladder) {
    let k = a.len().div_ceil(3);
    let (work, rest) = scratch.split_at_mut(own_scratch(a.len()));
    let (x, work) = work.split_at_mut(k + 1);
    let (_, work) = work.split_at_mut(k + 1);
    let (one, work) = work.split_at_mut(2 * k + 2);
    let (minus, two) = work.split_at_mut(2 * k + 2);

    at_one(x, a, k);
    small::square_any(one, x, rest, with);
    at_minus_one(x, a, k);
    small::square_any(minus, x, rest, with);
    at_two(x, a, k);
    small::square_any(two, x, rest, with);
    let (low, high) = ends(out, k);
    small::square_any(low, &a[..k], rest, with);
    small::square_any(high, &a[2 * k..], rest, with);
    interpolate(out, k, one, minus, false, two);
}

/// Where the values at 0 and at ∞ go, with what lies between made zero.
fn ends(out: &mut [u64], k: usize) -> (&mut [u64], &mut [u64]) {
    let (low, rest) = out.split_at_mut(2 * k);
    let (middle, high) = rest.split_at_mut(2 * k);
    middle.fill(0);
    (low, high)
}

/// `a₀ + a₁ + a₂`.
fn at_one(x: &mut [u64], a: &[u64], k: usize) {
    x[..k].copy_from_slice(&a[..k]);
    x[k] = 0;
    limbs::add_assign(x, &a[k..2 * k]);
    limbs::add_assign(x, &a[2 * k..]);
}

/// `|a₀ − a₁ + a₂|`, and whether it is negative inside.
fn at_minus_one(x: &mut [u64], a: &[u64], k: usize) -> bool {
    x[..k].copy_from_slice(&a[..k]);
    x[k] = 0;
    limbs::add_assign(x, &a[2 * k..]);
    let negative = limbs::subtract_assign(x, &a[k..2 * k]);
    if negative {
        x.iter_mut().for_each(|limb| *limb = !*limb);
        limbs::increment(x);
    }
    negative
}

/// `a₀ + 2·a₁ + 4·a₂`.
fn at_two(x: &mut [u64], a: &[u64], k: usize) {
    let high = &a[2 * k..];
    x[..high.len()].copy_from_slice(high);
    x[high.len()..].fill(0);
    limbs::shift_left(x, 1);
    limbs::add_assign(x, &a[k..2 * k]);
    limbs::shift_left(x, 1);
    limbs::add_assign(x, &a[..k]);
}

/// The product from its values: those at 0 and ∞ are in `out`.
fn interpolate(
    out: &mut [u64],
    k: usize,
    one: &mut [u64],
    minus: &mut [u64],
    negative: bool,
    two: &mut [u64],
) {
    let high = 4 * k..out.len();
    // c₁ + c₂ + 3c₃ + 5c₄.
    if negative {
        limbs::add_assign(two, minus);
    } else {
        limbs::subtract_assign(two, minus);
    }
    divide_by_three(two);
    // c₁ + c₃.
    if negative {
        limbs::add_assign(minus, one);
    } else {
        limbs::subtract_from(minus, one);
    }
    limbs::shift_right(minus, 1);
    // c₁ + c₂ + c₃ + c₄.
    limbs::subtract_assign(one, &out[..2 * k]);
    // c₃ + 2c₄.
    limbs::subtract_assign(two, one);
    limbs::shift_right(two, 1);
    // c₂.
    limbs::subtract_assign(one, minus);
    limbs::subtract_assign(one, &out[high.clone()]);
    // c₃.
    limbs::subtract_assign(two, &out[high.clone()]);
    limbs::subtract_assign(two, &out[high]);
    // c₁.
    limbs::subtract_assign(minus, two);
    for (at, coefficient) in [(k, &*minus), (2 * k, &*one), (3 * k, &*two)] {
        // The product fits, and with it every partial sum: what would lie beyond is zero.
        let out = &mut out[at..];
        let fits = coefficient.len().min(out.len());
        limbs::add_assign(out, &coefficient[..fits]);
    }
}

/// `a /= 3` for a multiple of 3, from the low limb up.
fn divide_by_three(a: &mut [u64]) {
    let mut borrow = 0;
    for limb in a {
        let (rest, under) = limb.overflowing_sub(borrow);
        *limb = rest.wrapping_mul(THIRD);
        borrow = ((u128::from(*limb) * 3) >> 64) as u64 + u64::from(under);
    }
}
