//! Reports of how far work is, and its end before its time.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How far a stage of the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<Stage> {
    /// Which stage.
    pub stage: Stage,
    /// Steps done of this stage.
    pub done: usize,
    /// Steps that this stage has.
    pub steps: usize,
}

/// Called from any thread, often; stops the work by [`ControlFlow::Break`].
pub type Watch<'a, Stage> = &'a (dyn Fn(Progress<Stage>) -> ControlFlow<()> + Sync);

/// The watch stopped the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// The counter of one stage.
pub struct Counter<'a, Stage> {
    watch: Watch<'a, Stage>,
    stage: Stage,
    steps: usize,
    done: AtomicUsize,
}

impl<'a, Stage: Copy> Counter<'a, Stage> {
    /// Nothing done yet of a stage of `steps` steps.
    #[must_use]
    pub fn new(watch: Watch<'a, Stage>, stage: Stage, steps: usize) -> Self {
        Self {
            watch,
            stage,
            steps,
            done: AtomicUsize::new(0),
        }
    }

    /// One step is done.
    ///
    /// # Errors
    /// [`Interrupted`] if the watch stops the work.
    pub fn step(&self) -> Result<(), Interrupted> {
        let progress = Progress {
            stage: self.stage,
            done: self.done.fetch_add(1, Ordering::Relaxed) + 1,
            steps: self.steps,
        };
        match (self.watch)(progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Interrupted),
        }
    }
}
