//! The library's functions: C programs, each compiled for the processor and for this machine. All
//! tests from outside, one program.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod sides;

mod accuracy;
mod bounds;
mod functions;
