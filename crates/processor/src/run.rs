//! A run on ciphertexts.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use circuits::passes;
use circuits::{Gates, Pool};

use crate::error::RunError;
use crate::execution::{Evaluate, Execution, Window};
use crate::plan::{Plan, plan};
use crate::program::Program;
use crate::task::Task;
use crate::values::Type;

/// A bit of an output.
#[derive(Debug)]
pub enum Bit<B> {
    /// Known: the program computed it without secrets.
    Clear(bool),
    /// A ciphertext.
    Secret(Arc<B>),
}

impl<B> Clone for Bit<B> {
    fn clone(&self) -> Self {
        match self {
            Self::Clear(value) => Self::Clear(*value),
            Self::Secret(bit) => Self::Secret(Arc::clone(bit)),
        }
    }
}

/// A wanted output with its bits.
#[derive(Clone, Debug)]
pub struct Output<B> {
    /// The variable's name, or the function's for the result of a call.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its bits in the order of [`values`](crate::values).
    pub bits: Vec<Bit<B>>,
}

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct Outcome<B> {
    /// The outputs: the wanted variables, then the result of a call.
    pub outputs: Vec<Output<B>>,
    /// Executed instructions.
    pub instructions: u64,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The window being evaluated, from 0.
    pub window: usize,
    /// How many there will be.
    pub windows: usize,
    /// Instructions executed so far.
    pub instructions: u64,
    /// How many will be.
    pub instructions_planned: u64,
    /// Nodes evaluated so far.
    pub nodes: usize,
    /// How many will be.
    pub nodes_planned: usize,
}

/// How to run: threads, an observer, a way to stop.
#[derive(Clone, Default)]
pub struct Control<'a> {
    /// Worker threads; `None` takes as many as the machine has.
    pub threads: Option<NonZeroUsize>,
    /// Told how far the run is, from several threads, often.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    /// The run ends with [`RunError::Cancelled`] soon after this becomes true.
    pub cancel: Option<Arc<AtomicBool>>,
}

/// Runs a program on ciphertexts.
///
/// `secrets` are the bits that [`Task::secrets`] lists, in its order. The program is planned
/// first, so that [`Progress`] knows the end and nothing is evaluated for a program that would
/// stop at a secret branch.
///
/// Time and memory accesses depend on the program, its clear data and the engine, not on secrets.
///
/// # Errors
/// See [`RunError`].
pub fn run<G: Gates>(
    program: &Program,
    task: &Task,
    engine: &G,
    secrets: &[Arc<G::Bit>],
    control: &Control<'_>,
) -> Result<Outcome<G::Bit>, RunError> {
    todo!()
}
