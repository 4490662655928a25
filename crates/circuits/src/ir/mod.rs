//! The netlist: wires, operations, truth tables and the circuit that holds them.
//!
//! A [`Wire`] names a signal and says whether it is read inverted. A *node* computes one signal,
//! or, for a lookup, several: each of its outputs is a signal of its own.

mod circuit;
mod op;
pub mod table;
pub(crate) mod variance;
mod wire;

pub use circuit::{Circuit, Node};
pub(crate) use circuit::{Parts, Record};
pub use op::{Op, Operands, Sum, Tables, Term};
pub use wire::{Signal, Wire};
