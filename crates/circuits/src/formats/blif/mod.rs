//! BLIF, the Berkeley Logic Interchange Format, of combinational circuits.
//!
//! ```text
//! .model name
//! .inputs a[0] a[1] b        a word's bits carry their index; the least significant is a[0]
//! .outputs y
//! .names a[0] a[1] b y       y is 1 exactly where a row of the cover holds …
//! 11- 1                      (- reads nothing)
//! --0 1
//! .end
//! ```
//!
//! Rows that end with 0 say where the output is 0 instead; a cover without rows is the constant 0,
//! one without inputs and the row `1` the constant 1. A `#` begins a comment, a backslash at the
//! end continues the line. Don't-cares of the output do not exist in a cover, and the network of
//! don't-cares (`.exdc`), registers and submodels are errors that say what to do.
//!
//! The format lets `.inputs` and `.end` be left out. Here they must stand: without them a file that
//! is cut short, or that forgot to drive a wire, would be another circuit.
//!
//! A cover of up to six inputs is recorded as the function that it is; a wider one as its cubes.
//!
//! Source: *Berkeley Logic Interchange Format*, University of California, 1992. Reading and
//! writing are linear in the file.
//!
//! ```
//! use blindcore_circuits::Profile;
//! use blindcore_circuits::formats::blif;
//!
//! let text = ".model and\n.inputs a[0] a[1]\n.outputs y\n.names a[0] a[1] y\n11 1\n.end\n";
//! let netlist = blif::read(text.as_bytes())?;
//! let circuit = netlist.circuit(&Profile::gate_simulation());
//! // What is written means the same to whoever reads it.
//! let written = blif::write(netlist.interface(), &circuit)?;
//! assert_eq!(blif::read(written.as_bytes())?.interface(), netlist.interface());
//! # Ok::<(), blindcore_circuits::formats::FormatError>(())
//! ```

mod read;
mod write;

pub use read::read;
pub use write::write;
