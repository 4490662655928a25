//! What only the key's owner does: making keys, encrypting with the secret, decrypting, measuring
//! noise.

mod embedding;
mod generation;
mod key;
mod measure;

pub use generation::Keys;
pub use key::SecretKey;
