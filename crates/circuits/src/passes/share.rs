//! Lookups over nearly the same bits: two whose bits are four together are functions of one sum.
//!
//! A shifter's stage selects between `x₀` and `x₁` for one bit and between `x₁` and `x₂` for
//! another, by the same `s`. Neither selection leaves room for a second sum beside it, but both
//! are functions of the four bits, and every function of four bits has a sum of at most sixteen
//! values.

use super::map::forms::{Form, Forms, LEAVES};
use super::rebuild::Rebuild;
use crate::ir::{Node, Op, Signal};
use crate::{Circuit, Wire};

/// Lookups of less than this many values are packed as digits.
const LEAST: u8 = 5;

/// Pairs among lookups of the same level, in order. A lookup is offered under each pair of its
/// bits.
pub(super) fn pairs(
    circuit: &Circuit,
    nodes: impl Iterator<Item = (u32, Node)>,
    mut each: impl FnMut(Node, Node),
) {
    let mut offers: Vec<(u32, [Signal; 2], Node)> = Vec::new();
    for (level, node) in nodes {
        let Op::Lookup { sum, .. } = circuit.op(node) else {
            continue;
        };
        if let ([a, b, c], LEAST..) = (sum.terms, sum.max) {
            let [a, b, c] = [a, b, c].map(|term| term.wire.signal());
            offers.extend([[a, b], [a, c], [b, c]].map(|bits| (level, bits, node)));
        }
    }
    offers.sort_unstable();
    let mut taken = vec![false; circuit.len()];
    for same in offers.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let mut waiting = None;
        for &(_, _, node) in same {
            if taken[node.index()] {
                continue;
            }
            match waiting.take() {
                None => waiting = Some(node),
                Some(partner) => {
                    taken[node.index()] = true;
                    taken[partner.index()] = true;
                    each(partner, node);
                }
            }
        }
    }
}

/// Records lookups of at most four bits together as one, if there is a sum that is quiet enough.
pub(super) fn record(rebuild: &mut Rebuild<'_>, forms: &mut Forms, members: &[Node]) -> bool {
    let Some(Functions { leaves, functions }) = functions(rebuild.circuit, members) else {
        return false;
    };
    let masks: Vec<u16> = functions.iter().map(|&(_, function)| function).collect();
    let terms_of = |rebuild: &Rebuild<'_>, form: &Form| -> Vec<(Wire, i8)> {
        let weighted = leaves.iter().zip(form.weights);
        weighted
            .filter(|&(_, weight)| weight != 0)
            .map(|(&leaf, weight)| (rebuild.wire(Wire::from(leaf)), weight))
            .collect()
    };
    let Some(form) = forms
        .best_for_all(&masks)
        .filter(|form| rebuild.is_quiet(&terms_of(rebuild, form)))
    else {
        return false;
    };
    let Some(tables) = masks
        .iter()
        .map(|&mask| form.mask(mask))
        .collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let terms = terms_of(rebuild, &form);
    let wires = rebuild.build.lookup(&terms, form.constant, &tables);
    for (&(signal, _), wire) in functions.iter().zip(wires) {
        rebuild.set(signal, wire);
    }
    true
}

/// Outputs as functions of some bits.
struct Functions {
    leaves: Vec<Signal>,
    functions: Vec<(Signal, u16)>,
}

/// The bits of all members, and every output as a function of them.
fn functions(circuit: &Circuit, members: &[Node]) -> Option<Functions> {
    let mut leaves: Vec<Signal> = Vec::new();
    for &node in members {
        leaves.extend(circuit.op(node).operands().map(Wire::signal));
    }
    leaves.sort_unstable();
    leaves.dedup();
    if leaves.len() > LEAVES {
        return None;
    }
    let mut functions = Vec::new();
    for &node in members {
        let Op::Lookup { sum, .. } = circuit.op(node) else {
            return None;
        };
        let mut values = [i32::from(sum.constant); 1 << LEAVES];
        for term in sum.terms {
            let place = leaves.binary_search(&term.wire.signal()).ok()?;
            for (minterm, value) in values.iter_mut().enumerate() {
                *value += i32::from(term.weight) * (minterm >> place & 1) as i32;
            }
        }
        for signal in circuit.signals_of(node) {
            let own = circuit.function(signal);
            let function = values
                .iter()
                .enumerate()
                .fold(0u16, |all, (minterm, &value)| {
                    all | u16::from(own.at(value)) << minterm
                });
            functions.push((signal, function));
        }
    }
    Some(Functions { leaves, functions })
}
