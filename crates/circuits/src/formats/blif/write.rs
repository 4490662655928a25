//! Writing BLIF.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::Circuit;
use crate::formats::port_names::PortNames;
use crate::formats::{FormatError, Interface, Port, Selections, gates};
use crate::ir::{Op, Signal, Wire};

/// Names in a line of `.inputs` or `.outputs`.
const NAMES_PER_LINE: usize = 12;

/// The circuit in BLIF: ANDs of literals, XORs and selections of two levels. Names that the format
/// cannot hold, or that two bits have, are changed by underscores.
///
/// # Errors
/// If the interface has other bits than the circuit.
pub fn write(interface: &Interface, circuit: &Circuit) -> Result<String, FormatError> {
    interface.fits(circuit)?;
    let circuit = &gates(circuit, Selections::Kept);
    let mut ports = PortNames::default();
    let inputs = bit_names(&interface.inputs, &mut ports);
    let outputs = bit_names(&interface.outputs, &mut ports);
    let mut taken: HashSet<String> = inputs.iter().chain(&outputs).cloned().collect();

    let mut text = String::new();
    let model = match interface.name.as_str() {
        "" => "circuit".to_owned(),
        name => plain(name),
    };
    // Writing to a string cannot fail.
    let _ = writeln!(text, ".model {model}");
    list(&mut text, ".inputs", &inputs);
    list(&mut text, ".outputs", &outputs);

    // By signal. A gate whose wire is an output takes the output's name.
    let mut names: Vec<Option<String>> = vec![None; circuit.signals()];
    let mut named = vec![false; outputs.len()];
    for ((wire, name), named) in circuit.outputs().iter().zip(&outputs).zip(&mut named) {
        let of_gate = circuit
            .source(wire.signal())
            .is_some_and(|node| !matches!(circuit.op(node), Op::Input(_) | Op::Refresh(_)));
        let slot = &mut names[wire.signal().index()];
        if of_gate && !wire.is_inverted() && slot.is_none() {
            *slot = Some(name.clone());
            *named = true;
        }
    }
    // By signal: where the bit is read, another wire for a refresh.
    let mut places: Vec<Wire> = (0..circuit.signals() as u32)
        .map(|signal| Wire::from(Signal(signal)))
        .collect();
    let at =
        |places: &[Wire], wire: Wire| places[wire.signal().index()].invert_if(wire.is_inverted());
    for node in circuit.nodes() {
        let Some(signal) = circuit.signals_of(node).next() else {
            continue;
        };
        let op = circuit.op(node);
        let slot = &mut names[signal.index()];
        match op {
            Op::Input(number) => *slot = inputs.get(number as usize).cloned(),
            Op::Refresh(a) => places[signal.index()] = at(&places, a),
            _ if slot.is_none() => {
                *slot = Some(unique(format!("n{}", signal.index()), &mut taken));
            }
            _ => {}
        }
        let name = |wire: Wire| names[wire.signal().index()].as_deref().unwrap_or("");
        // The name, and how the row writes a bit that is 1 and one that is 0.
        let literal = |wire: Wire| {
            let wire = at(&places, wire);
            let values = if wire.is_inverted() { [0, 1] } else { [1, 0] };
            (name(wire), values)
        };
        let out = name(Wire::from(signal));
        let _ = match op {
            Op::And(a, b) => {
                let ((a, [a1, _]), (b, [b1, _])) = (literal(a), literal(b));
                writeln!(text, ".names {a} {b} {out}\n{a1}{b1} 1")
            }
            Op::Xor(a, b) => {
                let ((a, [a1, a0]), (b, [b1, b0])) = (literal(a), literal(b));
                writeln!(text, ".names {a} {b} {out}\n{a1}{b0} 1\n{a0}{b1} 1")
            }
            Op::Mux {
                select,
                then,
                otherwise,
            } => {
                let (s, [s1, s0]) = literal(select);
                let ((t, [t1, _]), (e, [e1, _])) = (literal(then), literal(otherwise));
                writeln!(text, ".names {s} {t} {e} {out}\n{s1}{t1}- 1\n{s0}-{e1} 1")
            }
            // The target has no others.
            _ => Ok(()),
        };
    }
    for ((&wire, out), named) in circuit.outputs().iter().zip(&outputs).zip(named) {
        let wire = at(&places, wire);
        let _ = match (wire.as_constant(), named) {
            (_, true) => Ok(()),
            (Some(false), _) => writeln!(text, ".names {out}"),
            (Some(true), _) => writeln!(text, ".names {out}\n1"),
            (None, _) => {
                let from = names[wire.signal().index()].as_deref().unwrap_or("");
                writeln!(
                    text,
                    ".names {from} {out}\n{} 1",
                    u8::from(!wire.is_inverted())
                )
            }
        };
    }
    text.push_str(".end\n");
    Ok(text)
}

/// A command and its names, some in each line.
fn list(text: &mut String, command: &str, names: &[String]) {
    text.push_str(command);
    for (at, name) in names.iter().enumerate() {
        if at > 0 && at % NAMES_PER_LINE == 0 {
            text.push_str(" \\\n");
        }
        text.push(' ');
        text.push_str(name);
    }
    text.push('\n');
}

/// The names of bits; all bits of a word keep one name, or take another together.
fn bit_names(ports: &[Port], taken: &mut PortNames) -> Vec<String> {
    let mut names = Vec::with_capacity(ports.iter().map(|port| port.width).sum());
    for port in ports {
        let name = taken.unique(plain(&port.name), port.width);
        let word = Port::new(name, port.width);
        names.extend((0..word.width).map(|index| word.bit(index)));
    }
    names
}

/// A name that nobody has.
fn unique(mut name: String, taken: &mut HashSet<String>) -> String {
    while taken.contains(&name) {
        name.push('_');
    }
    taken.insert(name.clone());
    name
}

/// A name without what separates, continues or comments.
fn plain(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_graphic() && !"#\\=".contains(c);
    let mut plain: String = name
        .chars()
        .map(|c| if allowed(c) { c } else { '_' })
        .collect();
    if plain.is_empty() || plain.starts_with('.') {
        plain.insert(0, '_');
    }
    plain
}
