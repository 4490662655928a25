//! Dropping what no output depends on: nodes, and single tables of lookups that stay.
//!
//! Two walks over flat arrays, no hashing: what is kept is copied as it is.

use crate::Circuit;
use crate::ir::{Op, Parts, Record, Signal, Term, Wire};

/// The circuit without dead nodes and tables. Inputs stay, so that their numbers mean the same.
/// Linear.
#[must_use]
pub fn remove_dead(circuit: &Circuit) -> Circuit {
    let mut live = vec![false; circuit.signals()];
    for wire in circuit.outputs() {
        live[wire.signal().index()] = true;
    }
    let mut terms = 0;
    for node in circuit.nodes().rev() {
        let op = circuit.op(node);
        let range = circuit.range(node);
        if let Op::Input(_) = op {
            live[range].fill(true);
        } else if live[range].contains(&true) {
            for wire in op.operands() {
                live[wire.signal().index()] = true;
                terms += 1;
            }
        }
    }
    live[Signal::FALSE.index()] = false;
    let count = live.iter().filter(|&&alive| alive).count();
    let mut parts = Parts::with_capacity(count, count, terms);
    let mut renumbered = vec![Signal::FALSE; circuit.signals()];
    for node in circuit.nodes() {
        let range = circuit.range(node);
        if !live[range.clone()].contains(&true) {
            continue;
        }
        let at = |wire: Wire| {
            Wire::from(renumbered[wire.signal().index()]).invert_if(wire.is_inverted())
        };
        let record = match circuit.op(node) {
            Op::Input(number) => Record::Input(number),
            Op::And(a, b) => Record::And(at(a), at(b)),
            Op::Xor(a, b) => Record::Xor(at(a), at(b)),
            Op::Mux {
                select,
                then,
                otherwise,
            } => Record::Mux(at(select), at(then), at(otherwise)),
            Op::Lookup { sum, .. } => {
                let moved = |term: &Term| Term {
                    wire: at(term.wire),
                    weight: term.weight,
                };
                let first = parts.push_terms(sum.terms.iter().map(moved));
                let count = sum.terms.len() as u8;
                Record::Lookup {
                    first,
                    count,
                    constant: sum.constant,
                    max: sum.max,
                }
            }
            Op::Parity { terms } => {
                let moved = |term: &Term| Term {
                    wire: at(term.wire),
                    weight: term.weight,
                };
                Record::Parity {
                    first: parts.push_terms(terms.iter().map(moved)),
                    count: terms.len() as u32,
                }
            }
            Op::Disjoint { terms } => {
                let moved = |term: &Term| Term {
                    wire: at(term.wire),
                    weight: term.weight,
                };
                Record::Disjoint {
                    first: parts.push_terms(terms.iter().map(moved)),
                    count: terms.len() as u32,
                }
            }
            Op::Refresh(a) => Record::Refresh(at(a)),
            Op::Selector { sum, .. } => {
                let moved = |term: &Term| Term {
                    wire: at(term.wire),
                    weight: term.weight,
                };
                Record::Selector {
                    first: parts.push_terms(sum.terms.iter().map(moved)),
                    count: sum.terms.len() as u8,
                    constant: sum.constant,
                    max: sum.max,
                }
            }
            Op::Choose {
                select,
                then,
                otherwise,
            } => Record::Choose(at(select), at(then), at(otherwise)),
            Op::Load(load) => {
                let moved = |term: &Term| Term {
                    wire: at(term.wire),
                    weight: term.weight,
                };
                Record::Load {
                    first: parts.push_terms(load.terms.iter().map(moved)),
                    count: load.terms.len() as u32,
                    index: load.index as u8,
                }
            }
        };
        let kept = circuit
            .signals_of(node)
            .filter(|signal| live[signal.index()]);
        let mut next = parts.push(record, kept.clone().map(|signal| circuit.mask(signal)));
        parts.attribute(circuit.cause(node));
        for signal in kept {
            renumbered[signal.index()] = next;
            next = Signal(next.0 + 1);
        }
    }
    let at =
        |wire: &Wire| Wire::from(renumbered[wire.signal().index()]).invert_if(wire.is_inverted());
    let outputs = circuit.outputs().iter().map(at).collect();
    let (inputs, outputs_named) = (
        circuit.input_names().clone(),
        circuit.output_names().clone(),
    );
    parts.finish(circuit.inputs() as u32, outputs, inputs, outputs_named)
}
