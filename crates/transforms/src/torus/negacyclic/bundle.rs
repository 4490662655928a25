//! The block step of several elements. For few rows in the order that suits many elements: first
//! the *bundle* `Σ_e (X^a_e − 1)·key[e]`, a matrix of its own for each ciphertext, then one product
//! by it.
//!
//! With `R` rows, `C` columns and `E` elements that is `E·R·C + R·C` complex products a point,
//! where products first and monomials after are `E·R·C + E·C`: fewer from `E > R` on. The bundle must
//! stay in registers, of which 2 rows and 2 columns take half of what AVX2 has: of more rows the
//! products come first.
//!
//! Monomials come by the group. Vector `q` of a group of `W` has the exponent of the group's first
//! vector plus `br(q)·2N/W`, so that `X^a` there is the group's value times the `W`-th root of
//! unity of order `a·br(q)`. Powers of `i` among those are exchanges of parts and signs: the four
//! signed parts of two vectors (of one, where `W` is 4) stand in a small table on the stack, and a
//! vector's weight is loaded from there. So the table of roots, which is larger than a first-level
//! cache, is read once or twice for a group and not for each of its vectors.

use super::butterfly::{Complex, load, mul, mul_add, splat, store};
use super::product::Start;
use super::weave::Weave;
use crate::arch::{Kernel, Pair, Simd};
use crate::torus::twiddles::Twiddles;
use crate::torus::{ColumnStep, KeyShape};

/// A monomial at the vectors of a group, by powers of `i`: number `j` is the real part of `w·i^j`,
/// and so number `j − 1` the imaginary part; then the same less one, for real parts of `w·i^j − 1`.
#[derive(Clone, Copy)]
struct Turns<S: Simd> {
    parts: [S::Float; 4],
    less_one: [S::Float; 4],
}

impl<S: Simd> Turns<S> {
    #[inline(always)]
    fn new(simd: S, w: Complex<S>) -> Self {
        let (zero, one) = (simd.splat(0.0), simd.splat(1.0));
        let parts = [w.re, simd.sub(zero, w.im), simd.sub(zero, w.re), w.im];
        let less_one = [
            simd.sub(parts[0], one),
            simd.sub(parts[1], one),
            simd.sub(parts[2], one),
            simd.sub(parts[3], one),
        ];
        Self { parts, less_one }
    }

    /// `w·i^j − 1`.
    #[inline(always)]
    fn less_one(&self, j: usize) -> Complex<S> {
        Complex {
            re: self.less_one[j & 3],
            im: self.parts[(j + 3) & 3],
        }
    }
}

/// `br(q)` for the vectors of a group.
const EIGHT: [usize; 8] = [0, 4, 2, 6, 1, 5, 3, 7];
const FOUR: [usize; 4] = [0, 2, 1, 3];

/// The most elements of a block that the step is written for.
pub(super) const MOST_ELEMENTS: usize = 8;

/// The most complex vectors of a bundle.
const MOST_OF_BUNDLE: usize = 4;

/// The block step where digits and products have the same shape, the products taking the digits'
/// place.
pub(crate) struct RotateInPlace<'a> {
    pub(crate) twiddles: &'a Twiddles,
    pub(crate) exponents: &'a [u32],
    pub(crate) spectra: &'a mut [f64],
    pub(crate) key: &'a [f64],
    pub(crate) elements: usize,
    pub(crate) ahead: &'a [f64],
}

/// One column of the block step, for shapes that [`steps`] says.
pub(crate) struct RotateColumn<'a> {
    pub(crate) twiddles: &'a Twiddles,
    /// The products' spectra, of which one changes.
    pub(crate) out: &'a mut [f64],
    /// The digits' spectra, by which products are added to what is there; `None`: they stand where the
    /// products go.
    pub(crate) digits: Option<&'a [f64]>,
    pub(crate) step: ColumnStep<'a>,
}

