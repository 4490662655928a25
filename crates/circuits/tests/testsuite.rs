//! Circuits: all tests from outside, one program. Each links everything, so one for each file
//! would take longer to build than to run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod builder;
mod exec;
mod formats;
mod library;
mod mapping;
mod passes;
mod place;
mod replay;
mod sharing;
mod table;
