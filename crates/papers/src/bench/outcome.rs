//! A circuit on some workers: what it takes, how long the scheduler's replay says, and how long it
//! took.
//!
//! The speed of a machine drifts within minutes, by half and more where others share it. A
//! prediction is made of times of batches that were measured earlier, so a *pulse* (one full batch
//! for each worker, and nothing else) runs right before and right after every round: how much
//! longer it takes than its own replay says is how much slower the machine has become since, and
//! that factor, the mean of the two, is taken out of the round before it is held against its
//! prediction.

use std::num::NonZeroUsize;

use circuits::exec::replay;
use circuits::{Gates, Pool, Profile, library};
use serde::Serialize;

use super::{Bench, CheckedCircuit, Figure, Session, Size, Times, run};
use crate::error::{PapersError, internal};

/// What is known of a circuit on a number of workers.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Outcome {
    pub(crate) workers: usize,
    pub(crate) size: Size,
    pub(crate) figure: Figure,
    /// Seconds by the replay.
    pub(crate) predicted: f64,
    /// Predicted over measured with the drift of the machine's speed taken out, for the fastest
    /// round; `None` where nothing was measured.
    pub(crate) prediction: Option<f64>,
}

/// A target on `workers` workers.
pub(crate) fn on(profile: &Profile, workers: usize) -> Profile {
    let mut profile = profile.clone();
    profile.cores = workers;
    profile
}

impl Outcome {
    /// The replay of a circuit that was built for as many cores.
    pub(crate) fn simulated(checked: &CheckedCircuit, profile: &Profile, workers: usize) -> Self {
        let predicted = replay(&checked.circuit, profile, workers).time * 1e-9;
        Self {
            workers,
            size: checked.size,
            figure: Figure::Simulated(predicted),
            predicted,
            prediction: None,
        }
    }

    /// Runs the same circuit, a pulse before and after each time.
    pub(crate) fn measure<B: Bench>(
        &mut self,
        session: &mut Session<'_>,
        bench: &B,
        checked: &CheckedCircuit,
        rounds: usize,
        what: &str,
    ) -> Result<(), PapersError> {
        let threads = NonZeroUsize::new(self.workers).unwrap_or(NonZeroUsize::MIN);
        let pulse = Pulse::new(bench.engine().profile(), threads);
        let mut seconds = Vec::with_capacity(rounds);
        let mut fastest = f64::INFINITY;
        let mut before = pulse.factor(session, bench)?;
        for _ in 0..rounds {
            let times = session.time(bench, checked, threads, 1, what, self.units(1))?;
            let after = pulse.factor(session, bench)?;
            seconds.push(times.median);
            if times.least < fastest {
                fastest = times.least;
                self.prediction = Some(self.predicted * f64::midpoint(before, after) / fastest);
            }
            before = after;
        }
        let times = Times::of(seconds).ok_or_else(|| internal("no round was asked for"))?;
        self.figure = Figure::Measured(times);
        Ok(())
    }

    /// Progress units of measuring it so often: milliseconds.
    pub(crate) fn units(&self, rounds: usize) -> u64 {
        (self.predicted * rounds as f64 * 1e3).ceil() as u64
    }
}

/// How often a pulse is run before its least time is believed.
const PULSES: usize = 3;

/// A layer of independent gates that fills one batch of each worker.
struct Pulse {
    checked: CheckedCircuit,
    threads: NonZeroUsize,
    /// Seconds by the replay.
    predicted: f64,
}

impl Pulse {
    fn new(profile: &Profile, threads: NonZeroUsize) -> Self {
        let profile = on(profile, threads.get());
        // Where lookups are native, each takes two gates.
        let gates = profile.batch * if profile.lookup.is_some() { 2 } else { 1 };
        let checked = CheckedCircuit::build(
            &profile,
            vec![gates; 2 * threads.get()],
            |b, words| {
                let pairs = words.chunks_exact(2);
                pairs
                    .map(|pair| library::and(b, &pair[0], &pair[1]))
                    .collect()
            },
            Box::new(|words| {
                words
                    .chunks_exact(2)
                    .map(|pair| pair[0] & pair[1])
                    .collect()
            }),
        );
        let predicted = replay(&checked.circuit, &profile, threads.get()).time * 1e-9;
        Self {
            checked,
            threads,
            predicted,
        }
    }

    /// How many times longer it takes at present than its replay says.
    fn factor<B: Bench>(&self, session: &mut Session<'_>, bench: &B) -> Result<f64, PapersError> {
        let pool = Pool::new(self.threads.get()).with_cancel(session.control().cancel());
        let mut least = f64::INFINITY;
        for _ in 0..PULSES {
            least = least.min(run(bench, &self.checked, &pool, &mut session.generator)?);
        }
        Ok(least / self.predicted)
    }
}
