//! Writing the JSON of Yosys.

use serde::Serialize;

use super::document::{Bit, Entries};
use crate::Circuit;
use crate::formats::port_names::PortNames;
use crate::formats::{FormatError, Interface, Meaning, Port, Problem, Selections, gates};
use crate::ir::{Op, Wire};

#[derive(Serialize)]
struct Document {
    creator: &'static str,
    modules: Entries<Module>,
}

#[derive(Serialize)]
struct Module {
    attributes: Top,
    ports: Entries<Edge>,
    cells: Entries<Cell>,
    netnames: Entries<Net>,
}

#[derive(Serialize)]
struct Top {
    top: u8,
}

#[derive(Serialize)]
struct Edge {
    direction: &'static str,
    bits: Vec<Bit>,
    #[serde(skip_serializing_if = "is_unsigned")]
    signed: u8,
}

#[derive(Serialize)]
struct Cell {
    hide_name: u8,
    #[serde(rename = "type")]
    kind: &'static str,
    port_directions: Entries<&'static str>,
    connections: Entries<[Bit; 1]>,
}

#[derive(Serialize)]
struct Net {
    hide_name: u8,
    bits: Vec<Bit>,
}

fn is_unsigned(signed: &u8) -> bool {
    *signed == 0
}

/// The circuit in the JSON of Yosys: `$_AND_`, `$_ANDNOT_`, `$_NOR_`, `$_XOR_`, `$_XNOR_`, `$_MUX_`
/// and `$_NOT_`. Ports keep their order and signs; a name that two words have, or that Yosys cannot
/// hold, is changed by underscores, and words of no bits are left out.
///
/// # Errors
/// If the interface has other bits than the circuit.
pub fn write(interface: &Interface, circuit: &Circuit) -> Result<String, FormatError> {
    interface.fits(circuit)?;
    let circuit = &gates(circuit, Selections::Kept);
    let mut draft = Draft::default();
    // By signal: where its bit is read.
    let mut places: Vec<Bit> = vec![Bit::Net(0); circuit.signals()];
    let mut inverted: Vec<Option<u64>> = vec![None; circuit.signals()];
    let mut inputs = vec![Bit::Net(0); circuit.inputs()];
    for bit in &mut inputs {
        *bit = Bit::Net(draft.net());
    }
    for node in circuit.nodes() {
        let Some(signal) = circuit.signals_of(node).next() else {
            continue;
        };
        let mut read = |draft: &mut Draft, wire: Wire| draft.read(wire, &places, &mut inverted);
        let (kind, operands): (_, Vec<(&str, Bit)>) = match circuit.op(node) {
            Op::Input(number) => {
                if let Some(bit) = inputs.get(number as usize) {
                    places[signal.index()] = bit.clone();
                }
                continue;
            }
            Op::Refresh(a) => {
                places[signal.index()] = read(&mut draft, a);
                continue;
            }
            Op::And(a, b) => {
                // Of one inverted operand it is the second that the cell inverts.
                let (a, b, kind) = match (a.is_inverted(), b.is_inverted()) {
                    (false, false) => (a, b, "$_AND_"),
                    (false, true) => (a, !b, "$_ANDNOT_"),
                    (true, false) => (b, !a, "$_ANDNOT_"),
                    (true, true) => (!a, !b, "$_NOR_"),
                };
                let (a, b) = (read(&mut draft, a), read(&mut draft, b));
                (kind, vec![("A", a), ("B", b)])
            }
            Op::Xor(a, b) => {
                let upright = |wire: Wire| wire.invert_if(wire.is_inverted());
                let kind = match a.is_inverted() == b.is_inverted() {
                    true => "$_XOR_",
                    false => "$_XNOR_",
                };
                let (a, b) = (read(&mut draft, upright(a)), read(&mut draft, upright(b)));
                (kind, vec![("A", a), ("B", b)])
            }
            Op::Mux {
                select,
                then,
                otherwise,
            } => {
                let (select, then, otherwise) = match select.is_inverted() {
                    true => (!select, otherwise, then),
                    false => (select, then, otherwise),
                };
                let [a, b, s] = [otherwise, then, select].map(|wire| read(&mut draft, wire));
                ("$_MUX_", vec![("A", a), ("B", b), ("S", s)])
            }
            // The target has no others.
            _ => continue,
        };
        places[signal.index()] = Bit::Net(draft.cell(kind, operands));
    }
    let outputs: Vec<Bit> = circuit
        .outputs()
        .iter()
        .map(|&wire| draft.read(wire, &places, &mut inverted))
        .collect();

    let mut taken = PortNames::default();
    let mut ports = edge("input", &interface.inputs, inputs, &mut taken);
    ports.extend(edge("output", &interface.outputs, outputs, &mut taken));
    let nets = ports.iter().map(|(name, port)| {
        let bits = port.bits.clone();
        (name.clone(), Net { hide_name: 0, bits })
    });
    let module = Module {
        attributes: Top { top: 1 },
        netnames: Entries(nets.collect()),
        ports: Entries(ports),
        cells: Entries(draft.cells),
    };
    let document = Document {
        creator: concat!("Blindcore ", env!("CARGO_PKG_VERSION")),
        modules: Entries(vec![(plain(&interface.name, "circuit"), module)]),
    };
    // Texts and numbers have a form in JSON: nothing here fails.
    let text = serde_json::to_string_pretty(&document).map_err(|error| {
        let reason = error.to_string();
        Problem::Json { reason }.at(crate::formats::Place::File)
    })?;
    Ok(text + "\n")
}

