//! What is read from circuits and done to them between recording and evaluation.

use crate::{Circuit, Profile};

/// Makes a circuit ready for a target.
#[must_use]
pub fn prepare(circuit: &Circuit, _profile: &Profile) -> Circuit {
    circuit.clone()
}
