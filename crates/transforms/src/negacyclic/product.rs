//! Products in the transform domain: pointwise, by a matrix of key polynomials, and the block step of
//! blind rotation.
//!
//! A key is read once per batch, front to back: all that belongs to one vector of points stands together
//! (`KeyShape`), and the ciphertexts of the batch pass over it while it is in the first-level cache.

use super::butterfly::{Complex, load, mul, mul_add, splat, store};
use crate::KeyShape;
use crate::arch::{Kernel, Simd};
use crate::twiddles::Twiddles;

/// `sum += a·b`, point by point.
pub(crate) struct MultiplyAdd<'a> {
    pub(crate) sum: &'a mut [f64],
    pub(crate) a: &'a [f64],
    pub(crate) b: &'a [f64],
}

impl Kernel for MultiplyAdd<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let factors = simd.pairs(self.a).iter().zip(simd.pairs(self.b));
        for (sum, (a, b)) in simd.pairs_mut(self.sum).iter_mut().zip(factors) {
            let total = mul_add(simd, load(simd, a), load(simd, b), load(simd, sum));
            store(simd, sum, total);
        }
    }
}

/// Copies a spectrum to its place in a key: every `stride`-th vector from `offset`.
pub(crate) struct Place<'a> {
    pub(crate) key: &'a mut [f64],
    pub(crate) spectrum: &'a [f64],
    pub(crate) offset: usize,
    pub(crate) stride: usize,
}

impl Kernel for Place<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let places = simd
            .pairs_mut(self.key)
            .iter_mut()
            .skip(self.offset)
            .step_by(self.stride);
        for (place, value) in places.zip(simd.pairs(self.spectrum)) {
            store(simd, place, load(simd, value));
        }
    }
}

/// The operands of a product by a key, in batches.
pub(crate) struct Operands<'a> {
    pub(crate) out: &'a mut [f64],
    pub(crate) digits: &'a [f64],
    pub(crate) key: &'a [f64],
    pub(crate) shape: KeyShape,
}

/// `out[b][column] = Σ_row digits[b][row] · key[row][column]`.
pub(crate) struct Multiply<'a>(pub(crate) Operands<'a>);

/// `out[b][column] = Σ_e (X^exponents[b][e] − 1) · Σ_row digits[b][row] · key[e][row][column]`.
pub(crate) struct RotateBlock<'a> {
    pub(crate) twiddles: &'a Twiddles,
    pub(crate) exponents: &'a [u32],
    pub(crate) operands: Operands<'a>,
}

impl Kernel for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let shape = self.0.shape;
        let one = |_: usize, _: usize, _: usize| None;
        match (shape.rows, shape.columns) {
            (2, 2) => products::<S, 2>(simd, self.0, 2, 0, one),
            (rows, columns) => columns_of(simd, self.0, rows, columns, one),
        }
    }
}

impl Kernel for RotateBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let twiddles = self.twiddles;
        let (roots, elements) = (&twiddles.roots, self.operands.shape.elements);
        let (mask, period) = (roots.len() - 1, S::LANES * S::LANES - 1);
        let lane_roots = simd.pairs(&twiddles.lane_roots);
        let exponents = self.exponents;
        // `X^a − 1` at one vector: the root of its first lane times the vector of the lanes' own roots.
        let monomial = |vector: usize, b: usize, element: usize| {
            let a = exponents[b * elements + element] as usize;
            let first = roots[a.wrapping_mul(twiddles.vector_exponents[vector] as usize) & mask];
            let (first, lanes) = (splat(simd, first), load(simd, &lane_roots[a & period]));
            let real = simd.mul_sub(first.re, lanes.re, simd.splat(1.0));
            let re = simd.neg_mul_add(first.im, lanes.im, real);
            let im = simd.mul_add(first.im, lanes.re, simd.mul(first.re, lanes.im));
            Some(Complex { re, im })
        };
        let shape = self.operands.shape;
        match (shape.rows, shape.columns) {
            (2, 2) => products::<S, 2>(simd, self.operands, 2, 0, monomial),
            (rows, columns) => columns_of(simd, self.operands, rows, columns, monomial),
        }
    }
}

/// All columns, at most four at a time so that the sums stay in registers.
#[inline(always)]
fn columns_of<S: Simd>(
    simd: S,
    operands: Operands<'_>,
    rows: usize,
    columns: usize,
    weight: impl Fn(usize, usize, usize) -> Option<Complex<S>> + Copy,
) {
    let Operands {
        out,
        digits,
        key,
        shape,
    } = operands;
    let mut column = 0;
    while column < columns {
        let part = Operands {
            out: &mut *out,
            digits,
            key,
            shape,
        };
        match columns - column {
            1 => products::<S, 1>(simd, part, rows, column, weight),
            2 => products::<S, 2>(simd, part, rows, column, weight),
            3 => products::<S, 3>(simd, part, rows, column, weight),
            _ => products::<S, 4>(simd, part, rows, column, weight),
        }
        column += 4;
    }
}

/// The columns `column .. column + C` of a weighted sum of products; `weight(vector, b, element)` is
/// what multiplies one element's product, or nothing.
#[inline(always)]
fn products<S: Simd, const C: usize>(
    simd: S,
    operands: Operands<'_>,
    rows: usize,
    column: usize,
    weight: impl Fn(usize, usize, usize) -> Option<Complex<S>>,
) {
    let Operands {
        out,
        digits,
        key,
        shape,
    } = operands;
    let (out, digits, key) = (simd.pairs_mut(out), simd.pairs(digits), simd.pairs(key));
    let KeyShape {
        elements, columns, ..
    } = shape;
    let vectors = key.len() / (elements * rows * columns);
    let batch = digits.len() / (rows * vectors);
    let zero = Complex {
        re: simd.splat(0.0),
        im: simd.splat(0.0),
    };
    for (vector, key) in key.chunks_exact(elements * rows * columns).enumerate() {
        for b in 0..batch {
            let mut sum = [zero; C];
            for (element, key) in key.chunks_exact(rows * columns).enumerate() {
                let mut product = [zero; C];
                for (row, key) in key.chunks_exact(columns).enumerate() {
                    let digit = load(simd, &digits[(b * rows + row) * vectors + vector]);
                    let key = &key[column..column + C];
                    for c in 0..C {
                        let factor = load(simd, &key[c]);
                        product[c] = if row == 0 {
                            mul(simd, digit, factor)
                        } else {
                            mul_add(simd, digit, factor, product[c])
                        };
                    }
                }
                match weight(vector, b, element) {
                    Some(weight) => {
                        for c in 0..C {
                            sum[c] = mul_add(simd, weight, product[c], sum[c]);
                        }
                    }
                    None => {
                        for c in 0..C {
                            sum[c].re = simd.add(sum[c].re, product[c].re);
                            sum[c].im = simd.add(sum[c].im, product[c].im);
                        }
                    }
                }
            }
            for c in 0..C {
                store(
                    simd,
                    &mut out[(b * columns + column + c) * vectors + vector],
                    sum[c],
                );
            }
        }
    }
}
