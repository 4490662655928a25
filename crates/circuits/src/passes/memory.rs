//! How many bits live at once.
//!
//! Counted for an evaluation in the order of the circuit, as one thread without batches does it: a
//! bit lives from its node to its last reader, outputs to the end, inputs from the start. Several
//! workers and urgent nodes elsewhere need a little more.

use crate::Circuit;
use crate::ir::Signal;

/// The most bits that live at once. Linear.
#[must_use]
pub fn peak_bits(circuit: &Circuit) -> usize {
    const NEVER: u32 = u32::MAX;
    // By signal: the last node that reads it.
    let mut last = vec![NEVER; circuit.signals()];
    for node in circuit.nodes() {
        for wire in circuit.op(node).operands() {
            last[wire.signal().index()] = node.0;
        }
    }
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
