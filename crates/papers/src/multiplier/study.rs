//! Everything that one run found out.

use bignum::paper::counts::{Counts, Method, Size};
use serde::Serialize;

use super::super::report::Provenance;
use super::circuit::Circuit;
use super::contest::{Standing, Task};
use super::paper;

/// A run.
#[derive(Debug, Serialize)]
pub(super) struct Study {
    #[serde(flatten)]
    pub(super) provenance: Provenance,
    /// Their versions, or nothing where they are not.
    pub(super) gmp: Option<String>,
    pub(super) flint: Option<FlintBuild>,
    /// Table I.
    pub(super) counts: Vec<Counted>,
    /// Table IV, and squares and residues like it.
    pub(super) contests: Vec<Contest>,
    /// Products of other sizes.
    pub(super) sizes: Vec<Contest>,
    pub(super) paper: [paper::Computer; 3],
    /// The paper's circuit and ours, simulated.
    pub(super) circuits: [Circuit; 5],
}

/// Which FLINT.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FlintBuild {
    pub(super) version: String,
    /// With its fastest product.
    pub(super) fft_small: bool,
}

/// A task at a size, and how everybody did.
#[derive(Debug, Serialize)]
pub(super) struct Contest {
    pub(super) task: Task,
    /// Of each operand.
    pub(super) bits: usize,
    pub(super) standings: Vec<Standing>,
}

/// Instructions of a modular product.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Counted {
    pub(super) method: &'static str,
    pub(super) bits: usize,
    /// By the paper's names.
    pub(super) instructions: Vec<(&'static str, u64)>,
    pub(super) total: u64,
}

impl Counted {
    pub(super) fn of(method: Method, size: Size, counts: Counts) -> Self {
        Self {
            method: method.name(),
            bits: size.bits(),
            instructions: counts.rows().to_vec(),
            total: counts.total(),
        }
    }
}
