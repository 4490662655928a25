//! A condition that chooses.

use transforms::torus::{Fft, KeyShape, Plan, Spectra};

use super::circuit_bootstrap::LEVELS;
use super::gadgets::{BODY, MASK};
use super::glwe::{Glwe, turn};
use super::key::{LeveledKey, LeveledWork};
use super::ring_switch::{ProductWork, place};
use crate::error::TfheError;
use crate::lwe::LweCiphertext;
use crate::parameters::Parameters;
use random::KeyId;

/// The rows of a selector: those that meet digits of the mask, and those that meet digits of the body.
pub(super) const SHAPE: KeyShape = KeyShape {
    elements: 1,
    rows: (MASK.levels() + BODY.levels()) as usize,
    columns: 2,
};

/// A GGSW ciphertext of a bit, in the transform domain: 224 KB for P16. Made by
/// [`LeveledKey::selectors`] and [`LeveledKey::parity_selectors`].
pub struct Selector {
    key_id: KeyId,
    pub(super) fft: Fft,
    pub(super) rows: Spectra,
    bit: Box<[u64]>,
}

/// Buffers of a product by a bit.
#[derive(Clone, Debug)]
pub(crate) struct ChoiceWork {
    digits: Spectra,
    products: Spectra,
    mask: Vec<u64>,
    turned: Vec<u64>,
}

impl ChoiceWork {
    pub(crate) fn new(plan: &Plan) -> Self {
        let size = plan.size().coefficients();
        Self {
            digits: plan.digit_spectra(SHAPE.rows),
            products: plan.torus_spectra(SHAPE.columns),
            mask: vec![0; size],
            turned: vec![0; size],
        }
    }
}

impl std::fmt::Debug for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Selector")
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

impl Selector {
    /// Its memory under a set: two spectra for each row, in eight bytes a coefficient.
    #[must_use]
    pub fn bytes(parameters: &Parameters) -> u64 {
        8 * (SHAPE.spectra() * parameters.polynomial_size().get()) as u64
    }

    /// The bit itself, refreshed: a by-product, with the noise of [`LeveledNoise::bit`].
    ///
    /// [`LeveledNoise::bit`]: super::LeveledNoise::bit
    #[must_use]
    pub fn bit(&self) -> LweCiphertext {
        LweCiphertext::from_elements(self.key_id, self.bit.clone())
    }

    /// The public name of the key pair.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }
}

impl LeveledKey {
    /// `one` where the selector's bit is 1, `zero` where it is 0: one external product, of five
    /// transforms. Adds [`LeveledNoise::product`] to the noise of either. Where one of both is a half
    /// the result is a half, whose scale is sixteen times that of a bit; what is added is the same.
    ///
    /// Running time depends on nothing.
    ///
    /// [`LeveledNoise::product`]: super::LeveledNoise::product
    ///
    /// # Errors
    /// [`TfheError::WrongKey`], [`TfheError::WrongLength`] or [`TfheError::WrongProcessor`] for a strange
    /// ciphertext or selector, [`TfheError::WrongScratch`] for strange buffers.
    pub fn choose(
        &self,
        work: &mut LeveledWork,
        selector: &Selector,
        zero: &LweCiphertext,
        one: &LweCiphertext,
    ) -> Result<LweCiphertext, TfheError> {
        self.check_selector(selector)?;
        self.check_work(work)?;
        for bit in [zero, one] {
            bit.check(&self.parameters, self.key_id)?;
        }
        let is_half = zero.is_half() || one.is_half();
        let [zero, one] = [zero, one].map(|bit| bit.elements_at(is_half));
        let mut chosen: Box<[u64]> = (*zero).into();
        self.add_product(selector, [&zero, &one], &mut chosen, &mut work.choice);
        Ok(match is_half {
            true => LweCiphertext::half_from_elements(self.key_id, chosen),
            false => LweCiphertext::from_elements(self.key_id, chosen),
        })
    }

    /// Adds the selector's bit times one less zero.
    ///
    /// A bit is the constant coefficient of a ciphertext whose body has no other: its digits are
    /// constants, which need no transform, and of the product's body no other coefficient is asked for.
    fn add_product(
        &self,
        selector: &Selector,
        [zero, one]: [&[u64]; 2],
        sum: &mut [u64],
        work: &mut ChoiceWork,
    ) {
        let (plan, size) = (&self.plan, self.rows.size);
        let ChoiceWork {
            digits,
            products,
            mask,
            turned,
        } = work;
        for (into, (zero, one)) in mask.iter_mut().zip(zero.iter().zip(one)) {
            *into = one.wrapping_sub(*zero);
        }
        turn(mask, turned);
        let mut rows = digits.chunks_exact_mut(plan.digit_len());
        for (level, row) in (1..=MASK.levels()).zip(&mut rows) {
            plan.forward_digits(row, turned, MASK, level, &[]);
        }
        let body = one[size].wrapping_sub(zero[size]);
        for (level, row) in (1..=BODY.levels()).zip(rows) {
            plan.forward_constant(row, BODY.digit(body, level));
        }
        plan.multiply(products, digits, &selector.rows, SHAPE);
        let (of_mask, of_body) = products.split_at_mut(plan.torus_len());
        plan.inverse_torus(turned, of_mask);
        turn(turned, mask);
        for (sum, x) in sum.iter_mut().zip(&*mask) {
            *sum = sum.wrapping_add(*x);
        }
        sum[size] = sum[size].wrapping_add(plan.constant(of_body));
    }

    /// Step 4: the selector of which these are the levels.
    pub(crate) fn selector(&self, levels: &[Glwe; LEVELS], work: &mut ProductWork) -> Selector {
        let mut rows = self.plan.torus_spectra(SHAPE.spectra());
        let of_mask = levels.iter().map(|level| self.mask_row(level, work));
        let of_mask: Vec<Glwe> = of_mask.collect();
        let of_body = levels.iter().take(BODY.levels() as usize);
        for (row, glwe) in of_mask.iter().chain(of_body).enumerate() {
            place(
                &self.plan,
                &mut rows,
                SHAPE,
                (0, row),
                [glwe.mask(), glwe.body()],
            );
        }
        Selector {
            key_id: self.key_id,
            fft: self.plan.fft(),
            rows,
            bit: levels[0].bit(),
        }
    }

    /// −S times the phase of a level (a, b): (b, 0) has −S·b, and a·S² makes that −S·(b − a·S).
    pub(crate) fn mask_row(&self, level: &Glwe, work: &mut ProductWork) -> Glwe {
        let mut row = Glwe::of(level.body(), &vec![0; self.rows.size]);
        self.square.add(&self.plan, level.mask(), &mut row, work);
        row
    }
}
