//! Complex vectors and the butterflies of both directions.

use crate::arch::{Pair, Simd};
use crate::twiddles::{Root, Step};

/// A complex number per lane.
#[derive(Clone, Copy)]
pub(super) struct Complex<S: Simd> {
    pub(super) re: S::Float,
    pub(super) im: S::Float,
}

#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, from: &Pair<S>) -> Complex<S> {
    Complex {
        re: simd.load(&from[0]),
        im: simd.load(&from[1]),
    }
}

#[inline(always)]
pub(super) fn store<S: Simd>(simd: S, into: &mut Pair<S>, x: Complex<S>) {
    simd.store(&mut into[0], x.re);
    simd.store(&mut into[1], x.im);
}

#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, x: Root) -> Complex<S> {
    Complex {
        re: simd.splat(x[0]),
        im: simd.splat(x[1]),
    }
}

#[inline(always)]
pub(super) fn splat_step<S: Simd>(simd: S, step: &Step) -> [Complex<S>; 4] {
    [
        splat(simd, step[0]),
        splat(simd, step[1]),
        splat(simd, step[2]),
        splat(simd, step[3]),
    ]
}

/// `a + b`.
#[inline(always)]
pub(super) fn add<S: Simd>(simd: S, a: Complex<S>, b: Complex<S>) -> Complex<S> {
    Complex {
        re: simd.add(a.re, b.re),
        im: simd.add(a.im, b.im),
    }
}

/// `a·b`.
#[inline(always)]
pub(super) fn mul<S: Simd>(simd: S, a: Complex<S>, b: Complex<S>) -> Complex<S> {
    Complex {
        re: simd.neg_mul_add(a.im, b.im, simd.mul(a.re, b.re)),
        im: simd.mul_add(a.im, b.re, simd.mul(a.re, b.im)),
    }
}

/// `a·b + c`.
#[inline(always)]
pub(super) fn mul_add<S: Simd>(simd: S, a: Complex<S>, b: Complex<S>, c: Complex<S>) -> Complex<S> {
    Complex {
        re: simd.neg_mul_add(a.im, b.im, simd.mul_add(a.re, b.re, c.re)),
        im: simd.mul_add(a.im, b.re, simd.mul_add(a.re, b.im, c.im)),
    }
}

/// `2a − t`: given `t = a + u`, this is `a − u` for one operation per part instead of two.
#[inline(always)]
fn reflect<S: Simd>(simd: S, a: Complex<S>, t: Complex<S>) -> Complex<S> {
    let two = simd.splat(2.0);
    Complex {
        re: simd.mul_sub(two, a.re, t.re),
        im: simd.mul_sub(two, a.im, t.im),
    }
}

/// `(a + w·b, a − w·b)` in six operations.
#[inline(always)]
fn butterfly<S: Simd>(simd: S, [a, b]: [Complex<S>; 2], w: Complex<S>) -> [Complex<S>; 2] {
    let t = mul_add(simd, w, b, a);
    [t, reflect(simd, a, t)]
}

/// `(a + i·w·b, a − i·w·b)` in six operations.
#[inline(always)]
fn butterfly_i<S: Simd>(simd: S, [a, b]: [Complex<S>; 2], w: Complex<S>) -> [Complex<S>; 2] {
    let t = Complex {
        re: simd.neg_mul_add(w.im, b.re, simd.neg_mul_add(w.re, b.im, a.re)),
        im: simd.neg_mul_add(w.im, b.im, simd.mul_add(w.re, b.re, a.im)),
    };
    [t, reflect(simd, a, t)]
}

/// `(a + b, a − b)`.
#[inline(always)]
fn butterfly_one<S: Simd>(simd: S, [a, b]: [Complex<S>; 2]) -> [Complex<S>; 2] {
    [
        Complex {
            re: simd.add(a.re, b.re),
            im: simd.add(a.im, b.im),
        },
        Complex {
            re: simd.sub(a.re, b.re),
            im: simd.sub(a.im, b.im),
        },
    ]
}

/// `(a − i·b, a + i·b)`.
#[inline(always)]
fn butterfly_minus_i<S: Simd>(simd: S, [a, b]: [Complex<S>; 2]) -> [Complex<S>; 2] {
    [
        Complex {
            re: simd.add(a.re, b.im),
            im: simd.sub(a.im, b.re),
        },
        Complex {
            re: simd.sub(a.re, b.im),
            im: simd.add(a.im, b.re),
        },
    ]
}

