//! Blindcore for Python: the library `blindcore` behind Python's names.
//!
//! What takes longer than a millisecond is done without the interpreter's lock, and what takes
//! longer than that on a thread of its own, while the calling thread attends to progress,
//! questions and Ctrl-C (`work`). Arrays go through NumPy, in any of its forms, and come back as
//! its scalars and arrays (`values`, `answers`). Errors become the exceptions of
//! `blindcore._errors`, which has the tree of them (`errors`). Whatever is neither a class that
//! holds Rust's memory nor a conversion is Python and lies in `python/blindcore`.

#![forbid(unsafe_code)]

mod answers;
mod ciphertexts;
mod cluster;
mod drawing;
mod errors;
mod floats;
mod graph;
mod keys;
mod plan;
mod profile;
mod program;
mod running;
mod sheets;
mod symbols;
mod values;
mod work;

use pyo3::prelude::*;

/// What of the package `blindcore` is compiled.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::ciphertexts::{Inputs, Outputs, blake3};
    #[pymodule_export]
    use crate::cluster::{Addresses, Worker};
    #[pymodule_export]
    use crate::drawing::{Circuit, Recorder, Wires};
    #[pymodule_export]
    use crate::keys::{Keys, PublicKey, SecretKey, ServerKey, keygen};
    #[pymodule_export]
    use crate::plan::{CircuitPlan, Finding, Plan, TablePlan};
    #[pymodule_export]
    use crate::profile::Profile;
    #[pymodule_export]
    use crate::program::Program;
    #[pymodule_export]
    use crate::running::Question;
    #[pymodule_export]
    use crate::sheets::{parameter_sheets, unit_costs};
    #[pymodule_export]
    use crate::symbols::{Function, Variable};
}
