//! Which key a thing belongs to.
//!
//! Ciphertexts of different keys look alike, and combining them gives silent
//! nonsense. Every key and ciphertext of every scheme therefore carries 16 bytes,
//! drawn with the secret key or taken from the public one, and every operation
//! compares them.

use std::fmt;

use crate::Generator;

/// The public name of a key pair: 16 bytes that are as good as random.
///
/// ```
/// use blindcore_random::KeyId;
///
/// let id = KeyId::from_bytes([0xab; KeyId::LENGTH]);
/// assert_eq!(id.to_string(), "ab".repeat(16));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId([u8; 16]);

impl KeyId {
    /// Length in bytes.
    pub const LENGTH: usize = 16;

    /// A name for a new key pair.
    #[must_use]
    pub fn random(generator: &mut Generator) -> Self {
        let mut bytes = [0; Self::LENGTH];
        generator.fill_bytes(&mut bytes);
        Self(bytes)
    }

    /// Takes an identity read from a file.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
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
