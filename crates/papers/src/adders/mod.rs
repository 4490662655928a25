//! `blindcore papers adders`: tables III and IV of the paper on adder architectures.
//!
//! The paper adds two and four encrypted numbers of 16 bits by five architectures of gates, one
//! bootstrap of the TFHE library each, on three machines. The same circuits run here on the same
//! kind of gate, the same sums on the lookup engine, on one thread and on two.

mod paper;
mod run;
mod tables;
mod units;

use crate::arguments::PapersAdders;
use crate::control::Control;
use crate::document::{Delivered, Document, deliver};
use crate::error::{PapersError, internal};

/// Measures, prints, and writes the page.
pub(crate) fn adders(
    arguments: &PapersAdders,
    control: &Control,
) -> Result<Delivered, PapersError> {
    deliver(&arguments.output, control, || document(arguments, control))
}

/// Measures.
pub(super) fn document(
    arguments: &PapersAdders,
    control: &Control,
) -> Result<Document, PapersError> {
    let study = run::study(arguments, control)?;
    Ok(Document {
        report: tables::report(&study),
        interrupted: study.provenance.interrupted(),
        json: serde_json::to_value(&study).map_err(internal)?,
    })
}
