//! The homomorphic scheme of Gentry and Halevi over principal ideals of `Z[x]/(x^n + 1)`.
#![deny(unsafe_code)]

mod arch;
mod ciphertext;
mod encryption;
mod error;
mod evaluation;
mod identity;
mod limbs;
mod noise;
mod parameters;
mod powers;
mod public_key;
mod recryption;
#[cfg(feature = "secret")]
mod secret;
mod threads;
mod watch;

pub use ciphertext::Ciphertext;
pub use encryption::Encryptor;
pub use error::Error;
pub use evaluation::{Evaluator, Rows};
pub use identity::KeyId;
pub use noise::Noise;
pub use parameters::{ParameterLiteral, Parameters};
pub use public_key::{PublicKey, Storage};
#[cfg(feature = "secret")]
pub use secret::SecretKey;
pub use watch::{Progress, Stage, Watch};