impl Kernel for RotateColumn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let ColumnStep {
            column,
            key,
            shape,
            exponents,
            ahead,
        } = self.step;
        let block = Block {
            twiddles: self.twiddles,
            exponents,
            digits: self.digits,
            keys: [key],
            elements: shape.elements,
            column,
            start: match self.digits {
                Some(_) => Start::Out,
                None => Start::Zero,
            },
        };
        match shape.rows {
            2 => step::<S, 2, 1>(simd, self.out, &block, ahead),
            _ => step::<S, 4, 1>(simd, self.out, &block, ahead),
        }
    }
}

impl RotateInPlace<'_> {
    /// Whether it computes for keys of this shape.
    pub(crate) const fn suits(shape: KeyShape) -> bool {
        let KeyShape {
            elements,
            rows,
            columns,
        } = shape;
        elements > rows && elements <= MOST_ELEMENTS && rows == 2 && columns == 2
    }
}

impl Kernel for RotateInPlace<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let block = Block {
            twiddles: self.twiddles,
            exponents: self.exponents,
            digits: None,
            keys: columns(self.key),
            elements: self.elements,
            column: 0,
            start: Start::Zero,
        };
        step::<S, 2, 2>(simd, self.spectra, &block, self.ahead);
    }
}

/// What a step reads, for some columns of two.
pub(super) struct Block<'a, const C: usize> {
    pub(super) twiddles: &'a Twiddles,
    pub(super) exponents: &'a [u32],
    /// `None`: they stand where the products go.
    pub(super) digits: Option<&'a [f64]>,
    /// By column.
    pub(super) keys: [&'a [f64]; C],
    pub(super) elements: usize,
    /// The first column.
    pub(super) column: usize,
    pub(super) start: Start,
}

/// Columns of products, and so of a key.
const COLUMNS: usize = 2;

/// Both columns of a key.
#[inline(always)]
pub(super) fn columns(key: &[f64]) -> [&[f64]; COLUMNS] {
    key.split_at(key.len() / COLUMNS).into()
}

/// Whether the step is written for keys of this shape.
pub(crate) const fn steps(shape: KeyShape) -> bool {
    let KeyShape {
        elements,
        rows,
        columns,
    } = shape;
    let products_first = rows == 4 && columns == 2 && elements > 1 && elements <= MOST_ELEMENTS;
    products_first || RotateInPlace::suits(shape)
}

