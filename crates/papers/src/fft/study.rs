//! What was measured, and what follows from it. Plain data: [`super::tables`] says it in words, and
//! serialized it is the answer to `--json`.

use serde::{Serialize, Serializer};
use tfhe::Fft;

use super::super::bench::{self, Figure, Recorded, Times};
use super::super::report::Provenance;
use super::paper;

/// Everything that one run found out.
#[derive(Debug, Serialize)]
pub(super) struct Study {
    #[serde(flatten)]
    pub(super) provenance: Provenance,
    pub(super) threads: usize,
    pub(super) operands: usize,
    /// The circuits of table 3, in the order of all lists of sums.
    pub(super) circuits: Vec<Size>,
    pub(super) gate_sets: Vec<GateSet>,
    pub(super) lookup_sets: Vec<LookupSet>,
    /// The TFHE library's gates, from records.
    pub(super) library: Vec<Recorded>,
    pub(super) paper: [paper::Processor; 5],
}

/// A chain of adders.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Size {
    pub(super) block: usize,
    pub(super) gates: usize,
    pub(super) depth: usize,
}

/// One parameter set of the gate engine on every processor.
#[derive(Debug, Serialize)]
pub(super) struct GateSet {
    pub(super) name: &'static str,
    pub(super) dimension: usize,
    pub(super) polynomial_size: usize,
    pub(super) levels: u32,
    pub(super) security_bits: f64,
    pub(super) log2_failure: f64,
    /// The server's key as it would travel.
    pub(super) key_bytes: u64,
    /// All operands, encrypted.
    pub(super) encrypted_bytes: u64,
    pub(super) processors: Vec<GateTimes>,
}

/// The gate engine on one processor.
#[derive(Debug, Serialize)]
pub(super) struct GateTimes {
    #[serde(serialize_with = "name")]
    pub(super) fft: Fft,
    pub(super) and: Times,
    /// In the order of [`Study::circuits`].
    pub(super) sums: Vec<Figure>,
}

/// One parameter set of the lookup engine on every processor.
#[derive(Debug, Serialize)]
pub(super) struct LookupSet {
    pub(super) name: &'static str,
    pub(super) dimension: usize,
    pub(super) polynomial_size: usize,
    pub(super) security_bits: f64,
    pub(super) log2_failure: f64,
    pub(super) key_bytes: u64,
    /// All operands in one file.
    pub(super) encrypted_bytes: u64,
    pub(super) lookups: usize,
    pub(super) depth: usize,
    pub(super) processors: Vec<LookupTimes>,
}

/// The lookup engine on one processor.
#[derive(Debug, Serialize)]
pub(super) struct LookupTimes {
    #[serde(serialize_with = "name")]
    pub(super) fft: Fft,
    pub(super) sum: Times,
}

fn name<S: Serializer>(fft: &Fft, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(fft.name())
}

impl Size {
    /// How long the chain takes on `threads` threads if every gate takes as long as an AND.
    pub(super) fn seconds(&self, and: f64, threads: usize) -> f64 {
        let size = bench::Size {
            bootstraps: self.gates,
            depth: self.depth,
            ..bench::Size::default()
        };
        size.seconds(and, threads)
    }
}

impl GateSet {
    /// The processor with the shortest AND.
    pub(super) fn fastest(&self) -> Option<usize> {
        let medians = self.processors.iter().map(|times| times.and.median);
        medians
            .enumerate()
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(at, _)| at)
    }

    /// The shortest sum of all blocks and processors.
    pub(super) fn best_sum(&self) -> Option<f64> {
        let sums = self.processors.iter().flat_map(|times| &times.sums);
        sums.map(Figure::seconds).min_by(f64::total_cmp)
    }
}

impl LookupSet {
    /// The shortest sum.
    pub(super) fn best(&self) -> Option<&LookupTimes> {
        self.processors
            .iter()
            .min_by(|a, b| a.sum.median.total_cmp(&b.sum.median))
    }
}

impl Study {
    /// The library's shortest gate and what the shortest chain of adders would take with it.
    pub(super) fn best_of_library(&self) -> Option<(&Recorded, f64)> {
        let row = self.library.iter().min_by(|a, b| a.ms.total_cmp(&b.ms))?;
        let seconds = |size: &Size| size.seconds(row.ms / 1e3, 1);
        let least = self.circuits.iter().map(seconds).min_by(f64::total_cmp)?;
        Some((row, least))
    }

    /// The paper's shortest sum.
    pub(super) fn best_of_paper(&self) -> Option<f64> {
        let sums = self.paper.iter().flat_map(|column| column.sum_seconds);
        sums.min_by(f64::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_sums() {
        let size = Size {
            block: 4,
            gates: 1926,
            depth: 198,
        };
        assert_eq!(size.seconds(0.01, 1), 19.26);
        assert_eq!(size.seconds(0.01, 2), 9.63);
        assert_eq!(size.seconds(0.01, 1000), 1.98);
    }
}
