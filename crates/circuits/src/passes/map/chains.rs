//! Trees of ANDs (with inversions: of ORs) or of XORs whose inner gates nobody else reads collapse
//! into lookups of up to fifteen bits.

use crate::ir::{Node, Op};
use crate::passes::rebuild::Rebuild;
use crate::{Circuit, Profile, Wire};

/// Trees of no more leaves are left to the cones, which can combine them with other gates.
const SMALL: u32 = 4;

/// Replaces trees of more than four leaves by wide lookups.
pub(super) fn collapse(circuit: &Circuit, profile: &Profile) -> Circuit {
    let mut readers = vec![0u32; circuit.signals()];
    for node in circuit.nodes() {
        for wire in circuit.op(node).operands() {
            readers[wire.signal().index()] += 1;
        }
    }
    for wire in circuit.outputs() {
        readers[wire.signal().index()] += 1;
    }
    // A gate is inner if its only reader is a gate of its kind, and an AND is read uninverted.
    // Leaves are counted on the way up, width is known at the root and handed down.
    let mut inner = vec![false; circuit.len()];
    let mut leaves_under = vec![0u32; circuit.len()];
    for node in circuit.nodes() {
        let own = kind(circuit, node);
        if own == Kind::Other {
            continue;
        }
        for wire in circuit.op(node).operands() {
            let source = circuit.source(wire.signal()).filter(|&source| {
                readers[wire.signal().index()] == 1
                    && kind(circuit, source) == own
                    && (own == Kind::Xor || !wire.is_inverted())
            });
            leaves_under[node.index()] += match source {
                Some(source) => {
                    inner[source.index()] = true;
                    leaves_under[source.index()]
                }
                None => 1,
            };
        }
    }
    let mut wide = vec![false; circuit.len()];
    for node in circuit.nodes().rev() {
        if !inner[node.index()] {
            wide[node.index()] = leaves_under[node.index()] > SMALL;
        }
        if wide[node.index()] {
            for wire in circuit.op(node).operands() {
                if let Some(source) = circuit.source(wire.signal()) {
                    wide[source.index()] |= inner[source.index()];
                }
            }
        }
    }
    if !wide.contains(&true) {
        return circuit.clone();
    }
    let mut rebuild = Rebuild::new(circuit, profile);
    let mut leaves: Vec<Wire> = Vec::new();
    for node in circuit.nodes() {
        if !wide[node.index()] {
            rebuild.copy(node);
            continue;
        }
        if inner[node.index()] {
            continue;
        }
        gather(circuit, &inner, node, &mut leaves);
        let wires: Vec<Wire> = leaves.iter().map(|&leaf| rebuild.wire(leaf)).collect();
        let combined = match kind(circuit, node) {
            Kind::And => rebuild.build.all(&wires),
            _ => rebuild.build.parity(&wires),
        };
        for signal in circuit.signals_of(node) {
            rebuild.set(signal, combined);
        }
    }
    rebuild.finish()
}

/// The associative gates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    And,
    Xor,
    Other,
}

fn kind(circuit: &Circuit, node: Node) -> Kind {
    match circuit.op(node) {
        Op::And(..) => Kind::And,
        Op::Xor(..) => Kind::Xor,
        _ => Kind::Other,
    }
}

/// The leaves of the tree under a gate.
fn gather(circuit: &Circuit, inner: &[bool], root: Node, leaves: &mut Vec<Wire>) {
    leaves.clear();
    let mut pending: Vec<(Node, bool)> = vec![(root, false)];
    while let Some((node, flip)) = pending.pop() {
        let (mut flip, operands) = (flip, circuit.op(node).operands());
        for wire in operands {
            match circuit.source(wire.signal()) {
                // Only XORs have inverted inner operands; the inversion moves to a leaf.
                Some(source) if inner[source.index()] => {
                    pending.push((source, flip ^ wire.is_inverted()));
                }
                _ => leaves.push(wire.invert_if(flip)),
            }
            flip = false;
        }
    }
}
