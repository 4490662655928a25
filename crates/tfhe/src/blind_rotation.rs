//! Blind rotation, block by block, for a batch of lookups at once.
//!
//! An accumulator starts as the constant test polynomial Δ/2·ΣX^i, rotated by
//! the public body, and must be multiplied by X^(Σ a_j·s_j) under encryption. A
//! block of the small key has at most one set bit, so over the block
//!
//! X^(Σ a_j·s_j) − 1 = Σ_j (X^(a_j) − 1)·s_j,
//!
//! and the accumulator gains Σ_j (X^(a_j) − 1)·(ACC ⊡ GGSW(s_j)): it is decomposed
//! and transformed *once per block*, the products are combined in the transform
//! domain, where X^a is a diagonal, and transformed back once (Lee, Min, Seo,
//! Song, AsiaCCS 2023, eprint 2023/958, §4).
//!
//! With a uniform key every bit is a step of its own, and the classical order of
//! TFHE is better: (X^a − 1)·ACC is formed first and then multiplied by GGSW(s), so
//! that the product's error is not itself multiplied by X^a − 1, which doubles
//! its variance. The block form cannot do that, having one decomposition for
//! several exponents.
//!
//! A rotation reads the whole key, 58.7 MB for P16, which no core's cache
//! holds: the batch passes over each block's part of it together, so that the
//! stream is paid once per batch.

use random::{MaskGenerator, Seed};
use transforms::torus::{Fft, Gadget, KeyIndex, KeyShape, Plan, Spectra};

use crate::ahead::{Ahead, BlockWork};
use crate::column_rotation::{BODY, ColumnRotation, ColumnWork, KeyRows};
use crate::duet::{Alone, Duet, Side};
use crate::error::TfheError;
use crate::parallel::{Progress, in_parallel};
use crate::parameters::{Decomposition, PolynomialSize};
use crate::ring::{self, gadget};

/// The levels of a gadget of one.
const FIRST_LEVEL: [u32; 1] = [1];

/// What a blind rotation has to know of a parameter set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RotationShape {
    /// Bits of the small key.
    pub(crate) n: usize,
    /// Coefficients of a polynomial, N.
    pub(crate) size: usize,
    /// Bits of a block; 1 for a uniform key.
    pub(crate) block_bits: usize,
    /// The gadget.
    pub(crate) gadget: Decomposition,
    /// What every coefficient of the constant test polynomial is.
    pub(crate) amplitude: u64,
}

impl RotationShape {
    /// Rows of the GGSW encryption of one bit.
    fn rows(&self) -> usize {
        2 * self.gadget.levels.get()
    }

    /// Words of the bodies of the whole bootstrapping key.
    #[cfg(feature = "secret")]
    pub(crate) fn body_words(&self) -> usize {
        self.n * self.rows() * self.size
    }

    /// Stream of the mask of row `row` of small-key bit `bit`.
    pub(crate) fn stream(&self, bit: usize, row: usize) -> u64 {
        (bit * self.rows() + row) as u64
    }

    /// How many streams of the seed the masks take.
    pub(crate) fn streams(&self) -> u64 {
        self.stream(self.n, 0)
    }
}

/// The bootstrapping key in the transform domain, in reading order.
pub(crate) struct BootstrapKey {
    plan: Plan,
    gadget: Gadget,
    /// Shape of one block: its GGSW ciphertexts, their rows and columns.
    shape: KeyShape,
    /// Whether products take the digits' place.
    in_place: bool,
    key: Spectra,
    block_bits: usize,
    amplitude: u64,
}

/// Accumulators and transforms of a batch of rotations.
#[derive(Clone, Debug)]
pub(crate) struct Rotations {
    /// For each lookup its mask polynomial, then its body polynomial.
    accumulators: Vec<u64>,
    digits: Spectra,
    /// Empty where the products take the digits' place.
    products: Spectra,
    exponents: Vec<u32>,
    /// One polynomial, for uniform keys.
    rotated: Vec<u64>,
    /// For rotations that two threads share, once there is one.
    pub(crate) column: Option<ColumnWork>,
    size: usize,
}

impl Rotations {
    /// Mask and body of accumulator `index`.
    pub(crate) fn accumulator(&self, index: usize) -> (&[u64], &[u64]) {
        self.accumulators[index * 2 * self.size..][..2 * self.size].split_at(self.size)
    }
}

