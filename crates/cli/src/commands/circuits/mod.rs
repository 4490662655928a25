//! `blindcore circuits`: every unit of the library in every architecture, side by side.
//!
//! Gates and their depth, lookups and theirs; the time on the lookup engine, run where the machine has
//! the cores and simulated where it has not, the time on gates; and how far the library's own choice
//! is from the best.

mod run;
mod tables;

use super::internal;
use super::papers::document::{Document, deliver};
use crate::arguments::Circuits;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Measures and prints.
pub(crate) fn circuits(arguments: &Circuits, interrupt: &Interrupt) -> Result<(), Failure> {
    deliver(&arguments.output, interrupt, || {
        let study = run::study(arguments, interrupt)?;
        Ok(Document {
            report: tables::report(&study),
            interrupted: study.provenance.interrupted(),
            json: serde_json::to_value(&study).map_err(internal)?,
        })
    })
}
