//! Products in the transform domain: pointwise, by a matrix of key polynomials, and the block step
//! of blind rotation.
//!
//! A key is read once per batch, each column from front to back: there all that belongs to one vector of
//! points stands together, element by element and row by row, and the ciphertexts of the batch pass over
//! it while it is in the first-level cache.

use super::bundle;
use super::butterfly::{Complex, add, load, mul, mul_add, splat, store};
use super::weave::Weave;
use crate::arch::{Kernel, Pair, Simd};
use crate::torus::twiddles::{Root, Twiddles};
use crate::torus::{KeyIndex, KeyShape};

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

/// Copies a spectrum to its place in a key.
pub(crate) struct Place<'a> {
    pub(crate) key: &'a mut [f64],
    pub(crate) spectrum: &'a [f64],
    pub(crate) shape: KeyShape,
    pub(crate) index: KeyIndex,
}

impl Kernel for Place<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let KeyShape {
            elements,
            rows,
            columns,
        } = self.shape;
        let KeyIndex {
            element,
            row,
            column,
        } = self.index;
        let key = simd.pairs_mut(self.key);
        let of_column = key.len() / columns;
        let places = key[column * of_column..][..of_column]
            .chunks_exact_mut(elements * rows)
            .map(|key| &mut key[element * rows + row]);
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

/// What a sum of products begins with.
#[derive(Clone, Copy)]
pub(crate) enum Start {
    Zero,
    /// What is there.
    Out,
}

/// `out[b][column] = Σ_row digits[b][row] · key[row][column]`.
pub(crate) struct Multiply<'a>(pub(crate) Operands<'a>);

/// `out[b][column] = Σ_e (X^exponents[b][e] − 1) · Σ_row digits[b][row] · key[e][row][column]`, or
/// that in addition to what is there. Also brings `ahead` into the second-level cache.
pub(crate) struct RotateBlock<'a> {
    pub(crate) twiddles: &'a Twiddles,
    pub(crate) exponents: &'a [u32],
    pub(crate) operands: Operands<'a>,
    pub(crate) start: Start,
    pub(crate) ahead: &'a [f64],
}

/// What multiplies an element's product before it is added to the sum.
trait Weight<S: Simd> {
    /// At a vector of points, for one ciphertext of the batch and one element; `None` stands for 1.
    fn at(&self, simd: S, vector: usize, b: usize, element: usize) -> Option<Complex<S>>;
}

struct One;

impl<S: Simd> Weight<S> for One {
    #[inline(always)]
    fn at(&self, _: S, _: usize, _: usize, _: usize) -> Option<Complex<S>> {
        None
    }
}

/// `X^a − 1` for the exponent `a` of ciphertext and element.
struct Monomials<'a, S: Simd> {
    exponents: &'a [u32],
    elements: usize,
    vector_exponents: &'a [u32],
    roots: &'a [Root],
    lane_roots: &'a [Pair<S>],
}

impl<S: Simd> Weight<S> for Monomials<'_, S> {
    /// The root of the vector's first lane times the vector of the lanes' own roots, less one.
    #[inline(always)]
    fn at(&self, simd: S, vector: usize, b: usize, element: usize) -> Option<Complex<S>> {
        let a = self.exponents[b * self.elements + element] as usize;
        let exponent = a.wrapping_mul(self.vector_exponents[vector] as usize);
        let first = splat(simd, self.roots[exponent & (self.roots.len() - 1)]);
        let lanes = load(simd, &self.lane_roots[a & (self.lane_roots.len() - 1)]);
        let real = simd.mul_sub(first.re, lanes.re, simd.splat(1.0));
        Some(Complex {
            re: simd.neg_mul_add(first.im, lanes.im, real),
            im: simd.mul_add(first.im, lanes.re, simd.mul(first.re, lanes.im)),
        })
    }
}

impl Kernel for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let weave = &mut Weave::over(&[], 1);
        all_columns(simd, self.0, &One, Start::Zero, weave);
    }
}

