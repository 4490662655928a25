//! `blindcore papers multiplier`: tables I and IV of the paper on a multiplier of 786,432 bits.
//!
//! Table I counts the instructions of a modular product by three methods; the same methods run here
//! on an arithmetic unit that counts. Table IV compares the circuit's product with GMP's of 2010
//! and with a GPU's; here stand GMP's and FLINT's of this machine, and ours: the paper's own
//! algorithm and faster ones. Both libraries are the system's, loaded while the command runs if
//! they are there; nothing of theirs is in this program.

mod circuit;
mod contest;
mod modular;
mod paper;
#[allow(unsafe_code)]
mod peers;
mod run;
mod study;
mod tables;

use crate::arguments::PapersMultiplier;
use crate::control::Control;
use crate::document::{Delivered, Document, deliver};
use crate::error::{PapersError, internal};

/// Measures, prints, and writes the page.
pub(crate) fn multiplier(
    arguments: &PapersMultiplier,
    control: &Control,
) -> Result<Delivered, PapersError> {
    deliver(&arguments.output, control, || document(arguments, control))
}

/// Measures.
pub(super) fn document(
    arguments: &PapersMultiplier,
    control: &Control,
) -> Result<Document, PapersError> {
    let study = run::study(arguments, control)?;
    Ok(Document {
        report: tables::report(&study),
        interrupted: study.provenance.interrupted(),
        json: serde_json::to_value(&study).map_err(internal)?,
    })
}
