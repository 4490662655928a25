//! Evaluating circuits on any engine: the contract that engines implement and the scheduler that
//! drives them, on threads ([`run()`]) or in a model ([`replay()`]).
//!
//! An engine states what it can do and evaluates jobs. One without batches states its gates, and
//! gets the rest from [`GateByGate`]; a law tests the whole:
//!
//! ```
//! use std::convert::Infallible;
//!
//! use blindcore_circuits::{GateByGate, Gates, Job, LookupJob, Profile, Tables, laws};
//!
//! /// Bits in the clear.
//! struct Clear(Profile);
//!
//! impl Gates for Clear {
//!     type Bit = bool;
//!     type Scratch = ();
//!     type Error = Infallible;
//!
//!     fn profile(&self) -> &Profile {
//!         &self.0
//!     }
//!     fn scratch(&self) {}
//!     fn constant(&self, value: bool) -> bool {
//!         value
//!     }
//!     fn not(&self, a: &bool) -> bool {
//!         !a
//!     }
//!     fn apply_many(
//!         &self,
//!         scratch: &mut (),
//!         jobs: &[Job<'_, bool>],
//!     ) -> Vec<Result<Vec<bool>, Infallible>> {
//!         self.one_by_one(scratch, jobs)
//!     }
//! }
//!
//! impl GateByGate for Clear {
//!     fn and(&self, _: &mut (), a: &bool, b: &bool) -> Result<bool, Infallible> {
//!         Ok(a & b)
//!     }
//!     fn xor(&self, _: &mut (), a: &bool, b: &bool) -> Result<bool, Infallible> {
//!         Ok(a ^ b)
//!     }
//!     fn refresh(&self, _: &mut (), a: &bool) -> Result<bool, Infallible> {
//!         Ok(*a)
//!     }
//! }
//!
//! let engine = Clear(Profile::gate_simulation());
//! laws::gates(&engine, &|bit| bit, &|bit| *bit, 20);
//!
//! // A lookup, by an engine that has none: the bits of 1 + 1 + 0.
//! let sum = LookupJob {
//!     terms: vec![(&true, 1), (&true, 1), (&false, 1)],
//!     constant: 0,
//!     max: 3,
//!     tables: Tables::new(&[0b1010, 0b1100]),
//! };
//! assert_eq!(engine.apply(&mut (), &Job::Lookup(sum))?, [false, true]);
//! assert!(Gates::mux(&engine, &mut (), &false, &false, &true)?);
//! assert!(Gates::refresh(&engine, &mut (), &true)?);
//! assert_eq!(engine.one(&mut (), &Job::Parity(vec![&true; 3]))?, [true]);
//! # Ok::<(), Infallible>(())
//! ```

mod apart;
mod gate_by_gate;
mod gates;
mod graph;
mod load;
mod operand;
mod order;
mod partial;
mod pool;
mod queue;
mod replay;
mod scheduler;
mod simulated;
mod state;
mod store;
mod trial;
mod turn;

pub use apart::{Apart, Peers, Received, run_share};
pub use gate_by_gate::GateByGate;
pub use gates::{Duet, Gates, Job, LookupJob, Selected, Selector};
pub(crate) use graph::Graph;
pub use load::{Entry, IndexBit, LoadJob};
pub use partial::{Begin, Keeper, Partial, run_kept};
pub use pool::{Cancel, Pool, Progress};
pub use replay::{Batch, Schedule, replay, replay_with};
pub(crate) use replay::{in_turn, time, time_of_steps};
pub use scheduler::{run, run_owned};
pub(crate) use simulated::{Done, SimulatedPool};
pub use store::StoreJob;
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
    /// What was evaluated before is not of this circuit.
    #[error("what was evaluated before is not of this circuit")]
    Partial,
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
