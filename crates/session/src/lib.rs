//! From a program, keys and values to ciphertexts, to a run, and to values again: what every face of the product would
//! otherwise have to write for itself.
//!
//! - [`evaluator`] is the machine that computes: plans, runs, checkpoints, questions.
//! - [`question`] is what it asks the owner of the secret key.
//! - [`policy`] is what the owner is willing to answer, and the record of what was asked.

#![forbid(unsafe_code)]

pub mod evaluator;
pub mod policy;
pub mod question;
