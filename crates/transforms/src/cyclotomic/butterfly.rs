//! Small transforms in registers of residues below 2.
//!
//! A butterfly makes `x + t` and `x − t` of `x` and a product `t` below 2. `x` is what an earlier
//! layer left, and the first of a row of such is one of few registers: what all later layers may
//! subtract is added there, once, so that a butterfly is five instructions and no difference is
//! negative. Where sums are folded in each layer, the transforms of `primes` do the same with a
//! bias each.

use super::tables::Pair;
use crate::integers::primes::arch::{Reduction, Residues};
use crate::integers::primes::butterfly::{self, Folding, splat};

/// The transform of `R` points, of which the first node of each layer has the factor 1. Results are
/// below 16, or below 4 where sums are folded in each layer.
#[inline(always)]
pub(super) fn plain<V: Residues, F: Folding, const R: usize>(
    v: V,
    p: V::Prime,
    x: &mut [V::Word; R],
    factors: &[Pair],
) {
    let factors = &factors[..R - 1];
    if F::WHEN == Reduction::EachLayer {
        butterfly::plain::<V, F, R>(v, p, x, factors);
        return;
    }
    let (half, quarter) = (R / 2, R / 4);
    // A product's two summands are below 2. What becomes `x` of later layers gets 2 for each of
    // them.
    for i in 0..half {
        let (a, b) = (x[i], x[i + half]);
        x[i] = v.add(a, b);
        x[i + half] = match R {
            8.. if i < quarter => v.sub::<8>(p, a, b),
            4.. if i < quarter => v.sub::<4>(p, a, b),
            _ => v.sub::<2>(p, a, b),
        };
    }
    if R >= 4 {
        for i in 0..quarter {
            let (a, b) = (x[i], x[i + quarter]);
            x[i] = v.add(a, b);
            x[i + quarter] = match R {
                8.. if i < quarter / 2 => v.sub::<8>(p, a, b),
                _ => v.sub::<4>(p, a, b),
            };
        }
        // The sums are below 8 and have had nothing added.
        for i in 0..quarter / 2 {
            x[i] = v.sub::<4>(p, x[i], v.splat(0));
        }
        let c = splat(v, factors[2]);
        for i in half..half + quarter {
            let t = v.mul(p, x[i + quarter], c);
            (x[i], x[i + quarter]) = (v.add(x[i], t), v.sub::<0>(p, x[i], t));
        }
    }
    layer::<V, R, 4>(v, p, x, factors);
    layer::<V, R, 8>(v, p, x, factors);
}

/// A layer of `B` nodes, if there is such a layer.
#[inline(always)]
fn layer<V: Residues, const R: usize, const B: usize>(
    v: V,
    p: V::Prime,
    x: &mut [V::Word; R],
    factors: &[Pair],
) {
    let half = R / B / 2;
    if half == 0 {
        return;
    }
    for node in 0..B {
        for i in 2 * half * node..2 * half * node + half {
            let y = x[i + half];
            let t = if node == 0 {
                v.reduce(p, y)
            } else {
                v.mul(p, y, splat(v, factors[B - 1 + node]))
            };
            (x[i], x[i + half]) = (v.add(x[i], t), v.sub::<0>(p, x[i], t));
        }
    }
}
