//! The machine that computes: from files of ciphertexts to a run, and from a run to files. What
//! stands between the processor, which knows no scheme, and the schemes' files, which know no
//! program. Nothing here knows a secret key.
//!
//! - [`Given`] are files of inputs that belong together, and [`place`] says where in a program they
//!   go.
//! - [`Planned`] is a plan with what the engine must know to record circuits as it did.
//! - [`Evaluation`] runs a program on one batch of inputs after the other, on any scheme.
//! - [`checkpoint`] makes a file of a run between two windows, [`resume`] goes on from it;
//!   [`CheckpointFile`] does so on disk.
//! - [`question`] makes a question to the owner of what a run asks, its bits as an outputs file of
//!   their own.
//!
//! A run on this machine and one for somebody else go through the same functions. Their costs are
//! nothing beside a run's: a switch to the small key for each bit that leaves, a hundredth of a
//! bootstrap.
//!
//! What can be found out before a run:
//!
//! ```
//! use std::path::Path;
//!
//! use blindcore_session::evaluator::{self, EvaluationError, Planned, Target, memory};
//! use blindcore_session::program::Execution;
//! use blindcore_session::schemes::tfhe::{plan, plan_until};
//! use blindcore_session::{Control, Program};
//! use circuits::exec::Cancel;
//! use processor::RunError;
//!
//! let text = b".bits 16\n.data a\n.data b\n LOAD R0, a\n LOAD R1, b\n ADD R0, R0, R1\n STORE R0, a";
//! let program = Program::from_bytes(Path::new("sum.hea"), text)?;
//! let task = program.task(&Execution::default(), program.declared(&["a".to_owned()], None)?)?;
//! let target = Target::of(&Control::default());
//! let planned: Planned = plan(program.image(), &task, &tfhe::P16, &target)?;
//!
//! // The outputs fit a file, but nobody has given `b`.
//! planned.check_storable()?;
//! let missing = planned.check_given().unwrap_err();
//! assert!(matches!(missing, EvaluationError::Unset { variables } if variables[0].name == "b"));
//! assert!(evaluator::check_given(&planned.plan).is_err() && evaluator::check_storable(&planned.plan).is_ok());
//! assert!(program.refuse_missing(&planned.plan.unset).is_err());
//! // A variable of a file has to go somewhere, each to one place.
//! let variables = [wire::Variable { name: "a".to_owned(), kind: "u16".parse()? }];
//! evaluator::check_variables(&variables, &task, &[0])?;
//! let nowhere = evaluator::check_variables(&variables, &task, &[1]);
//! assert!(matches!(nowhere, Err(EvaluationError::Place { index: 1, .. })));
//! // As for files of TFHE, of which there are none here.
//! assert!(matches!(evaluator::check_places(&[], &task, &[]), Err(EvaluationError::Placements { given: 0, .. })));
//! // The key takes most of the memory.
//! assert!(memory::of_key(&tfhe::P16) > 50 << 20 && memory::of_circuits(&planned.plan.windows) > 0);
//! assert!(planned.profile().lookup.is_some());
//!
//! let cancel = Cancel::new();
//! cancel.cancel();
//! let cancelled = plan_until(program.image(), &task, &tfhe::P16, &target, &cancel);
//! assert!(matches!(cancelled, Err(RunError::Cancelled) | Ok(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod checkpoint_file;
mod error;
mod estimate;
mod evaluation;
mod given;
mod inputs;
mod kept_rows;
mod machines;
pub mod memory;
mod outputs;
pub(crate) mod part_file;
mod planned;
mod question;
mod run_id;

pub use checkpoint::{checkpoint, resume};
pub use checkpoint_file::{CheckpointFile, Checkpointing, lock_checkpoints};
pub use error::{EvaluationError, check_given};
pub use estimate::Estimate;
pub use evaluation::{Evaluation, Ran};
pub use given::{Brought, Given, place};
pub use inputs::{check_places, check_variables, placed, secret_bits};
pub use kept_rows::KeptRows;
pub use machines::{Limit, Machines, OnMachines, Scale};
pub(crate) use outputs::variable;
pub use outputs::{check_storable, outputs};
pub(crate) use planned::refuse_obstacles;
pub use planned::{Planned, Target};
pub use question::question;
pub use run_id::{attempt, inputs_hash, row_hash, run_hash};
