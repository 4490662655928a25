//! Networks of XORs: every output as one parity of what goes in, instead of shared gates.
//!
//! A gate is *linear* if it is an XOR that only XORs read and that reads no AND; a *root* is an XOR
//! that no AND or selection reads, but something besides XORs, if only an output. (In adders made
//! of gates every carry reads an AND and every sum or difference is read by one: those are left
//! alone.) A connected network of them is replaced if its roots, as parities of the signals that go
//! in, cost no more rotations than its gates do. Half a rotation is counted for up to three bits,
//! which leave room for another lookup.

use std::collections::{BTreeMap, BinaryHeap};

use super::kind::{Kind, kind};
use crate::ir::{Node, Op, Signal};
use crate::passes::rebuild::Rebuild;
use crate::{Circuit, Profile, Wire};

/// Gates that one root looks through at most: bounds the work for each.
const GATES: usize = 512;

/// What an XOR is in a network.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Linear,
    Root,
    Outside,
}

/// Replaces networks of XORs by parities where these are native and no dearer.
pub(super) fn expand(circuit: &Circuit, profile: &Profile) -> Circuit {
    if !profile.has_parity() {
        return circuit.clone();
    }
    let parts = parts(circuit);
    // Only a network with a shared gate can gain.
    let is_linear = |node: Node| parts[node.index()] == Part::Linear;
    if !circuit.nodes().any(is_linear) {
        return circuit.clone();
    }
    let chosen = choose(circuit, &parts);
    if chosen.is_empty() {
        return circuit.clone();
    }
    let mut rebuild = Rebuild::new(circuit, profile);
    for node in circuit.nodes() {
        match chosen.get(&node) {
            None => rebuild.copy(node),
            Some(leaves) => {
                rebuild.stand_for(node);
                let wires: Vec<Wire> = leaves.iter().map(|&leaf| rebuild.wire(leaf)).collect();
                let parity = rebuild.build.parity(&wires);
                for signal in circuit.signals_of(node) {
                    rebuild.set(signal, parity);
                }
            }
        }
    }
    rebuild.finish()
}

fn parts(circuit: &Circuit) -> Vec<Part> {
    let mut by_xors = vec![false; circuit.signals()];
    let mut by_gates = vec![false; circuit.signals()];
    let mut by_others = vec![false; circuit.signals()];
    for node in circuit.nodes() {
        let readers = match circuit.op(node) {
            Op::Xor(..) => &mut by_xors,
            Op::And(..) | Op::Mux { .. } => &mut by_gates,
            _ => &mut by_others,
        };
        for wire in circuit.op(node).operands() {
            readers[wire.signal().index()] = true;
        }
    }
    for wire in circuit.outputs() {
        by_others[wire.signal().index()] = true;
    }
    let part = |node: Node| {
        let at = circuit.range(node).start;
        if kind(circuit, node) != Kind::Xor || by_gates[at] {
            return Part::Outside;
        }
        if by_others[at] {
            return Part::Root;
        }
        let reads_a_gate = circuit.op(node).operands().any(|wire| {
            let source = circuit
                .source(wire.signal())
                .map(|source| circuit.op(source));
            matches!(source, Some(Op::And(..) | Op::Mux { .. }))
        });
        match by_xors[at] && !reads_a_gate {
            true => Part::Linear,
            false => Part::Outside,
        }
    };
    circuit.nodes().map(part).collect()
}

