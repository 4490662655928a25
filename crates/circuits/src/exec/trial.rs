//! A run beside its prediction: the replay is believed as far as the two agree.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::replay::{Schedule, replay};
use super::{ExecError, Gates, Pool, run};
use crate::Circuit;

/// What a run should have taken and what it took.
///
/// ```
/// use std::sync::Arc;
///
/// use blindcore_circuits::exec::{Outputs, Trial, trial};
/// use blindcore_circuits::{Builder, Pool, Profile, sim::Simulator};
///
/// let profile = Profile::lookup_simulation();
/// let mut build = Builder::new(&profile);
/// let (a, b) = (build.input(), build.input());
/// let both = build.and(a, b);
/// build.output(both);
/// let (circuit, bits) = (build.finish(), [Arc::new(0b0011), Arc::new(0b0101)]);
///
/// let engine = Simulator::new(profile);
/// let (outputs, timed): (Outputs<Simulator>, Trial) =
///     trial(&engine, &circuit, &bits, &Pool::new(1)).unwrap();
/// assert_eq!(*outputs[0], 0b0001);
/// assert_eq!(timed.predicted.time, 1.0);
/// // No bootstrap takes the nanosecond that this profile names.
/// assert!(timed.ratio() > 1.0);
/// ```
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

/// Runs a circuit as [`run`](super::run()) does, and times and predicts it. The prediction is as
/// good as the engine's profile: it should have been measured on this machine (see
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
