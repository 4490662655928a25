//! Everything that can name or use the owner's key: the feature `secret`.
//!
//! Who computes for somebody else builds this crate without the feature, and then
//! has no type to hold a secret key in and no code that encrypts, decrypts or makes keys.
//! All of it stands in this folder, and in `gate/secret` for the gate scheme, so that a
//! program's symbol table tells whether it is there.

mod key;
mod leveled_key;
mod public_key;
mod server_key;

pub use key::SecretKey;
#[cfg(test)]
pub(crate) use key::phase;
pub(crate) use server_key::{GgswKey, Rows};
