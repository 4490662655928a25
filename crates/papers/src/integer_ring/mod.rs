//! `blindcore papers integer-ring`: table 1 of the paper on arithmetic over the integer ring.
//!
//! The paper adds, subtracts, multiplies and divides vectors of encrypted integers on HElib at 80
//! bits of security, a ciphertext for each bit. The same circuits, and shallower ones, run here on
//! vectors of ours, at 128 bits and at 80; HElib's column of another paper's table XXIV stands
//! beside the same units.

mod paper;
mod run;
mod tables;
mod units;

use crate::arguments::PapersIntegerRing;
use crate::control::Control;
use crate::document::{Delivered, Document, deliver};
use crate::error::{PapersError, internal};

/// Measures, prints, and writes the page.
pub(crate) fn integer_ring(
    arguments: &PapersIntegerRing,
    control: &Control,
) -> Result<Delivered, PapersError> {
    deliver(&arguments.output, control, || document(arguments, control))
}

/// Measures.
pub(super) fn document(
    arguments: &PapersIntegerRing,
    control: &Control,
) -> Result<Document, PapersError> {
    let study = run::study(arguments, control)?;
    Ok(Document {
        report: tables::report(&study),
        interrupted: study.provenance.interrupted(),
        json: serde_json::to_value(&study).map_err(internal)?,
    })
}
