//! The service: all tests from outside, one program. Each links everything, so one for each file
//! would take longer to build than to run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod admin;
mod client;
mod connections;
mod distant;
mod limits;
mod pumping;
mod requests;
mod rig;
mod selectors;
mod server;
#[cfg(unix)]
mod upgrade;
mod web;
