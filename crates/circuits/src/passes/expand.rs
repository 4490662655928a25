//! Writing a circuit for a target that lacks some of its operations.

use super::rebuild::Rebuild;
use super::subtotals;
use crate::{Circuit, Profile};

/// Records a circuit again for a target: lookups that the target cannot evaluate, and selections
/// that it does not have, become ANDs and XORs.
#[must_use]
pub fn expand(circuit: &Circuit, profile: &Profile) -> Circuit {
    let whole = subtotals::dissolve(circuit, profile);
    let circuit = whole.as_ref().unwrap_or(circuit);
    let mut rebuild = Rebuild::new(circuit, profile);
    for node in circuit.nodes() {
        rebuild.copy(node);
    }
    rebuild.finish()
}
