//! Parameter sets of TFHE as people compare them: what each set promises, resists, costs, and how often it fails.
//!
//! Noise, failures and costs are computed from the set by the formulas of `tfhe`. Security is data
//! (`security.json`): recorded from our own estimates and the lattice estimator by `scripts/parameters/check.py`,
//! which computes everything else a second time from [`Sheet::document`].

mod document;
mod promise;
mod security;
mod sheet;

pub use promise::SecurityPromise;
pub use security::{Estimate, Estimates, Least, Provenance};
pub use sheet::{Failing, Gadget, KeySheet, Purpose, Sheet, Step};