impl BootstrapKey {
    /// Expands the key whose bodies, row after row, are given with the seed of
    /// their masks.
    pub(crate) fn expand(
        rotation: RotationShape,
        seed: &Seed,
        bodies: &[u64],
        fft: Fft,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Self, TfheError> {
        let RotationShape {
            size, block_bits, ..
        } = rotation;
        let plan = ring::plan(PolynomialSize(size as u32), fft)?;
        let rows = rotation.rows();
        let shape = KeyShape {
            elements: block_bits,
            rows,
            columns: 2,
        };
        let block_length = shape.spectra() * plan.torus_len();
        let blocks = rotation.n / block_bits;
        let mut key = Spectra::zeroed(blocks * block_length);

        let bodies_per_block = block_bits * rows * size;
        let jobs: Vec<_> = key
            .chunks_mut(block_length)
            .zip(bodies.chunks(bodies_per_block))
            .enumerate()
            .collect();
        in_parallel(
            jobs,
            threads,
            progress,
            (0, blocks),
            |(block, (key, bodies))| {
                let mut mask = vec![0; size];
                let mut spectrum = plan.torus_spectra(1);
                for (number, body) in bodies.chunks(size).enumerate() {
                    let (element, row) = (number / rows, number % rows);
                    let bit = block * block_bits + element;
                    MaskGenerator::new(seed, rotation.stream(bit, row)).fill(&mut mask);
                    for (column, polynomial) in [mask.as_slice(), body].into_iter().enumerate() {
                        plan.forward_torus(&mut spectrum, polynomial);
                        plan.place(
                            key,
                            shape,
                            KeyIndex {
                                element,
                                row,
                                column,
                            },
                            &spectrum,
                        );
                    }
                }
            },
        );
        Ok(Self {
            gadget: gadget(rotation.gadget)?,
            in_place: block_bits > 1 && plan.works_in_place(shape),
            plan,
            shape,
            key,
            block_bits,
            amplitude: rotation.amplitude,
        })
    }

    /// The transform that it was expanded by.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The GGSW ciphertexts of each block of the small key, and their shape.
    pub(crate) fn blocks(&self) -> (impl Iterator<Item = &[f64]>, KeyShape) {
        let length = self.shape.spectra() * self.plan.torus_len();
        (self.key.chunks_exact(length), self.shape)
    }

    /// Whether products take the digits' place.
    pub(crate) fn in_place(&self) -> bool {
        self.in_place
    }

    /// The FFT processor that it was expanded for.
    pub(crate) fn fft(&self) -> Fft {
        self.plan.fft()
    }

    /// The key as it would be if its spectra were stored as multiples of 2^`log2_step`, for
    /// measurements. Complex processors only.
    #[cfg(test)]
    #[cfg(feature = "secret")]
    pub(crate) fn round(&mut self, log2_step: i32) {
        let step = f64::from(log2_step).exp2();
        for x in self.key.iter_mut() {
            *x = (*x / step).round() * step;
        }
    }

    /// The key as two threads read it who do a rotation together.
    pub(crate) fn rows(&self) -> KeyRows<'_> {
        KeyRows {
            key: &self.key,
            shape: self.shape,
            levels: &FIRST_LEVEL,
        }
    }

    /// Whether a lookup's rotation can be shared by two threads.
    pub(crate) fn works_by_columns(&self) -> bool {
        self.gadget.levels() == 1
            && self.in_place
            && ColumnRotation::is_possible(&self.plan, self.gadget, &[self.shape])
    }

    /// The accumulator number 0 of [`rotate`](Self::rotate) for one LWE ciphertext, with the help of
    /// another thread.
    pub(crate) fn rotate_with(
        &self,
        duet: &Duet,
        switched: &[u16],
        work: &mut Rotations,
    ) -> Result<(), Alone> {
        let accumulator = &mut work.accumulators[..2 * work.size];
        let (mask, body) = accumulator.split_at_mut(work.size);
        mask.fill(0);
        let rotation = switched.last().copied().unwrap_or(0);
        start(body, usize::from(rotation), self.amplitude);
        duet.call(false, switched, mask)?;
        self.rotate_column(
            &mut duet.side(0),
            BODY,
            switched,
            [body, mask],
            &mut work.column,
        )
    }

