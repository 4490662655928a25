//! The netlists that Yosys writes (`write_json`) and reads (`read_json`), of its simple cells.
//!
//! | cells | |
//! |---|---|
//! | `$_BUF_ $_NOT_` | of A |
//! | `$_AND_ $_NAND_ $_OR_ $_NOR_ $_XOR_ $_XNOR_ $_ANDNOT_ $_ORNOT_` | of A and B |
//! | `$_MUX_ $_NMUX_` | B where S is 1, else A |
//! | `$_AOI3_ $_OAI3_ $_AOI4_ $_OAI4_` | ¬((A∧B)∨C), ¬((A∨B)∧C), ¬((A∧B)∨(C∧D)), ¬((A∨B)∧(C∨D)) |
//! | `$lut` | entry A of the parameter LUT |
//!
//! `synth -flatten; abc -g AND,XOR,MUX` makes such a netlist of any combinational design; registers
//! and cells of whole words are errors that say so. A constant `x`, which may be either, is 0. The
//! ports keep their names, widths, order and signs; a port's first bit is the least significant.
//! Where the file has several modules, the one that is marked `top` is read.
//!
//! Source: the Yosys manual, `write_json` and the chapter on the internal cell library.
//!
//! ```
//! use blindcore_circuits::formats::yosys;
//! use blindcore_circuits::{Profile, sim};
//!
//! // Bits are numbers; 2 and 3 go in, 4 comes out.
//! let netlist = yosys::read(br#"{"modules": {"and": {
//!     "ports": {
//!         "a": {"direction": "input", "bits": [2, 3]},
//!         "y": {"direction": "output", "bits": [4]}
//!     },
//!     "cells": {"gate": {"type": "$_AND_", "connections": {"A": [2], "B": [3], "Y": [4]}}}
//! }}}"#)?;
//! let circuit = netlist.circuit(&Profile::gate_simulation());
//! assert_eq!(sim::evaluate(&circuit, &[0b0011, 0b0101]).unwrap(), [0b0001]);
//! let again = yosys::read(yosys::write(netlist.interface(), &circuit)?.as_bytes())?;
//! assert_eq!(again.interface(), netlist.interface());
//! # Ok::<(), blindcore_circuits::formats::FormatError>(())
//! ```

mod cells;
mod document;
mod write;

use std::collections::{HashMap, HashSet};

use super::draft::{Draft, Mark, Names, Net, Read};
use super::error::{at_most, shortened};
use super::lines::text;
use super::{FormatError, Interface, Meaning, Netlist, Place, Port, Problem};
use document::{Bit, Document, Module};

pub use write::write;

/// Reads a circuit.
///
/// # Errors
/// A [`FormatError`] that names the line of what is not JSON, else the cell or port.
pub fn read(bytes: &[u8]) -> Result<Netlist, FormatError> {
    let document: Document = serde_json::from_str(text(bytes)?).map_err(|error| {
        let place = match error.line() {
            0 => Place::File,
            line => Place::Column(line, error.column()),
        };
        let reason = error.to_string();
        // The place is said already.
        let reason = reason.split(" at line ").next().unwrap_or(&reason);
        let reason = at_most(120, reason);
        Problem::Json { reason }.at(place)
    })?;
    let (name, module) = top(&document)?;
    let mut reader = Reader {
        document: &document,
        module,
        draft: Draft::default(),
        nets: HashMap::new(),
        numbers: Numbers {
            module,
            numbers: Vec::new(),
        },
    };
    reader.ports()?;
    for at in 0..module.cells.0.len() {
        cells::read(&mut reader, at)?;
    }
    reader.finish(name)
}

/// The module to read.
fn top(document: &Document) -> Result<(&str, &Module), FormatError> {
    let modules = &document.modules.0;
    let marked = modules.iter().filter(|(_, module)| module.is_top());
    let mut candidates: Vec<&(String, Module)> = marked.collect();
    if candidates.is_empty() {
        candidates = modules.iter().collect();
    }
    match candidates.as_slice() {
        [(name, module)] => Ok((name, module)),
        [] => {
            let expected = "a module".to_owned();
            Err(Problem::Missing { expected }.at(Place::File))
        }
        [(first, _), (second, _), ..] => Err(Problem::Unsupported {
            what: format!(
                "a file of several modules ('{}', '{}' …)",
                shortened(first),
                shortened(second)
            ),
            advice: "say which is meant (yosys: synth -flatten -top NAME)".to_owned(),
        }
        .at(Place::File)),
    }
}

