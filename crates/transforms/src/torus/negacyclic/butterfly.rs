//! Complex vectors and the butterflies of both directions.

use crate::arch::{Pair, Simd};
use crate::torus::twiddles::{Root, Step};

/// A complex number per lane.
#[derive(Clone, Copy)]
pub(crate) struct Complex<S: Simd> {
    pub(crate) re: S::Float,
    pub(crate) im: S::Float,
}

#[inline(always)]
pub(crate) fn load<S: Simd>(simd: S, from: &Pair<S>) -> Complex<S> {
    Complex {
        re: simd.load(&from[0]),
        im: simd.load(&from[1]),
    }
}

#[inline(always)]
pub(crate) fn store<S: Simd>(simd: S, into: &mut Pair<S>, x: Complex<S>) {
    simd.store(&mut into[0], x.re);
    simd.store(&mut into[1], x.im);
}

#[inline(always)]
pub(crate) fn splat<S: Simd>(simd: S, x: Root) -> Complex<S> {
    Complex {
        re: simd.splat(x[0]),
        im: simd.splat(x[1]),
    }
}

#[inline(always)]
pub(crate) fn splat_step<S: Simd>(simd: S, step: &Step) -> [Complex<S>; 4] {
    [
        splat(simd, step[0]),
        splat(simd, step[1]),
        splat(simd, step[2]),
        splat(simd, step[3]),
    ]
}

/// `a + b`.
#[inline(always)]
pub(crate) fn add<S: Simd>(simd: S, a: Complex<S>, b: Complex<S>) -> Complex<S> {
    Complex {
        re: simd.add(a.re, b.re),
        im: simd.add(a.im, b.im),
    }
}

/// `a·b`.
#[inline(always)]
pub(crate) fn mul<S: Simd>(simd: S, a: Complex<S>, b: Complex<S>) -> Complex<S> {
    Complex {
        re: simd.neg_mul_add(a.im, b.im, simd.mul(a.re, b.re)),
        im: simd.mul_add(a.im, b.re, simd.mul(a.re, b.im)),
    }
}

/// `a·b + c`.
#[inline(always)]
pub(crate) fn mul_add<S: Simd>(simd: S, a: Complex<S>, b: Complex<S>, c: Complex<S>) -> Complex<S> {
    Complex {
        re: simd.neg_mul_add(a.im, b.im, simd.mul_add(a.re, b.re, c.re)),
        im: simd.mul_add(a.im, b.re, simd.mul_add(a.re, b.im, c.im)),
    }
}

/// `2a − t`: given `t = a + u`, this is `a − u` for one operation per part instead of two.
#[inline(always)]
pub(crate) fn reflect<S: Simd>(simd: S, a: Complex<S>, t: Complex<S>) -> Complex<S> {
    let two = simd.splat(2.0);
    Complex {
        re: simd.mul_sub(two, a.re, t.re),
        im: simd.mul_sub(two, a.im, t.im),
    }
}

/// `(a, b) → (a + w·b, a − w·b)` for the elements `p`, `q`: six operations.
#[inline(always)]
pub(crate) fn turn<S: Simd>(simd: S, x: &mut [Complex<S>], [p, q]: [usize; 2], w: Complex<S>) {
    let (a, b) = (x[p], x[q]);
    x[p] = mul_add(simd, w, b, a);
    x[q] = reflect(simd, a, x[p]);
}

/// `(a, b) → (a + i·w·b, a − i·w·b)`: six operations.
#[inline(always)]
fn turn_i<S: Simd>(simd: S, x: &mut [Complex<S>], [p, q]: [usize; 2], w: Complex<S>) {
    let (a, b) = (x[p], x[q]);
    x[p] = Complex {
        re: simd.neg_mul_add(w.im, b.re, simd.neg_mul_add(w.re, b.im, a.re)),
        im: simd.neg_mul_add(w.im, b.im, simd.mul_add(w.re, b.re, a.im)),
    };
    x[q] = reflect(simd, a, x[p]);
}

/// `(a, b) → (a − i·w·b, a + i·w·b)`: six operations.
#[inline(always)]
pub(crate) fn turn_minus_i<S: Simd>(
    simd: S,
    x: &mut [Complex<S>],
    [p, q]: [usize; 2],
    w: Complex<S>,
) {
    turn_i(simd, x, [p, q], w);
    x.swap(p, q);
}

/// `(a, b) → (a + b, a − b)`: four operations.
#[inline(always)]
pub(crate) fn cross<S: Simd>(simd: S, x: &mut [Complex<S>], [p, q]: [usize; 2]) {
    let (a, b) = (x[p], x[q]);
    x[p] = Complex {
        re: simd.add(a.re, b.re),
        im: simd.add(a.im, b.im),
    };
    x[q] = Complex {
        re: simd.sub(a.re, b.re),
        im: simd.sub(a.im, b.im),
    };
}

/// `(a, b) → (a − i·b, a + i·b)`: four operations.
#[inline(always)]
pub(crate) fn cross_minus_i<S: Simd>(simd: S, x: &mut [Complex<S>], [p, q]: [usize; 2]) {
    let (a, b) = (x[p], x[q]);
    x[p] = Complex {
        re: simd.add(a.re, b.im),
        im: simd.sub(a.im, b.re),
    };
    x[q] = Complex {
        re: simd.sub(a.re, b.im),
        im: simd.add(a.im, b.re),
    };
}

