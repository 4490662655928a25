//! The service: one machine computes on ciphertexts for another that owns the secret key.
//!
//! - [`proto`] is what they say to each other: gRPC over TLS with certificates on both sides; or HTTP
//!   with JSON (`server::web`), with a [`token`] instead of a certificate.
//! - [`server`] keeps blobs and jobs on disk, runs jobs fairly, and goes on after a crash.
//! - [`client`] uploads, submits, attends to questions, fetches.
//! - [`task`] and [`question`] are what travels, read back and checked.
//!
//! Nothing in this crate can name a secret key: it is built on `tfhe` and `wire` without their
//! feature `secret`. Who answers questions implements a trait of [`client`] elsewhere.

#![forbid(unsafe_code)]

pub mod client;
pub mod proto;
pub mod question;
mod request_id;
pub mod server;
pub mod task;
pub mod tls;
pub mod token;
