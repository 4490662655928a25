//! A server that deceives the client that answers: real ciphertexts, and every trick by which one
//! question might reveal more than was paid for.

mod jobs;
mod ledger;
mod party;
mod probes;
mod repetitions;
