//! An encrypted bit of the gate scheme: an LWE ciphertext under the *small* key.
//!
//! n mask elements and a body; phase = body − ⟨mask, key⟩ = ±1/8 + error, plus for
//! true. Elements have 32 bits: the error under the small key is of the order of
//! 2^-15 of the torus, so that 2^-32 is rounding nobody can measure, and a bit
//! takes the n + 1 words that it takes in the TFHE library.

use crate::error::TfheError;
use crate::lwe::same_key;
use random::KeyId;

use super::parameters::GateParameters;

/// 1/8 of the torus in units of 2^-32: true is plus, false is minus that.
pub(super) const EIGHTH: u32 = 1 << 29;

/// One bit under the small key, as ±1/8: n + 1 torus elements of 32 bits, 2.5 KB.
///
/// ```
/// use blindcore_tfhe::KeyId;
/// use blindcore_tfhe::gate::{GateCiphertext, TOY_GATE};
///
/// let key = KeyId::from_bytes([1; 16]);
/// let one = GateCiphertext::trivial(&TOY_GATE, key, true);
/// // 1/8 of the torus, in units of 2^-32.
/// assert_eq!(one.elements().last(), Some(&(1 << 29)));
/// assert_eq!(one.not(), GateCiphertext::trivial(&TOY_GATE, one.key_id(), false));
/// let again = GateCiphertext::from_parts(&TOY_GATE, key, one.elements().to_vec())?;
/// assert_eq!(again, one);
/// # Ok::<(), blindcore_tfhe::TfheError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateCiphertext {
    key_id: KeyId,
    /// Mask, then body.
    elements: Box<[u32]>,
}

impl GateCiphertext {
    /// A ciphertext from its elements, mask first, body last.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless there are n + 1.
    pub fn from_parts(
        parameters: &GateParameters,
        key_id: KeyId,
        elements: Vec<u32>,
    ) -> Result<Self, TfheError> {
        let bit = Self::from_elements(key_id, elements.into_boxed_slice());
        bit.check(parameters, key_id)?;
        Ok(bit)
    }

    /// A known bit in the form of a ciphertext, without noise and without
    /// secrecy: anybody can read it.
    #[must_use]
    pub fn trivial(parameters: &GateParameters, key_id: KeyId, bit: bool) -> Self {
        let mut elements = vec![0; parameters.lwe_dimension().get() + 1];
        if let Some(body) = elements.last_mut() {
            *body = message(bit);
        }
        Self::from_elements(key_id, elements.into_boxed_slice())
    }

    pub(super) fn from_elements(key_id: KeyId, elements: Box<[u32]>) -> Self {
        Self { key_id, elements }
    }

    /// The key it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Mask, then body, in units of 2^-32 of the torus.
    #[must_use]
    pub fn elements(&self) -> &[u32] {
        &self.elements
    }

    /// The negated bit: exact, no noise added, no bootstrap.
    #[must_use]
    pub fn not(&self) -> Self {
        Self {
            key_id: self.key_id,
            elements: self.elements.iter().map(|x| x.wrapping_neg()).collect(),
        }
    }

    /// Refuses a ciphertext of another key or dimension.
    pub(super) fn check(&self, parameters: &GateParameters, key: KeyId) -> Result<(), TfheError> {
        let expected = parameters.lwe_dimension().get() + 1;
        let found = self.elements.len();
        if found != expected {
            return Err(TfheError::WrongLength {
                what: "an encrypted bit",
                expected,
                found,
            });
        }
        same_key("encrypted bit", key, self.key_id)
    }
}

/// The phase of a bit without error. Arithmetic, not a choice: the bit may be a
/// secret.
pub(super) fn message(bit: bool) -> u32 {
    u32::from(bit).wrapping_mul(2 * EIGHTH).wrapping_sub(EIGHTH)
}
