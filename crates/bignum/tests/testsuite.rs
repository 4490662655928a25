//! Numbers: all tests from outside, one program. Each links everything, so one for each file
//! would take longer to build than to run.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod gmp;
mod paper;
mod vectors;
