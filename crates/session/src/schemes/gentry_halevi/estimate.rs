//! What a run in the Gentry–Halevi scheme would cost.

use std::num::NonZeroUsize;

use ::gentry_halevi::Parameters;
use circuits::Profile;
use circuits::passes::Cost;
use engines::gentry_halevi::{Calibration, calibrate};
use processor::Plan;

use super::{bytes_per_bit, error, transforms};
use crate::control::Control;
use crate::error::Error;
use crate::evaluator::memory;

/// Costs of all windows together.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Operations, and how deep they are.
    pub cost: Cost,
    /// This machine's times of them.
    pub calibration: Calibration,
    /// Threads of the run.
    pub threads: usize,
    /// Bits of the noisiest value.
    pub noise_bits: f64,
    /// Bits that a value may have to be refreshed.
    pub noise_limit_bits: f64,
    /// Bytes of the server's key in its file.
    pub key_file_bytes: u64,
    /// Memory of circuits, and of the process itself.
    pub circuit_bytes: u64,
    /// Time of the run.
    pub seconds: f64,
}

impl Estimate {
    /// The costs of a plan for a profile, by times that are measured now.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal).
    pub fn new(
        plan: &Plan,
        parameters: &Parameters,
        profile: &Profile,
        threads: NonZeroUsize,
    ) -> Result<Self, Error> {
        let cost = plan.total();
        let refreshing = (cost.refresh > 0).then(|| {
            (
                transforms(parameters, Control::default().memory_to_go_by()),
                threads,
            )
        });
        let calibration = calibrate(parameters, refreshing).map_err(error)?;
        let [and, xor] = [calibration.and, calibration.xor].map(|time| time.as_secs_f64());
        let refresh = calibration.refresh.map_or(0.0, |time| time.as_secs_f64());
        // No schedule is shorter than an even share of the gates, or, where they follow each other,
        // than all of them; every refresh has all threads.
        let gates = cost.and as f64 * and + cost.xor as f64 * xor;
        let path = cost.depth as f64 * and;
        Ok(Self {
            seconds: cost.refresh as f64 * refresh + path.max(gates / threads.get() as f64),
            cost,
            calibration,
            threads: threads.get(),
            noise_bits: plan.worst_noise(),
            noise_limit_bits: profile.growth.map_or(0.0, |growth| growth.limit),
            key_file_bytes: bytes_per_bit(parameters) * parameters.public_parts() as u64,
            circuit_bytes: memory::of_circuits(&plan.windows),
        })
    }
}
