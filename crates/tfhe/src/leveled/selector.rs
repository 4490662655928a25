//! A condition that chooses.

use transforms::torus::{Fft, KeyShape, Spectra};

use super::circuit_bootstrap::LEVELS;
use super::gadgets::{BODY, MASK};
use super::glwe::Glwe;
use super::key::{LeveledKey, LeveledWork};
use super::ring_switch::{ProductWork, place};
use crate::error::TfheError;
use crate::lwe::{LweCiphertext, same_key};
use random::KeyId;

/// The rows of a selector: those that meet digits of the mask, and those that meet digits of the body.
const SHAPE: KeyShape = KeyShape {
    elements: 1,
    rows: (MASK.levels() + BODY.levels()) as usize,
    columns: 2,
};

/// A GGSW ciphertext of a bit, in the transform domain: 224 KB for P16. Made by
/// [`LeveledKey::selectors`] and [`LeveledKey::parity_selectors`].
pub struct Selector {
    key_id: KeyId,
    fft: Fft,
    rows: Spectra,
    bit: Box<[u64]>,
}

impl std::fmt::Debug for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Selector")
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

impl Selector {
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
    /// `one` where the selector's bit is 1, `zero` where it is 0: one external product. Adds
    /// [`LeveledNoise::product`] to the noise of either.
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
        same_key("selector", self.key_id, selector.key_id)?;
        self.check_processor("selector", selector.fft)?;
        self.check_work(work)?;
        for bit in [zero, one] {
            bit.check(&self.parameters, self.key_id)?;
        }
        let mut difference = Glwe::of_bit(one.elements());
        difference.subtract(&Glwe::of_bit(zero.elements()));
        let mut chosen = Glwe::of_bit(zero.elements());
        self.add_product(selector, &difference, &mut chosen, &mut work.product);
        Ok(LweCiphertext::from_elements(self.key_id, chosen.bit()))
    }

    /// Adds the selector's bit times a ciphertext.
    pub(crate) fn add_product(
        &self,
        selector: &Selector,
        glwe: &Glwe,
        sum: &mut Glwe,
        work: &mut ProductWork,
    ) {
        let polynomials = [(glwe.mask(), MASK), (glwe.body(), BODY)];
        work.add_product(&self.plan, &polynomials, (&selector.rows, SHAPE), sum);
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
