//! `blindcore papers adders`: tables III and IV of the paper on adder architectures.
//!
//! The paper adds two and four encrypted numbers of 16 bits by five architectures of gates, one bootstrap
//! of the TFHE library each, on three machines. The same circuits run here on the same kind of gate,
//! the same sums on the lookup engine, on one thread and on two.

mod paper;
mod run;
mod tables;
mod units;

use super::super::internal;
use super::document::{Document, deliver};
use crate::arguments::PapersAdders;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Measures, prints, and writes the page.
pub(crate) fn adders(arguments: &PapersAdders, interrupt: &Interrupt) -> Result<(), Failure> {
    deliver(&arguments.output, interrupt, || {
        document(arguments, interrupt)
    })
}

/// Measures.
pub(super) fn document(
    arguments: &PapersAdders,
    interrupt: &Interrupt,
) -> Result<Document, Failure> {
    let study = run::study(arguments, interrupt)?;
    Ok(Document {
        report: tables::report(&study),
        interrupted: study.provenance.interrupted(),
        json: serde_json::to_value(&study).map_err(internal)?,
    })
}
