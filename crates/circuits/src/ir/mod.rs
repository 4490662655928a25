//! The netlist: wires, operations, truth tables and the circuit that holds them.
//!
//! A [`Wire`] names a signal and says whether it is read inverted. A *node* computes one signal,
//! or, for a lookup, several: each of its outputs is a signal of its own.
//!
//! A pass or an engine reads a circuit node by node:
//!
//! ```
//! use blindcore_circuits::ir::{Node, Operands};
//! use blindcore_circuits::{Builder, Circuit, Op, Profile, Sum, Tables, Term, Wire};
//!
//! let mut build = Builder::new(&Profile::lookup_simulation());
//! let (a, b) = (build.input(), build.input());
//! // Sum and carry of two bits are both functions of t = a + b.
//! let half_adder = build.lookup(&[(a, 1), (b, 1)], 0, &[0b010, 0b100]);
//! build.output(half_adder[0]);
//! build.output(!half_adder[1]);
//! let circuit: Circuit = build.finish();
//! assert_eq!((circuit.is_empty(), circuit.len(), circuit.signals()), (false, 3, 5));
//!
//! let last: Node = circuit.nodes().last().unwrap();
//! assert_eq!((circuit.op(last).name(), circuit.level(last)), ("lookup", 1));
//! let Op::Lookup { sum, tables } = circuit.op(last) else { unreachable!() };
//! let term = |wire| Term { wire, weight: 1 };
//! assert_eq!(sum, Sum { terms: &[term(a), term(b)], constant: 0, max: 2 });
//! assert_eq!((tables, tables.is_empty()), (Tables::new(&[0b010, 0b100]), false));
//! let operands: Operands = circuit.op(last).operands();
//! assert_eq!(operands.collect::<Vec<Wire>>(), [a, b]);
//!
//! // Each table is a signal of its own.
//! let masks: Vec<u16> = circuit.signals_of(last).map(|signal| circuit.mask(signal)).collect();
//! assert_eq!(masks, [0b010, 0b100]);
//! assert_eq!(circuit.source(circuit.outputs()[1].signal()), Some(last));
//! let (circuit, inverted) = circuit.with_positive_outputs();
//! assert_eq!(inverted, [false, true]);
//! assert!(!circuit.outputs()[1].is_inverted());
//! ```

mod addition;
mod apart;
mod bounds;
mod cause;
pub(crate) mod chosen;
mod circuit;
mod half;
mod op;
pub mod table;
pub(crate) mod variance;
mod wire;

pub(crate) use addition::Addition;
pub(crate) use bounds::Bounds;
pub use cause::Cause;
pub(crate) use cause::Causes;
pub use circuit::{Circuit, Node};
pub(crate) use circuit::{Parts, Record};
pub use half::HalfNoise;
pub(crate) use half::{DECRYPTED, HalfInputs};
pub use op::{Load, Op, Operands, SELECTOR_MAX, Store, Sum, Tables, Term};
pub use wire::{Signal, Wire};