    /// Either thread's part of that.
    pub(crate) fn rotate_column(
        &self,
        side: &mut Side<'_>,
        component: usize,
        switched: &[u16],
        polynomials: [&mut [u64]; 2],
        work: &mut Option<ColumnWork>,
    ) -> Result<(), Alone> {
        let column = ColumnRotation {
            plan: &self.plan,
            gadget: self.gadget,
            keys: &[self.rows()],
        };
        let work = work.get_or_insert_with(|| column.work());
        column.rotate(side, component, switched, polynomials, work)
    }

    /// Buffers for a batch of rotations by this key.
    pub(crate) fn rotations(&self, batch: usize) -> Rotations {
        let size = self.plan.size().coefficients();
        Rotations {
            accumulators: vec![0; batch * 2 * size],
            digits: self.plan.digit_spectra(batch * self.shape.rows),
            products: self
                .plan
                .torus_spectra(if self.in_place { 0 } else { batch * 2 }),
            exponents: vec![0; batch * self.block_bits],
            rotated: vec![0; size],
            column: None,
            size,
        }
    }

    /// Rotates the constant test polynomial for every row of `switched`, each an
    /// LWE ciphertext modulo 2N (mask, then body), into the accumulator of the
    /// same number.
    pub(crate) fn rotate(&self, switched: &[&[u16]], work: &mut Rotations) {
        let (size, batch) = (work.size, switched.len());
        let rows = self.shape.rows;
        let lookup_digits = rows * self.plan.digit_len();
        let accumulators = &mut work.accumulators[..batch * 2 * size];
        let digits = &mut work.digits[..batch * lookup_digits];
        let products = if self.in_place {
            &mut []
        } else {
            &mut work.products[..batch * 2 * self.plan.torus_len()]
        };
        let exponents = &mut work.exponents[..batch * self.block_bits];
        for (accumulator, switched) in accumulators.chunks_mut(2 * size).zip(switched) {
            let (mask, body) = accumulator.split_at_mut(size);
            mask.fill(0);
            let rotation = switched.last().copied().unwrap_or(0);
            start(body, usize::from(rotation), self.amplitude);
        }
        let work_of_block = BlockWork::new(&self.plan, self.shape, batch);
        let length = self.shape.spectra() * self.plan.torus_len();
        let lookups = accumulators
            .chunks_exact(2 * size)
            .zip(digits.chunks_exact_mut(lookup_digits));
        for ((accumulator, digits), switched) in lookups.zip(switched) {
            for (component, polynomial) in accumulator.chunks_exact(size).enumerate() {
                let mut nothing = Ahead::new([&[], &[]], work_of_block);
                let polynomial = self.stepped(polynomial, switched, &mut work.rotated);
                self.decompose(polynomial, component, digits, &mut nothing);
            }
        }
        for (block, key) in self.key.chunks_exact(length).enumerate() {
            let bits = block * self.block_bits;
            for (exponents, switched) in exponents.chunks_mut(self.block_bits).zip(switched) {
                for (exponent, &element) in exponents.iter_mut().zip(&switched[bits..]) {
                    *exponent = u32::from(element);
                }
            }
            let next = self.key.get((block + 1) * length..).unwrap_or(&[]);
            let next = &next[..length.min(next.len())];
            let mut ahead = Ahead::new([next, &[]], work_of_block);
            if self.block_bits == 1 {
                self.plan.multiply(products, digits, key, self.shape);
            } else if self.in_place {
                let [part, _] = ahead.during_products();
                self.plan
                    .rotate_block_in_place(digits, key, self.shape, exponents, part);
            } else {
                let [part, _] = ahead.during_products();
                self.plan
                    .rotate_block(products, digits, key, self.shape, exponents, part);
            }
            // Each polynomial goes back and forth while it is in the first-level cache.
            for (index, accumulator) in accumulators.chunks_exact_mut(2 * size).enumerate() {
                let digits = &mut digits[index * lookup_digits..][..lookup_digits];
                for (component, polynomial) in accumulator.chunks_exact_mut(size).enumerate() {
                    let torus = self.plan.torus_len();
                    let product = if self.in_place {
                        &mut digits[component * torus..][..torus]
                    } else {
                        &mut products[(2 * index + component) * torus..][..torus]
                    };
                    self.plan
                        .inverse_torus_add(polynomial, product, ahead.during_transform());
                    if !next.is_empty() {
                        let rest = &switched[index][bits + self.block_bits..];
                        let polynomial = self.stepped(polynomial, rest, &mut work.rotated);
                        self.decompose(polynomial, component, digits, &mut ahead);
                    }
                }
            }
        }
    }

