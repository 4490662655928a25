//! Parameter sets of TFHE as people compare them: what each set promises, resists, costs, and how
//! often it fails.
//!
//! Noise, failures and costs are computed from the set by the formulas of `tfhe`. Security is data
//! (`security.json`): recorded from our own estimates and the lattice estimator by
//! `scripts/parameters/check.py`, which computes everything else a second time from
//! [`Sheet::document`].
//!
//! ```
//! use blindcore_session::parameters::{Estimate, Estimates, Failing, Gadget, KeySheet, Least, Provenance, Purpose, Sheet, Step};
//!
//! let sheet: Sheet = Sheet::named("p16").expect("the default");
//! assert_eq!((sheet.engine, sheet.purpose, sheet.n), ("lookup", Purpose::Use, 896));
//! let Gadget { base_log, levels } = sheet.bootstrap;
//! assert_eq!((base_log, levels), (23, 1));
//! let rotation: &Step = &sheet.noise[0];
//! assert!(rotation.variance > 0.0);
//! let often: &Failing = sheet.failures.iter().max_by(|a, b| a.log2_failure.total_cmp(&b.log2_failure)).unwrap();
//! assert!(often.log2_failure <= -100.0);
//!
//! // Security is what was recorded of each key.
//! let estimates = Estimates::recorded()?;
//! let provenance: &Provenance = &estimates.provenance;
//! assert_eq!(provenance.commit.len(), 40);
//! let key: &KeySheet = &sheet.keys[0];
//! let estimate: &Estimate = estimates.of(key).expect("the default's small key");
//! let Least { bits, key: weakest, .. } = estimates.least(&sheet.keys).expect("both have figures");
//! assert!(bits >= 128.0 && bits <= estimate.least().unwrap().0);
//! assert!(sheet.keys.iter().any(|key| key.role == weakest));
//! assert!(Sheet::all().iter().all(|sheet| sheet.document(&estimates).is_object()));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod document;
mod promise;
mod security;
mod sheet;

pub use promise::SecurityPromise;
pub use security::{Estimate, Estimates, Least, Provenance};
pub use sheet::{Failing, Gadget, KeySheet, Purpose, Sheet, Step};
