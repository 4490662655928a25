//! A circuit on some workers: what it takes, how long the scheduler's replay says, and how long it took.

use std::num::NonZeroUsize;

use circuits::Profile;
use circuits::exec::replay;
use serde::Serialize;

use super::{Bench, Figure, Session, Size, Subject};
use crate::failure::Failure;

/// What is known of a circuit on so many workers.
#[derive(Clone, Copy, Debug, Serialize)]
pub(in crate::commands) struct Outcome {
    pub(in crate::commands) workers: usize,
    pub(in crate::commands) size: Size,
    pub(in crate::commands) figure: Figure,
    /// Seconds by the replay.
    pub(in crate::commands) predicted: f64,
}

/// A target on so many workers.
pub(in crate::commands) fn on(profile: &Profile, workers: usize) -> Profile {
    let mut profile = profile.clone();
    profile.cores = workers;
    profile
}

impl Outcome {
    /// The replay of a circuit that was built for as many cores.
    pub(in crate::commands) fn simulated(
        subject: &Subject,
        profile: &Profile,
        workers: usize,
    ) -> Self {
        let predicted = replay(&subject.circuit, profile, workers).time * 1e-9;
        Self {
            workers,
            size: subject.size,
            figure: Figure::Simulated(predicted),
            predicted,
        }
    }

    /// Runs the same circuit.
    pub(in crate::commands) fn measure<B: Bench>(
        &mut self,
        session: &mut Session<'_>,
        bench: &B,
        subject: &Subject,
        rounds: usize,
        what: &str,
    ) -> Result<(), Failure> {
        let threads = NonZeroUsize::new(self.workers).unwrap_or(NonZeroUsize::MIN);
        let units = self.units(rounds);
        let times = session.time(bench, subject, (threads, rounds), (what, units))?;
        self.figure = Figure::Measured(times);
        Ok(())
    }

    /// Progress units of measuring it so often: milliseconds.
    pub(in crate::commands) fn units(&self, rounds: usize) -> u64 {
        (self.predicted * rounds as f64 * 1e3).ceil() as u64
    }

    /// Predicted over measured, where it was measured. The times of batches are the least of several,
    /// what the machine does when nobody disturbs it: so is the run that stands beside them.
    pub(in crate::commands) fn prediction(&self) -> Option<f64> {
        match self.figure {
            Figure::Measured(times) if times.least > 0.0 => Some(self.predicted / times.least),
            _ => None,
        }
    }
}
