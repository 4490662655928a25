//! The definition of a product, row by row: the fastest way for a few dozen limbs, and the oracle for
//! every other. `n·m` products of limbs.

use crate::limbs;

/// `out = a·b`; `out` has the sum of their lengths.
pub(crate) fn multiply(out: &mut [u64], a: &[u64], b: &[u64]) {
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    out[..a.len()].fill(0);
    for (at, &limb) in b.iter().enumerate() {
        out[a.len() + at] = limbs::add_product(&mut out[at..at + a.len()], a, limb);
    }
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
