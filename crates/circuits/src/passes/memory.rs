//! How many bits live at once.
//!
//! Counted for an evaluation in the order of the circuit, as one thread without batches does it: a
//! bit lives from its node to its last reader, outputs to the end, inputs from the start. Several
//! workers and urgent nodes elsewhere need a little more.

use crate::Circuit;
use crate::ir::Signal;

/// No node.
const NEVER: u32 = u32::MAX;

/// By signal: the last node that reads it.
fn last_readers(circuit: &Circuit) -> Vec<u32> {
    let mut last = vec![NEVER; circuit.signals()];
    for node in circuit.nodes() {
        for wire in circuit.op(node).operands() {
            last[wire.signal().index()] = node.0;
        }
    }
    last
}

/// The most selectors that live at once, each until its last reader. Linear.
pub(super) fn peak_selectors(circuit: &Circuit) -> usize {
    let is_selector = |node| matches!(circuit.op(node), crate::Op::Selector { .. });
    if !circuit.nodes().any(is_selector) {
        return 0;
    }
    let last = last_readers(circuit);
    let mut ends = vec![0usize; circuit.len()];
    let (mut live, mut peak) = (0, 0);
    for node in circuit.nodes() {
        if is_selector(node) {
            for signal in circuit.signals_of(node) {
                live += 1;
                if let Some(end) = ends.get_mut(last[signal.index()] as usize) {
                    *end += 1;
                }
            }
        }
        peak = peak.max(live);
        live -= ends[node.index()];
    }
    peak
}

/// The most bits that live at once. Linear.
#[must_use]
pub fn peak_bits(circuit: &Circuit) -> usize {
    let mut last = last_readers(circuit);
    for wire in circuit.outputs() {
        last[wire.signal().index()] = NEVER;
    }
    let mut live = circuit.inputs();
    let mut peak = live;
    for node in circuit.nodes() {
        let op = circuit.op(node);
        if !matches!(op, crate::Op::Input(_)) {
            live += circuit.range(node).len();
        }
        peak = peak.max(live);
        let ends = |wire: &crate::Wire| {
            wire.signal() != Signal::FALSE && last[wire.signal().index()] == node.0
        };
        live -= op.operands().filter(ends).count();
    }
    peak
}
