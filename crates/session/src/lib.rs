//! From a program, keys and values to ciphertexts, to a run, and to values again: what every face
//! of the product would otherwise have to write for itself.
//!
//! - [`Program`] turns names, types and values that people write into the processor's task.
//! - [`evaluator`] is the machine that computes: plans, runs, checkpoints, questions.
//! - [`circuit`] is the same for circuits of files: words of any width, and their evaluation.
//! - [`schemes`] is what differs from scheme to scheme.
//! - [`question`] is what it asks the owner of the secret key.
//! - `description` is what a file is and holds, as far as anybody can see.
//! - `owner` is the owner of a secret key, behind the feature `secret`: makes keys, encrypts,
//!   decrypts, answers.
//! - [`parameters`] are the sets of TFHE beside each other: security, noise, failures, cost.
//! - [`policy`] is what the owner is willing to answer, and the record of what was asked.

#![forbid(unsafe_code)]

pub mod circuit;
mod control;
#[cfg(feature = "secret")]
pub mod description;
mod error;
pub mod evaluator;
#[cfg(feature = "secret")]
pub mod owner;
pub mod parameters;
pub mod policy;
pub mod profile;
pub mod program;
pub mod question;
pub mod schemes;

pub use control::{Control, Observer, Progress};
pub use error::{Error, ErrorKind};
pub use program::Program;
