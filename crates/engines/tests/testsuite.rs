//! Engines: all tests from outside, one program. Each links everything, so one for each file
//! would take longer to build than to run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod bgv;
mod bgv_slots;
mod bgv_sums;
mod fft;
mod gentry_halevi;
mod selectors;
mod tfhe_gate;
mod tfhe_lookup;
