//! Small transforms in registers, lazily reduced.
//!
//! A butterfly makes `x + t` and `x − t + 2p` of `x` and the product `t = y·c`, which is below `2p`
//! whatever `y` is (Harvey, *Faster arithmetic for number-theoretic transforms*, 2014, §3, with its
//! quotients of a word). Only `x` has to be bounded, and grows by 2 in each layer. With a limit of
//! 16, `x` is folded to below 8 where a pass begins, and four layers later it is below 16; with a
//! limit of 4, it is folded to below 2 in each layer. As all sums are taken modulo a word whose
//! bits above 52 products ignore, nothing is masked before it is folded: six instructions a
//! butterfly, and a quarter of three for the folds, in place of nine.

use super::arch::{Factor, Reduction, Residues};
use super::tables::Pair;

/// When sums are folded, as a type.
pub(crate) trait Folding: Copy {
    const WHEN: Reduction;
}

#[derive(Clone, Copy)]
pub(crate) struct Never;
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) struct EachPass;
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) struct EachLayer;

impl Folding for Never {
    const WHEN: Reduction = Reduction::Never;
}
impl Folding for EachPass {
    const WHEN: Reduction = Reduction::EachPass;
}
impl Folding for EachLayer {
    const WHEN: Reduction = Reduction::EachLayer;
}

/// The same factor in all lanes.
#[inline(always)]
pub(crate) fn splat<V: Residues>(v: V, [value, quotient]: Pair) -> Factor<V> {
    Factor {
        value: v.splat(value),
        quotient: v.splat(quotient),
    }
}

/// The `R`-point transform of any residues below the limit, with the `R − 1` factors of a tree.
#[inline(always)]
pub(crate) fn twisted<V: Residues, F: Folding, const R: usize>(
    v: V,
    p: V::Prime,
    x: &mut [V::Word; R],
    factors: &[Pair],
) {
    if F::WHEN == Reduction::EachPass {
        for x in &mut x[..R / 2] {
            *x = v.fold(p, *x);
        }
    }
    unfolded::<V, F, R>(v, p, x, factors);
}

/// The same of residues that leave room for as many layers.
#[inline(always)]
pub(crate) fn unfolded<V: Residues, F: Folding, const R: usize>(
    v: V,
    p: V::Prime,
    x: &mut [V::Word; R],
    factors: &[Pair],
) {
    let factors = &factors[..R - 1];
    layer::<V, F, R, 1>(v, p, x, factors);
    layer::<V, F, R, 2>(v, p, x, factors);
    layer::<V, F, R, 4>(v, p, x, factors);
    layer::<V, F, R, 8>(v, p, x, factors);
}

/// The same for residues below 2 and a tree whose factors begin with 1: the first node's first two
/// layers need no products. Results are below 4, 8, 10 and 12 for the radices 2, 4, 8 and 16, or
/// below 4 where sums are folded in each layer.
#[inline(always)]
pub(crate) fn plain<V: Residues, F: Folding, const R: usize>(
    v: V,
    p: V::Prime,
    x: &mut [V::Word; R],
    factors: &[Pair],
) {
    let factors = &factors[..R - 1];
    if R >= 2 {
        for i in 0..R / 2 {
            (x[i], x[i + R / 2]) = (v.add(x[i], x[i + R / 2]), v.sub::<2>(p, x[i], x[i + R / 2]));
        }
    }
    plain_rest::<V, F, R>(v, p, x, factors);
}

/// All layers but the first.
#[inline(always)]
pub(crate) fn plain_rest<V: Residues, F: Folding, const R: usize>(
    v: V,
    p: V::Prime,
    x: &mut [V::Word; R],
    factors: &[Pair],
) {
    if R >= 4 {
        let quarter = R / 4;
        for i in 0..quarter {
            let (a, b) = (x[i], x[i + quarter]);
            (x[i], x[i + quarter]) = if F::WHEN == Reduction::EachLayer {
                let (a, b) = (v.fold(p, a), v.fold(p, b));
                (v.add(a, b), v.sub::<2>(p, a, b))
            } else {
                (v.add(a, b), v.sub::<4>(p, a, b))
            };
        }
        let c = splat(v, factors[2]);
        for i in 2 * quarter..3 * quarter {
            (x[i], x[i + quarter]) = butterfly::<V, F>(v, p, x[i], x[i + quarter], c);
        }
    }
    layer::<V, F, R, 4>(v, p, x, factors);
    layer::<V, F, R, 8>(v, p, x, factors);
}

/// One layer of `B` nodes, if the radix has that many.
#[inline(always)]
pub(crate) fn layer<V: Residues, F: Folding, const R: usize, const B: usize>(
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
        let c = splat(v, factors[B - 1 + node]);
        for i in 2 * half * node..2 * half * node + half {
            (x[i], x[i + half]) = butterfly::<V, F>(v, p, x[i], x[i + half], c);
        }
    }
}

#[inline(always)]
fn butterfly<V: Residues, F: Folding>(
    v: V,
    p: V::Prime,
    x: V::Word,
    y: V::Word,
    c: Factor<V>,
) -> (V::Word, V::Word) {
    let x = if F::WHEN == Reduction::EachLayer {
        v.fold(p, x)
    } else {
        x
    };
    let t = v.mul(p, y, c);
    (v.add(x, t), v.sub::<2>(p, x, t))
}

/// The transform of three points, `x₀` below 12, the others below 2: results are below 16. Where
/// sums are folded in each layer, `x₀` is below 4 and so are the results.
#[inline(always)]
pub(crate) fn three<V: Residues, F: Folding>(
    v: V,
    p: V::Prime,
    x: [V::Word; 3],
    third: Factor<V>,
) -> [V::Word; 3] {
    // With ω² = −1 − ω: x₀ + ω·x₁ + ω²·x₂ = x₀ − x₂ + ω(x₁ − x₂), and x₀ − x₁ − ω(x₁ − x₂) for the
    // other.
    let [x0, x1, x2] = x;
    let t = v.mul(p, v.sub::<2>(p, x1, x2), third);
    if F::WHEN == Reduction::EachLayer {
        let x0 = v.fold(p, x0);
        let sum = v.fold(p, v.add(x1, x2));
        let a = v.fold(p, v.sub::<2>(p, x0, x2));
        let b = v.fold(p, v.sub::<2>(p, x0, x1));
        [v.add(x0, sum), v.add(a, t), v.sub::<2>(p, b, t)]
    } else {
        let sum = v.add(v.add(x0, x1), x2);
        let a = v.sub::<2>(p, x0, x2);
        let b = v.sub::<2>(p, x0, x1);
        [sum, v.add(a, t), v.sub::<2>(p, b, t)]
    }
}
