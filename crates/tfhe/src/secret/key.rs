//! The owner's key: draws itself, encrypts bits, decrypts results.
//!
//! Two binary keys: the small one (n bits, uniform or block-binary), under which
//! lookups round, and the big one (one polynomial of N uniform bits), under
//! which bits live. The server's key holds encryptions of them; the bits
//! themselves are read out, by [`SecretKey::small_bits`] and
//! [`SecretKey::big_bits`], for nothing but the owner's file.
//!
//! # Timing
//!
//! Encryption and decryption read every key bit and use it as a multiplier or
//! mask, never as an address or a branch. Drawing errors uses floating-point
//! functions of the platform; see the notes of the crate `random`.

use random::{Generator, LockedBuffer, SecretBuffer};

use crate::error::TfheError;
use crate::lwe::{LweCiphertext, same_key};
use crate::packed::PackedInputs;
use crate::parameters::{BIT_SCALE, HALF_SCALE, Parameters, SmallKey};
use crate::shrunk::ShrunkBits;
use random::KeyId;

use crate::exact::{Ring, SecretSpectrum};

/// The secret key. No `Debug`, no `Clone`; wiped when dropped, and in locked memory where the
/// system allows it.
pub struct SecretKey {
    parameters: Parameters,
    key_id: KeyId,
    small: LockedBuffer<u8>,
    big: LockedBuffer<u8>,
    ring: Ring,
    big_spectrum: SecretSpectrum,
}

