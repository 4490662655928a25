//! Bristol Fashion: the interchange format of multi-party computation.
//!
//! ```text
//! gates wires
//! niv size … size            words of the inputs
//! nov size … size            words of the outputs
//!
//! 2 1 a b out XOR            one gate a line, in topological order: numbers of operands and of
//! 2 1 a b out AND            results, operands, results, kind
//! 1 1 a out INV
//! 1 1 0 out EQ               the constant 0 or 1
//! 1 1 a out EQW              a copy
//! 4 2 a b c d out out MAND   out₀ = a ∧ c, out₁ = b ∧ d
//! ```
//!
//! The first wires are the inputs, word after word, the last ones the outputs; a word's first wire
//! is its least significant bit. The older *Bristol Format* has one line `bits-of-the-first-input
//! bits-of-the-second bits-of-the-output` instead of the second and third; it is told by the gate
//! that follows. Neither has names: input words are called `a`, `b`, `c` …, outputs `out`, or
//! `out0`, `out1` … where there are several.
//!
//! Source: <https://homes.esat.kuleuven.be/~nsmart/MPC/> (N. Smart et al.). Reading and writing
//! are linear in the file.

mod read;
mod write;

pub use read::read;
pub use write::write;
