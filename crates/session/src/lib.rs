//! From a program, keys and values to ciphertexts, to a run, and to values again: what every face of the product would
//! otherwise have to write for itself.
//!
//! - [`Program`] turns names, types and values that people write into the processor's task.
//! - [`evaluator`] is the machine that computes: plans, runs, checkpoints, questions.
//! - [`question`] is what it asks the owner of the secret key.
//! - [`policy`] is what the owner is willing to answer, and the record of what was asked.

#![forbid(unsafe_code)]

mod error;
pub mod evaluator;
pub mod policy;
pub mod program;
pub mod question;

pub use error::{Error, ErrorKind};
pub use program::Program;
