//! Runs on several workers: threads of this process that are lost, hang, join and say what is wrong, and
//! processes that are killed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod faults;
mod jobs;
mod rig;
mod rows;