/// `out[b][c] = Σ_e (X^exponents[b][e] − 1) · Σ_r digits[b][r] · key[e][r][c]`, or that in addition
/// to what is there, for `C` columns from `block.column` and at most [`MOST_ELEMENTS`] elements.
#[inline(always)]
pub(super) fn step<S: Simd, const R: usize, const C: usize>(
    simd: S,
    out: &mut [f64],
    block: &Block<'_, C>,
    ahead: &[f64],
) {
    let (elements, twiddles) = (block.elements.min(MOST_ELEMENTS), block.twiddles);
    let out = simd.pairs_mut(out);
    let mut keys: [&[[Pair<S>; R]]; C] = [&[]; C];
    for (keys, key) in keys.iter_mut().zip(block.keys) {
        *keys = simd.pairs(key).as_chunks::<R>().0;
    }
    let vectors = keys[0].len() / elements;
    let weave = &mut Weave::over(ahead, vectors * (block.exponents.len() / elements));
    let lane_roots = simd.pairs(&twiddles.lane_roots);
    let order = twiddles.roots.len();
    let zero = splat(simd, [0.0; 2]);
    let mut turns = [[Turns::new(simd, zero); 2]; MOST_ELEMENTS];
    for first in (0..vectors).step_by(S::LANES) {
        let ciphertexts = block
            .exponents
            .chunks_exact(elements)
            .zip(out.chunks_exact_mut(COLUMNS * vectors));
        for (b, (exponents, out)) in ciphertexts.enumerate() {
            // A loop, not a closure: what is called here must be inlined to take on the target
            // features.
            for (turns, &a) in turns.iter_mut().zip(exponents) {
                let a = a as usize;
                let root = a.wrapping_mul(twiddles.vector_exponents[first] as usize);
                let root = splat(simd, twiddles.roots[root & (order - 1)]);
                let w = mul(
                    simd,
                    root,
                    load(simd, &lane_roots[a & (lane_roots.len() - 1)]),
                );
                turns[0] = Turns::new(simd, w);
                if S::LANES == 8 {
                    let eighth = splat(simd, twiddles.roots[(a * (order / 8)) & (order - 1)]);
                    turns[1] = Turns::new(simd, mul(simd, w, eighth));
                }
            }
            for q in 0..S::LANES {
                weave.step(simd);
                let mut key: [&[[Pair<S>; R]]; C] = [&[]; C];
                for c in 0..C {
                    key[c] = &keys[c][(first + q) * elements..][..elements];
                }
                let place = |c: usize| (block.column + c) * vectors + first + q;
                let (odd, quarters) = if S::LANES == 8 {
                    (EIGHT[q] & 1, EIGHT[q] >> 1)
                } else {
                    (0, FOUR[q])
                };
                let mut sum = [zero; C];
                if let Start::Out = block.start {
                    for c in 0..C {
                        sum[c] = load(simd, &out[place(c)]);
                    }
                }
                if R * COLUMNS > MOST_OF_BUNDLE {
                    let mut digits = [zero; R];
                    for (r, x) in digits.iter_mut().enumerate() {
                        *x = digit(simd, block, out, (b * R + r, r), [vectors, first + q]);
                    }
                    for (e, (turns, &a)) in turns.iter().zip(exponents).enumerate() {
                        let weight = turns[odd].less_one(a as usize * quarters);
                        let mut product = [zero; C];
                        for c in 0..C {
                            let key = &key[c][e];
                            for r in 0..R {
                                product[c] =
                                    mul_add(simd, digits[r], load(simd, &key[r]), product[c]);
                            }
                        }
                        for c in 0..C {
                            sum[c] = mul_add(simd, weight, product[c], sum[c]);
                        }
                    }
                    for c in 0..C {
                        store(simd, &mut out[place(c)], sum[c]);
                    }
                    continue;
                }
                let mut bundle = [[zero; C]; R];
                // As many turns as the loop has, unknown to the compiler: unrolled, it would finish
                // one sum after the other, each waiting for itself.
                for (e, (turns, &a)) in turns.iter().zip(exponents).enumerate() {
                    let weight = turns[odd].less_one(a as usize * quarters);
                    for c in 0..C {
                        let key = &key[c][e];
                        for r in 0..R {
                            bundle[r][c] = mul_add(simd, weight, load(simd, &key[r]), bundle[r][c]);
                        }
                    }
                }
                let mut digits = [zero; R];
                for (r, x) in digits.iter_mut().enumerate() {
                    *x = digit(simd, block, out, (b * R + r, r), [vectors, first + q]);
                }
                for c in 0..C {
                    for r in 0..R {
                        sum[c] = mul_add(simd, digits[r], bundle[r][c], sum[c]);
                    }
                    store(simd, &mut out[place(c)], sum[c]);
                }
            }
        }
    }
}

/// A vector of a ciphertext's digits: by the row's number in the batch, or, where they stand in the
/// products' place, in the ciphertext.
#[inline(always)]
fn digit<S: Simd, const C: usize>(
    simd: S,
    block: &Block<'_, C>,
    out: &[Pair<S>],
    (of_batch, row): (usize, usize),
    [vectors, vector]: [usize; 2],
) -> Complex<S> {
    match block.digits {
        Some(digits) => load(simd, &simd.pairs(digits)[of_batch * vectors + vector]),
        None => load(simd, &out[row * vectors + vector]),
    }
}
