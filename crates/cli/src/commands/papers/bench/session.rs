//! What the parts of a run share: who may stop it, where progress is shown, and randomness.

use std::num::NonZeroUsize;
use std::sync::Arc;

use circuits::Pool;
use random::Generator;

use super::super::super::internal;
use super::{Bench, Subject, Times, run};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Steps;

/// One run of a command that measures.
pub(in crate::commands) struct Session<'a> {
    interrupt: &'a Interrupt,
    quiet: bool,
    steps: Arc<Steps>,
    pub(in crate::commands) generator: Generator,
}

/// Whether work was done, or stopped by Ctrl-C: then what was measured so far still counts. Any other
/// failure is one.
pub(in crate::commands) fn done(work: Result<(), Failure>) -> Result<bool, Failure> {
    match work {
        Ok(()) => Ok(true),
        Err(failure) if failure.code == Code::Interrupted => Ok(false),
        Err(failure) => Err(failure),
    }
}

impl<'a> Session<'a> {
    pub(in crate::commands) fn new(quiet: bool, interrupt: &'a Interrupt) -> Result<Self, Failure> {
        Ok(Self {
            interrupt,
            quiet,
            steps: Arc::new(Steps::new(true, 0)),
            generator: Generator::from_entropy().map_err(internal)?,
        })
    }

    pub(in crate::commands) fn interrupt(&self) -> &'a Interrupt {
        self.interrupt
    }

    /// Begins work of so many units of progress, all of equal duration.
    pub(in crate::commands) fn plan(&mut self, units: u64) {
        self.steps.finish();
        self.steps = Arc::new(Steps::new(self.quiet, units));
    }

    /// Begins a part of the planned work, unless the run was stopped.
    pub(in crate::commands) fn begin(&self, what: impl Into<String>) -> Result<(), Failure> {
        self.interrupt.check()?;
        self.steps.begin(what);
        Ok(())
    }

    /// So many units of the present part are done.
    pub(in crate::commands) fn reach(&self, units: u64) {
        self.steps.reach(units);
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub(in crate::commands) fn finish(&self) {
        self.steps.finish();
    }

    /// Evaluates a circuit, each time on other operands; `units` of progress in all.
    pub(in crate::commands) fn time<B: Bench>(
        &mut self,
        bench: &B,
        subject: &Subject,
        (threads, rounds): (NonZeroUsize, usize),
        (what, units): (&str, u64),
    ) -> Result<Times, Failure> {
        let mut seconds = Vec::with_capacity(rounds);
        for round in 0..rounds {
            self.begin(what)?;
            let part =
                units * (round as u64 + 1) / rounds as u64 - units * round as u64 / rounds as u64;
            let observer = Arc::clone(&self.steps);
            let pool = Pool::new(threads.get())
                .with_cancel(self.interrupt.cancel())
                .with_progress(move |progress| {
                    let share = progress.done as f64 / progress.total as f64;
                    observer.reach((share * part as f64) as u64);
                });
            seconds.push(run(bench, subject, &pool, &mut self.generator)?);
            self.steps.reach(part);
        }
        Times::of(seconds).ok_or_else(|| internal("no round was asked for"))
    }
}