impl SecretKey {
    /// Draws a key.
    ///
    /// # Errors
    /// [`TfheError::NoTransform`] if the ring's size has no transform.
    ///
    /// ```
    /// use random::Generator;
    /// use blindcore_tfhe::{SecretKey, TOY_BLOCK};
    /// let mut generator = Generator::from_entropy()?;
    /// let key = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// let inputs = key.encrypt(&[true, false, true], &mut generator);
    /// let bits = inputs.unpack();
    /// assert_eq!(key.decrypt(&bits[2])?, true);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn generate(parameters: Parameters, generator: &mut Generator) -> Result<Self, TfheError> {
        let n = parameters.lwe_dimension().get();
        let small = match parameters.block_size() {
            None => generator.binary_secret(n),
            Some(block) => generator.block_binary_secret(n, block),
        };
        let big = generator.binary_secret(parameters.big_lwe_dimension().get());
        Self::assemble(parameters, KeyId::random(generator), small, big)
    }

    /// A key from its bits, one per byte, as a file holds them. The vectors are
    /// wiped when the key is dropped, or now if they are refused.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] or [`TfheError::NotASecretKey`].
    ///
    /// ```
    /// # use random::Generator;
    /// use blindcore_tfhe::{SecretKey, TOY_BLOCK};
    ///
    /// # let mut generator = Generator::from_key([1; 32]);
    /// let key = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// let bit = key.encrypt(&[true], &mut generator).unpack().remove(0);
    /// // Written to a file and read again.
    /// let (small, big) = (key.small_bits().to_vec(), key.big_bits().to_vec());
    /// let again = SecretKey::from_parts(*key.parameters(), key.key_id(), small, big)?;
    /// assert!(again.decrypt(&bit)?);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn from_parts(
        parameters: Parameters,
        key_id: KeyId,
        small: Vec<u8>,
        big: Vec<u8>,
    ) -> Result<Self, TfheError> {
        let (small, big) = (SecretBuffer::new(small), SecretBuffer::new(big));
        for (what, bits, expected) in [
            ("the small key", &small, parameters.lwe_dimension().get()),
            ("the big key", &big, parameters.big_lwe_dimension().get()),
        ] {
            let found = bits.expose().len();
            if found != expected {
                return Err(TfheError::WrongLength {
                    what,
                    expected,
                    found,
                });
            }
        }
        if small
            .expose()
            .iter()
            .chain(big.expose())
            .fold(0, |all, bit| all | bit)
            > 1
        {
            return Err(TfheError::NotASecretKey {
                reason: "a key bit is neither 0 nor 1",
            });
        }
        if let SmallKey::Block(bits) = parameters.small_key() {
            let weights = small
                .expose()
                .chunks(bits as usize)
                .map(|block| block.iter().sum());
            if weights.fold(0, u8::max) > 1 {
                return Err(TfheError::NotASecretKey {
                    reason: "a block holds more than one bit",
                });
            }
        }
        Self::assemble(parameters, key_id, small, big)
    }

    fn assemble(
        parameters: Parameters,
        key_id: KeyId,
        small: SecretBuffer<u8>,
        big: SecretBuffer<u8>,
    ) -> Result<Self, TfheError> {
        let ring = Ring::new(parameters.polynomial_size())?;
        let big_spectrum = ring.secret_spectrum(big.expose());
        Ok(Self {
            parameters,
            key_id,
            small: LockedBuffer::of(small.expose()),
            big: LockedBuffer::of(big.expose()),
            ring,
            big_spectrum,
        })
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

    /// The n bits of the small key, one per byte. **Secret**: for writing the
    /// key to its owner's file.
    #[must_use]
    pub fn small_bits(&self) -> &[u8] {
        self.small.expose()
    }

    /// The kN bits of the big key, one per byte. **Secret**.
    #[must_use]
    pub fn big_bits(&self) -> &[u8] {
        self.big.expose()
    }

    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    pub(crate) fn big_spectrum(&self) -> &SecretSpectrum {
        &self.big_spectrum
    }

    /// Encrypts bits, N of them to one seeded GLWE ciphertext: 8 bytes a bit.
    pub fn encrypt(&self, bits: &[bool], generator: &mut Generator) -> PackedInputs {
        let seed = generator.seed();
        let n = self.parameters.polynomial_size().get();
        let mut bodies = Vec::with_capacity(bits.len());
        let mut work = self.ring.work();
        let mut mask = vec![0; n];
        for (stream, chunk) in bits.chunks(n).enumerate() {
            random::MaskGenerator::new(&seed, stream as u64).fill(&mut mask);
            let mut body = vec![0; n];
            self.ring
                .add_product(&mut body, &mask, &self.big_spectrum, &mut work);
            generator.add_gaussian(&mut body, self.parameters.glwe_deviation());
            bodies.extend(chunk.iter().zip(&body).map(|(&bit, element)| {
                element.wrapping_add(u64::from(bit).wrapping_mul(BIT_SCALE))
            }));
        }
        PackedInputs::from_parts(self.parameters, self.key_id, seed, bodies)
    }

    /// Decrypts one computed bit.
    ///
    /// # Errors
    /// [`TfheError::WrongKey`], [`TfheError::WrongLength`], or
    /// [`TfheError::NotABit`] if the phase is near neither 0 nor 1/32; of a half, within an eighth
    /// of the torus of neither 0 nor 1/2.
    pub fn decrypt(&self, ciphertext: &LweCiphertext) -> Result<bool, TfheError> {
        let phase = self.phase(ciphertext)?;
        decode(phase, ciphertext.is_half()).ok_or(TfheError::NotABit { index: 0 })
    }

    /// The phase of a ciphertext, body − ⟨mask, key⟩, in units of 2^-64 of the
    /// torus: bit/32 plus the error. **Its error depends on the secret key**;
    /// publish neither it nor anything computed from it.
    ///
    /// # Errors
    /// [`TfheError::WrongKey`] or [`TfheError::WrongLength`].
    pub(crate) fn phase(&self, ciphertext: &LweCiphertext) -> Result<u64, TfheError> {
        ciphertext.check(&self.parameters, self.key_id)?;
        Ok(phase(&ciphertext.elements(), self.big.expose()))
    }

    /// Decrypts outputs that were shrunk for transport.
    ///
    /// # Errors
    /// [`TfheError::WrongKey`], [`TfheError::WrongParameters`], or
    /// [`TfheError::NotABit`] naming the bit.
    pub fn decrypt_shrunk(&self, bits: &ShrunkBits) -> Result<Vec<bool>, TfheError> {
        let what = "batch of outputs";
        if *bits.parameters() != self.parameters {
            return Err(TfheError::WrongParameters {
                what,
                expected: self.parameters.name(),
                found: bits.parameters().name(),
            });
        }
        same_key(what, self.key_id, bits.key_id())?;
        let decoded = self.shrunk_phases(bits).enumerate().map(|(index, phase)| {
            decode(phase, bits.is_half(index)).ok_or(TfheError::NotABit { index })
        });
        decoded.collect()
    }

    /// The phases of shrunk bits, as [`SecretKey::phase`].
    pub(crate) fn shrunk_phases(&self, bits: &ShrunkBits) -> impl Iterator<Item = u64> {
        let wide = |word: &u16| u64::from(*word) << 48;
        let size = self.parameters.polynomial_size().get();
        let mut work = self.ring.work();
        // What to subtract from bodies, all coefficients of a row at a time.
        let products = bits.masks().chunks(size).map(|mask| {
            let mask: Vec<u64> = mask.iter().map(wide).collect();
            let mut product = vec![0; size];
            (self.ring).add_product(&mut product, &mask, &self.big_spectrum, &mut work);
            product
        });
        let products: Vec<Vec<u64>> = products.collect();
        let words = ShrunkBits::words_per_bit(&self.parameters);
        let mut alone = bits.elements().chunks_exact(words);
        (0..bits.len()).map(move |index| match bits.places().get(index) {
            Some(Some(place)) => {
                let product = products[place.row as usize][usize::from(place.coefficient)];
                wide(&place.body).wrapping_sub(product)
            }
            _ => {
                let elements: Vec<u64> =
                    alone.next().unwrap_or_default().iter().map(wide).collect();
                phase(&elements, self.small.expose())
            }
        })
    }
}

/// body − ⟨mask, key⟩; elements are the mask, then the body. Bits are used as
/// masks of words.
pub(crate) fn phase(elements: &[u64], key: &[u8]) -> u64 {
    let body = elements.last().copied().unwrap_or(0);
    elements
        .iter()
        .zip(key)
        .fold(body, |phase, (element, &bit)| {
            phase.wrapping_sub(element & u64::from(bit).wrapping_neg())
        })
}

/// The bit nearest to a phase at scale 1/32, or at scale 1/2, where half of all phases are no bit's:
/// so that damage shows.
fn decode(phase: u64, is_half: bool) -> Option<bool> {
    if is_half {
        return match phase.wrapping_add(HALF_SCALE / 4) / (HALF_SCALE / 2) {
            0 => Some(false),
            2 => Some(true),
            _ => None,
        };
    }
    match phase.wrapping_add(BIT_SCALE / 2) / BIT_SCALE {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}
