//! Outputs on their way home: key-switched and modulus-switched bits.
//!
//! A computed bit is 16 KiB; under the small key, with 16 bits per element, it
//! is n + 1 two-byte words (1.8 KB for P16). The noise added is that of the key
//! switch and of a rounding to 2^-16; [`crate::noise::NoiseBudget::log2_output_failure`]
//! says how often an output is then wrong (for P16 2^-1000 if a lookup made it, and
//! 2^-160 if it is a sum as noisy as any that is read: never).

use crate::error::TfheError;
use crate::parameters::Parameters;
use random::KeyId;

/// A batch of computed bits, shrunk.
///
/// ```
/// use blindcore_tfhe::{KeyId, P16, ShrunkBits, TOY_BLOCK};
///
/// // 1.8 KB for a bit.
/// assert_eq!(2 * ShrunkBits::words_per_bit(&P16), 1_794);
/// let words = vec![0; 2 * ShrunkBits::words_per_bit(&TOY_BLOCK)];
/// let bits = ShrunkBits::from_parts(TOY_BLOCK, KeyId::from_bytes([1; 16]), words)?;
/// assert_eq!((bits.len(), bits.elements().len(), *bits.parameters()), (2, 130, TOY_BLOCK));
/// # Ok::<(), blindcore_tfhe::TfheError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ShrunkBits {
    parameters: Parameters,
    key_id: KeyId,
    /// n + 1 words for each bit: mask, then body.
    elements: Vec<u16>,
    /// Which bits are at scale 1/2; empty if none is.
    halves: Vec<bool>,
}

impl ShrunkBits {
    /// A batch from what a file holds: n + 1 words for each bit.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless the words are a whole number of bits.
    pub fn from_parts(
        parameters: Parameters,
        key_id: KeyId,
        elements: Vec<u16>,
    ) -> Result<Self, TfheError> {
        let words = Self::words_per_bit(&parameters);
        let found = elements.len();
        if !found.is_multiple_of(words) {
            let expected = found.div_ceil(words) * words;
            return Err(TfheError::WrongLength {
                what: "a batch of outputs",
                expected,
                found,
            });
        }
        Ok(Self {
            parameters,
            key_id,
            elements,
            halves: Vec::new(),
        })
    }

    /// The same batch, of which some bits are at scale 1/2.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless there is one for each bit.
    pub fn with_halves(mut self, halves: Vec<bool>) -> Result<Self, TfheError> {
        if halves.len() != self.len() {
            return Err(TfheError::WrongLength {
                what: "a map of outputs at scale 1/2",
                expected: self.len(),
                found: halves.len(),
            });
        }
        self.halves = match halves.contains(&true) {
            true => halves,
            false => Vec::new(),
        };
        Ok(self)
    }

    /// Whether a bit is at scale 1/2.
    #[must_use]
    pub fn is_half(&self, index: usize) -> bool {
        self.halves.get(index) == Some(&true)
    }

    /// Whether any bit is.
    #[must_use]
    pub fn has_halves(&self) -> bool {
        !self.halves.is_empty()
    }

    /// Words of one bit: n + 1.
    #[must_use]
    pub fn words_per_bit(parameters: &Parameters) -> usize {
        parameters.lwe_dimension().get() + 1
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

    /// All words, bit after bit.
    #[must_use]
    pub fn elements(&self) -> &[u16] {
        &self.elements
    }

    /// Number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len() / Self::words_per_bit(&self.parameters)
    }

    /// Whether there are no bits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    #[cfg(feature = "secret")]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u16]> {
        self.elements
            .chunks_exact(Self::words_per_bit(&self.parameters))
    }
}
