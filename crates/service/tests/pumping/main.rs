//! A server that deceives, against whoever answers: real ciphertexts, and every trick by which one
//! question might tell more than was paid for.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod jobs;
mod ledger;
mod party;
mod probes;
mod repetitions;
