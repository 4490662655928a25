//! What was measured and simulated. Plain data: [`super::tables`] says it in words, and serialized
//! it is the answer to `--json`.

use serde::Serialize;

use super::super::bench::{Outcome, Set};
use super::super::report::Provenance;
use super::paper::{Function, Part, Plot, Unit};

/// Everything that one run found out.
#[derive(Debug, Serialize)]
pub(super) struct Study {
    #[serde(flatten)]
    pub(super) provenance: Provenance,
    /// Numbers of threads that were measured.
    pub(super) threads: Vec<usize>,
    pub(super) gates: Set,
    pub(super) lookups: Set,
    pub(super) entries: Vec<Entry>,
    pub(super) paper: &'static [Unit],
    /// Table XXIV's multi-core times in milliseconds and speedups over HElib.
    pub(super) paper_comparison: &'static [(Function, f64, f64)],
    pub(super) figures: &'static [Plot],
}

/// What an engine takes for something on a number of workers.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Entry {
    pub(super) engine: Engine,
    #[serde(flatten)]
    pub(super) item: Item,
    #[serde(flatten)]
    pub(super) outcome: Outcome,
}

/// Who computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Engine {
    /// A bootstrap for each gate of the paper's drawing.
    Gates,
    /// The library's own circuit of lookups.
    Lookups,
}

/// A unit of some width, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Item {
    pub(super) function: Function,
    pub(super) part: Option<Part>,
    pub(super) width: usize,
}

impl Item {
    pub(super) fn unit(function: Function, width: usize) -> Self {
        Self {
            function,
            part: None,
            width,
        }
    }
}

impl Study {
    /// What an engine takes for an item on `workers` workers.
    pub(super) fn of(&self, engine: Engine, item: Item, workers: usize) -> Option<&Outcome> {
        let found = self.entries.iter().find(|entry| {
            entry.engine == engine && entry.item == item && entry.outcome.workers == workers
        });
        found.map(|entry| &entry.outcome)
    }
}
