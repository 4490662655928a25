//! How long work tells how far it is, and is told to stop.

use std::ops::ControlFlow;
#[cfg(feature = "secret")]
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(feature = "secret")]
use crate::Error;

/// A part of key generation. They come in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Roots and tables of the transforms, one prime a step.
    Tables,
    /// The secret and the public key.
    Keys,
    /// Keys for relinearisation, one residue of a digit a step.
    Relinearisation,
    /// Keys for rotations, one residue of a digit a step.
    Rotations,
}

/// How far key generation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Which part.
    pub stage: Stage,
    /// Steps done of this part.
    pub done: usize,
    /// Steps that this part has.
    pub steps: usize,
}

/// Called from any thread, often; stops the work by [`ControlFlow::Break`].
pub type Watch<'a> = &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync);

/// One part's counter.
#[cfg(feature = "secret")]
pub(crate) struct Counter<'a> {
    watch: Watch<'a>,
    stage: Stage,
    steps: usize,
    done: AtomicUsize,
}

#[cfg(feature = "secret")]
impl<'a> Counter<'a> {
    pub(crate) fn new(watch: Watch<'a>, stage: Stage, steps: usize) -> Self {
        Self {
            watch,
            stage,
            steps,
            done: AtomicUsize::new(0),
        }
    }

    /// One step is done.
    pub(crate) fn step(&self) -> Result<(), Error> {
        let progress = Progress {
            stage: self.stage,
            done: self.done.fetch_add(1, Ordering::Relaxed) + 1,
            steps: self.steps,
        };
        match (self.watch)(progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Interrupted),
        }
    }
}