/// The roots that become parities, with what these read.
fn choose(circuit: &Circuit, parts: &[Part]) -> BTreeMap<Node, Vec<Wire>> {
    // Networks by union of gates with the linear gates that they read.
    let mut network: Vec<u32> = (0..circuit.len() as u32).collect();
    fn find(network: &mut [u32], mut at: u32) -> u32 {
        while network[at as usize] != at {
            let above = network[network[at as usize] as usize];
            network[at as usize] = above;
            at = above;
        }
        at
    }
    for node in circuit.nodes() {
        if parts[node.index()] == Part::Outside {
            continue;
        }
        for wire in circuit.op(node).operands() {
            let source = circuit.source(wire.signal());
            if let Some(source) = source.filter(|node| parts[node.index()] == Part::Linear) {
                let (a, b) = (find(&mut network, node.0), find(&mut network, source.0));
                network[a.max(b) as usize] = a.min(b);
            }
        }
    }
    // Twice the rotations of each network as it is, and as parities.
    let mut cost: BTreeMap<u32, (i64, i64)> = BTreeMap::new();
    let mut expanded: Vec<(Node, u32, Vec<Wire>)> = Vec::new();
    let mut readers = vec![0u32; circuit.signals()];
    for node in circuit.nodes() {
        for wire in circuit.op(node).operands() {
            readers[wire.signal().index()] += 1;
        }
    }
    // A linear gate with one reader is part of its reader's tree: leaves without those.
    let mut leaves_of_tree = vec![0u32; circuit.len()];
    for node in circuit.nodes() {
        if parts[node.index()] == Part::Outside {
            continue;
        }
        for wire in circuit.op(node).operands() {
            let source = circuit.source(wire.signal()).filter(|source| {
                parts[source.index()] == Part::Linear && readers[wire.signal().index()] == 1
            });
            leaves_of_tree[node.index()] += source.map_or(1, |node| leaves_of_tree[node.index()]);
        }
        let halves = |leaves: usize| if leaves <= 3 { 1 } else { 2 };
        let number = find(&mut network, node.0);
        let single = readers[circuit.range(node).start] == 1;
        if parts[node.index()] == Part::Root || !single {
            let (as_it_is, _) = cost.entry(number).or_default();
            *as_it_is += halves(leaves_of_tree[node.index()] as usize);
        }
        if parts[node.index()] == Part::Root
            && circuit.op(node).operands().any(|wire| {
                let source = circuit.source(wire.signal());
                source.is_some_and(|source| parts[source.index()] == Part::Linear)
            })
        {
            let leaves = leaves(circuit, parts, node);
            let (_, parities) = cost.entry(number).or_default();
            // A root that looks through too much keeps what it could not expand.
            *parities += leaves
                .as_ref()
                .map_or(1 << 32, |leaves| halves(leaves.len()));
            expanded.extend(leaves.map(|leaves| (node, number, leaves)));
        } else if parts[node.index()] == Part::Root {
            let (_, parities) = cost.entry(number).or_default();
            *parities += halves(2);
        }
    }
    expanded
        .into_iter()
        .filter(|(_, number, _)| {
            cost.get(number)
                .is_some_and(|(as_it_is, parities)| parities <= as_it_is)
        })
        .map(|(node, _, leaves)| (node, leaves))
        .collect()
}

/// What a root is the parity of; `None` if it looks through too many gates.
fn leaves(circuit: &Circuit, parts: &[Part], root: Node) -> Option<Vec<Wire>> {
    let mut inverted = false;
    let mut leaves: Vec<Wire> = Vec::new();
    // The latest gate first, so that each is expanded once, and only if it is read an odd number
    // of times.
    let mut pending: BinaryHeap<(Node, Signal)> = BinaryHeap::new();
    let mut open = |node: Node, pending: &mut BinaryHeap<(Node, Signal)>| {
        for wire in circuit.op(node).operands() {
            inverted ^= wire.is_inverted();
            match circuit.source(wire.signal()) {
                Some(source) if parts[source.index()] == Part::Linear => {
                    pending.push((source, wire.signal()));
                }
                _ => leaves.push(wire.positive()),
            }
        }
    };
    open(root, &mut pending);
    let mut gates = 0;
    while let Some(next) = pending.pop() {
        let mut is_odd = true;
        while pending.peek() == Some(&next) {
            pending.pop();
            is_odd = !is_odd;
        }
        if is_odd {
            gates += 1;
            if gates > GATES {
                return None;
            }
            open(next.0, &mut pending);
        }
    }
    leaves.sort_unstable();
    let mut odd: Vec<Wire> = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        match odd.last() {
            Some(&last) if last == leaf => _ = odd.pop(),
            _ => odd.push(leaf),
        }
    }
    if inverted {
        match odd.first_mut() {
            Some(first) => *first = !*first,
            None => odd.push(Wire::TRUE),
        }
    }
    Some(odd)
}
