//! Linear algebra modulo `x^B + 1` for `x` a power of `2^64`: residues of blocks of limbs, whose
//! products by polynomials in `x` with few coefficients of ±1 take no more than additions of
//! blocks.
//!
//! The inverse of `x^A + 1` is one of these, over 2: with `u = x^A`, `(1 + u)·Σ (−u)^i` over `i`
//! below `e` is `1 − (−u)^e`, and powers of `x` return to `−1`. If those of `−u` return to 1
//! without having been `−1`, both moduli have a divisor in common.

use super::wrapped::settle;
use crate::limbs;

/// A power of `x`, and whether it is subtracted.
type Term = (usize, bool);

/// A sparse polynomial modulo `x^B + 1`, halved.
#[derive(Debug)]
pub(super) struct Halved {
    /// Limbs of a block.
    block: usize,
    /// `B`.
    blocks: usize,
    terms: Vec<Term>,
}

impl Halved {
    /// `1/(x^power + 1)` modulo `x^blocks + 1`, if it exists.
    pub(super) fn inverse(power: usize, blocks: usize, block: usize) -> Option<Self> {
        let turn = 2 * blocks;
        let step = (power + blocks) % turn;
        let mut terms = Vec::new();
        let mut at = 0;
        while at != blocks {
            terms.push((at % blocks, at > blocks));
            at = (at + step) % turn;
            if at == 0 {
                return None;
            }
        }
        Some(Self {
            block,
            blocks,
            terms,
        })
    }

    /// Limbs of the modulus but for its top bit.
    pub(super) fn limbs(&self) -> usize {
        self.block * self.blocks
    }

    /// `out = t·`this, a residue from 0 to the modulus less one in a limb more than the modulus'
    /// power, for `t` of [`limbs`](Self::limbs).
    pub(super) fn multiply(&self, out: &mut [u64], t: &[u64]) {
        let (block, blocks) = (self.block, self.blocks);
        let top = self.limbs();
        let mut carry = 0i64;
        for (p, into) in out[..top].chunks_exact_mut(block).enumerate() {
            // What passes the top comes back with the other sign.
            let mut sources = self.terms.iter().map(|&(power, negative)| {
                let wraps = p < power;
                let from = p + if wraps { blocks } else { 0 } - power;
                (&t[from * block..][..block], negative != wraps)
            });
            let mut over = match (sources.next(), sources.next()) {
                (Some((a, false)), Some((b, false))) => i64::from(limbs::add(into, a, b)),
                (Some((a, false)), Some((b, true))) | (Some((b, true)), Some((a, false))) => {
                    -i64::from(limbs::subtract(into, a, b))
                }
                others => {
                    into.fill(0);
                    let others = [others.0, others.1].into_iter().flatten();
                    others.map(|other| include(into, other)).sum()
                }
            };
            over += sources.map(|other| include(into, other)).sum::<i64>();
            let amount = [carry.unsigned_abs()];
            carry = over + include(into, (&amount, carry < 0));
        }
        out[top] = 0;
        settle(out, -carry);
        if out[0] & 1 == 1 {
            // An odd residue is below the power, and with the modulus it is even.
            limbs::increment(out);
            out[top] += 1;
        }
        limbs::shift_right(out, 1);
    }
}

/// `into ± source`: what is carried, or borrowed, beyond the top.
fn include(into: &mut [u64], (source, negative): (&[u64], bool)) -> i64 {
    if negative {
        -i64::from(limbs::subtract_assign(into, source))
    } else {
        i64::from(limbs::add_assign(into, source))
    }
}

/// `out = a` modulo `2^(64·q) + 1`, for `out` of `q + 1` limbs: 0 to the modulus less one.
pub(super) fn fold(out: &mut [u64], a: &[u64]) {
    let q = out.len() - 1;
    let (low, rest) = a.split_at(q.min(a.len()));
    out[low.len()..].fill(0);
    // 2^(64·q) is −1: a borrow is due at the bottom with the other sign, a carry likewise.
    let mut parts = rest.chunks(q);
    let first = parts.next().unwrap_or_default();
    let mut due = i64::from(limbs::subtract(&mut out[..low.len()], low, first));
    for (number, part) in parts.enumerate() {
        due -= include(&mut out[..q], (part, number % 2 == 1));
    }
    settle(out, due);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x` modulo `2^(64·q) + 1`, in `q + 1` limbs.
    fn remainder(x: &[u64], q: usize) -> Vec<u64> {
        let mut modulus = vec![0; q + 1];
        (modulus[0], modulus[q]) = (1, 1);
        let mut x = x.to_vec();
        x.resize(x.len().max(q + 1), 0);
        let mut quotient = vec![0; x.len()];
        let mut rest = vec![0; q + 1];
        crate::divide(&mut quotient, &mut rest, &x, &modulus).unwrap();
        rest
    }

    fn numbers(count: usize, step: u64) -> Vec<u64> {
        (1..=count as u64)
            .map(|at| at.wrapping_mul(step) ^ at.wrapping_mul(step) >> 29)
            .collect()
    }

    #[test]
    fn folding_is_the_remainder() {
        let q = 5;
        for length in 0..18 {
            let patterns = [
                numbers(length, 0x9E37_79B9_7F4A_7C15),
                vec![u64::MAX; length],
                vec![0; length],
                (0..length).map(|at| u64::from(at == q)).collect(),
            ];
            for a in patterns {
                let mut out = vec![7; q + 1];
                fold(&mut out, &a);
                assert_eq!(out, remainder(&a, q), "{length} limbs");
            }
        }
    }

    #[test]
    fn inverses_times_what_they_invert_are_one() {
        let block = 3;
        for (power, blocks) in [(12, 8), (12, 5), (8, 5), (3, 2), (1, 4), (6, 1), (10, 12)] {
            let inverse = Halved::inverse(power, blocks, block).unwrap();
            let q = inverse.limbs();
            let minus_one = vec![u64::MAX; q];
            for t in [numbers(q, 0xBF58_476D_1CE4_E5B9), vec![0; q], minus_one] {
                let mut s = vec![9; q + 1];
                inverse.multiply(&mut s, &t);
                // s·(x^power + 1) is t again.
                let mut product = vec![0; block * power];
                product.extend_from_slice(&s);
                limbs::add_assign(&mut product, &s);
                let mut expected = t.clone();
                expected.push(0);
                assert_eq!(remainder(&product, q), expected, "{power}, {blocks}");
            }
        }
        for (power, blocks) in [(4, 12), (1, 3), (2, 2)] {
            assert!(Halved::inverse(power, blocks, block).is_none());
        }
    }
}
