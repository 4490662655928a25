//! What a run on BGV would cost: for one batch of rows, and for a table.

use std::num::NonZeroUsize;

use ::bgv::Parameters;
use circuits::passes::Cost;
use engines::bgv::{Calibration, Choice, calibrate};
use wire::bgv::ServerKey;

use super::{PlannedCircuit, error};
use crate::error::Error;
use crate::evaluator::memory;

/// Costs of a run with the parameters that were chosen for it.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Operations, and how deep they are.
    pub cost: Cost,
    /// This machine's times of them.
    pub calibration: Calibration,
    /// Threads of the run.
    pub threads: usize,
    /// Rows of the table.
    pub rows: usize,
    /// Runs, each of which serves as many rows as there are slots.
    pub batches: u64,
    /// Bytes of a fresh ciphertext in a file, whose mask is a seed.
    pub fresh_bytes: u64,
    /// Memory of ciphertexts at the peak in the order of the program, each as long as on top.
    pub peak_bytes: u64,
    /// Bytes of the server's key in its file.
    pub key_file_bytes: u64,
    /// Memory of the server's key.
    pub key_bytes: u64,
    /// Memory of circuits, and of the process itself.
    pub circuit_bytes: u64,
    /// Time of one batch.
    pub seconds: f64,
}

impl Estimate {
    /// The costs of a plan, by times that are measured now.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal).
    pub fn new(
        planned: &PlannedCircuit,
        choice: &Choice,
        rows: usize,
        threads: NonZeroUsize,
    ) -> Result<Self, Error> {
        let parameters: &Parameters = &choice.parameters;
        let calibration = calibrate(parameters).map_err(error)?;
        let cost = planned.plan.total();
        // No schedule is shorter than an even share of the gates, or, where they follow each other,
        // than a product at every level, whose lengths are half the top's in the mean.
        let all = calibration.time(&choice.forecast, parameters);
        let path = cost.depth as f64 * calibration.and.as_secs_f64() / 2.0;
        let seconds = (all.as_secs_f64() / threads.get() as f64).max(path);
        // Ciphertexts shrink as they go down; the top's size is the bound.
        let largest = parameters.ciphertext_size(parameters.top()) as u64;
        Ok(Self {
            peak_bytes: cost.peak_bits as u64 * largest,
            cost,
            calibration,
            threads: threads.get(),
            rows,
            batches: rows.div_ceil(parameters.slots()) as u64,
            fresh_bytes: parameters.ciphertext_file_size(parameters.top()) as u64 / 2,
            key_file_bytes: ServerKey::file_bytes(parameters),
            key_bytes: parameters.evaluation_key_size(0) as u64,
            circuit_bytes: memory::of_circuits(&planned.plan.windows),
            seconds,
        })
    }
}
