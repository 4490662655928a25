//! Trees of ANDs (with inversions: of ORs) or of XORs whose inner gates nobody else reads collapse
//! into lookups of up to fifteen bits, or into parities of any number.
//!
//! Where parities are native, a wide tree of XORs costs one rotation however many bits it has. So
//! gates that only XORs read need not exist: a checksum, whose bits share most of their gates,
//! becomes one parity for each bit, where that costs no more than the shared gates do
//! ([`linear`](super::linear)).
//!
//! Comparisons of bits (`¬(a ⊕ b)`) under an AND go three to a lookup: `Σ 2ⁱ(aᵢ − bᵢ)` is 0 only
//! if all differences are, since an odd difference cannot be undone by those of higher weight.

use super::kind::{Kind, kind};
use crate::ir::{Node, Op};
use crate::passes::rebuild::Rebuild;
use crate::{Circuit, Profile, Wire};

/// Trees of no more leaves are left to the cones, which can combine them with other gates.
const SMALL: u32 = 4;

/// Comparisons of one lookup: weights 1, 2 and 4 make values up to 14.
const EQUAL: usize = 3;

/// What is known of each node.
struct Trees<'a> {
    circuit: &'a Circuit,
    /// The only reader is a gate of the same kind, and an AND is read uninverted.
    inner: Vec<bool>,
    /// An XOR, of what are no XORs, that only one AND reads.
    comparison: Vec<bool>,
    /// Belongs to a tree of more than [`SMALL`] leaves.
    wide: Vec<bool>,
}

/// Replaces trees of more than four leaves by wide lookups and parities.
pub(super) fn collapse(circuit: &Circuit, profile: &Profile) -> Circuit {
    let circuit = &super::linear::expand(circuit, profile);
    let trees = Trees::new(circuit);
    if !trees.wide.contains(&true) {
        return circuit.clone();
    }
    let mut rebuild = Rebuild::new(circuit, profile);
    let mut leaves: Vec<Wire> = Vec::new();
    for node in circuit.nodes() {
        if !trees.wide[node.index()] {
            rebuild.copy(node);
            continue;
        }
        if trees.inner[node.index()] {
            continue;
        }
        rebuild.stand_for(node);
        trees.gather(node, &mut leaves);
        let combined = match kind(circuit, node) {
            Kind::And => {
                let wires = compare(&trees, &mut rebuild, &leaves, profile);
                rebuild.build.all(&wires)
            }
            _ => {
                let wires: Vec<Wire> = leaves.iter().map(|&leaf| rebuild.wire(leaf)).collect();
                rebuild.build.parity(&wires)
            }
        };
        for signal in circuit.signals_of(node) {
            rebuild.set(signal, combined);
        }
    }
    rebuild.finish()
}

impl<'a> Trees<'a> {
    fn new(circuit: &'a Circuit) -> Self {
        let mut readers = vec![0u32; circuit.signals()];
        let mut ands = vec![0u32; circuit.signals()];
        for node in circuit.nodes() {
            let kind = kind(circuit, node);
            for wire in circuit.op(node).operands() {
                let at = wire.signal().index();
                readers[at] += 1;
                ands[at] += u32::from(kind == Kind::And);
            }
        }
        for wire in circuit.outputs() {
            readers[wire.signal().index()] += 1;
        }
        let mut trees = Self {
            circuit,
            inner: vec![false; circuit.len()],
            comparison: vec![false; circuit.len()],
            wide: vec![false; circuit.len()],
        };
        // Leaves are counted on the way up, width is known at the root and handed down.
        let mut leaves_under = vec![0u32; circuit.len()];
        for node in circuit.nodes() {
            let own = kind(circuit, node);
            if own == Kind::Other {
                continue;
            }
            if own == Kind::Xor {
                let at = circuit.range(node).start;
                // An XOR of an XOR is more likely an adder's sum.
                let is_sum = |wire: Wire| {
                    let source = circuit.source(wire.signal());
                    source.is_some_and(|source| kind(circuit, source) == Kind::Xor)
                };
                trees.comparison[node.index()] =
                    readers[at] == 1 && ands[at] == 1 && !circuit.op(node).operands().any(is_sum);
            }
            for wire in circuit.op(node).operands() {
                let source = circuit.source(wire.signal());
                let is_inner = |&source: &Node| {
                    readers[wire.signal().index()] == 1
                        && kind(circuit, source) == own
                        && (own == Kind::Xor || !wire.is_inverted())
                };
                leaves_under[node.index()] += match source {
                    Some(source) if is_inner(&source) => {
                        trees.inner[source.index()] = true;
                        leaves_under[source.index()]
                    }
                    Some(source) if trees.comparison[source.index()] => 2,
                    _ => 1,
                };
            }
        }
        for node in circuit.nodes().rev() {
            if !trees.inner[node.index()] {
                trees.wide[node.index()] = leaves_under[node.index()] > SMALL;
            }
            if trees.wide[node.index()] {
                for wire in circuit.op(node).operands() {
                    if let Some(source) = circuit.source(wire.signal()) {
                        trees.wide[source.index()] |= trees.inner[source.index()];
                    }
                }
            }
        }
        trees
    }

    /// The leaves of the tree under a gate.
    fn gather(&self, root: Node, leaves: &mut Vec<Wire>) {
        leaves.clear();
        let mut pending: Vec<(Node, bool)> = vec![(root, false)];
        while let Some((node, flip)) = pending.pop() {
            let (mut flip, operands) = (flip, self.circuit.op(node).operands());
            for wire in operands {
                let source = self.circuit.source(wire.signal());
                let source = source.filter(|source| self.inner[source.index()]);
                match source {
                    // Only XORs have inverted inner operands; the inversion moves to a leaf.
                    Some(source) => pending.push((source, flip ^ wire.is_inverted())),
                    None => leaves.push(wire.invert_if(flip)),
                }
                flip = false;
            }
        }
    }
}

/// The leaves of an AND, comparisons of bits in threes replaced by one bit.
fn compare(
    trees: &Trees<'_>,
    rebuild: &mut Rebuild<'_>,
    leaves: &[Wire],
    profile: &Profile,
) -> Vec<Wire> {
    let mut wires = Vec::with_capacity(leaves.len());
    let mut pairs: Vec<(Wire, [Wire; 2])> = Vec::new();
    for &leaf in leaves {
        let source = trees.circuit.source(leaf.signal());
        let source = source.filter(|source| trees.comparison[source.index()]);
        match source.map(|source| trees.circuit.op(source)) {
            Some(Op::Xor(a, b)) if profile.max_value() >= Some(14) => {
                // Not inverted, the leaf asks whether a and b differ.
                let [a, b] = [a, b].map(|wire| rebuild.wire(wire));
                pairs.push((leaf, [a, b.invert_if(!leaf.is_inverted())]));
            }
            _ => wires.push(rebuild.wire(leaf)),
        }
    }
    for group in pairs.chunks(EQUAL) {
        let mut terms: Vec<(Wire, i8)> = Vec::new();
        for (place, &(_, [a, b])) in group.iter().enumerate() {
            terms.extend([(a, 1 << place), (b, -(1 << place))]);
        }
        let zero = (1i8 << group.len()) - 1;
        if group.len() < 2 || !rebuild.is_quiet(&terms) {
            wires.extend(group.iter().map(|&(leaf, _)| rebuild.wire(leaf)));
            continue;
        }
        wires.extend(rebuild.build.lookup(&terms, zero, &[1 << zero]));
    }
    wires
}
