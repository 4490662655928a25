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
    peak(circuit, 1, 1) as usize
}

/// The most memory that they take, with so much for an input and for another bit. Linear.
pub(super) fn peak(circuit: &Circuit, input: u64, computed: u64) -> u64 {
    // What was stored lies in rows, as inputs do.
    let size = |signal: Signal| match circuit.source(signal).map(|node| circuit.op(node)) {
        Some(crate::Op::Input(_) | crate::Op::Store(_)) => input,
        _ => computed,
    };
    let mut last = last_readers(circuit);
    for wire in circuit.outputs() {
        last[wire.signal().index()] = NEVER;
    }
    let mut live = circuit.inputs() as u64 * input;
    let mut peak = live;
    for node in circuit.nodes() {
        let op = circuit.op(node);
        if !matches!(op, crate::Op::Input(_)) {
            let sizes = circuit.signals_of(node).map(size);
            live += sizes.sum::<u64>();
        }
        peak = peak.max(live);
        for wire in op.operands().filter(|wire| wire.signal() != Signal::FALSE) {
            // Once, although a load may read a bit in many places.
            let last = &mut last[wire.signal().index()];
            if *last == node.0 {
                *last = NEVER;
                live -= size(wire.signal());
            }
        }
    }
    peak
}
