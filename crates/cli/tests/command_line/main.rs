//! The built `blindcore`, as a user meets it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod admin;
mod answers;
mod assembly;
mod bad_input;
mod bgv;
mod check;
mod circuit;
mod cluster;
mod command;
mod contributions;
mod examples;
mod fft;
mod fitting;
mod gentry_halevi;
#[cfg(unix)]
mod guide;
mod listing;
mod man;
mod memory;
#[cfg(feature = "mpi")]
mod mpi;
mod multiply;
mod papers;
mod params;
#[cfg(unix)]
mod passphrase;
mod pipes;
mod profile;
mod public_key;
#[cfg(unix)]
mod readable;
mod resume;
mod rows;
mod scale;
mod selectors;
mod service;
mod soak;
mod sources;
mod stories;
mod tls;
mod token;
