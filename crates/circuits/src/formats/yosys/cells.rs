//! The simple cells, one by one.

use serde_json::{Number, Value};

use super::Reader;
use super::document::{Bit, Cell};
use crate::formats::draft::{Mark, Names, Read};
use crate::formats::error::shortened;
use crate::formats::netlist::Function;
use crate::formats::{FormatError, Problem};

/// Most inputs of a `$lut`: its table has 2^k entries.
const LUT_INPUTS: usize = 20;

const SYNTHESISE: &str = "run yosys with: synth -flatten; abc -g AND,XOR,MUX; write_json FILE";

/// How the kinds of registers and memories begin, mapped or not.
const REGISTERS: [&str; 15] = [
    "$_DFF", "$_SDFF", "$_ALDFF", "$_DLATCH", "$_SR_", "$_FF_", "$dff", "$adff", "$sdff", "$aldff",
    "$dlatch", "$adlatch", "$sr", "$ff", "$mem",
];

/// Reads the cell of this number.
pub(super) fn read(reader: &mut Reader<'_>, at: usize) -> Result<(), FormatError> {
    let module = reader.module;
    let Some((_, cell)) = module.cells.0.get(at) else {
        return Ok(());
    };
    // What `flatten` leaves to say where something was; no logic.
    if cell.kind == "$scopeinfo" {
        return Ok(());
    }
    let mark = at as Mark;
    let known = SHAPES.iter().find(|(kind, ..)| *kind == cell.kind);
    if known.is_none() && cell.kind != "$lut" {
        return Err(refused(reader, cell).at(reader.numbers.place(mark)));
    }
    let result = one(reader, cell, "Y", mark)?;
    let out = reader.driven(result, mark)?;
    reader.draft.count(&cell.kind);
    let Some(&(_, ports, shape)) = known else {
        let (function, operands) = lut(reader, cell, mark)?;
        let driver = (function, false);
        return reader
            .draft
            .drive(out, driver, operands, mark, &reader.numbers);
    };
    let mut reads = Vec::with_capacity(ports.len());
    for port in ports {
        let bit = one(reader, cell, port, mark)?;
        reads.push(reader.bit(bit, mark)?);
    }
    let (driver, operands) = gate(reader, shape, &reads, mark);
    reader
        .draft
        .drive(out, driver, operands, mark, &reader.numbers)
}

/// How a cell is written in ANDs of literals, XORs and selections.
#[derive(Clone, Copy)]
enum Shape {
    /// The AND of its inputs, each inverted or not, the result inverted or not.
    And([bool; 2], bool),
    /// The XOR, inverted or not.
    Xor(bool),
    /// B where S, else A; inverted or not.
    Mux(bool),
    /// ¬(AND of pairs, ORed), or its dual.
    AndOr { dual: bool },
}

/// By kind: the inputs and the shape.
const SHAPES: [(&str, &[&str], Shape); 16] = [
    ("$_BUF_", &["A"], Shape::Xor(false)),
    ("$_NOT_", &["A"], Shape::Xor(true)),
    ("$_AND_", &["A", "B"], Shape::And([false, false], false)),
    ("$_NAND_", &["A", "B"], Shape::And([false, false], true)),
    ("$_OR_", &["A", "B"], Shape::And([true, true], true)),
    ("$_NOR_", &["A", "B"], Shape::And([true, true], false)),
    ("$_XOR_", &["A", "B"], Shape::Xor(false)),
    ("$_XNOR_", &["A", "B"], Shape::Xor(true)),
    ("$_ANDNOT_", &["A", "B"], Shape::And([false, true], false)),
    ("$_ORNOT_", &["A", "B"], Shape::And([true, false], true)),
    ("$_MUX_", &["S", "B", "A"], Shape::Mux(false)),
    ("$_NMUX_", &["S", "B", "A"], Shape::Mux(true)),
    ("$_AOI3_", &["A", "B", "C"], Shape::AndOr { dual: false }),
    ("$_OAI3_", &["A", "B", "C"], Shape::AndOr { dual: true }),
    (
        "$_AOI4_",
        &["A", "B", "C", "D"],
        Shape::AndOr { dual: false },
    ),
    (
        "$_OAI4_",
        &["A", "B", "C", "D"],
        Shape::AndOr { dual: true },
    ),
];

