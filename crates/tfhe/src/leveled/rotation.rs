//! Blind rotation with the gadget of three levels: as [`crate::blind_rotation`], but for the test
//! polynomial and the precision.
//!
//! The rows of the middle level are those of the lookups' key, which is read where it is; the rows of
//! the first and the last level have a key of their own. Digits are made once a block for all three.

use random::Seed;
use transforms::torus::{KeyShape, Plan, Spectra};

use super::gadgets::{MORE, OF_LOOKUPS, ROTATION};
use super::glwe::Glwe;
use super::ring_switch::place;
use super::seeded::Rows;
use crate::blind_rotation::BootstrapKey;
use crate::parallel::{Progress, in_parallel};
use random::MaskGenerator;

/// The rows of the first and the last level, block after block.
pub(crate) struct MoreRows {
    shape: KeyShape,
    key: Spectra,
}

/// Buffers for a batch of rotations.
#[derive(Clone, Debug)]
pub(crate) struct RotationWork {
    /// Of the middle level, two for each rotation of the batch.
    digits: Spectra,
    /// Of the others.
    more_digits: Spectra,
    products: Spectra,
    exponents: Vec<u32>,
}

impl RotationWork {
    pub(crate) fn new(plan: &Plan, batch: usize, block_bits: usize) -> Self {
        Self {
            digits: plan.digit_spectra(2 * batch),
            more_digits: plan.digit_spectra(Rows::OF_BIT * batch),
            products: plan.torus_spectra(2 * batch),
            exponents: vec![0; batch * block_bits],
        }
    }
}

impl MoreRows {
    /// Expands the rows on some threads, reporting blocks done of `total` parts.
    pub(crate) fn expand(
        plan: &Plan,
        (rows, block_bits): (Rows, usize),
        seed: &Seed,
        bodies: &[u64],
        threads: usize,
        (progress, total): (Progress<'_>, usize),
    ) -> Self {
        let shape = KeyShape {
            elements: block_bits,
            rows: Rows::OF_BIT,
            columns: 2,
        };
        let length = shape.spectra() * plan.torus_len();
        let per_block = block_bits * Rows::OF_BIT;
        let mut key = Spectra::zeroed(rows.n / block_bits * length);
        let jobs: Vec<_> = key
            .chunks_mut(length)
            .zip(bodies.chunks(per_block * rows.size))
            .enumerate()
            .collect();
        in_parallel(
            jobs,
            threads,
            progress,
            (0, total),
            |(block, (key, bodies))| {
                let mut mask = vec![0; rows.size];
                for (number, body) in bodies.chunks(rows.size).enumerate() {
                    MaskGenerator::new(seed, (block * per_block + number) as u64).fill(&mut mask);
                    let at = (number / Rows::OF_BIT, number % Rows::OF_BIT);
                    place(plan, key, shape, at, [&mask, body]);
                }
            },
        );
        Self { shape, key }
    }

    /// Multiplies each accumulator by X^(⟨mask, small key⟩ − body) for its LWE ciphertext modulo 2N,
    /// mask first: they pass over both keys together.
    pub(crate) fn rotate(
        &self,
        lookups: &BootstrapKey,
        switched: &[&[u16]],
        accumulators: &mut [Glwe],
        work: &mut RotationWork,
    ) {
        let (plan, batch) = (lookups.plan(), accumulators.len());
        let size = plan.size().coefficients();
        for (accumulator, switched) in accumulators.iter_mut().zip(switched) {
            let body = usize::from(switched.last().copied().unwrap_or(0));
            *accumulator = accumulator.rotated(2 * size - body);
        }
        let (digit, block_bits) = (plan.digit_len(), self.shape.elements);
        let digits = &mut work.digits[..2 * batch * digit];
        let more_digits = &mut work.more_digits[..Rows::OF_BIT * batch * digit];
        let products = &mut work.products[..2 * batch * plan.torus_len()];
        let exponents = &mut work.exponents[..batch * block_bits];
        let (blocks, shape) = lookups.blocks();
        let length = self.shape.spectra() * plan.torus_len();
        for (block, (key, more)) in blocks.zip(self.key.chunks_exact(length)).enumerate() {
            for (exponents, switched) in exponents.chunks_mut(block_bits).zip(switched) {
                let elements = &switched[block * block_bits..];
                for (exponent, &element) in exponents.iter_mut().zip(elements) {
                    *exponent = u32::from(element);
                }
            }
            let rows = digits.chunks_exact_mut(2 * digit);
            let more_rows = more_digits.chunks_exact_mut(Rows::OF_BIT * digit);
            for ((accumulator, rows), more_rows) in accumulators.iter().zip(rows).zip(more_rows) {
                decompose(plan, accumulator, &[OF_LOOKUPS], rows);
                decompose(plan, accumulator, &MORE, more_rows);
            }
            for (digits, key, shape) in [(&*digits, key, shape), (&*more_digits, more, self.shape)]
            {
                plan.rotate_block(products, digits, key, shape, exponents, &[]);
                let products = products.chunks_exact_mut(2 * plan.torus_len());
                for (accumulator, products) in accumulators.iter_mut().zip(products) {
                    let columns = products.chunks_exact_mut(plan.torus_len());
                    for (sum, product) in accumulator.both_mut().into_iter().zip(columns) {
                        plan.inverse_torus_add(sum, product, &[]);
                    }
                }
            }
        }
    }
}

/// The digits of some levels, of mask and body in turn.
fn decompose(plan: &Plan, glwe: &Glwe, levels: &[u32], digits: &mut [f64]) {
    let pairs = digits.chunks_exact_mut(2 * plan.digit_len());
    for (level, pair) in levels.iter().zip(pairs) {
        let rows = pair.chunks_exact_mut(plan.digit_len());
        for (row, polynomial) in rows.zip([glwe.mask(), glwe.body()]) {
            plan.forward_digits(row, polynomial, ROTATION, *level, &[]);
        }
    }
}
