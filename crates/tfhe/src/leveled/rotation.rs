//! Blind rotation with the gadget of three levels: as [`crate::blind_rotation`], but for the test
//! polynomial and the precision.
//!
//! The rows of the middle level are those of the lookups' key, which is read where it is; the rows of
//! the first and the last level have a key of their own. Their products are added up in the transform
//! domain: six transforms and two back for each accumulator and block. A polynomial goes back, and its
//! digits forth, while it is in the first-level cache, and the next block's keys are asked for
//! meanwhile, as in a lookup's rotation.

use random::Seed;
use transforms::torus::{KeyShape, Plan, Spectra};

use super::gadgets::{MORE, OF_LOOKUPS, ROTATION};
use super::glwe::Glwe;
use super::ring_switch::place;
use super::seeded::Rows;
use crate::ahead::{Ahead, BlockWork};
use crate::blind_rotation::BootstrapKey;
use crate::column_rotation::{BODY, ColumnRotation, ColumnWork, KeyRows};
use crate::duet::{Alone, Duet, Side};
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
    /// Empty where the products take the middle level's place.
    products: Spectra,
    exponents: Vec<u32>,
    /// For rotations that two threads share, once there is one.
    column: Option<ColumnWork>,
}

impl RotationWork {
    pub(crate) fn new(lookups: &BootstrapKey, batch: usize, block_bits: usize) -> Self {
        let plan = lookups.plan();
        let products = if lookups.in_place() { 0 } else { 2 * batch };
        Self {
            digits: plan.digit_spectra(2 * batch),
            more_digits: plan.digit_spectra(Rows::OF_BIT * batch),
            products: plan.torus_spectra(products),
            exponents: vec![0; batch * block_bits],
            column: None,
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

    /// Both keys as two threads read them who do a rotation together.
    fn rows<'a>(&'a self, lookups: &'a BootstrapKey) -> [KeyRows<'a>; 2] {
        let of_lookups = KeyRows {
            levels: &[OF_LOOKUPS],
            ..lookups.rows()
        };
        let more = KeyRows {
            key: &self.key,
            shape: self.shape,
            levels: &MORE,
        };
        [of_lookups, more]
    }

    /// Whether two threads can share a rotation.
    pub(crate) fn works_by_columns(&self, lookups: &BootstrapKey) -> bool {
        let shapes = self.rows(lookups).map(|rows| rows.shape);
        lookups.in_place() && ColumnRotation::is_possible(lookups.plan(), ROTATION, &shapes)
    }

    /// [`rotate`](Self::rotate) for one accumulator, with the help of another thread.
    pub(crate) fn rotate_with(
        &self,
        lookups: &BootstrapKey,
        duet: &Duet,
        switched: &[u16],
        accumulator: &mut Glwe,
        work: &mut RotationWork,
    ) -> Result<(), Alone> {
        let body = usize::from(switched.last().copied().unwrap_or(0));
        *accumulator = accumulator.rotated(2 * lookups.plan().size().coefficients() - body);
        let [mask, body] = accumulator.both_mut();
        duet.call(true, switched, mask)?;
        self.rotate_column(
            lookups,
            &mut duet.side(0),
            (BODY, switched),
            [body, mask],
            work,
        )
    }

    /// Either thread's part of that.
    pub(crate) fn rotate_column(
        &self,
        lookups: &BootstrapKey,
        side: &mut Side<'_>,
        (component, switched): (usize, &[u16]),
        polynomials: [&mut [u64]; 2],
        work: &mut RotationWork,
    ) -> Result<(), Alone> {
        let column = ColumnRotation {
            plan: lookups.plan(),
            gadget: ROTATION,
            keys: &self.rows(lookups),
        };
        let work = work.column.get_or_insert_with(|| column.work());
        column.rotate(side, component, switched, polynomials, work)
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
        let (size, block_bits) = (plan.size().coefficients(), self.shape.elements);
        let (blocks, shape) = lookups.blocks();
        let both = KeyShape {
            rows: shape.rows + self.shape.rows,
            ..shape
        };
        let work_of_block = BlockWork::new(plan, both, batch);
        let (digit, torus) = (plan.digit_len(), plan.torus_len());
        let (few, many) = (shape.rows * digit, self.shape.rows * digit);
        let digits = &mut work.digits[..batch * few];
        let more_digits = &mut work.more_digits[..batch * many];
        let exponents = &mut work.exponents[..batch * block_bits];
        for (index, (accumulator, switched)) in accumulators.iter_mut().zip(switched).enumerate() {
            let body = usize::from(switched.last().copied().unwrap_or(0));
            *accumulator = accumulator.rotated(2 * size - body);
            let digits = &mut digits[index * few..][..few];
            let more = &mut more_digits[index * many..][..many];
            let mut nothing = Ahead::new([&[], &[]], work_of_block);
            for (component, polynomial) in accumulator.both_mut().into_iter().enumerate() {
                decompose(plan, polynomial, component, [digits, more], &mut nothing);
            }
        }
        let length = self.shape.spectra() * torus;
        let keys = blocks.zip(self.key.chunks_exact(length)).enumerate();
        let mut keys = keys.peekable();
        while let Some((block, (key, more_key))) = keys.next() {
            for (exponents, switched) in exponents.chunks_mut(block_bits).zip(switched) {
                let elements = &switched[block * block_bits..];
                for (exponent, &element) in exponents.iter_mut().zip(elements) {
                    *exponent = u32::from(element);
                }
            }
            let next = keys.peek().map(|(_, (key, more))| [*key, *more]);
            let mut ahead = Ahead::new(next.unwrap_or([&[], &[]]), work_of_block);
            let [part, more_part] = ahead.during_products();
            let products = if lookups.in_place() {
                plan.rotate_block_in_place(digits, key, shape, exponents, part);
                &mut *digits
            } else {
                let products = &mut work.products[..2 * batch * torus];
                plan.rotate_block(products, digits, key, shape, exponents, part);
                products
            };
            let (digits_of, shape) = (&*more_digits, self.shape);
            plan.rotate_block_add(products, digits_of, more_key, shape, exponents, more_part);
            // Each polynomial goes back and forth while it is in the first-level cache.
            for (index, accumulator) in accumulators.iter_mut().enumerate() {
                let digits = &mut digits[index * few..][..few];
                let more = &mut more_digits[index * many..][..many];
                for (component, polynomial) in accumulator.both_mut().into_iter().enumerate() {
                    let product = if lookups.in_place() {
                        &mut digits[component * torus..][..torus]
                    } else {
                        &mut work.products[(2 * index + component) * torus..][..torus]
                    };
                    plan.inverse_torus_add(polynomial, product, ahead.during_transform());
                    if next.is_some() {
                        decompose(plan, polynomial, component, [digits, more], &mut ahead);
                    }
                }
            }
        }
    }
}

/// Transforms the digits of mask (0) or body (1) into their rows: those of the middle level, and those
/// of the others.
fn decompose(
    plan: &Plan,
    polynomial: &[u64],
    component: usize,
    [of_lookups, more]: [&mut [f64]; 2],
    ahead: &mut Ahead<'_>,
) {
    let of_lookups = of_lookups.chunks_exact_mut(plan.digit_len());
    let rows = of_lookups.chain(more.chunks_exact_mut(plan.digit_len()));
    let levels = [OF_LOOKUPS].into_iter().chain(MORE);
    for (level, row) in levels.zip(rows.skip(component).step_by(2)) {
        let part = ahead.during_transform();
        plan.forward_digits(row, polynomial, ROTATION, level, part);
    }
}
