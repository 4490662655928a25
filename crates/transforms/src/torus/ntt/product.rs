//! Products in the transform domain: pointwise, by a matrix of key polynomials, and the block step
//! of blind rotation.
//!
//! A spectrum of digits has a word per point, one of a torus element two: the words of the lower
//! limb's transform, then those of the upper's. A key is read once per batch, front to back: for
//! each vector of points its spectra stand in the order element, row, column, each with both limbs.
//!
//! Digits are the prepared factor, once for all columns and both limbs. In the block step they are
//! multiplied by `X^a − 1` before that: with 2 rows and 2 columns those are 2 products per element
//! in place of 4. Of each product `A + φ·B` the sums of `A`, `A₁`, `B` and `B₁` are kept (`limbs`),
//! the former two modulo 2^64, and reduced once.

use super::arch::{Kernel, Lanes};
use super::limbs::{
    Pair, Prepared, add, canonical, join_factor, offset, product, reduce, splat_factor, split, sub,
    times_phi,
};
use super::spread::Spread;
use super::tables::Tables;
use crate::torus::KeyShape;

/// `sum += torus·digits`, point by point; any number of spectra of `n` points.
pub(super) struct MultiplyAdd<'a> {
    pub(super) n: usize,
    pub(super) sum: &'a mut [u64],
    pub(super) torus: &'a [u64],
    pub(super) digits: &'a [u64],
}

impl Kernel for MultiplyAdd<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        let torus = self.torus.chunks_exact(2 * self.n);
        let digits = self.digits.chunks_exact(self.n);
        let sums = self.sum.chunks_exact_mut(2 * self.n);
        for ((sum, torus), digits) in sums.zip(torus).zip(digits) {
            let (lower, upper) = sum.split_at_mut(self.n);
            let limbs = torus.chunks_exact(self.n);
            for (sum, torus) in [lower, upper].into_iter().zip(limbs) {
                let factors = v.vectors(torus).iter().zip(v.vectors(digits));
                for (sum, (torus, digit)) in v.vectors_mut(sum).iter_mut().zip(factors) {
                    let digit = prepare_word(v, v.load(digit));
                    let term = product(v, v.load(torus), &digit);
                    let total = add(v, split(v, v.load(sum)), term);
                    v.store(sum, canonical(v, offset(v, total)));
                }
            }
        }
    }
}

/// Copies a spectrum to its place in a key: number `number` of `spectra`.
pub(super) struct Place<'a> {
    pub(super) key: &'a mut [u64],
    pub(super) spectrum: &'a [u64],
    pub(super) number: usize,
    pub(super) spectra: usize,
}

impl Kernel for Place<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        let (lower, upper) = self.spectrum.split_at(self.spectrum.len() / 2);
        let limbs = v.vectors(lower).iter().zip(v.vectors(upper));
        let vectors = v.vectors_mut(self.key).chunks_exact_mut(2 * self.spectra);
        for (vectors, (lower, upper)) in vectors.zip(limbs) {
            v.store(&mut vectors[2 * self.number], v.load(lower));
            v.store(&mut vectors[2 * self.number + 1], v.load(upper));
        }
    }
}

/// The operands of a product by a key, in batches of ciphertexts, for rings of `n` points.
pub(super) struct Operands<'a> {
    pub(super) n: usize,
    pub(super) out: &'a mut [u64],
    pub(super) digits: &'a [u64],
    pub(super) key: &'a [u64],
    pub(super) shape: KeyShape,
    pub(super) ahead: &'a [u64],
}

/// What a sum of products begins with.
#[derive(Clone, Copy)]
pub(super) enum Start {
    Zero,
    /// What is there.
    Out,
}

/// `out[b][column] = Σ_row digits[b][row] · key[row][column]`.
pub(super) struct Multiply<'a>(pub(super) Operands<'a>);

/// `out[b][column] = Σ_e (X^exponents[b][e] − 1) · Σ_row digits[b][row] · key[e][row][column]`, or
/// that in addition to what is there.
pub(super) struct RotateBlock<'a> {
    pub(super) tables: &'a Tables,
    pub(super) exponents: &'a [u32],
    pub(super) operands: Operands<'a>,
    pub(super) start: Start,
}

/// What multiplies the digits for an element of the key.
trait Weight<V: Lanes> {
    /// At a vector of points, for one ciphertext of the batch and one element; `None` stands for 1.
    fn at(&self, v: V, vector: usize, b: usize, element: usize) -> Option<Prepared<V>>;
}

struct One;

impl<V: Lanes> Weight<V> for One {
    #[inline(always)]
    fn at(&self, _: V, _: usize, _: usize, _: usize) -> Option<Prepared<V>> {
        None
    }
}

/// `X^a − 1` for the exponent `a` of ciphertext and element.
struct Monomials<'a> {
    exponents: &'a [u32],
    elements: usize,
    tables: &'a Tables,
}

impl<V: Lanes> Weight<V> for Monomials<'_> {
    /// The root of the vector's first lane times the lanes' own powers of 8, less one.
    #[inline(always)]
    fn at(&self, v: V, vector: usize, b: usize, element: usize) -> Option<Prepared<V>> {
        let a = self.exponents[b * self.elements + element] as usize;
        let exponent = a.wrapping_mul(self.tables.vector_exponents[vector] as usize);
        let roots = &self.tables.roots;
        let first = splat_factor(v, &roots[exponent & (roots.len() - 1)]);
        let lanes = v.load(&v.vectors(&self.tables.lane_roots)[a & 63]);
        let root = product(v, lanes, &first);
        let one = Pair {
            low: v.splat(1),
            high: v.splat(0),
        };
        Some(prepare(v, sub(v, root, one)))
    }
}

