//! Evaluating circuits on any engine: the contract that engines implement and the scheduler that
//! drives them, on threads ([`run()`]) or in a model ([`replay()`]).

mod gate_by_gate;
mod gates;
mod graph;
mod operand;
mod order;
mod pool;
mod queue;
mod replay;
mod scheduler;
mod trial;

pub use gate_by_gate::GateByGate;
pub use gates::{Gates, Job, LookupJob};
pub use pool::{Cancel, Pool, Progress};
pub use replay::{Batch, Schedule, replay, replay_with};
pub(crate) use replay::{time, time_of_steps};
pub use scheduler::{run, run_owned};
pub use trial::{Outputs, Trial, trial};

use crate::Wire;

/// Why an evaluation ended without outputs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError<E: std::error::Error + 'static> {
    /// The number of bits is not the circuit's number of inputs.
    #[error("the circuit has {expected} inputs, {found} bits were given")]
    Inputs {
        /// Inputs of the circuit.
        expected: usize,
        /// Bits given.
        found: usize,
    },
    /// Somebody cancelled the run.
    #[error("the run was cancelled")]
    Cancelled,
    /// The engine could not evaluate a node.
    #[error("{op} of {wire:?} at level {level} failed")]
    Gate {
        /// The operation.
        op: &'static str,
        /// The node's first output.
        wire: Wire,
        /// The node's level: operations on the longest path to it, itself included.
        level: u32,
        /// What the engine said.
        source: E,
    },
    /// The engine answered with another number of results than it was asked for.
    #[error("{op} of {wire:?} at level {level}: {found} results instead of {expected}")]
    Results {
        /// The operation.
        op: &'static str,
        /// The node's first output.
        wire: Wire,
        /// The node's level.
        level: u32,
        /// Outputs of the node.
        expected: usize,
        /// Results of the engine.
        found: usize,
    },
}
