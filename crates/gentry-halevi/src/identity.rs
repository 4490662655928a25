//! Which key a thing belongs to: the low 128 bits of the public root r, which are as good as random
//! and need no place in a file of their own.

use random::KeyId;

/// The public name of the key pair with root r.
pub(crate) fn of_root(root: &[u64]) -> KeyId {
    let mut bytes = [0; KeyId::LENGTH];
    for (eight, limb) in bytes.chunks_exact_mut(8).zip(root) {
        eight.copy_from_slice(&limb.to_le_bytes());
    }
    KeyId::from_bytes(bytes)
}