/// Prepares elements with limbs of at most 40 bits for multiplication.
#[inline(always)]
fn prepare<V: Lanes>(v: V, x: Pair<V>) -> Prepared<V> {
    let shifted = times_phi(v, x);
    join_factor(v, reduce(v, offset(v, x)), reduce(v, offset(v, shifted)))
}

/// Prepares words for multiplication.
#[inline(always)]
fn prepare_word<V: Lanes>(v: V, x: V::Word) -> Prepared<V> {
    let shifted = times_phi(v, split(v, x));
    join_factor(v, x, reduce(v, offset(v, shifted)))
}

impl Kernel for Multiply<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        all_columns(v, self.0, &One, Start::Zero);
    }
}

impl Kernel for RotateBlock<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        let monomials = Monomials {
            exponents: self.exponents,
            elements: self.operands.shape.elements,
            tables: self.tables,
        };
        all_columns(v, self.operands, &monomials, self.start);
    }
}

/// All columns, at most two at a time so that the sums stay in registers.
#[inline(always)]
fn all_columns<V: Lanes, W: Weight<V>>(v: V, mut operands: Operands<'_>, weight: &W, start: Start) {
    let columns = operands.shape.columns;
    for column in (0..columns).step_by(2) {
        if columns - column == 1 {
            products::<V, W, 1>(v, &mut operands, column, weight, start);
        } else {
            products::<V, W, 2>(v, &mut operands, column, weight, start);
        }
        operands.ahead = &[];
    }
}

/// The columns `column .. column + C` of a weighted sum of products.
#[inline(always)]
fn products<V: Lanes, W: Weight<V>, const C: usize>(
    v: V,
    operands: &mut Operands<'_>,
    column: usize,
    weight: &W,
    start: Start,
) {
    let KeyShape { rows, columns, .. } = operands.shape;
    let (out, digits) = (v.vectors_mut(operands.out), v.vectors(operands.digits));
    let vectors = operands.n / V::LANES;
    let batch = digits.len() / (rows * vectors);
    let points = v
        .vectors(operands.key)
        .chunks_exact(2 * operands.shape.spectra());
    let mut ahead = Spread::new(operands.ahead, vectors * batch);
    for (vector, key) in points.enumerate() {
        for b in 0..batch {
            ahead.step(v);
            let mut sums = [[Sum::zero(v); 2]; C];
            for (element, key) in key.chunks_exact(2 * rows * columns).enumerate() {
                let weight = weight.at(v, vector, b, element);
                for (row, key) in key.chunks_exact(2 * columns).enumerate() {
                    let digit = v.load(&digits[(b * rows + row) * vectors + vector]);
                    let digit = match &weight {
                        Some(weight) => prepare(v, product(v, digit, weight)),
                        None => prepare_word(v, digit),
                    };
                    let key = &key[2 * column..][..2 * C];
                    for c in 0..C {
                        for limb in 0..2 {
                            let key = v.load(&key[2 * c + limb]);
                            sums[c][limb].add_product(v, key, &digit);
                        }
                    }
                }
            }
            for (number, sum) in sums.as_flattened().iter().enumerate() {
                let place = ((b * columns + column) * 2 + number) * vectors + vector;
                let mut total = sum.pair(v);
                if let Start::Out = start {
                    total = add(v, total, split(v, v.load(&out[place])));
                }
                v.store(&mut out[place], canonical(v, offset(v, total)));
            }
        }
    }
}

/// Sums over products `A + φ·B`, of up to `2^26` of them.
#[derive(Clone, Copy)]
struct Sum<V: Lanes> {
    /// Of `A`, modulo 2^64.
    a: V::Word,
    /// Of `A₁`, the signed upper halves.
    a1: V::Word,
    b: V::Word,
    b1: V::Word,
}

impl<V: Lanes> Sum<V> {
    #[inline(always)]
    fn zero(v: V) -> Self {
        let zero = v.splat(0);
        Self {
            a: zero,
            a1: zero,
            b: zero,
            b1: zero,
        }
    }

    #[inline(always)]
    fn add_product(&mut self, v: V, x: V::Word, w: &Prepared<V>) {
        let x1 = v.high(x);
        let a = v.add(v.mul(x, w[0]), v.mul(x1, w[2]));
        let b = v.add(v.mul(x, w[1]), v.mul(x1, w[3]));
        self.a = v.add(self.a, a);
        self.a1 = v.add(self.a1, v.sar::<32>(a));
        self.b = v.add(self.b, b);
        self.b1 = v.add(self.b1, v.sar::<32>(b));
    }

    /// The sums of the lower halves are below `2^58`: modulo 2^64 they are what the upper halves
    /// leave. Limbs are below `2^60`.
    #[inline(always)]
    fn pair(self, v: V) -> Pair<V> {
        let a0 = v.sub(self.a, v.shl::<32>(self.a1));
        let b0 = v.sub(self.b, v.shl::<32>(self.b1));
        Pair {
            low: v.sub(a0, self.b1),
            high: v.add(v.add(self.a1, b0), self.b1),
        }
    }
}
