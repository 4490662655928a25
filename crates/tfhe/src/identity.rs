//! Which key a thing belongs to.
//!
//! Ciphertexts of different keys look alike, and combining them gives silent
//! nonsense. Every key and ciphertext therefore carries 16 random bytes drawn
//! with the secret key, and every operation compares them.

use std::fmt;

#[cfg(feature = "secret")]
use random::Generator;

/// The public name of a key pair: 16 random bytes.
///
/// ```
/// use blindcore_tfhe::KeyId;
///
/// let id = KeyId::from_bytes([7; KeyId::LENGTH]);
/// assert_eq!(id.as_bytes()[15], 7);
/// assert_eq!(id.to_string(), "07".repeat(16));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId([u8; 16]);

impl KeyId {
    /// Length in bytes.
    pub const LENGTH: usize = 16;

    #[cfg(feature = "secret")]
    pub(crate) fn random(generator: &mut Generator) -> Self {
        let mut bytes = [0; Self::LENGTH];
        generator.fill_bytes(&mut bytes);
        Self(bytes)
    }

    /// Takes an identity read from a file.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// The bytes to write to a file.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }
}

/// Thirty-two hexadecimal digits.
impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}
