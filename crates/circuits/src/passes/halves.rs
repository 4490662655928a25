//! Bits at scale 1/2 and those who read them.
//!
//! The sum of bits at scale 1/2 is their XOR, and takes no rotation ([`Op::Linear`]). It can be read by
//! another such sum, chosen, loaded, stored and decrypted; lookups cannot read it. So an XOR becomes
//! such a sum where all who read it can; and whoever cannot read a half, which arrays that were stored to
//! consist of, reads the bit that one lookup makes of it ([`Op::Refresh`]).

use std::collections::HashMap;

use super::rebuild::Rebuild;
use crate::ir::{Node, Op, Signal};
use crate::{Circuit, Profile, Wire};

/// The circuit in which halves are read by those only who can, and XORs are sums where that is free.
pub(super) fn settle(circuit: &Circuit, profile: &Profile) -> Circuit {
    let wanted = wanted_whole(circuit);
    let is_free = |node: Node| is_free(circuit, node, &wanted, &|signal| circuit.is_half(signal));
    let is_wrong = |node: Node| {
        let op = circuit.op(node);
        let data = op.operands().skip(op.conditions());
        let mut conditions = op.operands().take(op.conditions());
        let is_half = |wire: Wire| circuit.is_half(wire.signal());
        is_free(node)
            || conditions.any(is_half)
            || !op.reads_halves() && data.into_iter().any(is_half)
    };
    if profile.selectors.is_none() || !circuit.nodes().any(is_wrong) {
        return circuit.clone();
    }
    let mut rebuild = Rebuild::new(circuit, profile);
    let mut whole: HashMap<Wire, Wire> = HashMap::new();
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let is_half = |signal: Signal| rebuild.build.is_half(rebuild.wire(Wire::from(signal)));
        if self::is_free(circuit, node, &wanted, &is_half) {
            rebuild.stand_for(node);
            let wires: Vec<Wire> = op.operands().map(|wire| rebuild.wire(wire)).collect();
            let sum = rebuild.build.linear(&wires);
            for signal in circuit.signals_of(node) {
                rebuild.set(signal, sum);
            }
            continue;
        }
        let strict = match op.reads_halves() {
            true => op.conditions(),
            false => usize::MAX,
        };
        let read: Vec<Signal> = op.operands().take(strict).map(Wire::signal).collect();
        // Others may read the same signal as a half.
        let mut before: Vec<(Signal, Wire)> = Vec::new();
        for signal in read {
            let own = rebuild.wire(Wire::from(signal));
            if rebuild.build.is_half(own) {
                rebuild.stand_for(node);
                let quiet = *(whole.entry(own.positive()))
                    .or_insert_with(|| rebuild.build.refresh(own.positive()));
                before.push((signal, own));
                rebuild.set(signal, quiet.invert_if(own.is_inverted()));
            }
        }
        rebuild.copy(node);
        for (signal, own) in before {
            rebuild.set(signal, own);
        }
    }
    super::remove_dead(&rebuild.finish())
}

/// Whether an XOR is better a sum: where nobody wants it as a bit, or where it would take a lookup for
/// each of several halves.
fn is_free(
    circuit: &Circuit,
    node: Node,
    wanted: &[bool],
    is_half: &dyn Fn(Signal) -> bool,
) -> bool {
    let op = circuit.op(node);
    if !matches!(op, Op::Xor(..) | Op::Parity { .. }) {
        return false;
    }
    let mut signals = circuit.signals_of(node);
    let halves = op.operands().filter(|wire| is_half(wire.signal())).count();
    // With such a gate it may be one lookup: b ⊕ (a ⊕ b)∧m is a selection.
    let is_gate = |wire: Wire| {
        let source = circuit.source(wire.signal()).map(|it| circuit.op(it));
        matches!(source, Some(Op::And(..) | Op::Mux { .. }))
    };
    halves > 1 || !signals.any(|signal| wanted[signal.index()]) && !op.operands().any(is_gate)
}

/// By signal: whether somebody reads it who cannot read halves. An XOR whose own readers can, can.
pub(super) fn wanted_whole(circuit: &Circuit) -> Vec<bool> {
    let mut wanted = vec![false; circuit.signals()];
    for node in circuit.nodes().rev() {
        let op = circuit.op(node);
        let strict = match op {
            // Which of them will be halves is not known yet.
            Op::Xor(..) | Op::Parity { .. } => {
                let is_half = |signal| circuit.is_half(signal);
                match is_free(circuit, node, &wanted, &is_half) {
                    true => 0,
                    false => usize::MAX,
                }
            }
            Op::Linear { .. } | Op::Store(_) => op.conditions(),
            // A choice may yet become a selection, and one half makes a whole array halves.
            _ => usize::MAX,
        };
        for wire in op.operands().take(strict) {
            wanted[wire.signal().index()] = true;
        }
    }
    wanted
}
