//! The client half against a server that each test directs, over real connections on
//! the loopback: certificates, lost connections, and servers that deceive.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod certificates;
mod deceiver;
mod files;
mod follow;
