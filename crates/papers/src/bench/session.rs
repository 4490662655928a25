//! What the parts of a run share: who may stop it, where progress is shown, and randomness.

use std::num::NonZeroUsize;
use std::sync::Arc;

use circuits::Pool;
use random::Generator;

use super::{Bench, CheckedCircuit, Times, run};
use crate::control::{Control, Steps};
use crate::error::{PapersError, internal};

/// One run of a command that measures.
pub(crate) struct Session<'a> {
    control: &'a Control,
    quiet: bool,
    steps: Arc<dyn Steps>,
    pub(crate) generator: Generator,
}

/// Whether work was completed, or stopped by Ctrl-C: then what was measured so far still counts. Any
/// other failure is one.
pub(crate) fn is_complete(work: Result<(), PapersError>) -> Result<bool, PapersError> {
    match work {
        Ok(()) => Ok(true),
        Err(PapersError::Interrupted) => Ok(false),
        Err(error) => Err(error),
    }
}

impl<'a> Session<'a> {
    pub(crate) fn new(quiet: bool, control: &'a Control) -> Result<Self, PapersError> {
        Ok(Self {
            control,
            quiet,
            steps: control.steps(true, 0),
            generator: Generator::from_entropy().map_err(internal)?,
        })
    }

    pub(crate) fn control(&self) -> &'a Control {
        self.control
    }

    /// Begins work of `units` units of progress, all of equal duration.
    pub(crate) fn plan(&mut self, units: u64) {
        self.steps.finish();
        self.steps = self.control.steps(self.quiet, units);
    }

    /// Begins a part of the planned work, unless the run was stopped.
    pub(crate) fn begin(&self, what: impl Into<String>) -> Result<(), PapersError> {
        self.control.check()?;
        self.steps.begin(&what.into());
        Ok(())
    }

    /// `units` of the present part are done.
    pub(crate) fn reach(&self, units: u64) {
        self.steps.reach(units);
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub(crate) fn finish(&self) {
        self.steps.finish();
    }

    /// Evaluates a circuit, each time on other operands; `units` of progress in all.
    pub(crate) fn time<B: Bench>(
        &mut self,
        bench: &B,
        checked: &CheckedCircuit,
        threads: NonZeroUsize,
        rounds: usize,
        what: &str,
        units: u64,
    ) -> Result<Times, PapersError> {
        let mut seconds = Vec::with_capacity(rounds);
        for round in 0..rounds {
            self.begin(what)?;
            let part =
                units * (round as u64 + 1) / rounds as u64 - units * round as u64 / rounds as u64;
            let observer = Arc::clone(&self.steps);
            let pool = Pool::new(threads.get())
                .with_cancel(self.control.cancel())
                .with_progress(move |progress| {
                    let share = progress.done as f64 / progress.total as f64;
                    observer.reach((share * part as f64) as u64);
                });
            seconds.push(run(bench, checked, &pool, &mut self.generator)?);
            self.steps.reach(part);
        }
        Times::of(seconds).ok_or_else(|| internal("no round was asked for"))
    }
}
