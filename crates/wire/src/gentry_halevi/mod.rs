//! Files of the Gentry–Halevi scheme: numbers of hundreds of thousands of bits each.
//!
//! They share the [container](crate::container) with all others and have kinds of their own, so
//! that a file of one scheme is never taken for one of the other. What is different is size: a
//! ciphertext has 24 kB at dimension 512 and 98 kB at 2,048, a public key 17 and 69 MB. So the
//! public key is [mapped](ServerKey::of_file), not read: numbers lie in the file as they are
//! computed with, at offsets that are multiples of 128 bytes.
//!
//! A key pair's identity is the low end of its root, which every key file has.

mod numbers;
mod parameters;
#[cfg(feature = "secret")]
mod secret_key;
mod server_key;

pub use numbers::Numbers;
#[cfg(feature = "secret")]
pub use secret_key::SecretKey;
pub use server_key::ServerKey;

use gentry_halevi::Parameters;
use tfhe::KeyId;

use crate::{Header, Role, WireError};
use numbers::{Length, key_id};

use parameters::{check_known, check_secret, check_server};

/// What needs no content to be wrong.
pub(crate) fn check_promises(header: &Header) -> Result<(), WireError> {
    match header.kind.role() {
        Role::SecretKey => check_secret(header),
        Role::ServerKey => check_server(header),
        _ => check_known(header),
    }
}

/// Encrypted values of some variables.
pub type Inputs = crate::Inputs<Numbers>;

/// Values of some variables after a run.
pub type Outputs = crate::Outputs<Numbers>;

/// Which key pair ciphertexts belong to, and how long they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    parameters: Parameters,
    id: KeyId,
    length: Length,
}

impl Key {
    fn new(parameters: Parameters, id: KeyId, length: Length) -> Key {
        Key {
            parameters,
            id,
            length,
        }
    }

    /// The key pair of a modulus and a root of it.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if the parameters have no such modulus.
    pub fn of(parameters: &Parameters, modulus: &[u64], root: &[u64]) -> Result<Key, WireError> {
        let unstorable = |reason: String| WireError::Unstorable { reason };
        let length = Length::of(modulus)
            .and_then(|length| length.check(parameters::most_bits(parameters)))
            .map_err(|error| unstorable(error.to_string()))?;
        if modulus.len() != length.limbs() || root.len() != modulus.len() {
            return Err(unstorable(format!(
                "a modulus of {} limbs and {} bits with a root of {} limbs",
                modulus.len(),
                length.bits,
                root.len()
            )));
        }
        Ok(Key::new(*parameters, key_id(root), length))
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The identity.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Words of 64 bits of each number.
    #[must_use]
    pub fn limbs(&self) -> usize {
        self.length.limbs()
    }

    /// Bits of the modulus.
    #[must_use]
    pub fn modulus_bits(&self) -> u32 {
        self.length.bits
    }

    fn length(&self) -> Length {
        self.length
    }

    /// Refuses a modulus and a root, read from a file, that are another key's.
    fn check(&self, modulus: &[u64], root: &[u64]) -> Result<(), WireError> {
        if Length::of(modulus)? == self.length && key_id(root) == self.id {
            return Ok(());
        }
        Err(WireError::malformed(
            "the key's identity is not that of its root",
        ))
    }
}
