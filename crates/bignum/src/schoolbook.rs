//! The definition of a product, row by row: the fastest way for a few dozen limbs, and the oracle
//! for every other. `n·m` products of limbs.
//!
//! Four rows go at once: each has a carry of its own, so that four chains of additions run beside
//! each other, and limbs of the result are read and written once for all four.

use crate::limbs;

const ROWS: usize = 4;

/// `out = a·b`; `out` has the sum of their lengths.
pub(crate) fn multiply(out: &mut [u64], a: &[u64], b: &[u64]) {
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let n = a.len();
    out[..n].fill(0);
    let (quads, rest) = b.as_chunks::<ROWS>();
    for (at, quad) in quads.iter().enumerate() {
        let start = ROWS * at;
        out[start + n..start + n + ROWS].fill(0);
        add_rows(&mut out[start..start + n + ROWS], a, quad);
    }
    let start = b.len() - rest.len();
    for (at, &limb) in rest.iter().enumerate() {
        let at = start + at;
        out[n + at] = limbs::add_product(&mut out[at..at + n], a, limb);
    }
}

/// `out += a·b`, for `out` of `a.len() + 4` limbs of which the top four are zero.
#[inline]
fn add_rows(out: &mut [u64], a: &[u64], b: &[u64; ROWS]) {
    let n = a.len();
    let [b0, b1, b2, b3] = *b;
    let (mut c0, mut c1, mut c2, mut c3) = (0, 0, 0, 0);
    // The sums at the three places above the one that a limb finishes.
    let (mut p0, mut p1, mut p2) = (out[0], out[1], out[2]);
    for at in 0..n {
        let limb = a[at];
        let next = out[at + 3];
        let low;
        (low, c0) = step(limb, b0, p0, c0);
        out[at] = low;
        (p0, c1) = step(limb, b1, p1, c1);
        (p1, c2) = step(limb, b2, p2, c2);
        (p2, c3) = step(limb, b3, next, c3);
    }
    let mut carry = false;
    for (out, (p, c)) in out[n..]
        .iter_mut()
        .zip([(p0, c0), (p1, c1), (p2, c2), (0, c3)])
    {
        (*out, carry) = limbs::add_with_carry(p, c, carry);
    }
}

/// Both limbs of `a·b + sum + carry`.
#[inline(always)]
fn step(a: u64, b: u64, sum: u64, carry: u64) -> (u64, u64) {
    let t = u128::from(a) * u128::from(b) + u128::from(sum) + u128::from(carry);
    (t as u64, (t >> 64) as u64)
}

/// `out = a²`; `out` is twice as long. Products of different limbs are computed once and doubled.
pub(crate) fn square(out: &mut [u64], a: &[u64]) {
    out.fill(0);
    for (at, &limb) in a.iter().enumerate() {
        let rest = &a[at + 1..];
        out[at + a.len()] = limbs::add_product(&mut out[2 * at + 1..at + a.len()], rest, limb);
    }
    limbs::shift_left(out, 1);
    let mut carry = false;
    for (pair, &limb) in out.chunks_exact_mut(2).zip(a) {
        let diagonal = u128::from(limb) * u128::from(limb);
        (pair[0], carry) = limbs::add_with_carry(pair[0], diagonal as u64, carry);
        (pair[1], carry) = limbs::add_with_carry(pair[1], (diagonal >> 64) as u64, carry);
    }
}
