//! From files of ciphertexts to a run, and from a run to files: what stands between the processor, which knows no
//! scheme, and the scheme's files, which know no program. Nothing here knows a secret key.
//!
//! - [`plan`] chooses how circuits are recorded, and [`Planned::engine`] makes a key compute that way.
//! - [`secret_bits`] puts the ciphertexts of files of inputs into the order of a task.
//! - [`outputs`] makes an outputs file of what a run leaves.
//! - [`checkpoint`] makes a file of a run between two windows, [`resume`] goes on from it.
//! - [`question`] makes a question to the owner of what a run asks, its bits as an outputs file of their own.
//!
//! A run on this machine and one for somebody else go through the same functions. Their costs are
//! nothing beside a run's: a switch to the small key for each bit that leaves, a hundredth of a
//! bootstrap.

mod checkpoint;
mod error;
mod inputs;
mod outputs;
mod planned;
mod question;
mod run_id;

pub use checkpoint::{checkpoint, resume};
pub use error::{EvaluationError, check_given};
pub use inputs::{check_places, placed, secret_bits};
pub use outputs::{check_storable, outputs, variable};
pub use planned::{Planned, Target, expand, plan, plan_until};
pub use question::question;
pub use run_id::run_hash;