impl Kernel for RotateBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let shape = self.operands.shape;
        if bundle::steps(shape) {
            let block = bundle::Block {
                twiddles: self.twiddles,
                exponents: self.exponents,
                digits: Some(self.operands.digits),
                keys: bundle::columns(self.operands.key),
                elements: shape.elements,
                column: 0,
                start: self.start,
            };
            let out = self.operands.out;
            return match shape.rows {
                2 => bundle::step::<S, 2, 2>(simd, out, &block, self.ahead),
                _ => bundle::step::<S, 4, 2>(simd, out, &block, self.ahead),
            };
        }
        let batch = self.exponents.len() / shape.elements.max(1);
        let vectors =
            self.operands.key.len() / self.operands.shape.spectra().max(1) / (2 * S::LANES);
        let weave = &mut Weave::over(self.ahead, vectors * batch);
        let monomials = Monomials {
            exponents: self.exponents,
            elements: self.operands.shape.elements,
            vector_exponents: &self.twiddles.vector_exponents,
            roots: &self.twiddles.roots,
            lane_roots: simd.pairs(&self.twiddles.lane_roots),
        };
        match self.operands.shape {
            KeyShape {
                rows: 2,
                columns: 2,
                ..
            } => {
                let key = [2, 2, 0];
                products::<S, _, 2>(simd, self.operands, key, &monomials, self.start, weave);
            }
            _ => all_columns(simd, self.operands, &monomials, self.start, weave),
        }
    }
}

/// All columns, at most four at a time so that the sums stay in registers.
#[inline(always)]
fn all_columns<S: Simd, W: Weight<S>>(
    simd: S,
    operands: Operands<'_>,
    weight: &W,
    start: Start,
    weave: &mut Weave<'_>,
) {
    let Operands {
        out,
        digits,
        key,
        shape,
    } = operands;
    let KeyShape { rows, columns, .. } = shape;
    let mut column = 0;
    while column < columns {
        let part = Operands {
            out: &mut *out,
            digits,
            key,
            shape,
        };
        let at = [rows, columns, column];
        match columns - column {
            1 => products::<S, W, 1>(simd, part, at, weight, start, weave),
            2 => products::<S, W, 2>(simd, part, at, weight, start, weave),
            3 => products::<S, W, 3>(simd, part, at, weight, start, weave),
            _ => products::<S, W, 4>(simd, part, at, weight, start, weave),
        }
        column += 4;
    }
}

/// The columns `column .. column + C` of a weighted sum of products. The shape's rows and columns
/// are arguments so that the common shape is compiled with both known.
#[inline(always)]
fn products<S: Simd, W: Weight<S>, const C: usize>(
    simd: S,
    operands: Operands<'_>,
    [rows, columns, column]: [usize; 3],
    weight: &W,
    start: Start,
    weave: &mut Weave<'_>,
) {
    let Operands {
        out,
        digits,
        key,
        shape: KeyShape { elements, .. },
    } = operands;
    let (out, digits, key) = (simd.pairs_mut(out), simd.pairs(digits), simd.pairs(key));
    let vectors = key.len() / (elements * rows * columns);
    let batch = digits.len() / (rows * vectors);
    let zero = splat(simd, [0.0; 2]);
    let of_column = vectors * elements * rows;
    let mut keys: [&[Pair<S>]; C] = [&[]; C];
    for (c, keys) in keys.iter_mut().enumerate() {
        *keys = &key[(column + c) * of_column..][..of_column];
    }
    for vector in 0..vectors {
        for b in 0..batch {
            weave.step(simd);
            let mut sum = [zero; C];
            if let Start::Out = start {
                for (c, sum) in sum.iter_mut().enumerate() {
                    *sum = load(simd, &out[(b * columns + column + c) * vectors + vector]);
                }
            }
            for element in 0..elements {
                let mut product = [zero; C];
                let at = (vector * elements + element) * rows;
                for row in 0..rows {
                    let digit = load(simd, &digits[(b * rows + row) * vectors + vector]);
                    for c in 0..C {
                        let key = load(simd, &keys[c][at + row]);
                        product[c] = if row == 0 {
                            mul(simd, digit, key)
                        } else {
                            mul_add(simd, digit, key, product[c])
                        };
                    }
                }
                let weight = weight.at(simd, vector, b, element);
                for c in 0..C {
                    sum[c] = match weight {
                        Some(weight) => mul_add(simd, weight, product[c], sum[c]),
                        None => add(simd, sum[c], product[c]),
                    };
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
