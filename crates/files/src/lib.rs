//! Files of [`wire`]'s formats on disk: read whole, written whole or not at all.
//!
//! `wire` turns bytes into types and back and knows no disk; this crate knows paths. Reading
//! ([`read()`], [`read_container`], [`read_joined`], [`batches`], [`read_checkpoint`]) refuses what
//! a header rules out before it reads the content. Writing goes through a [`Reservation`]: a place
//! is made sure of before long work begins, and the file appears under its name by one rename. What
//! is replaced again and again by one process is kept from others by a [`Lock`]. A
//! large key of the Gentry–Halevi scheme is mapped ([`open_server_key`]).
#![deny(unsafe_code)]

mod lock;
#[allow(unsafe_code)]
mod mapping;
mod pending;
mod read;
mod write;

pub use lock::Lock;
pub use pending::{Access, Existing, Filling, PendingFile, Reservation, write_atomically};
pub use read::{
    batches, containers, open, open_server_key, read, read_checkpoint, read_container, read_joined,
};
pub use write::{fill_server_key, replace_checkpoint, reserve, stage, write};
