//! `blindcore papers fft`: tables 1 to 3 of the paper on the FFT inside the bootstrap.
//!
//! The paper adds ten encrypted numbers of 32 bits with nine carry look-ahead adders, one bootstrap
//! for each gate, and exchanges the FFT under the bootstrap. Here the same circuits run on the same
//! kind of gate, with the paper's own parameters and at 128 bits, on every FFT processor that this
//! machine has; and the same numbers are added on the lookup engine.
//!
//! A whole sum of gates takes a minute on slow processors, and there are as many as sets ×
//! processors × blocks. By default the AND is measured on all of them and the sums are run on the
//! fastest processor of each set; the other sums are computed from the gate time, and say so.

mod charts;
mod circuit;
mod paper;
mod run;
mod study;
mod tables;

use crate::arguments::PapersFft;
use crate::control::Control;
use crate::document::{Delivered, Document, deliver};
use crate::error::{PapersError, internal};

/// Measures, prints, and writes the page.
pub(crate) fn fft(arguments: &PapersFft, control: &Control) -> Result<Delivered, PapersError> {
    deliver(&arguments.output, control, || document(arguments, control))
}

/// Measures.
pub(super) fn document(arguments: &PapersFft, control: &Control) -> Result<Document, PapersError> {
    let study = run::study(arguments, control)?;
    Ok(Document {
        report: tables::report(&study),
        interrupted: study.provenance.interrupted(),
        json: serde_json::to_value(&study).map_err(internal)?,
    })
}
