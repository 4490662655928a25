//! `blindcore params`: every parameter set with what it promises and why.

mod text;

use serde_json::json;
use session::parameters::{Estimates, Sheet};

use super::{internal, print, print_json};
use crate::arguments::Params;
use crate::failure::{Code, Failure};

/// Prints all sets, or one in detail.
pub(crate) fn params(arguments: &Params) -> Result<(), Failure> {
    let estimates = Estimates::recorded().map_err(internal)?;
    let sheets = match &arguments.name {
        None => Sheet::all(),
        Some(name) => vec![Sheet::named(name).ok_or_else(|| unknown(name))?],
    };
    if arguments.json {
        let sets = sheets.iter().map(|sheet| sheet.document(&estimates));
        return print_json(&json!({
            "estimator": estimates.provenance,
            "sets": sets.collect::<Vec<_>>(),
        }));
    }
    print(&match (&arguments.name, sheets.as_slice()) {
        (Some(_), [sheet]) => text::detail(sheet, &estimates),
        _ => text::overview(&sheets, &estimates),
    })
}

fn unknown(name: &str) -> Failure {
    let message = format!("no parameter set is called {name}: `blindcore params` lists them");
    Failure::new(Code::Input, message)
}
