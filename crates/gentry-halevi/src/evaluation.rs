//! Computing on encrypted bits: sums and products modulo d, and recryption.
//!
//! XOR is a sum and AND a product of residues; NOT adds 1. At dimension 2048 a sum takes
//! microseconds, a product less than a millisecond, and a recryption some hundred milliseconds.
//! Each result carries a bound on its noise, and what could not be recrypted any more is refused:
//! [`Error::NoiseExhausted`] comes before a wrong decryption. (What an attacker who can choose
//! ciphertexts and watch what becomes of them learns is another matter: the secret key.)
//!
//! # Timing
//! Everything here is public, ciphertexts included.

use std::num::NonZeroUsize;

use crate::recryption::Recryption;
use crate::{Ciphertext, Error, Noise, PublicKey, limbs};
use work::Threads;

/// Whether the transforms of the public key's encrypted bits are kept, to recrypt faster.
///
/// They take six times the key's bytes: 0.4 GB at dimension 2048, 2.2 GB at 8192. Without them each
/// recryption computes them, and holds those of one block, a fifteenth, for each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transforms {
    /// Faster.
    #[default]
    Kept,
    /// Smaller.
    Computed,
}

/// Computes under one public key.
pub struct Evaluator {
    key: PublicKey,
    recryption: Recryption,
    threads: Threads,
}

impl Evaluator {
    /// Prepares to compute with `key` on `threads` threads: transforms of it, if they are to be
    /// kept, and a division of some milliseconds.
    ///
    /// # Errors
    /// [`Error::NoThreads`], [`Error::Arithmetic`].
    pub fn new(
        key: &PublicKey,
        transforms: Transforms,
        threads: NonZeroUsize,
    ) -> Result<Self, Error> {
        let threads = Threads::new(threads)?;
        Ok(Self {
            recryption: Recryption::new(key, transforms == Transforms::Kept, &threads)?,
            key: key.clone(),
            threads,
        })
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// A bit that everybody knows, as a ciphertext without noise.
    #[must_use]
    pub fn constant(&self, bit: bool) -> Ciphertext {
        let mut limbs = vec![0; self.key.residue_limbs()];
        limbs[0] = u64::from(bit);
        Ciphertext::new(self.key.key_id(), limbs, Noise::CONSTANT)
    }

    /// The exclusive or of two bits.
    ///
    /// # Errors
    /// [`Error::WrongKey`]; [`Error::NoiseExhausted`] if the result could not be recrypted.
    pub fn xor(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.key.check(a)?;
        self.key.check(b)?;
        let noise = a
            .noise()
            .plus(b.noise())
            .check(self.key.parameters(), "an XOR")?;
        let mut limbs = a.limbs().to_vec();
        limbs::add_modulo(&mut limbs, b.limbs(), self.key.modulus());
        Ok(Ciphertext::new(self.key.key_id(), limbs, noise))
    }

    /// Both bits.
    ///
    /// # Errors
    /// [`Error::WrongKey`]; [`Error::NoiseExhausted`] if the result could not be recrypted;
    /// [`Error::Arithmetic`].
    pub fn and(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.key.check(a)?;
        self.key.check(b)?;
        let noise = a
            .noise()
            .times(b.noise())
            .check(self.key.parameters(), "an AND")?;
        let mut limbs = vec![0; self.key.residue_limbs()];
        let modulus = self.key.arithmetic();
        modulus.multiply(&mut limbs, a.limbs(), b.limbs())?;
        Ok(Ciphertext::new(self.key.key_id(), limbs, noise))
    }

    /// The other bit: 1 is added. What is of another key stays as it is, and is refused by whoever
    /// computes with it next. The noise grows by less than anybody counts, so that this cannot
    /// fail; what could not be recrypted any more is refused by what comes next, too.
    #[must_use]
    pub fn not(&self, a: &Ciphertext) -> Ciphertext {
        if self.key.check(a).is_err() {
            return a.clone();
        }
        let noise = a.noise().plus(Noise::CONSTANT);
        let mut limbs = a.limbs().to_vec();
        limbs::add_bit_modulo(&mut limbs, true, self.key.modulus());
        Ciphertext::new(self.key.key_id(), limbs, noise)
    }

    /// The same bit with the noise of [`Noise::recrypted`], on all of the evaluator's threads: see
    /// the crate's notes on recryption.
    ///
    /// # Errors
    /// [`Error::WrongKey`]; [`Error::NoiseExhausted`] if it is too late; [`Error::Arithmetic`].
    pub fn recrypt(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.key.check(a)?;
        let parameters = self.key.parameters();
        a.noise().check(parameters, "a recryption")?;
        let limbs = self
            .recryption
            .recrypt(&self.key, a.limbs(), &self.threads)?;
        let noise = Noise::recrypted(parameters);
        Ok(Ciphertext::new(self.key.key_id(), limbs, noise))
    }

    /// Bits that are left at least between the noise of `a` and what decrypts wrongly.
    #[must_use]
    pub fn margin_bound(&self, a: &Ciphertext) -> f64 {
        a.noise().margin(self.key.parameters())
    }

    #[cfg(test)]
    pub(crate) fn inner(&self) -> (&Recryption, &Threads) {
        (&self.recryption, &self.threads)
    }
}
