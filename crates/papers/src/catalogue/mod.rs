//! `blindcore circuits`: every unit of the library in every architecture, side by side.
//!
//! Gates and their depth, lookups and theirs; the time on the lookup engine, run where the machine
//! has the cores and simulated where it has not, the time on gates; and how far the library's own
//! choice is from the best.

mod run;
mod tables;

use crate::arguments::Circuits;
use crate::control::Control;
use crate::document::{Delivered, Document, deliver};
use crate::error::{PapersError, internal};

/// Measures every unit of the library in every architecture.
///
/// # Errors
/// As for [`papers`](crate::papers).
pub fn circuits(arguments: &Circuits, control: &Control) -> Result<Delivered, PapersError> {
    deliver(&arguments.output, control, || {
        let study = run::study(arguments, control)?;
        Ok(Document {
            report: tables::report(&study),
            interrupted: study.provenance.interrupted(),
            json: serde_json::to_value(&study).map_err(internal)?,
        })
    })
}
