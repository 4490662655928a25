//! Circuits of other people: files in, files out.
//!
//! | format | read | written | module |
//! |---|---|---|---|
//! | Bristol Fashion, and the older Bristol Format | yes | Fashion | [`bristol`] |
//! | BLIF, combinational | yes | yes | [`blif`] |
//! | the JSON of Yosys (`write_json`), simple cells | yes | yes | [`yosys`] |
//!
//! A reader makes a [`Netlist`]: gates in topological order and named words
//! ([`Interface`]). [`Netlist::circuit`] records it for a target, [`Netlist::record`] into a
//! builder that has more to do. A writer takes any circuit; what the format lacks (lookups,
//! parities, refreshes) is written in gates first.
//!
//! Gates may come in any order. A file that is truncated, loops, reads what nothing drives or
//! drives a wire twice gets a [`FormatError`] with its place; nothing is allocated by a size that
//! stands in a file.
//!
//! ```
//! use blindcore_circuits::{Profile, formats::bristol, sim};
//!
//! let half_adder = "2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n";
//! let netlist = bristol::read(half_adder.as_bytes())?;
//! assert_eq!(netlist.interface().inputs[1].name, "b");
//! let circuit = netlist.circuit(&Profile::gate_simulation());
//! assert_eq!(sim::evaluate(&circuit, &[0b0011, 0b0101]).unwrap(), [0b0110, 0b0001]);
//! assert_eq!(bristol::write(netlist.interface(), &circuit)?, half_adder);
//! # Ok::<(), blindcore_circuits::formats::FormatError>(())
//! ```
//!
//! Which format a file has is said by its name or its first bytes; what is wrong with it, by an
//! error that a program can read, too:
//!
//! ```
//! use blindcore_circuits::formats::{Format, FormatError, Netlist, Place, Problem, UnknownFormat};
//! use blindcore_circuits::{Builder, Profile};
//!
//! let text = b".model and\n.inputs a[0] a[1]\n.outputs y\n.names a[0] a[1] y\n11 1\n.end\n";
//! assert_eq!(Format::of_name("and.blif"), Some(Format::Blif));
//! assert_eq!(Format::of_content(text), Some(Format::Blif));
//! assert_eq!("verilog".parse::<Format>(), Err(UnknownFormat));
//! assert_eq!(Format::ALL.map(Format::name), ["bristol", "blif", "yosys"]);
//!
//! // A circuit of somebody else as a part of one's own.
//! let netlist: Netlist = Format::Blif.read(text)?;
//! assert_eq!((netlist.gates(), netlist.kinds().len()), (1, 1));
//! let mut build = Builder::new(&Profile::gate_simulation());
//! let word = build.inputs(netlist.interface().input_bits());
//! assert_eq!(netlist.record(&mut build, &word), [build.and(word[0], word[1])]);
//!
//! let FormatError { place, problem } = Format::Blif.read(b".model broken\n.inputs a\n.frob\n").unwrap_err();
//! assert!(matches!(place, Place::Column(3, 1)), "{place}");
//! assert!(matches!(problem, Problem::Unexpected { .. }), "{problem}");
//! # Ok::<(), FormatError>(())
//! ```

pub mod blif;
pub mod bristol;
mod draft;
mod error;
mod interface;
mod lines;
mod netlist;
mod port_names;
pub mod yosys;

pub use error::{FormatError, Place, Problem};
pub use interface::{Interface, Meaning, Port};
pub use netlist::Netlist;

use std::fmt;
use std::str::FromStr;

use crate::{Circuit, Profile, passes};

/// A format of files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Bristol Fashion, or the older Bristol Format.
    Bristol,
    /// BLIF.
    Blif,
    /// The JSON of Yosys.
    Yosys,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bristol, Self::Blif, Self::Yosys];

    /// The format that a file's name says: `.txt` and `.bristol`, `.blif`, `.json`.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "txt" | "bristol" => Some(Self::Bristol),
            "blif" => Some(Self::Blif),
            "json" => Some(Self::Yosys),
            _ => None,
        }
    }

    /// The format that a file's first bytes say: a brace, a number, a dot or a comment.
    #[must_use]
    pub fn of_content(bytes: &[u8]) -> Option<Self> {
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace())? {
            b'{' => Some(Self::Yosys),
            b'0'..=b'9' => Some(Self::Bristol),
            b'.' | b'#' => Some(Self::Blif),
            _ => None,
        }
    }

    /// Reads a circuit.
    ///
    /// # Errors
    /// A [`FormatError`] that says where.
    pub fn read(self, bytes: &[u8]) -> Result<Netlist, FormatError> {
        match self {
            Self::Bristol => bristol::read(bytes),
            Self::Blif => blif::read(bytes),
            Self::Yosys => yosys::read(bytes),
        }
    }

    /// Writes a circuit.
    ///
    /// # Errors
    /// If the interface has other bits than the circuit.
    pub fn write(self, interface: &Interface, circuit: &Circuit) -> Result<String, FormatError> {
        match self {
            Self::Bristol => bristol::write(interface, circuit),
            Self::Blif => blif::write(interface, circuit),
            Self::Yosys => yosys::write(interface, circuit),
        }
    }

    /// The name by which it is asked for.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bristol => "bristol",
            Self::Blif => "blif",
            Self::Yosys => "yosys",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No format has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no such format; there are bristol, blif, yosys")]
pub struct UnknownFormat;

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let mut all = Self::ALL.into_iter();
        all.find(|format| format.name() == name)
            .ok_or(UnknownFormat)
    }
}

/// What becomes of selections.
#[derive(Clone, Copy)]
enum Selections {
    /// They stay.
    Kept,
    /// One AND and two XORs each.
    Expanded,
}

/// The circuit in AND and XOR, and perhaps selections; nothing that no output needs. Refreshes
/// stay, and mean nothing.
fn gates(circuit: &Circuit, selections: Selections) -> Circuit {
    let mut profile = Profile::gate_simulation();
    profile.cost.mux = match selections {
        Selections::Kept => profile.cost.and,
        Selections::Expanded => f64::INFINITY,
    };
    passes::remove_dead(&passes::expand(circuit, &profile))
}
