//! Versioned and checked file formats for keys, inputs, outputs and checkpoints: bytes to types and
//! back. Nothing here knows a disk; the crate `files` does.
//!
//! Every file is a [`container`]: magic, format version, kind, parameter fingerprint, key id,
//! length, checksum, payload. Readers check the header, and a key's length against its parameter
//! set, before they read the payload; the payload's checksum before they look into it; and every
//! size in it before they allocate. What is wrong comes back as a [`WireError`] that says so.
//!
//! Reading and writing take time linear in the file: 30 MB for a server key, 16 KB for 2,048 bits
//! of input.
//!
//! A secret key's file may be behind a passphrase ([`protect`]).
//!
//! Files of secret keys can be read and written with the feature `secret` (a default) only: a
//! server is built without it, knows them by their header, and has no type to read them into.

//! Of the schemes only TFHE's files are always known: BGV's and the Gentry–Halevi scheme's are
//! features. With one scheme the crate builds for `wasm32-unknown-unknown`.

#![forbid(unsafe_code)]

#[cfg(feature = "bgv")]
pub mod bgv;
mod checkpoint;
mod checkpoint_bits;
mod ciphertexts;
pub mod container;
mod containers;
mod error;
#[cfg(feature = "gentry-halevi")]
pub mod gentry_halevi;
mod identity;
mod inputs;
mod joined;
mod keys;
mod kind;
mod outputs;
mod payload;
#[cfg(feature = "secret")]
mod protection;
mod public_key;
mod record;
mod runs;
#[cfg(feature = "secret")]
mod secret_key;
mod shrunk;
mod table;
mod variable;

pub use checkpoint::Checkpoint;
pub use ciphertexts::InputBits;
pub use container::Header;
pub use containers::{Containers, read_from};
pub use error::WireError;
pub use identity::{Fingerprint, ParameterSet, match_keys};
pub use inputs::Inputs;
pub use joined::{join, read_joined, variables_of};
pub use kind::{Kind, Role, Scheme};
pub use outputs::{OutputBit, Outputs};
#[cfg(feature = "secret")]
pub use protection::{Cost, Passphrase, cost_of, protect, unprotect};
pub use record::{Record, decode, decode_payload, encode};
pub use table::{Row, TableHead, TableRows, spool};
pub use variable::{Variable, check_variables};
