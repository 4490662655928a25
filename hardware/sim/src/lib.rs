//! The multiplier's circuit in `hardware/rtl`, simulated cycle by cycle by models that Verilator
//! makes of it.
//!
//! Rust and Verilator rather than a framework in Python: the golden model of every step is
//! `bignum::paper`, and the scheme that multiplies on the simulated chip is Rust, too.

mod engine;
mod models;
mod multiplier;

pub use engine::{Command, Engine, Lanes, Outcome, Slot};
pub use models::{CarryUnit, Multiply, Normalize, Radix16};
pub use multiplier::{Flow, Multiplier, Product};
