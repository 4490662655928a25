//! `blindcore papers integer-ring`: table 1 of the paper on arithmetic over the integer ring.
//!
//! The paper adds, subtracts, multiplies and divides vectors of encrypted integers on HElib at 80 bits of
//! security, a ciphertext for each bit. The same circuits, and shallower ones, run here on vectors of ours, at
//! 128 bits and at 80; HElib's column of another paper's table XXIV stands beside the same units.

mod paper;
mod run;
mod tables;
mod units;

use super::super::internal;
use super::document::{Document, deliver};
use crate::arguments::PapersIntegerRing;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Measures, prints, and writes the page.
pub(crate) fn integer_ring(
    arguments: &PapersIntegerRing,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    deliver(&arguments.output, interrupt, || {
        document(arguments, interrupt)
    })
}

/// Measures.
pub(super) fn document(
    arguments: &PapersIntegerRing,
    interrupt: &Interrupt,
) -> Result<Document, Failure> {
    let study = run::study(arguments, interrupt)?;
    Ok(Document {
        report: tables::report(&study),
        interrupted: study.provenance.interrupted(),
        json: serde_json::to_value(&study).map_err(internal)?,
    })
}
