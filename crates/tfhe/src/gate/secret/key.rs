//! The owner's key of the gate scheme: draws itself, encrypts bits, decrypts them.
//!
//! Two uniform binary keys: the small one (n bits), under which bits live, and
//! the big one (a polynomial of N bits), which exists for the time of a rotation
//! only and encrypts nothing that leaves the server.
//!
//! # Timing
//!
//! As [`crate::SecretKey`]: key bits are masks of words, never an address or a
//! branch.

use random::{Generator, SecretBuffer, Seed};

use crate::error::TfheError;
use crate::exact::{Ring, SecretSpectrum};
use crate::gate::ciphertext::{GateCiphertext, message};
use crate::gate::mask::fill_mask;
use crate::gate::parameters::GateParameters;
use random::KeyId;

/// The secret key. No `Debug`, no `Clone`; wiped when dropped.
pub struct GateSecretKey {
    parameters: GateParameters,
    key_id: KeyId,
    small: SecretBuffer<u8>,
    big: SecretBuffer<u8>,
    ring: Ring,
    big_spectrum: SecretSpectrum,
}

impl GateSecretKey {
    /// Draws a key.
    ///
    /// # Errors
    /// [`TfheError::NoTransform`] if the ring's size has no transform.
    ///
    /// ```
    /// use random::Generator;
    /// use blindcore_tfhe::gate::{GateSecretKey, TOY_GATE};
    /// let mut generator = Generator::from_entropy()?;
    /// let key = GateSecretKey::generate(TOY_GATE, &mut generator)?;
    /// let bits = key.encrypt(&[true, false], &mut generator);
    /// assert_eq!(key.decrypt(&bits[0])?, true);
    /// assert_eq!(key.decrypt(&bits[1].not())?, true);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn generate(
        parameters: GateParameters,
        generator: &mut Generator,
    ) -> Result<Self, TfheError> {
        let small = generator.binary_secret(parameters.lwe_dimension().get());
        let big = generator.binary_secret(parameters.polynomial_size().get());
        let key_id = KeyId::random(generator);
        let ring = Ring::new(parameters.polynomial_size())?;
        let big_spectrum = ring.secret_spectrum(big.expose());
        Ok(Self {
            parameters,
            key_id,
            small,
            big,
            ring,
            big_spectrum,
        })
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &GateParameters {
        &self.parameters
    }

    /// The public name of the key pair.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    pub(in crate::gate) fn small_bits(&self) -> &[u8] {
        self.small.expose()
    }

    pub(in crate::gate) fn big_bits(&self) -> &[u8] {
        self.big.expose()
    }

    pub(in crate::gate) fn ring(&self) -> &Ring {
        &self.ring
    }

    pub(in crate::gate) fn big_spectrum(&self) -> &SecretSpectrum {
        &self.big_spectrum
    }

    /// Encrypts bits, each to a ciphertext of its own.
    pub fn encrypt(&self, bits: &[bool], generator: &mut Generator) -> Vec<GateCiphertext> {
        let seed = generator.seed();
        let encrypt = |(stream, &bit)| {
            let mut elements = vec![0; self.small_bits().len() + 1].into_boxed_slice();
            self.encrypt_phase(&mut elements, message(bit), &seed, stream, generator);
            GateCiphertext::from_elements(self.key_id, elements)
        };
        (0..).zip(bits).map(encrypt).collect()
    }

    /// Writes a ciphertext of `phase` whose mask is `stream` of `seed`.
    pub(in crate::gate) fn encrypt_phase(
        &self,
        elements: &mut [u32],
        phase: u32,
        seed: &Seed,
        stream: u64,
        errors: &mut Generator,
    ) {
        let Some((body, mask)) = elements.split_last_mut() else {
            return;
        };
        fill_mask(mask, seed, stream);
        // The error is added where it is hidden: alone it stands nowhere.
        let exact = phase.wrapping_add(product(mask, self.small_bits()));
        let mut wide = [u64::from(exact) << 32];
        errors.add_gaussian(&mut wide, self.parameters.lwe_deviation());
        *body = (wide[0].wrapping_add(1 << 31) >> 32) as u32;
    }

    /// Decrypts a bit: the sign of its phase.
    ///
    /// # Errors
    /// [`TfheError::WrongKey`] or [`TfheError::WrongLength`]. A damaged ciphertext
    /// of the right key decrypts to an arbitrary bit: every phase has a sign.
    pub fn decrypt(&self, bit: &GateCiphertext) -> Result<bool, TfheError> {
        Ok(self.phase(bit)? as i32 >= 0)
    }

    /// The phase of a bit, body − ⟨mask, key⟩, in units of 2^-32 of the torus: ±2^29
    /// plus the error. **Its error depends on the secret key**; publish neither
    /// it nor anything computed from it.
    ///
    /// # Errors
    /// [`TfheError::WrongKey`] or [`TfheError::WrongLength`].
    pub(in crate::gate) fn phase(&self, bit: &GateCiphertext) -> Result<u32, TfheError> {
        bit.check(&self.parameters, self.key_id)?;
        Ok(phase(bit.elements(), self.small_bits()))
    }
}

/// body − ⟨mask, key⟩; elements are the mask, then the body.
pub(in crate::gate) fn phase(elements: &[u32], key: &[u8]) -> u32 {
    let body = elements.last().copied().unwrap_or(0);
    body.wrapping_sub(product(elements, key))
}

/// ⟨mask, key⟩ over as many elements as the key has bits, which are used as masks
/// of words.
fn product(mask: &[u32], key: &[u8]) -> u32 {
    mask.iter().zip(key).fold(0, |sum, (element, &bit)| {
        sum.wrapping_add(element & u32::from(bit).wrapping_neg())
    })
}
