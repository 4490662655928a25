//! Writing Bristol Fashion.

use std::fmt::Write as _;

use crate::Circuit;
use crate::formats::{FormatError, Interface, Selections, gates};
use crate::ir::{Op, Wire};

/// What a wire of the file is computed by; operands are positions in the list of lines.
enum Line {
    Input,
    Gate(&'static str, [usize; 2]),
    Copy(usize),
    Not(usize),
    Constant(bool),
}

/// The circuit in Bristol Fashion, in AND, XOR and INV; outputs that are inputs, constants or
/// equal to others take an EQ or EQW. What the format cannot say, names, is left out.
///
/// # Errors
/// If the interface has other bits than the circuit.
pub fn write(interface: &Interface, circuit: &Circuit) -> Result<String, FormatError> {
    interface.fits(circuit)?;
    let circuit = &gates(circuit, Selections::Expanded);
    let mut list = List {
        lines: (0..circuit.inputs()).map(|_| Line::Input).collect(),
        plain: vec![None; circuit.signals()],
        inverted: vec![None; circuit.signals()],
    };
    for node in circuit.nodes() {
        let Some(signal) = circuit.signals_of(node).next() else {
            continue;
        };
        let line = match circuit.op(node) {
            Op::Input(number) => number as usize,
            Op::And(a, b) => {
                let operands = [list.wire(a), list.wire(b)];
                list.push(Line::Gate("AND", operands))
            }
            Op::Xor(a, b) => {
                let operands = [list.wire(a), list.wire(b)];
                list.push(Line::Gate("XOR", operands))
            }
            Op::Refresh(a) => list.wire(a),
            // The target has no others.
            _ => continue,
        };
        list.plain[signal.index()] = Some(line);
    }
    // Each output is a line of its own, that of its gate where no other output has it.
    let mut is_output = Vec::new();
    let mut outputs = Vec::with_capacity(circuit.outputs().len());
    for &wire in circuit.outputs() {
        let line = match wire.as_constant() {
            Some(value) => list.push(Line::Constant(value)),
            None => list.wire(wire),
        };
        is_output.resize(list.lines.len(), false);
        let line = if is_output[line] || matches!(list.lines[line], Line::Input) {
            list.push(Line::Copy(line))
        } else {
            line
        };
        is_output.resize(list.lines.len(), false);
        is_output[line] = true;
        outputs.push(line);
    }
    // Without outputs nothing has told how many lines there are.
    is_output.resize(list.lines.len(), false);
    Ok(list.text(interface, &outputs, &is_output))
}

/// Lines so far, and by signal where the bit and its inverse stand.
struct List {
    lines: Vec<Line>,
    plain: Vec<Option<usize>>,
    inverted: Vec<Option<usize>>,
}

impl List {
    fn push(&mut self, line: Line) -> usize {
        self.lines.push(line);
        self.lines.len() - 1
    }

    /// The line of a wire that is not constant.
    fn wire(&mut self, wire: Wire) -> usize {
        let signal = wire.signal().index();
        let plain = self.plain[signal].unwrap_or(0);
        if !wire.is_inverted() {
            return plain;
        }
        if let Some(line) = self.inverted[signal] {
            return line;
        }
        let line = self.push(Line::Not(plain));
        self.inverted[signal] = Some(line);
        line
    }

    fn text(&self, interface: &Interface, outputs: &[usize], is_output: &[bool]) -> String {
        let mut number = vec![0usize; self.lines.len()];
        let inner = self.lines.len() - outputs.len();
        for (at, &line) in outputs.iter().enumerate() {
            number[line] = inner + at;
        }
        let rest = (0..self.lines.len()).filter(|&line| !is_output[line]);
        for (at, line) in rest.enumerate() {
            number[line] = at;
        }
        let inputs = interface.input_bits();
        let mut text = format!("{} {}\n", self.lines.len() - inputs, self.lines.len());
        for ports in [&interface.inputs, &interface.outputs] {
            // Writing to a string cannot fail.
            let _ = write!(text, "{}", ports.len());
            for port in ports {
                let _ = write!(text, " {}", port.width);
            }
            text.push('\n');
        }
        text.push('\n');
        for (line, out) in self.lines.iter().zip(&number) {
            let _ = match *line {
                Line::Input => Ok(()),
                Line::Gate(kind, [a, b]) => {
                    writeln!(text, "2 1 {} {} {out} {kind}", number[a], number[b])
                }
                Line::Copy(a) => writeln!(text, "1 1 {} {out} EQW", number[a]),
                Line::Not(a) => writeln!(text, "1 1 {} {out} INV", number[a]),
                Line::Constant(value) => writeln!(text, "1 1 {} {out} EQ", u8::from(value)),
            };
        }
        text
    }
}
