//! Encryption without the secret.
//!
//! The key is one encryption (a, b) of 0 under the big key s, b = a·s + e, its mask a
//! the expansion of a seed: 16 KiB. A ciphertext of N bits m is
//!
//! (a·u + e₁, b·u + e₂ + m),
//!
//! with u uniform binary and e₁, e₂ like e: fresh for each ciphertext, exact modulo
//! 2^64 ([`crate::exact`]). Its phase is m + e·u + e₂ − e₁·s: the noise is that of
//! N + 1 fresh errors in place of one ([`NoiseBudget::public`]), 2^-42.8 where a
//! rotation leaves 2^-14.6, so that lookups do not notice it.
//!
//! # Security
//!
//! (V. Lyubashevsky, C. Peikert, O. Regev, "On ideal lattices and learning with errors
//! over rings", J. ACM 2013, section 1.1.) The key is one more sample of the problem
//! that every row of a server's key is a sample of: ring-LWE of degree N under a
//! uniform binary secret with the big key's error. With b in place of a uniform
//! polynomial, a ciphertext is two samples of that problem under the secret u. So both
//! steps cost what the big key's estimate says, and nothing is assumed that the server's
//! key does not assume already.
//!
//! A ciphertext's mask follows from no seed: 8 bytes for each coefficient, 16 KiB for
//! each N bits or fewer, besides the 8 bytes a bit. It says nothing of who made it, but
//! that it was not the owner with the secret key.
//!
//! [`NoiseBudget::public`]: crate::noise::NoiseBudget::public

use random::{Generator, MaskGenerator, Seed};

use crate::error::TfheError;
use crate::exact::Ring;
use crate::packed::PackedInputs;
use crate::parameters::{BIT_SCALE, Parameters};
use random::KeyId;

/// Which stream of its seed the key's mask is.
pub(crate) const MASK_STREAM: u64 = 0;

/// What whoever encrypts for the key's owner has: it makes ciphertexts and reads none.
#[derive(Clone, Debug, PartialEq)]
pub struct PublicKey {
    pub(crate) parameters: Parameters,
    pub(crate) key_id: KeyId,
    pub(crate) seed: Seed,
    pub(crate) body: Vec<u64>,
}

impl PublicKey {
    /// A key from what a file holds: the seed of its mask and the N coefficients of
    /// its body.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`].
    ///
    /// ```
    /// use blindcore_tfhe::{KeyId, PublicKey, TOY_BLOCK};
    /// use random::Seed;
    ///
    /// let (id, seed) = (KeyId::from_bytes([1; 16]), Seed::from_bytes([2; 32]));
    /// let body = vec![0; PublicKey::body_count(&TOY_BLOCK)];
    /// let key = PublicKey::from_parts(TOY_BLOCK, id, seed, body.clone())?;
    /// assert_eq!((*key.parameters(), key.key_id(), key.body()), (TOY_BLOCK, id, &body[..]));
    /// assert_eq!(key.seed().as_bytes(), &[2; 32]);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn from_parts(
        parameters: Parameters,
        key_id: KeyId,
        seed: Seed,
        body: Vec<u64>,
    ) -> Result<Self, TfheError> {
        let (expected, found) = (Self::body_count(&parameters), body.len());
        if found != expected {
            return Err(TfheError::WrongLength {
                what: "the public key's body",
                expected,
                found,
            });
        }
        Ok(Self {
            parameters,
            key_id,
            seed,
            body,
        })
    }

    /// Coefficients of a key's body.
    #[must_use]
    pub fn body_count(parameters: &Parameters) -> usize {
        parameters.polynomial_size().get()
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The public name of the key pair.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The seed of its mask.
    #[must_use]
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// Its body, N torus elements.
    #[must_use]
    pub fn body(&self) -> &[u64] {
        &self.body
    }

    /// Encrypts bits, N of them to one ciphertext.
    ///
    /// Running time depends on the number of bits, and on the drawn errors by what the
    /// crate `random` says; not on the bits.
    ///
    /// # Errors
    /// [`TfheError::NoTransform`] if the ring's size has no transform.
    pub fn encrypt(
        &self,
        bits: &[bool],
        generator: &mut Generator,
    ) -> Result<PackedInputs, TfheError> {
        let deviation = self.parameters.glwe_deviation();
        let ring = Ring::new(self.parameters.polynomial_size())?;
        let n = self.parameters.polynomial_size().get();
        let mut work = ring.work();
        let mut key_mask = vec![0; n];
        MaskGenerator::new(&self.seed, MASK_STREAM).fill(&mut key_mask);
        let mut masks = Vec::with_capacity(bits.len().div_ceil(n) * n);
        let mut bodies = Vec::with_capacity(bits.len());
        for chunk in bits.chunks(n) {
            let factor = generator.binary_secret(n);
            let factor = ring.secret_spectrum(factor.expose());
            let (mut mask, mut body) = (vec![0; n], vec![0; n]);
            for (part, key) in [(&mut mask, &key_mask), (&mut body, &self.body)] {
                ring.add_product(part, key, &factor, &mut work);
                generator.add_gaussian(part, deviation);
            }
            masks.append(&mut mask);
            bodies.extend(chunk.iter().zip(&body).map(|(&bit, element)| {
                element.wrapping_add(u64::from(bit).wrapping_mul(BIT_SCALE))
            }));
        }
        PackedInputs::with_masks(self.parameters, self.key_id, masks, bodies)
    }
}
