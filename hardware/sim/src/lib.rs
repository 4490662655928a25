//! The multiplier's circuit in `hardware/rtl`, simulated cycle by cycle by models that Verilator
//! makes of it.
//!
//! Rust and Verilator rather than a framework in Python: the golden model of every step is
//! `bignum::paper`, and the scheme that multiplies on the simulated chip is Rust, too.

pub mod bus;
mod carries;
#[cfg(feature = "whole")]
mod chip;
mod command;
#[cfg(feature = "whole")]
mod engine;
mod lanes;
mod models;
mod multiplier;

pub use carries::{Carries, Digits};
#[cfg(feature = "whole")]
pub use chip::Chip;
pub use command::{Command, Slot};
#[cfg(feature = "whole")]
pub use engine::{Engine, Outcome};
pub use lanes::Lanes;
pub use models::{CarryUnit, Multiply, Normalize, Radix4, Radix16, Sum16, TurnedResidue};
pub use multiplier::{Flow, Multiplier, Product};
