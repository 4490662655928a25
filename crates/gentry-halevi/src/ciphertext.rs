//! An encrypted bit: one residue modulo d.

use crate::{KeyId, Noise};

/// An encrypted bit, with the key it belongs to and a bound on its noise.
///
/// Made by [`Encryptor`](crate::Encryptor), [`Evaluator`](crate::Evaluator) or
/// [`PublicKey::ciphertext`](crate::PublicKey::ciphertext). 96 kB at dimension 2048.
#[derive(Clone, Debug, PartialEq)]
pub struct Ciphertext {
    key_id: KeyId,
    noise: Noise,
    limbs: Vec<u64>,
}

impl Ciphertext {
    pub(crate) fn new(key_id: KeyId, limbs: Vec<u64>, noise: Noise) -> Self {
        Self {
            key_id,
            noise,
            limbs,
        }
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The residue: as many limbs as the modulus has, little-endian, below it.
    #[must_use]
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// The bound on its noise.
    #[must_use]
    pub fn noise(&self) -> Noise {
        self.noise
    }
}