    /// What a step decomposes: the accumulator's polynomial, for a uniform key
    /// times X^a − 1 with the step's element a, the first of `mask`.
    fn stepped<'a>(
        &self,
        polynomial: &'a [u64],
        mask: &[u16],
        rotated: &'a mut [u64],
    ) -> &'a [u64] {
        if self.block_bits > 1 {
            return polynomial;
        }
        let exponent = mask.first().copied().unwrap_or(0);
        rotate_less_one(polynomial, usize::from(exponent), rotated);
        rotated
    }

    /// Transforms the digits of one polynomial into their rows of a lookup's.
    fn decompose(
        &self,
        polynomial: &[u64],
        component: usize,
        digits: &mut [f64],
        ahead: &mut Ahead<'_>,
    ) {
        let rows = digits.chunks_exact_mut(self.plan.digit_len());
        for (level, digits) in (1..).zip(rows.skip(component).step_by(2)) {
            let part = ahead.during_transform();
            self.plan
                .forward_digits(digits, polynomial, self.gadget, level, part);
        }
    }
}

/// (X^exponent − 1)·p, for an exponent in 0..2N (public: it comes from a
/// ciphertext).
fn rotate_less_one(polynomial: &[u64], exponent: usize, rotated: &mut [u64]) {
    let size = polynomial.len();
    // X^N = −1: an exponent of N or more flips every sign.
    let shift = exponent % size;
    let flip = if exponent >= size { u64::MAX } else { 0 };
    // (x ^ flip) − flip is −x where flip is all ones.
    let signed = |x: u64, flip: u64| (x ^ flip).wrapping_sub(flip);
    let (wrapped, straight) = rotated.split_at_mut(shift);
    let (head, tail) = polynomial.split_at(size - shift);
    for ((into, &from), &old) in wrapped.iter_mut().zip(tail).zip(polynomial) {
        *into = signed(from, !flip).wrapping_sub(old);
    }
    for ((into, &from), &old) in straight.iter_mut().zip(head).zip(&polynomial[shift..]) {
        *into = signed(from, flip).wrapping_sub(old);
    }
}

/// X^(−rotation)·amplitude·ΣX^i, with `rotation` in 0..2N: coefficient i is
/// +amplitude where (i + rotation) mod 2N < N, and −amplitude elsewhere.
pub(crate) fn start(body: &mut [u64], rotation: usize, amplitude: u64) {
    // N is a power of two: its bit of i + rotation tells.
    let size = body.len();
    for (i, coefficient) in body.iter_mut().enumerate() {
        *coefficient = match (i + rotation) & size {
            0 => amplitude,
            _ => amplitude.wrapping_neg(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the definition, for every exponent.
    #[test]
    fn rotations_less_one() {
        let n = 32;
        let polynomial: Vec<u64> = (1..=n as u64).map(|i| i * i).collect();
        for exponent in 0..2 * n {
            let mut expected: Vec<u64> = polynomial.iter().map(|x| x.wrapping_neg()).collect();
            for (i, &x) in polynomial.iter().enumerate() {
                let at = (i + exponent) % (2 * n);
                let x = if at < n { x } else { x.wrapping_neg() };
                expected[at % n] = expected[at % n].wrapping_add(x);
            }
            let mut rotated = vec![0; n];
            rotate_less_one(&polynomial, exponent, &mut rotated);
            assert_eq!(rotated, expected, "{exponent}");
        }
    }

    #[test]
    fn the_start_is_the_constant_polynomial_rotated_backwards() {
        let n = 64;
        for rotation in 0..2 * n {
            let mut body = vec![0; n];
            start(&mut body, rotation, 5);
            for (i, &x) in body.iter().enumerate() {
                let positive = (i + rotation) % (2 * n) < n;
                assert_eq!(x as i64, if positive { 5 } else { -5 });
            }
        }
    }
}
