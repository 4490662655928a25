//! What engineers compare: parameter sets and units, as data.

use circuits::Profile;
use circuits::library::catalogue::catalogue;
use circuits::passes;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use session::parameters::{Estimates, Sheet};

use crate::errors::{OrRaise, usage};

/// Parameter sets of TFHE as JSON, as ``blindcore params`` prints them.
#[pyfunction]
pub(crate) fn parameter_sheets(py: Python<'_>) -> PyResult<String> {
    let documents = py.detach(|| {
        let estimates = Estimates::recorded().map_err(blindcore::Error::internal)?;
        let sheets: Vec<_> = Sheet::all()
            .iter()
            .map(|sheet| sheet.document(&estimates))
            .collect();
        serde_json::to_string(&sheets).map_err(blindcore::Error::internal)
    });
    documents.or_raise(py)
}

/// Every unit of the library in every architecture, of so many bits, with what it costs.
#[pyfunction]
pub(crate) fn unit_costs<'py>(py: Python<'py>, bits: usize) -> PyResult<Vec<Bound<'py, PyDict>>> {
    if !(1..=64).contains(&bits) {
        return Err(usage(py, "bits: there are units of 1 to 64"));
    }
    let costs = py.detach(|| {
        let (gates, lookups) = (Profile::gate_simulation(), Profile::lookup_simulation());
        let units = catalogue();
        let costs = units.iter().map(|unit| {
            let drawn = unit.draw(&gates, bits).circuit;
            let by_gates = passes::cost(&passes::prepare(&drawn, &gates), &gates);
            let drawn = unit.draw(&lookups, bits).circuit;
            let by_lookups = passes::cost(&passes::prepare(&drawn, &lookups), &lookups);
            (
                unit.name(),
                format!("{:?}", unit.family),
                by_gates,
                by_lookups,
            )
        });
        costs.collect::<Vec<_>>()
    });
    let shown = costs
        .into_iter()
        .map(|(name, family, by_gates, by_lookups)| {
            let unit = PyDict::new(py);
            unit.set_item("name", name)?;
            unit.set_item("family", family.to_lowercase())?;
            unit.set_item("ands", by_gates.and)?;
            unit.set_item("and_depth", by_gates.depth)?;
            unit.set_item("bootstraps", by_lookups.bootstraps)?;
            unit.set_item("depth", by_lookups.depth)?;
            Ok(unit)
        });
    shown.collect()
}
