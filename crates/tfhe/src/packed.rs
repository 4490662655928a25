//! Inputs on their way to the server: GLWE ciphertexts of N bits each.
//!
//! The mask of a GLWE ciphertext that the key's owner makes is uniform, so a 32-byte
//! seed stands for it; what travels is the body, 8 bytes per bit, against 16 KiB for
//! the LWE ciphertext that the server extracts from it, for nothing, coefficient by
//! coefficient. A last ciphertext holds no more coefficients than bits. Who encrypts
//! with the public key has masks that no seed gives: they travel as they are.

use random::{MaskGenerator, Seed};

use crate::error::TfheError;
use crate::extraction::{double_reversed, extract};
use crate::lwe::LweCiphertext;
use crate::parameters::Parameters;
use random::KeyId;

/// Freshly encrypted bits, compact.
///
/// ```
/// use blindcore_tfhe::{KeyId, Masks, PackedInputs, TOY_BLOCK, TfheError};
/// use random::Seed;
///
/// let key = KeyId::from_bytes([1; 16]);
/// // The owner's masks follow from a seed, others travel.
/// let seeded = PackedInputs::from_parts(TOY_BLOCK, key, Seed::from_bytes([2; 32]), vec![0; 3]);
/// assert!(matches!(seeded.masks(), Masks::Seeded(_)));
/// assert_eq!((seeded.bodies().len(), seeded.key_id(), *seeded.parameters()), (3, key, TOY_BLOCK));
/// let elements = PackedInputs::mask_elements(&TOY_BLOCK, 3).unwrap();
/// let given = PackedInputs::with_masks(TOY_BLOCK, key, vec![0; elements], vec![0; 3])?;
/// assert!(matches!(given.masks(), Masks::Given(masks) if masks.len() == elements));
/// assert_eq!(given.unpack().len(), given.len());
/// # Ok::<(), TfheError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PackedInputs {
    parameters: Parameters,
    key_id: KeyId,
    masks: Masks,
    bodies: Vec<u64>,
}

/// Masks of packed inputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Masks {
    /// Stream i of the seed is the mask of ciphertext i: made with the secret key. The
    /// seed is public.
    Seeded(Seed),
    /// N torus elements for each ciphertext: made with the public key.
    Given(Vec<u64>),
}

impl PackedInputs {
    /// Inputs from what a file holds: the masks' seed and one body per bit. Bit
    /// i is coefficient i mod N of ciphertext i / N, whose mask is stream i / N
    /// of the seed.
    #[must_use]
    pub fn from_parts(parameters: Parameters, key_id: KeyId, seed: Seed, bodies: Vec<u64>) -> Self {
        Self {
            parameters,
            key_id,
            masks: Masks::Seeded(seed),
            bodies,
        }
    }

    /// The same where masks follow from no seed: N elements for each ciphertext.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless there are as many as the bodies call for.
    pub fn with_masks(
        parameters: Parameters,
        key_id: KeyId,
        masks: Vec<u64>,
        bodies: Vec<u64>,
    ) -> Result<Self, TfheError> {
        let expected = Self::mask_elements(&parameters, bodies.len());
        if expected != Some(masks.len()) {
            return Err(TfheError::WrongLength {
                what: "the masks of packed inputs",
                expected: expected.unwrap_or(usize::MAX),
                found: masks.len(),
            });
        }
        Ok(Self {
            parameters,
            key_id,
            masks: Masks::Given(masks),
            bodies,
        })
    }

    /// Elements that the masks of `bits` bits have; `None` beyond the address space.
    #[must_use]
    pub fn mask_elements(parameters: &Parameters, bits: usize) -> Option<usize> {
        let n = parameters.polynomial_size().get();
        bits.div_ceil(n).checked_mul(n)
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The key they are encrypted under.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The masks.
    #[must_use]
    pub fn masks(&self) -> &Masks {
        &self.masks
    }

    /// One torus element per bit.
    #[must_use]
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }

    /// Number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are no bits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Every bit as a ciphertext to compute with: 16 KiB each.
    #[must_use]
    pub fn unpack(&self) -> Vec<LweCiphertext> {
        let n = self.parameters.polynomial_size().get();
        let (mut mask, mut doubled) = (vec![0; n], vec![0; 2 * n]);
        let mut bits = Vec::with_capacity(self.bodies.len());
        for (stream, bodies) in self.bodies.chunks(n).enumerate() {
            match &self.masks {
                Masks::Seeded(seed) => MaskGenerator::new(seed, stream as u64).fill(&mut mask),
                // Their number was checked: there is one for each.
                Masks::Given(masks) => mask.copy_from_slice(&masks[stream * n..][..n]),
            }
            double_reversed(&mask, &mut doubled);
            let mut body = vec![0; n];
            body[..bodies.len()].copy_from_slice(bodies);
            bits.extend((0..bodies.len()).map(|position| {
                LweCiphertext::from_elements(self.key_id, extract(&doubled, &body, position))
            }));
        }
        bits
    }
}
