//! Randomness for lattice cryptography: one generator, the distributions that
//! keys and errors need, and buffers that forget.
//!
//! Everything is drawn from ChaCha20 (RFC 8439's core with a 64-bit stream
//! number). Two uses are kept apart by type:
//!
//! - [`Generator`] makes *secrets*: keys, errors, masks' seeds. It is keyed by
//!   the operating system, has no `Debug` or `Clone`, and zeroizes its state.
//! - [`MaskGenerator`] expands a *public* [`Seed`] into the uniform masks of
//!   ciphertexts. Whoever holds the seed holds the mask: a seeded ciphertext is
//!   half the size, and the masks of a key file shrink to 32 bytes.
//!
//! A [`KeyId`] names the key pair that a key or ciphertext belongs to.
//!
//! # Timing
//!
//! Which instructions run does not depend on the values drawn for uniform
//! integers, uniform bits and block-binary secrets (the last up to
//! [`Generator::below`], whose rejection loop depends on *rejected* words
//! only). [`Generator::add_gaussian`] calls the platform's `ln`, `sqrt` and
//! `sin_cos`, whose running time is not promised to be constant; its words are
//! never rejected. None of this runs on the server: secrets are drawn when a
//! key is made or a value is encrypted, on the owner's machine.
#![forbid(unsafe_code)]

mod buffer;
mod gaussian;
mod generator;
mod identity;
mod locked;
mod secrets;

pub use buffer::SecretBuffer;
pub use gaussian::StandardDeviation;
pub use generator::{EntropyError, Generator, MaskGenerator, Seed};
pub use identity::KeyId;
pub use locked::{LockedBuffer, memory_locks_refused};
pub use secrets::BlockSize;
