//! Blindcore for browsers: keys, encryption and decryption behind JavaScript's names.
//!
//! A page makes keys, encrypts and decrypts; another machine computes. What is here is as thin as
//! it can be: objects that hold Rust's memory (`keys`, `program`), and values on their way in and
//! out (`given`, `answers`). It stands on the owner's half of `session` and on `tfhe`, not on the
//! façade `blindcore`, which can also plan, run and use other schemes: a page would load four times
//! as many bytes, whether it needs them or not.
//!
//! The module `js/client.js` is what pages import: it has the classes that people use, wraps keys
//! by WebCrypto, and makes server keys in a worker. Nothing here or there talks to a network or
//! keeps anything.
#![forbid(unsafe_code)]

mod answers;
mod description;
mod errors;
mod given;
mod keys;
mod program;

pub use description::{blake3_of_bytes, describe};
pub use keys::{NativePublicKey, NativeSecretKey};
pub use program::NativeProgram;