/// Splits one block of `R` vectors (1, 2, 4 or 8) into `R` blocks of one. At each level, odd blocks
/// have `i` times the factor of the block before them.
#[inline(always)]
pub(crate) fn split<S: Simd, const R: usize>(
    simd: S,
    x: &mut [Complex<S>; R],
    w: &[Complex<S>; 4],
) {
    if R >= 2 {
        for k in 0..R / 2 {
            turn(simd, x, [k, k + R / 2], w[0]);
        }
    }
    if R >= 4 {
        for k in 0..R / 4 {
            turn(simd, x, [k, k + R / 4], w[1]);
            turn_i(simd, x, [k + R / 2, k + R / 2 + R / 4], w[1]);
        }
    }
    if R >= 8 {
        turn(simd, x, [0, 1], w[2]);
        turn_i(simd, x, [2, 3], w[2]);
        turn(simd, x, [4, 5], w[3]);
        turn_i(simd, x, [6, 7], w[3]);
    }
}

/// Merges `R` blocks of one vector (1, 2, 4 or 8) into one block, by decimation in time: in each
/// block, elements a quarter further have `−i` times the factor.
#[inline(always)]
pub(crate) fn merge<S: Simd, const R: usize>(
    simd: S,
    x: &mut [Complex<S>; R],
    w: &[Complex<S>; 4],
) {
    if R >= 2 {
        for block in 0..R / 2 {
            turn(simd, x, [2 * block, 2 * block + 1], w[0]);
        }
    }
    if R >= 4 {
        for block in 0..R / 4 {
            turn(simd, x, [4 * block, 4 * block + 2], w[1]);
            turn_minus_i(simd, x, [4 * block + 1, 4 * block + 3], w[1]);
        }
    }
    if R >= 8 {
        turn(simd, x, [0, 4], w[2]);
        turn(simd, x, [1, 5], w[3]);
        turn_minus_i(simd, x, [2, 6], w[2]);
        turn_minus_i(simd, x, [3, 7], w[3]);
    }
}

/// [`merge`] with the factors of a plain transform of `R` points: 1, 1, 1 and `exp(−iπ/4)`.
#[inline(always)]
pub(crate) fn merge_plain<S: Simd, const R: usize>(simd: S, x: &mut [Complex<S>; R]) {
    use std::f64::consts::FRAC_1_SQRT_2 as C;
    if R >= 2 {
        for block in 0..R / 2 {
            cross(simd, x, [2 * block, 2 * block + 1]);
        }
    }
    if R >= 4 {
        for block in 0..R / 4 {
            cross(simd, x, [4 * block, 4 * block + 2]);
            cross_minus_i(simd, x, [4 * block + 1, 4 * block + 3]);
        }
    }
    if R >= 8 {
        let eighth = splat(simd, [C, -C]);
        cross(simd, x, [0, 4]);
        turn(simd, x, [1, 5], eighth);
        cross_minus_i(simd, x, [2, 6]);
        turn_minus_i(simd, x, [3, 7], eighth);
    }
}

/// Exchanges bit `DISTANCE` of the row number with the same bit of the lane number.
#[inline(always)]
pub(crate) fn exchange<S: Simd, const R: usize, const DISTANCE: usize>(
    simd: S,
    x: &mut [Complex<S>; R],
) {
    for block in 0..R / (2 * DISTANCE) {
        for k in 0..DISTANCE {
            let (p, q) = (2 * block * DISTANCE + k, (2 * block + 1) * DISTANCE + k);
            let re = simd.exchange::<DISTANCE>(x[p].re, x[q].re);
            let im = simd.exchange::<DISTANCE>(x[p].im, x[q].im);
            x[p] = Complex {
                re: re[0],
                im: im[0],
            };
            x[q] = Complex {
                re: re[1],
                im: im[1],
            };
        }
    }
}

/// Vector `i` of each of `R` streams.
#[inline(always)]
pub(crate) fn load_each<S: Simd, const R: usize>(
    simd: S,
    from: &[&[Pair<S>]; R],
    i: usize,
) -> [Complex<S>; R] {
    let mut x = [splat(simd, [0.0; 2]); R];
    for k in 0..R {
        x[k] = load(simd, &from[k][i]);
    }
    x
}

/// Vectors `0 .. R` of one stream.
#[inline(always)]
pub(crate) fn load_row<S: Simd, const R: usize>(simd: S, from: &[Pair<S>]) -> [Complex<S>; R] {
    let mut x = [splat(simd, [0.0; 2]); R];
    for k in 0..R {
        x[k] = load(simd, &from[k]);
    }
    x
}

/// Cuts a slice into `R` equal parts; a remainder is dropped.
#[inline(always)]
pub(crate) fn parts<T, const R: usize>(x: &[T]) -> [&[T]; R] {
    let n = x.len() / R;
    std::array::from_fn(|k| &x[k * n..][..n])
}

/// Cuts a slice into `R` equal parts; a remainder is dropped.
#[inline(always)]
pub(crate) fn parts_mut<T, const R: usize>(mut x: &mut [T]) -> [&mut [T]; R] {
    let n = x.len() / R;
    std::array::from_fn(|_| {
        let (part, rest) = std::mem::take(&mut x).split_at_mut(n);
        x = rest;
        part
    })
}
