//! Which key a thing belongs to.
//!
//! Ciphertexts of different keys look alike, and combining them gives silent nonsense. Every key and
//! ciphertext therefore carries the low 128 bits of the public root r, which are as good as random and
//! need no place in a file of their own.

use std::fmt;

/// The public name of a key pair: the low two limbs of its root r.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId([u8; 16]);

impl KeyId {
    /// Length in bytes.
    pub const LENGTH: usize = 16;

    pub(crate) fn of_root(root: &[u64]) -> Self {
        let mut bytes = [0; Self::LENGTH];
        for (eight, limb) in bytes.chunks_exact_mut(8).zip(root) {
            eight.copy_from_slice(&limb.to_le_bytes());
        }
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
