//! The oracle: clear evaluation of sixty-four assignments at a time, one in each bit of a `u64`.
//!
//! [`evaluate`] walks a circuit directly and checks in all lanes that every lookup's sum stays
//! within the bounds it declares, and that of disjoint bits one at most is 1. [`Simulator`] is an
//! engine: it goes through the scheduler like any other and must agree with [`evaluate`].
//! [`Values`] evaluates a circuit while it is recorded.

mod engine;
mod lanes;
mod values;

pub use engine::Simulator;
pub use values::Values;

use crate::ir::{Circuit, Load, Node, Op, Store, Wire};

/// Why a circuit could not be evaluated in the clear.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The number of values is not the circuit's number of inputs.
    #[error("the circuit has {expected} inputs, {found} values were given")]
    Inputs {
        /// Inputs of the circuit.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// A lookup's sum left its bounds: whoever promised them was wrong.
    #[error("node {node:?}: the sum {sum} of lane {lane} is not within 0 to {max}")]
    OutOfRange {
        /// The lookup; `None` for one that was evaluated outside a circuit.
        node: Option<Node>,
        /// The first lane in which it happened.
        lane: u32,
        /// The sum there.
        sum: i32,
        /// The bound.
        max: u8,
    },
    /// Two bits of a sum are 1: whoever promised that at most one is was wrong.
    #[error("node {node:?}: more than one of the bits is 1 in lane {lane}")]
    NotDisjoint {
        /// The sum; `None` for one that was evaluated outside a circuit.
        node: Option<Node>,
        /// The first lane in which it happened.
        lane: u32,
    },
}

/// Evaluates a circuit in sixty-four lanes; `inputs` and the result hold one word for each bit.
///
/// # Errors
/// If the number of inputs is wrong, or if in any lane a lookup's sum leaves its bounds or two bits
/// that should be disjoint are 1.
pub fn evaluate(circuit: &Circuit, inputs: &[u64]) -> Result<Vec<u64>, SimulationError> {
    if inputs.len() != circuit.inputs() {
        return Err(SimulationError::Inputs {
            expected: circuit.inputs(),
            found: inputs.len(),
        });
    }
    let mut values = vec![0u64; circuit.signals()];
    let mut terms: Vec<(u64, i8)> = Vec::new();
    for node in circuit.nodes() {
        let at = |wire: Wire| read(&values, wire);
        let range = circuit.range(node);
        let value = match circuit.op(node) {
            Op::Input(number) => inputs[number as usize],
            Op::And(a, b) => at(a) & at(b),
            Op::Xor(a, b) => at(a) ^ at(b),
            Op::Mux {
                select,
                then,
                otherwise,
            }
            | Op::Choose {
                select,
                then,
                otherwise,
            } => at(select) & at(then) | !at(select) & at(otherwise),
            Op::Parity { terms } | Op::Subtotal { terms } | Op::Linear { terms } => {
                terms.iter().fold(0, |odd, term| odd ^ at(term.wire))
            }
            Op::Disjoint { terms } => one_of(terms.iter().map(|term| at(term.wire)), Some(node))?,
            Op::Refresh(a) => at(a),
            Op::Lookup { sum, tables } | Op::Selector { sum, tables } => {
                terms.clear();
                terms.extend(sum.terms.iter().map(|term| (at(term.wire), term.weight)));
                let minterms = lanes::minterms(&terms, sum.constant, sum.max)
                    .map_err(|found| found.at(Some(node), sum.max))?;
                for (value, &mask) in values[range].iter_mut().zip(tables.masks()) {
                    *value = minterms.select(mask);
                }
                continue;
            }
            Op::Load(load) => {
                let found = load
                    .columns()
                    .iter()
                    .map(|&column| loaded(&load, column, at));
                let found: Vec<u64> = found.collect();
                values[range].copy_from_slice(&found);
                continue;
            }
            Op::Store(store) => {
                let numbers = 0..store.entries().len();
                let after: Vec<u64> = numbers.map(|number| stored(&store, number, at)).collect();
                values[range].copy_from_slice(&after);
                continue;
            }
        };
        values[range.start] = value;
    }
    Ok(circuit
        .outputs()
        .iter()
        .map(|&wire| read(&values, wire))
        .collect())
}

/// One bit of the word that is loaded.
fn loaded(load: &Load<'_>, column: u16, at: impl Fn(Wire) -> u64) -> u64 {
    let column = load.words().map(|word| at(word[usize::from(column)].wire));
    let mut column: Vec<u64> = column.collect();
    for bit in load.index() {
        let bit = at(bit.wire);
        let pairs = column.chunks_exact(2);
        column = pairs.map(|pair| pair[0] & !bit | pair[1] & bit).collect();
    }
    column.first().copied().unwrap_or(0)
}

/// One bit of all words after one was stored, by its number.
fn stored(store: &Store<'_>, number: usize, at: impl Fn(Wire) -> u64) -> u64 {
    let place = number / store.width();
    let enable = store.enable().map_or(u64::MAX, |bit| at(bit.wire));
    let line = store
        .index()
        .iter()
        .enumerate()
        .fold(enable, |line, (i, bit)| {
            let bit = at(bit.wire);
            line & if place >> i & 1 == 1 { bit } else { !bit }
        });
    let (old, new) = (
        &store.entries()[number],
        &store.word()[number % store.width()],
    );
    at(old.wire) & !line | at(new.wire) & line
}

/// The OR of bits of which at most one may be 1.
fn one_of(bits: impl Iterator<Item = u64>, node: Option<Node>) -> Result<u64, SimulationError> {
    let (any, several) = bits.fold((0, 0), |(any, several): (u64, u64), bit| {
        (any | bit, several | any & bit)
    });
    match several {
        0 => Ok(any),
        _ => Err(SimulationError::NotDisjoint {
            node,
            lane: several.trailing_zeros(),
        }),
    }
}

fn read(values: &[u64], wire: Wire) -> u64 {
    values[wire.signal().index()] ^ if wire.is_inverted() { u64::MAX } else { 0 }
}
