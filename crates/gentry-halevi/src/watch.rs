//! How long work tells how far it is, and is told to stop.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Error;

/// A part of key generation. They come in this order; the last is nearly all of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// The resultant d of a secret polynomial and two coefficients of its inverse, by halving. More levels
    /// than announced mean that a polynomial was refused and another drawn.
    Resultant,
    /// The root r, which takes an inverse modulo d.
    Root,
    /// Powers of r.
    Powers,
    /// Encryptions of the secret key's indices.
    Encryptions,
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
pub(crate) struct Counter<'a> {
    watch: Watch<'a>,
    stage: Stage,
    steps: usize,
    done: AtomicUsize,
}

impl<'a> Counter<'a> {
    #[cfg(feature = "secret")]
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