/// Cells so far, and how many nets they take. Yosys counts from 2.
#[derive(Default)]
struct Draft {
    cells: Vec<(String, Cell)>,
    nets: u64,
}

impl Draft {
    fn net(&mut self) -> u64 {
        self.nets += 1;
        self.nets + 1
    }

    /// One more cell; the net that it drives.
    fn cell(&mut self, kind: &'static str, operands: Vec<(&str, Bit)>) -> u64 {
        let out = self.net();
        let ports = operands
            .iter()
            .map(|(name, _)| ((*name).to_owned(), "input"));
        let result = std::iter::once(("Y".to_owned(), "output"));
        let directions = ports.chain(result).collect();
        let connections = operands
            .into_iter()
            .chain([("Y", Bit::Net(out))])
            .map(|(name, bit)| (name.to_owned(), [bit]));
        let cell = Cell {
            hide_name: 1,
            kind,
            connections: Entries(connections.collect()),
            port_directions: Entries(directions),
        };
        self.cells.push((format!("$gate${out}"), cell));
        out
    }

    /// Where a wire is read: its signal's net, behind a `$_NOT_` where it is inverted.
    fn read(&mut self, wire: Wire, places: &[Bit], inverted: &mut [Option<u64>]) -> Bit {
        if let Some(value) = wire.as_constant() {
            return Bit::Constant(u8::from(value).to_string());
        }
        let signal = wire.signal().index();
        if !wire.is_inverted() {
            return places[signal].clone();
        }
        let net = match inverted[signal] {
            Some(net) => net,
            None => self.cell("$_NOT_", vec![("A", places[signal].clone())]),
        };
        inverted[signal] = Some(net);
        Bit::Net(net)
    }
}

/// What is more than a bit has only the name of its word.
const WORD: usize = 2;

/// Words as ports, with names that nobody has yet.
fn edge(
    direction: &'static str,
    words: &[Port],
    bits: Vec<Bit>,
    taken: &mut PortNames,
) -> Vec<(String, Edge)> {
    let mut bits = bits.into_iter();
    let mut ports = Vec::new();
    for word in words.iter().filter(|word| word.width > 0) {
        // Bits have numbers: all that counts is what words are called, whatever their width.
        let name = taken.unique(plain(&word.name, direction), WORD);
        let port = Edge {
            direction,
            bits: bits.by_ref().take(word.width).collect(),
            signed: u8::from(word.meaning == Meaning::Signed),
        };
        ports.push((name, port));
    }
    ports
}

/// A name as Yosys has it: visible letters, and none of its own that begin with `$` or `\`.
fn plain(name: &str, otherwise: &str) -> String {
    let mut plain: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() { c } else { '_' })
        .collect();
    if plain.starts_with(['$', '\\']) {
        plain.insert(0, '_');
    }
    match plain.as_str() {
        "" => otherwise.to_owned(),
        _ => plain,
    }
}
