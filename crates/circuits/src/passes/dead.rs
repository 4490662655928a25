//! Dropping what no output depends on: nodes, and single tables of lookups that stay.
//!
//! Two walks over flat arrays, no hashing: what is kept is copied as it is.

use crate::Circuit;
use crate::ir::{Op, Parts, Signal, Term, Wire};

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
        let op = circuit.op(node);
        let first = parts.push_terms(op.terms().iter().map(|term| Term {
            wire: at(term.wire),
            weight: term.weight,
        }));
        let record = circuit.record(node).moved(first, at);
        // A store's signals are known by their places.
        let is_store = matches!(op, Op::Store(_));
        let kept = circuit
            .signals_of(node)
            .filter(|signal| is_store || live[signal.index()]);
        let mut next = parts.push(record, kept.clone().map(|signal| circuit.mask(signal)));
        parts.attribute(circuit.cause(node));
        if circuit
            .signals_of(node)
            .any(|signal| circuit.is_half(signal))
        {
            parts.set_half();
        }
        for signal in kept {
            renumbered[signal.index()] = next;
            next = Signal(next.0 + 1);
        }
    }
    parts.finish_as(circuit, &renumbered)
}
