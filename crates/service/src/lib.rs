//! The service: one machine computes on ciphertexts for another that owns the secret key.
//!
//! - [`proto`] is what they say to each other: gRPC over TLS with certificates on both sides.
//! - [`evaluation`] turns files into runs and runs into files; `blindcore run` uses it too.
//! - [`server`] keeps blobs and jobs on disk, runs jobs fairly, and goes on after a crash.
//! - [`client`] uploads, submits, attends to questions, fetches.
//! - [`policy`] is what a client is willing to answer, and the record of what it was asked.
//!
//! Nothing in this crate can name a secret key: it is built on `tfhe` and `wire` without their
//! feature `secret`. Who answers questions implements a trait of [`client`] elsewhere.

#![forbid(unsafe_code)]

pub mod client;
pub mod evaluation;
pub mod policy;
pub mod proto;
pub mod server;
pub mod task;
pub mod tls;
