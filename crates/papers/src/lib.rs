//! The tables of papers about encrypted computing, measured and simulated again.
//!
//! Five studies ([`Papers`]): adders, an emulator's functional units, FFT processors in the
//! bootstrap, the multiplier of 786,432 bits, arithmetic over the integer ring. A sixth
//! ([`Circuits`]) lays every unit of the library of circuits beside its other architectures. Each
//! runs what it names on this machine, checks the answers, and ends in a report: text, JSON, a page
//! with charts. A seventh ([`Scaling`]) plays programs through on machines that need not exist.
//!
//! A face reads the arguments, gives a [`Control`], calls [`papers`] or [`circuits`](circuits())
//! and prints what is [`Delivered`]. `docs/papers.md` says what is measured and how.

// Bindings to libraries that are loaded for a comparison have the only exception.
#![deny(unsafe_code)]

mod adders;
mod all;
pub mod arguments;
mod bench;
mod catalogue;
mod control;
mod document;
mod emulator;
mod error;
mod fft;
mod integer_ring;
mod multiplier;
mod report;
mod scale;
mod studies;

pub use arguments::{Circuits, Papers};
pub use catalogue::circuits;
pub use control::{Control, Steps};
pub use document::Delivered;
pub use error::PapersError;
pub use report::machine;
pub use scale::{ScaleFiles, ScaleModel, Scaling, Shapes};
pub use studies::papers;
