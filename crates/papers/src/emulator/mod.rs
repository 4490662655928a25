//! `blindcore papers emulator`: tables III to XV and XXIV, figures 18 to 24 and the formulas of
//! §VII-A of the paper on an emulator of encrypted programs.
//!
//! The paper draws every functional unit of a processor as a circuit of gates, evaluates the gates
//! with the TFHE library, one bootstrap each, and spreads them over 48 cores. The same circuits run
//! here on the same kind of gate, the same functions on the lookup engine; times on more cores than
//! were measured are those of the scheduler's replay.

mod curves;
mod paper;
mod run;
mod study;
mod tables;
mod units;

use circuits::Profile;

use super::bench::CheckedCircuit;
use crate::arguments::PapersEmulator;
use crate::control::Control;
use crate::document::{Delivered, Document, deliver};
use crate::error::{PapersError, internal};

/// Measures, prints, and writes the page.
pub(crate) fn emulator(
    arguments: &PapersEmulator,
    control: &Control,
) -> Result<Delivered, PapersError> {
    deliver(&arguments.output, control, || document(arguments, control))
}

/// Measures.
pub(super) fn document(
    arguments: &PapersEmulator,
    control: &Control,
) -> Result<Document, PapersError> {
    let study = run::study(arguments, control)?;
    Ok(Document {
        report: tables::report(&study),
        interrupted: study.provenance.interrupted(),
        json: serde_json::to_value(&study).map_err(internal)?,
    })
}

/// A unit of 16 bits of which table XXIV has HElib's time.
pub(super) struct UnitOfHelib {
    pub(super) name: &'static str,
    /// HElib's time.
    pub(super) milliseconds: f64,
    /// What the library builds for a target.
    pub(super) circuit: CheckedCircuit,
}

/// All units of 16 bits of which table XXIV has HElib's time.
pub(super) fn units_of_helib(profile: &Profile) -> Vec<UnitOfHelib> {
    let units = paper::UNITS.iter().filter_map(|unit| {
        let design = units::unit(unit.function, paper::WIDTHS[0]);
        Some(UnitOfHelib {
            name: unit.name,
            milliseconds: unit.helib?,
            circuit: design.checked(profile),
        })
    });
    units.collect()
}

/// A unit of 16 bits on 1, 3, 5 … 47 cores of the paper's machine.
pub(super) struct CurveOfPaper {
    pub(super) figure: usize,
    pub(super) name: &'static str,
    /// Cores and milliseconds.
    pub(super) points: Vec<(usize, f64)>,
    /// The most, as the paper's text gives it.
    pub(super) speedup: f64,
}

/// Figures 18 to 24.
pub(super) fn curves_of_paper() -> Vec<CurveOfPaper> {
    let curves = paper::FIGURES.iter().map(|plot| CurveOfPaper {
        figure: plot.figure,
        name: plot.function.unit().map_or("", |unit| unit.name),
        points: plot.points().collect(),
        speedup: plot.speedup,
    });
    curves.collect()
}

/// What they were measured on.
pub(super) const MACHINE_OF_PAPER: &str = paper::MACHINE;