struct Reader<'a> {
    document: &'a Document,
    module: &'a Module,
    draft: Draft,
    nets: HashMap<u64, Net>,
    numbers: Numbers<'a>,
}

/// Names of nets and places. Marks below the number of cells are cells, then come ports.
struct Numbers<'a> {
    module: &'a Module,
    /// Nets of the file and their numbers there.
    numbers: Vec<(Net, u64)>,
}

impl Names for Numbers<'_> {
    fn net(&self, net: Net) -> String {
        // Both grow together.
        let Ok(at) = self.numbers.binary_search_by_key(&net.0, |(net, _)| net.0) else {
            return "an inner wire".to_owned();
        };
        let number = self.numbers[at].1;
        for (name, bits) in &self.module.netnames.0 {
            let place = bits.bits.iter().position(|bit| *bit == Bit::Net(number));
            match place {
                Some(_) if bits.bits.len() == 1 => return shortened(name),
                Some(place) => return format!("{}[{place}]", shortened(name)),
                None => {}
            }
        }
        format!("wire {number}")
    }

    fn place(&self, mark: Mark) -> Place {
        let mark = mark as usize;
        let cells = &self.module.cells.0;
        let ports = &self.module.ports.0;
        let name = match (cells.get(mark), ports.get(mark.wrapping_sub(cells.len()))) {
            (Some((name, _)), _) => format!("cell '{}'", shortened(name)),
            (None, Some((name, _))) => format!("port '{}'", shortened(name)),
            (None, None) => return Place::File,
        };
        Place::Part(name)
    }
}

impl Reader<'_> {
    fn mark(&self, port: usize) -> Mark {
        (self.module.cells.0.len() + port) as Mark
    }

    /// A bit as it is read.
    fn bit(&mut self, bit: &Bit, mark: Mark) -> Result<Read, FormatError> {
        match bit {
            Bit::Net(number) => {
                let (draft, numbers) = (&mut self.draft, &mut self.numbers.numbers);
                let net = *self.nets.entry(*number).or_insert_with(|| {
                    let net = draft.net();
                    numbers.push((net, *number));
                    net
                });
                Ok(Read::from(net))
            }
            Bit::Constant(text) => match text.as_str() {
                "0" | "x" => Ok(Read::Constant(false)),
                "1" => Ok(Read::Constant(true)),
                _ => {
                    let expected = "a wire's number, \"0\", \"1\" or \"x\"";
                    Err(Problem::unexpected(expected, text).at(self.numbers.place(mark)))
                }
            },
        }
    }

    /// A bit as it is driven.
    fn driven(&mut self, bit: &Bit, mark: Mark) -> Result<Net, FormatError> {
        match self.bit(bit, mark)? {
            Read::Net { net, .. } => Ok(net),
            Read::Constant(value) => {
                let found = u8::from(value).to_string();
                let expected = "a wire to be driven";
                Err(Problem::unexpected(expected, &found).at(self.numbers.place(mark)))
            }
        }
    }

    fn ports(&mut self) -> Result<(), FormatError> {
        let module = self.module;
        let mut seen = HashSet::new();
        for (at, (name, port)) in module.ports.0.iter().enumerate() {
            let mark = self.mark(at);
            if !seen.insert(name) {
                let (what, name) = ("ports", shortened(name));
                return Err(Problem::SameName { what, name }.at(self.numbers.place(mark)));
            }
            match port.direction.as_str() {
                "input" => {
                    for bit in &port.bits {
                        let net = self.driven(bit, mark)?;
                        self.draft.input(net, mark, &self.numbers)?;
                    }
                }
                "output" => {}
                _ => {
                    return Err(Problem::Unsupported {
                        what: format!("a port of direction '{}'", shortened(&port.direction)),
                        advice: "make an input and an output of it".to_owned(),
                    }
                    .at(self.numbers.place(mark)));
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, name: &str) -> Result<Netlist, FormatError> {
        let module = self.module;
        let mut interface = Interface {
            name: name.to_owned(),
            ..Interface::default()
        };
        let mut bits = Vec::new();
        for (at, (name, port)) in module.ports.0.iter().enumerate() {
            let mark = self.mark(at);
            let word = Port {
                name: name.clone(),
                width: port.bits.len(),
                meaning: match port.signed {
                    0 => Meaning::Unsigned,
                    _ => Meaning::Signed,
                },
            };
            if port.direction == "input" {
                interface.inputs.push(word);
                continue;
            }
            for bit in &port.bits {
                bits.push((self.bit(bit, mark)?, mark));
            }
            interface.outputs.push(word);
        }
        self.draft.finish(interface, &bits, &self.numbers)
    }
}
