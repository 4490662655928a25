//! `blindcore params`: every parameter set with what it promises and why.
//!
//! Noise, failures and costs are computed from the set by the formulas of `tfhe`; security is data,
//! recorded from our own estimates and the lattice estimator (`scripts/parameters/security.json`). The script
//! `scripts/parameters/check.py` computes both a second time from this command's JSON.

mod json;
mod security;
mod sheet;
mod text;

use serde_json::json;

use super::{internal, print, print_json};
use crate::arguments::Params;
use crate::failure::{Code, Failure};
use security::Estimates;
use sheet::Sheet;

/// Prints all sets, or one in detail.
pub(crate) fn params(arguments: &Params) -> Result<(), Failure> {
    let estimates = Estimates::recorded().map_err(internal)?;
    let sheets = sheet::all();
    let chosen: Vec<&Sheet> = match &arguments.name {
        None => sheets.iter().collect(),
        Some(name) => vec![find(&sheets, name)?],
    };
    if arguments.json {
        return print_json(&json!({
            "estimator": estimates.provenance,
            "sets": chosen.iter().map(|sheet| json::set(sheet, &estimates)).collect::<Vec<_>>(),
        }));
    }
    print(&match (&arguments.name, chosen.as_slice()) {
        (Some(_), [sheet]) => text::detail(sheet, &estimates),
        _ => text::overview(&chosen, &estimates),
    })
}

/// The set of this name, in any case, with `-` for `_`; `p16` and `p16-uniform` as in `--set`.
fn find<'a>(sheets: &'a [Sheet], asked: &str) -> Result<&'a Sheet, Failure> {
    let name = asked.to_uppercase().replace('-', "_");
    let name = match name.as_str() {
        "P16" => tfhe::P16.name(),
        "P16_UNIFORM" => tfhe::P16_UNIFORM.name(),
        name => name,
    };
    let mut all = sheets.iter();
    all.find(|sheet| sheet.name == name).ok_or_else(|| {
        Failure::new(
            Code::Input,
            format!("no parameter set is called {asked}: `blindcore params` lists them"),
        )
    })
}
