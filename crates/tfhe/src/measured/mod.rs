//! The noise of every step at the real parameters, measured against
//! [`crate::noise`] from both sides: too little is as wrong as too much, since
//! it means that an error is missing and with it the security.
//!
//! Every test prints what it measured; run with `--nocapture` for the table.
//! Seeds are fixed. The false-alarm rates given are for a fresh seed, by the
//! χ² distribution of a variance estimate.
//!
//! ```text
//! NOISE_RECORD=$PWD/bench/record/<date>-noise.csv FAILURE_RECORD=$PWD/bench/record/<date>-failures.csv \
//!     cargo test --release -p blindcore-tfhe --lib measured -- --include-ignored
//! ```
//!
//! appends a row for every measurement to the files.

pub(crate) mod failures;
mod keys;
mod kinds;
mod narrow;
mod parties;
mod public;
pub(crate) mod samples;
mod steps;
mod sums;

use crate::TruthTable;

/// The bits of t.
const BITS: [TruthTable; 4] = [
    TruthTable(0xaaaa),
    TruthTable(0xcccc),
    TruthTable(0xf0f0),
    TruthTable(0xff00),
];
