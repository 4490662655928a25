//! A computed bit: an LWE ciphertext under the big key.
//!
//! kN mask elements and a body over the 64-bit torus; phase = body − ⟨mask, key⟩
//! = bit/32 + error. All linear algebra of the scheme happens here, for free:
//! sums of bits are sums of ciphertexts.

use crate::error::TfheError;
use crate::parameters::{BIT_SCALE, Parameters};
use random::KeyId;

/// One bit under the big key, at scale 1/32: kN + 1 torus elements, 16 KiB.
///
/// ```
/// use blindcore_tfhe::{KeyId, LweCiphertext, TOY_BLOCK, TfheError};
///
/// let key = KeyId::from_bytes([1; 16]);
/// // A known bit: no mask, and 1/32 of the torus as its body.
/// let one = LweCiphertext::trivial(&TOY_BLOCK, key, true);
/// let size = TOY_BLOCK.big_lwe_dimension().get() + 1;
/// assert_eq!((one.elements().len(), one.elements()[size - 1]), (size, 1 << 59));
/// assert_eq!(one.not(), LweCiphertext::trivial(&TOY_BLOCK, one.key_id(), false));
/// // What comes from elsewhere is counted.
/// let short = LweCiphertext::from_parts(&TOY_BLOCK, key, vec![0; 10]);
/// assert!(matches!(short, Err(TfheError::WrongLength { expected, found: 10, .. }) if expected == size));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LweCiphertext {
    key_id: KeyId,
    /// Mask, then body.
    elements: Box<[u64]>,
}

impl LweCiphertext {
    /// A ciphertext from its elements, mask first, body last.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless there are kN + 1.
    pub fn from_parts(
        parameters: &Parameters,
        key_id: KeyId,
        elements: Vec<u64>,
    ) -> Result<Self, TfheError> {
        let expected = parameters.big_lwe_dimension().get() + 1;
        if elements.len() != expected {
            let found = elements.len();
            return Err(TfheError::WrongLength {
                what: "an LWE ciphertext",
                expected,
                found,
            });
        }
        Ok(Self {
            key_id,
            elements: elements.into_boxed_slice(),
        })
    }

    /// A known bit in the form of a ciphertext, without noise and without
    /// secrecy: anybody can read it.
    #[must_use]
    pub fn trivial(parameters: &Parameters, key_id: KeyId, bit: bool) -> Self {
        let mut elements = vec![0; parameters.big_lwe_dimension().get() + 1];
        if let Some(body) = elements.last_mut() {
            *body = u64::from(bit) * BIT_SCALE;
        }
        Self {
            key_id,
            elements: elements.into_boxed_slice(),
        }
    }

    pub(crate) fn from_elements(key_id: KeyId, elements: Box<[u64]>) -> Self {
        Self { key_id, elements }
    }

    /// The key it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Mask, then body.
    #[must_use]
    pub fn elements(&self) -> &[u64] {
        &self.elements
    }

    /// The negated bit, 1 − x: exact, no noise added.
    #[must_use]
    pub fn not(&self) -> Self {
        let mut elements: Box<[u64]> = self.elements.iter().map(|x| x.wrapping_neg()).collect();
        if let Some(body) = elements.last_mut() {
            *body = body.wrapping_add(BIT_SCALE);
        }
        Self {
            key_id: self.key_id,
            elements,
        }
    }

    /// Adds a ciphertext of the same key and dimension: the values and their errors.
    pub(crate) fn add_assign(&mut self, other: &Self) {
        for (sum, x) in self.elements.iter_mut().zip(&other.elements) {
            *sum = sum.wrapping_add(*x);
        }
    }

    /// Refuses a ciphertext of another key or dimension.
    pub(crate) fn check(&self, parameters: &Parameters, key: KeyId) -> Result<(), TfheError> {
        let expected = parameters.big_lwe_dimension().get() + 1;
        let found = self.elements.len();
        if found != expected {
            return Err(TfheError::WrongLength {
                what: "an LWE ciphertext",
                expected,
                found,
            });
        }
        same_key("ciphertext", key, self.key_id)
    }
}

/// Refuses things of another key.
pub(crate) fn same_key(what: &'static str, expected: KeyId, found: KeyId) -> Result<(), TfheError> {
    if expected == found {
        return Ok(());
    }
    Err(TfheError::WrongKey {
        what,
        expected,
        found,
    })
}
