//! What only the key's owner does: making keys, decrypting, measuring the noise.

mod generation;
mod key;
mod polynomial;
mod resultant;
mod squashing;
#[cfg(test)]
mod tests;

pub use key::SecretKey;
