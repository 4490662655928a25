//! The butterflies: splitting a block into residues, and putting it together again.

use super::tables::{Odd, Step};
use crate::arch::Simd;
use crate::torus::negacyclic::butterfly::{Complex, add, cross, cross_minus_i, mul, splat, split};
use std::f64::consts::FRAC_1_SQRT_2;

/// `a·conj(w)`.
#[inline(always)]
pub(super) fn mul_conjugate<S: Simd>(simd: S, a: Complex<S>, w: Complex<S>) -> Complex<S> {
    Complex {
        re: simd.mul_add(a.im, w.im, simd.mul(a.re, w.re)),
        im: simd.neg_mul_add(a.re, w.im, simd.mul(a.im, w.re)),
    }
}

/// Splits one block of `R` vectors (2, 4 or 8) into `R`, with factors that hold for all lanes.
#[inline(always)]
pub(super) fn split_step<S: Simd, const R: usize>(simd: S, x: &mut [Complex<S>; R], step: &Step) {
    let w = match R {
        8 => [step[4], step[2], step[1], step[0]],
        4 => [step[2], step[1], step[1], step[1]],
        _ => [step[1]; 4],
    };
    let w = [
        splat(simd, w[0]),
        splat(simd, w[1]),
        splat(simd, w[2]),
        splat(simd, w[3]),
    ];
    split(simd, x, &w);
}

/// `(p, q) → (p + q, (p − q)·conj(w))`.
#[inline(always)]
fn join<S: Simd>(simd: S, x: &mut [Complex<S>], [p, q]: [usize; 2], w: Complex<S>) {
    cross(simd, x, [p, q]);
    x[q] = mul_conjugate(simd, x[q], w);
}

/// `(p, q) → (p + q, (p − q)·conj(i·w))`.
#[inline(always)]
fn join_i<S: Simd>(simd: S, x: &mut [Complex<S>], [p, q]: [usize; 2], w: Complex<S>) {
    cross_down(simd, x, [p, q]);
    x[q] = mul_conjugate(simd, x[q], w);
}

/// `(p, q) → (p + q, −i·(p − q))`.
#[inline(always)]
fn cross_down<S: Simd>(simd: S, x: &mut [Complex<S>], [p, q]: [usize; 2]) {
    let (a, b) = (x[p], x[q]);
    x[p] = add(simd, a, b);
    x[q] = Complex {
        re: simd.sub(a.im, b.im),
        im: simd.sub(b.re, a.re),
    };
}

/// `R·`the inverse of [`split`] with the same factors: joins `R` blocks of one vector (4 or 8) into
/// one, level by level.
#[inline(always)]
pub(super) fn join_levels<S: Simd, const R: usize>(
    simd: S,
    x: &mut [Complex<S>; R],
    w: &[Complex<S>; 4],
) {
    if R >= 8 {
        join(simd, x, [0, 1], w[2]);
        join_i(simd, x, [2, 3], w[2]);
        join(simd, x, [4, 5], w[3]);
        join_i(simd, x, [6, 7], w[3]);
    }
    for k in 0..R / 4 {
        join(simd, x, [k, k + R / 4], w[1]);
        join_i(simd, x, [k + R / 2, k + R / 2 + R / 4], w[1]);
    }
    for k in 0..R / 2 {
        join(simd, x, [k, k + R / 2], w[0]);
    }
}

/// `R·`the inverse of [`split_step`]: a plain transform of `R` points, then the factors.
#[inline(always)]
pub(super) fn join_step<S: Simd, const R: usize>(simd: S, x: &mut [Complex<S>; R], step: &Step) {
    if R >= 8 {
        cross(simd, x, [0, 1]);
        cross_down(simd, x, [2, 3]);
        cross(simd, x, [4, 5]);
        cross_down(simd, x, [6, 7]);
        let c = simd.splat(FRAC_1_SQRT_2);
        for k in [5, 7] {
            let Complex { re, im } = x[k];
            x[k] = Complex {
                re: simd.mul(c, simd.add(re, im)),
                im: simd.mul(c, simd.sub(im, re)),
            };
        }
    }
    if R >= 4 {
        for k in 0..R / 4 {
            cross(simd, x, [k, k + R / 4]);
            cross_down(simd, x, [k + R / 2, k + R / 2 + R / 4]);
        }
    }
    for k in 0..R / 2 {
        cross(simd, x, [k, k + R / 2]);
    }
    for k in 1..R {
        x[k] = mul_conjugate(simd, x[k], splat(simd, step[k]));
    }
}

/// Splits one block of `M` vectors (3, 5 or 7) into `M`.
#[inline(always)]
pub(super) fn split_odd<S: Simd, const M: usize>(simd: S, x: &mut [Complex<S>; M], odd: &Odd) {
    for k in 1..M {
        x[k] = mul(simd, x[k], splat(simd, odd.factors[k]));
    }
    odd_transform::<S, M>(simd, x, odd);
}

/// `M·`the inverse of [`split_odd`].
#[inline(always)]
pub(super) fn join_odd<S: Simd, const M: usize>(simd: S, x: &mut [Complex<S>; M], odd: &Odd) {
    odd_transform::<S, M>(simd, x, odd);
    for k in 1..M / 2 + 1 {
        x.swap(k, M - k);
    }
    for k in 1..M {
        x[k] = mul_conjugate(simd, x[k], splat(simd, odd.factors[k]));
    }
}

/// The plain transform of `M` points with `exp(2πi/M)`: in pairs `k`, `M − k`, sums with cosines
/// and differences with sines.
#[inline(always)]
fn odd_transform<S: Simd, const M: usize>(simd: S, x: &mut [Complex<S>; M], odd: &Odd) {
    for k in 1..M / 2 + 1 {
        cross(simd, x, [k, M - k]);
    }
    let mut y = *x;
    for k in 1..M / 2 + 1 {
        y[0] = add(simd, y[0], x[k]);
    }
    for t in 1..M / 2 + 1 {
        let sine = simd.splat(odd.turns[t][1]);
        let mut even = x[0];
        let mut turn = Complex {
            re: simd.mul(sine, x[M - 1].re),
            im: simd.mul(sine, x[M - 1].im),
        };
        for k in 1..M / 2 + 1 {
            let [cosine, sine] = odd.turns[t * k % M];
            let cosine = simd.splat(cosine);
            even.re = simd.mul_add(cosine, x[k].re, even.re);
            even.im = simd.mul_add(cosine, x[k].im, even.im);
            if k > 1 {
                let sine = simd.splat(sine);
                turn.re = simd.mul_add(sine, x[M - k].re, turn.re);
                turn.im = simd.mul_add(sine, x[M - k].im, turn.im);
            }
        }
        // The pair `cross_minus_i` makes is in the order (M − t, t).
        let mut pair = [even, turn];
        cross_minus_i(simd, &mut pair, [0, 1]);
        y[M - t] = pair[0];
        y[t] = pair[1];
    }
    *x = y;
}
