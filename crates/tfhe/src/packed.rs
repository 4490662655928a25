//! Inputs on their way to the server: GLWE ciphertexts of N bits each.
//!
//! The mask of a GLWE ciphertext that the key's owner makes is uniform, so a 32-byte
//! seed stands for it; what travels is the body, 8 bytes per bit, and what the server
//! keeps is a row, 16 bytes per bit, against 16 KiB for the LWE ciphertext that it extracts
//! from it, for nothing, when a bit is read. A last ciphertext holds no more coefficients than bits. Who encrypts
//! with the public key has masks that no seed gives: they travel as they are.

use std::sync::Arc;

use random::{MaskGenerator, Seed};

use crate::error::TfheError;
use crate::layout::Layout;
use crate::leveled::glwe::Glwe;
use crate::lwe::LweCiphertext;
use crate::parameters::Parameters;
use crate::row::{Place, Row};
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
    layout: Layout,
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
            layout: Layout::plain(bodies.len()),
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
            layout: Layout::plain(bodies.len()),
            bodies,
        })
    }

    /// The same ciphertexts, of which some coefficients are zeros between values. That they encrypt
    /// zeros is the word of whoever encrypted them.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] for a layout of another number of coefficients.
    ///
    /// ```
    /// use blindcore_tfhe::{KeyId, Layout, PackedInputs, TOY_BLOCK};
    /// use random::Seed;
    ///
    /// let n = TOY_BLOCK.polynomial_size().get();
    /// let layout = Layout::of(&TOY_BLOCK, &[1, n]).unwrap();
    /// let (key, seed) = (KeyId::from_bytes([1; 16]), Seed::from_bytes([2; 32]));
    /// let packed = PackedInputs::from_parts(TOY_BLOCK, key, seed, vec![0; 2 * n]).with_layout(layout)?;
    /// assert_eq!((packed.len(), packed.unpack().len(), packed.bodies().len()), (n + 1, n + 1, 2 * n));
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn with_layout(mut self, layout: Layout) -> Result<Self, TfheError> {
        if layout.coefficients() != self.bodies.len() {
            return Err(TfheError::WrongLength {
                what: "packed inputs of a layout",
                expected: layout.coefficients(),
                found: self.bodies.len(),
            });
        }
        self.layout = layout;
        Ok(self)
    }

    /// Where the bits are.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
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

    /// One torus element for each coefficient: for each bit, and for each zero between values.
    #[must_use]
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }

    /// Number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.bits()
    }

    /// Whether there are no bits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every bit as a ciphertext to compute with. Those of one ciphertext share its memory: 32 KiB for
    /// as many as N bits.
    #[must_use]
    pub fn unpack(&self) -> Vec<LweCiphertext> {
        let n = self.parameters.polynomial_size().get();
        let mut bits = Vec::with_capacity(self.len());
        for (stream, bodies) in self.bodies.chunks(n).enumerate() {
            let mut glwe = Glwe::zero(n);
            let [mask, body] = glwe.both_mut();
            match &self.masks {
                Masks::Seeded(seed) => MaskGenerator::new(seed, stream as u64).fill(mask),
                // Their number was checked: there is one for each.
                Masks::Given(masks) => mask.copy_from_slice(&masks[stream * n..][..n]),
            }
            // The coefficients beyond the last bit are of no use: without bodies they hold anything.
            body[..bodies.len()].copy_from_slice(bodies);
            let gaps = self.layout.gaps(stream * n..stream * n + bodies.len());
            let zeros = gaps.iter().map(|&coefficient| (coefficient, false));
            let zeros: Vec<(usize, bool)> = zeros.collect();
            let row = Arc::new(Row::new(glwe, self.key_id).with(&zeros, &[], 0));
            let coefficients = (0..bodies.len()).filter(|at| gaps.binary_search(at).is_err());
            bits.extend(coefficients.map(|coefficient| {
                let row = Arc::clone(&row);
                LweCiphertext::at(Place { row, coefficient })
            }));
        }
        bits
    }
}
