//! A run beside its prediction: the replay is believed as far as the two agree.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::replay::{Schedule, replay};
use super::{ExecError, Gates, Pool, run};
use crate::Circuit;

/// What a run should have taken and what it took.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trial {
    /// The replay of the run on the engine's profile.
    pub predicted: Schedule,
    /// The time of the run.
    pub measured: Duration,
}

impl Trial {
    /// Measured over predicted time: 1 where the prediction is exact, infinite where nothing should
    /// have taken time.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.measured.as_nanos() as f64 / self.predicted.time
    }
}

/// What a run answers.
pub type Outputs<G> = Vec<Arc<<G as Gates>::Bit>>;

/// Runs a circuit as [`run`](super::run()) does, and times and predicts it. The prediction is as good
/// as the engine's profile: it should have been measured on this machine (see
/// [`Timing`](crate::Timing)).
///
/// # Errors
/// As [`run`](super::run()).
pub fn trial<G: Gates>(
    gates: &G,
    circuit: &Circuit,
    inputs: &[Arc<G::Bit>],
    pool: &Pool,
) -> Result<(Outputs<G>, Trial), ExecError<G::Error>> {
    let start = Instant::now();
    let outputs = run(gates, circuit, inputs, pool)?;
    let measured = start.elapsed();
    let predicted = replay(circuit, gates.profile(), pool.threads());
    Ok((
        outputs,
        Trial {
            predicted,
            measured,
        },
    ))
}
