//! Runs A32 programs on data that stay secret.
//!
//! A bit of a register or of memory is *clear* (0 or 1, known) or *secret* (a wire of a circuit).
//! The processor executes machine code over such bits: what is clear is computed at once, an
//! instruction that touches secret bits appends nodes to the current circuit, and a condition that
//! is secret turns the instruction's effects into selections. The circuit is evaluated by an
//! engine, any implementation of [`circuits::Gates`], when it exceeds a bound and at the end.
//!
//! Source: DESIGN §6; the meanings of instructions are [`a32::execute()`]'s.
//!
//! The way through, which the command line follows:
//!
//! 1. [`Program::load`] reads an ELF file.
//! 2. A [`Task`] says where to begin, what is put in which [`Variable`] beforehand (clear bytes,
//!    or "secret"), and which variables are wanted afterwards.
//! 3. [`plan`] executes it without ciphertexts and tells instructions, gates, depth, memory, and
//!    where the program branches or indexes on secrets.
//! 4. [`run`] executes it on an engine with the ciphertexts of the secret bits, in the order of
//!    [`Task::secrets`], and returns the wanted variables bit by bit.
#![forbid(unsafe_code)]

mod calls;
mod error;
mod execution;

mod listing;
mod machine;

mod plan;
pub mod program;
mod run;
mod task;
pub mod values;

pub use error::{Access, RunError, Site};
pub use listing::{Line, Listing, Touch};
pub use plan::{Finding, OutputPlan, Plan, WindowPlan, plan};
pub use program::{Function, LoadError, Parameter, Place, Program, SymbolError, Variable};
pub use run::{Bit, Control, Observer, Outcome, Output, Progress, run, run_planned};
pub use task::{Argument, Content, Entry, Input, Limits, Secret, Task, Wanted};
pub use values::{Element, Type, ValueError};
