//! The machine that computes: from files of ciphertexts to a run, and from a run to files. What stands between the
//! processor, which knows no scheme, and the schemes' files, which know no program. Nothing here knows a secret key.
//!
//! - [`Given`] are files of inputs that belong together, and [`place`] says where in a program they go.
//! - [`Planned`] is a plan with what the engine must know to record circuits as it did.
//! - [`Evaluation`] runs a program on one batch of inputs after the other, on any scheme.
//! - [`checkpoint`] makes a file of a run between two windows, [`resume`] goes on from it; [`CheckpointFile`] does so on disk.
//! - [`question`] makes a question to the owner of what a run asks, its bits as an outputs file of their own.
//!
//! A run on this machine and one for somebody else go through the same functions. Their costs are
//! nothing beside a run's: a switch to the small key for each bit that leaves, a hundredth of a
//! bootstrap.

mod checkpoint;
mod checkpoint_file;
mod error;
mod estimate;
mod evaluation;
mod given;
mod inputs;
pub mod memory;
mod outputs;
mod planned;
mod question;
mod run_id;

pub use checkpoint::{checkpoint, resume};
pub use checkpoint_file::{CheckpointFile, Checkpointing};
pub use error::{EvaluationError, check_given};
pub use estimate::Estimate;
pub use evaluation::{Evaluation, Ran};
pub use given::{Brought, Given, place};
pub use inputs::{check_places, check_variables, placed, secret_bits};
pub(crate) use outputs::variable;
pub use outputs::{check_storable, outputs};
pub(crate) use planned::refuse_obstacles;
pub use planned::{Planned, Target};
pub use question::question;
pub use run_id::{attempt, inputs_hash, run_hash};