/// Splits one block of `R` vectors (`R` at most 8) into `R` blocks of one. At level `l` block `b` has the
/// factor of block `b & !1`, times `i` if `b` is odd.
#[inline(always)]
pub(super) fn split<S: Simd, const R: usize>(
    simd: S,
    x: &mut [Complex<S>; R],
    w: &[Complex<S>; 4],
) {
    let mut level = 0;
    while (R >> level) > 1 {
        let half = R >> (level + 1);
        for block in 0..1 << level {
            let factor = w[level + (block >> 1)];
            for k in 0..half {
                let (p, q) = (2 * block * half + k, (2 * block + 1) * half + k);
                [x[p], x[q]] = if block % 2 == 0 {
                    butterfly(simd, [x[p], x[q]], factor)
                } else {
                    butterfly_i(simd, [x[p], x[q]], factor)
                };
            }
        }
        level += 1;
    }
}

/// Merges `R` blocks of one vector into one block (decimation in time). At the level that merges blocks
/// of `h`, element `k` of the second half of a block has the factor of `k − h/2`, times `−i`.
#[inline(always)]
pub(super) fn merge<S: Simd, const R: usize>(
    simd: S,
    x: &mut [Complex<S>; R],
    w: &[Complex<S>; 4],
) {
    let mut level = 0;
    while (1 << level) < R {
        let half = 1 << level;
        for start in (0..R).step_by(2 * half) {
            for k in 0..half {
                let (p, q) = (start + k, start + half + k);
                [x[p], x[q]] = if k == 0 || k < half / 2 {
                    butterfly(simd, [x[p], x[q]], w[level + k])
                } else {
                    let [minus, plus] = butterfly_i(simd, [x[p], x[q]], w[level + k - half / 2]);
                    [plus, minus]
                };
            }
        }
        level += 1;
    }
}

/// [`merge`] with the factors of a plain transform of `R` points: 1, `−i` and `exp(−iπ/4)`.
#[inline(always)]
pub(super) fn merge_plain<S: Simd, const R: usize>(simd: S, x: &mut [Complex<S>; R]) {
    use std::f64::consts::FRAC_1_SQRT_2 as C;
    let eighth = splat(simd, [C, -C]);
    let mut half = 1;
    while half < R {
        for start in (0..R).step_by(2 * half) {
            for k in 0..half {
                let (p, q) = (start + k, start + half + k);
                let pair = [x[p], x[q]];
                // The factor is exp(−iπk/half).
                [x[p], x[q]] = match 4 * k / half {
                    0 => butterfly_one(simd, pair),
                    1 => butterfly(simd, pair, eighth),
                    2 => butterfly_minus_i(simd, pair),
                    _ => {
                        let [minus, plus] = butterfly_i(simd, pair, eighth);
                        [plus, minus]
                    }
                };
            }
        }
        half *= 2;
    }
}

/// Transposes the square of the first `LANES` of `R` vectors, which must be `LANES` many.
#[inline(always)]
pub(super) fn transpose<S: Simd, const R: usize>(simd: S, x: &mut [Complex<S>; R]) {
    let zero = simd.splat(0.0);
    let mut parts = [[zero; 8]; 2];
    for k in 0..R {
        parts[0][k] = x[k].re;
        parts[1][k] = x[k].im;
    }
    let (re, im) = (simd.transpose(parts[0]), simd.transpose(parts[1]));
    for k in 0..R {
        x[k] = Complex {
            re: re[k],
            im: im[k],
        };
    }
}

/// Vector `i` of each of `R` streams.
#[inline(always)]
pub(super) fn load_each<S: Simd, const R: usize>(
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
pub(super) fn load_row<S: Simd, const R: usize>(simd: S, from: &[Pair<S>]) -> [Complex<S>; R] {
    let mut x = [splat(simd, [0.0; 2]); R];
    for k in 0..R {
        x[k] = load(simd, &from[k]);
    }
    x
}

/// Cuts a slice into `R` equal parts; a remainder is dropped.
#[inline(always)]
pub(super) fn parts<T, const R: usize>(x: &[T]) -> [&[T]; R] {
    let n = x.len() / R;
    std::array::from_fn(|k| &x[k * n..][..n])
}

/// Cuts a slice into `R` equal parts; a remainder is dropped.
#[inline(always)]
pub(super) fn parts_mut<T, const R: usize>(mut x: &mut [T]) -> [&mut [T]; R] {
    let n = x.len() / R;
    std::array::from_fn(|_| {
        let (part, rest) = std::mem::take(&mut x).split_at_mut(n);
        x = rest;
        part
    })
}