fn gate(
    reader: &mut Reader<'_>,
    shape: Shape,
    reads: &[Read],
    mark: Mark,
) -> ((Function, bool), Vec<Read>) {
    match shape {
        Shape::And(inverted, result) => {
            let literals = reads.iter().zip(inverted);
            let literals = literals.map(|(read, inverted)| read.invert_if(inverted));
            ((Function::All, result), literals.collect())
        }
        Shape::Xor(inverted) => ((Function::Parity, inverted), reads.to_vec()),
        Shape::Mux(inverted) => ((Function::Mux, inverted), reads.to_vec()),
        Shape::AndOr { dual } => {
            // ¬(AB ∨ CD) = ¬(AB) ∧ ¬(CD); the dual is the same of inverted bits, inverted.
            let pairs: Vec<Read> = reads
                .chunks(2)
                .map(|pair| {
                    let literals = pair.iter().map(|read| read.invert_if(dual));
                    let pair = reader.draft.inner(Function::All, literals, mark);
                    pair.invert_if(true)
                })
                .collect();
            ((Function::All, dual), pairs)
        }
    }
}

/// The table and the inputs of a `$lut`.
fn lut(
    reader: &mut Reader<'_>,
    cell: &Cell,
    mark: Mark,
) -> Result<(Function, Vec<Read>), FormatError> {
    let place = |reader: &Reader<'_>| reader.numbers.place(mark);
    let Some(inputs) = cell.connections.get("A") else {
        let expected = "the connection A".to_owned();
        return Err(Problem::Missing { expected }.at(place(reader)));
    };
    if inputs.len() > LUT_INPUTS {
        return Err(Problem::TooMany {
            what: "inputs of a $lut".to_owned(),
            found: inputs.len() as u64,
            limit: LUT_INPUTS as u64,
        }
        .at(place(reader)));
    }
    let entries = 1usize << inputs.len();
    let table: Vec<bool> = match cell.parameters.get("LUT") {
        // Binary, most significant first; an x may be either.
        Some(Value::String(bits)) if bits.bytes().all(|bit| matches!(bit, b'0' | b'1' | b'x')) => {
            bits.bytes().rev().map(|bit| bit == b'1').collect()
        }
        Some(other) => {
            let bits = other
                .as_number()
                .and_then(|number| written(number, entries));
            let Some(bits) = bits else {
                let shown = match other {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let expected = format!("a table of {entries} entries of 0 and 1");
                return Err(Problem::unexpected(expected, &shown).at(place(reader)));
            };
            (0..entries).map(|at| bits >> at & 1 == 1).collect()
        }
        None => {
            let expected = "the parameter LUT".to_owned();
            return Err(Problem::Missing { expected }.at(place(reader)));
        }
    };
    if table.len() != entries {
        return Err(Problem::Count {
            what: "entries of the table".to_owned(),
            expected: entries as u64,
            found: table.len() as u64,
        }
        .at(place(reader)));
    }
    let mut reads = Vec::with_capacity(inputs.len());
    for bit in inputs {
        reads.push(reader.bit(bit, mark)?);
    }
    Ok((reader.draft.table(table), reads))
}

/// A table that is a number: `write_json -compat-int` makes one of 32 entries, of which the top one
/// is a sign. `None` if it has another number of bits than entries.
fn written(number: &Number, entries: usize) -> Option<u64> {
    let signed = || i32::try_from(number.as_i64()?).ok();
    let bits = match number.as_u64() {
        Some(bits) => bits,
        None if entries == 32 => u64::from(signed()? as u32),
        None => return None,
    };
    let fits = match entries {
        ..64 => bits >> entries == 0,
        entries => entries == 64,
    };
    fits.then_some(bits)
}

/// The one bit of a connection.
fn one<'a>(
    reader: &Reader<'_>,
    cell: &'a Cell,
    port: &str,
    mark: Mark,
) -> Result<&'a Bit, FormatError> {
    let bits = cell.connections.get(port).map_or(&[][..], Vec::as_slice);
    match bits {
        [bit] => Ok(bit),
        _ => Err(Problem::Count {
            what: format!("bits at {port} of {}", cell.kind),
            expected: 1,
            found: bits.len() as u64,
        }
        .at(reader.numbers.place(mark))),
    }
}

/// What to do about a cell that is not simple.
fn refused(reader: &Reader<'_>, cell: &Cell) -> Problem {
    let kind = &cell.kind;
    let register = REGISTERS.iter().any(|name| kind.starts_with(name));
    let is_module = reader.document.modules.get(kind).is_some();
    let (what, advice) = if register {
        let advice = "a circuit here is combinational: unroll the clock, or make the registers \
                      inputs and outputs (yosys: expose -evert-dff)";
        (format!("a register ('{}')", shortened(kind)), advice)
    } else if is_module {
        let what = format!("a circuit within the circuit ('{}')", shortened(kind));
        (what, SYNTHESISE)
    } else {
        (format!("a cell of kind '{}'", shortened(kind)), SYNTHESISE)
    };
    let advice = advice.to_owned();
    Problem::Unsupported { what, advice }
}
