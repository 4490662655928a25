//! Boolean circuits and everything that is done to them without knowing any cryptography.
//!
//! A [`Builder`] records gates and folds, shares and merges them while it does; a [`Circuit`] is
//! what it leaves behind: nodes in topological order that own no ciphertext, no key and no thread.
//! [`passes`] read and rewrite circuits for a target that a [`Profile`] describes, [`exec`]
//! evaluates them on any engine that implements [`Gates`], [`place`] shares them out among machines, [`sim`] is the oracle: sixty-four clear
//! evaluations at a time. [`library`] holds the functional units of a processor,
//! [`diagrams`] say what a recorded bit can be, by function.
//!
//! The operation that matters is the [`Op::Lookup`]: any number of functions of one small
//! weighted sum of bits. Schemes of the TFHE family evaluate it in a single bootstrap, whatever
//! the functions are, so that three columns of an addition, a full adder, the parity of fifteen
//! bits or two unrelated gates all cost the same. For targets without it the builder writes it
//! out in AND and XOR.
#![forbid(unsafe_code)]

mod architectures;
pub mod build;
pub mod diagrams;
pub mod exec;
pub mod formats;
pub mod ir;
pub mod laws;
pub mod library;
pub mod passes;
pub mod place;
pub mod profile;
pub mod sim;
mod union;

pub use build::Builder;
pub use exec::{ExecError, GateByGate, Gates, Job, LookupJob, Pool, run};
pub use ir::{Cause, Circuit, HalfNoise, Op, Sum, Tables, Term, Wire};
pub use profile::{
    ChoiceNoise, LookupProfile, NoiseAmount, NoiseGrowth, NoiseModel, OperationCosts, Profile,
    RowProfile, SelectorProfile, Tail, Timing,
};
