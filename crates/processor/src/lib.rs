//! Runs A32 programs on data that stay secret.
//!
//! A bit of a register or of memory is *clear* (0 or 1, known) or *secret* (a wire of a circuit).
//! The processor executes machine code over such bits: what is clear is computed at once, an
//! instruction that touches secret bits appends nodes to the current circuit, and a condition that
//! is secret turns the instruction's effects into selections. The circuit is evaluated by an
//! engine, any implementation of [`circuits::Gates`], when it exceeds a bound and at the end.
//!
//! The meanings of instructions are [`a32::execute()`]'s; `docs/architecture.md` has the design.
//!
//! The steps, which the command line follows:
//!
//! 1. [`Program::load`] reads an ELF file, or a text in HE assembly (`docs/assembly.md`).
//! 2. A [`Task`] says where to begin, what is put in which [`Variable`] beforehand (clear bytes,
//!    or "secret"), and which variables are wanted afterwards.
//! 3. [`plan`](plan()) executes it without ciphertexts and reports instructions, gates, depth,
//!    memory, and where the program branches or indexes on secrets.
//! 4. [`run`](run()) executes it on an engine with the ciphertexts of the secret bits, in the order
//!    of [`Task::secrets`], and returns the wanted variables bit by bit.
//!
//! ```
//! use std::sync::Arc;
//!
//! use circuits::Profile;
//! use circuits::sim::Simulator;
//! use blindcore_processor::{Argument, Bit, Content, Control, Entry, Program, Task, plan, run};
//!
//! let program = Program::load(&std::fs::read("tests/programs/calls.elf")?)?;
//! // int32_t score(int32_t income, int32_t debt), the income secret.
//! let argument = |name: &str, content| -> Result<_, blindcore_processor::ValueError> {
//!     Ok(Argument { name: name.to_owned(), element: "i32".parse()?, content })
//! };
//! let debt = Content::Clear(25i32.to_le_bytes().to_vec());
//! let arguments = vec![argument("income", Content::Secret)?, argument("debt", debt)?];
//! let entry = Entry::Call { function: "score".to_owned(), arguments };
//! let task = Task { entry, ..Task::default() };
//! assert_eq!(task.secret_bits(), 32);
//!
//! let profile = Profile::lookup_simulation();
//! assert!(plan(&program, &task, &profile)?.is_runnable());
//!
//! // The simulator's bits hold sixty-four values side by side; here all are 17.
//! let income: Vec<_> =
//!     (0..32).map(|i| Arc::new(if 17 >> i & 1 == 1 { u64::MAX } else { 0 })).collect();
//! let engine = Simulator::new(profile);
//! let outcome = run(&program, &task, &engine, income, &Control::default())?;
//!
//! let score = outcome.outputs.last().unwrap();
//! let bits: Vec<bool> = score
//!     .bits
//!     .iter()
//!     .map(|bit| match bit {
//!         Bit::Clear(value) => *value,
//!         Bit::Secret(lanes) => **lanes & 1 == 1,
//!     })
//!     .collect();
//! assert_eq!(score.ty.element().decode(&bits), 17 * 3 - 25 * 2 - 1000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod attribution;
mod calls;
mod error;
mod execution;
mod host;

mod listing;
mod lockstep;
mod machine;
mod numbering;

mod plan;
pub mod program;
mod run;
mod state;
mod survey;
mod task;

pub use attribution::{Attribution, Call, Charge, FunctionCost, LineCost, attribute};
pub use error::{Access, Apart, ErrorClass, Obstacle, RunError, Site, Unmerged};
pub use host::{
    Answer, Asked, Checkpoint, Host, HostError, Nobody, Operands, Part, Question, Start, Unattended,
};
pub use listing::{Line, Listing, Touch};
pub use lockstep::{Agreement, Compared, Difference, LockstepError, lockstep};
pub use machine::{jumps_by_data, leaves_the_line};
pub use plan::{
    Finding, ObjectPlan, OutputPlan, Plan, PlannedQuestion, SelectionPlan, Unset, WindowPlan, plan,
    plan_observed, plan_until,
};
pub use program::{
    Function, LoadError, Opacity, Parameter, Passed, Place, Program, SymbolError, Variable,
};
pub use run::{
    Bit, Control, Expected, Observer, Outcome, Output, Progress, Run, Solver, WindowRun, run,
    run_planned,
};
pub use state::{State, StateError};
pub use survey::{Comparison, Operand, Rounds, SecretUse, Survey, Surveyed, Unexplored, survey};
pub use task::{
    ASTRAY, Argument, Bound, Branches, Content, EXCEEDED, Entry, FAULTED, Input, Limits, Object,
    Otherwise, Secret, Task, Wanted,
};
pub use values::{Element, Enumeration, Type, ValueError};
