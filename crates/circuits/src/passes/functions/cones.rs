//! Which signals depend on few bits, and on which.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::Circuit;
use crate::ir::{Node, Op, Signal};

/// Bits that a function may depend on.
const BITS: usize = 8;
/// Fewer make one lookup anyway.
const FEWEST: usize = 5;
/// Functions of one cone that are looked at together.
const FUNCTIONS: usize = 16;
/// Nodes of one cone: a hash of a byte may have any number of them.
const NODES: usize = 1 << 12;
/// No support: the node's signals are bits that others depend on.
const NONE: u8 = u8::MAX;

/// The bits that a signal depends on, ascending.
pub(super) type Support = Vec<Signal>;

/// What depends on few bits.
pub(super) struct Cones<'a> {
    circuit: &'a Circuit,
    /// By node: where in `bits` its support begins, and how long it is.
    supports: Vec<(u32, u8)>,
    bits: Vec<Signal>,
    /// By signal: how often it is read, by nodes and as an output.
    reads: Vec<u32>,
    /// By support: signals that are outputs, or read by what depends on more.
    pub(super) groups: BTreeMap<Support, Vec<Signal>>,
}

impl<'a> Cones<'a> {
    /// Linear.
    pub(super) fn of(circuit: &'a Circuit) -> Self {
        let mut cones = Self {
            circuit,
            supports: Vec::with_capacity(circuit.len()),
            bits: Vec::new(),
            reads: vec![0; circuit.signals()],
            groups: BTreeMap::new(),
        };
        let mut is_target = vec![false; circuit.signals()];
        for wire in circuit.outputs() {
            cones.reads[wire.signal().index()] += 1;
            is_target[wire.signal().index()] = true;
        }
        for node in circuit.nodes() {
            let op = circuit.op(node);
            let support = cones.measure(&op);
            for wire in op.operands() {
                let signal = wire.signal().index();
                cones.reads[signal] += 1;
                is_target[signal] |= support.1 == NONE;
            }
            cones.supports.push(support);
        }
        for node in circuit.nodes() {
            let Some(support) = cones.support(node).filter(|it| it.len() >= FEWEST) else {
                continue;
            };
            let targets = circuit.signals_of(node);
            let targets: Vec<Signal> = targets.filter(|it| is_target[it.index()]).collect();
            if !targets.is_empty() {
                let support = support.to_vec();
                cones.groups.entry(support).or_default().extend(targets);
            }
        }
        cones.groups.retain(|_, targets| targets.len() <= FUNCTIONS);
        cones
    }

    /// What an operation depends on: that of its first operand again where that is all, as it is for most.
    fn measure(&mut self, op: &Op<'_>) -> (u32, u8) {
        if !is_function(op) {
            return (0, NONE);
        }
        let mut known: Vec<Signal> = Vec::with_capacity(2 * BITS);
        let mut whole = (0, 0);
        for wire in op.operands() {
            let Some(source) = self.circuit.source(wire.signal()) else {
                continue;
            };
            match self.support(source) {
                Some(support) => {
                    known.extend(support);
                    whole = self.supports[source.index()];
                }
                None => known.push(wire.signal()),
            }
            known.sort_unstable();
            known.dedup();
            if known.len() > BITS {
                return (0, NONE);
            }
        }
        let (start, length) = whole;
        if self.bits[start as usize..][..usize::from(length)] == known[..] {
            return whole;
        }
        let start = self.bits.len() as u32;
        self.bits.extend(&known);
        (start, known.len() as u8)
    }

    /// What a node depends on, if that is little.
    fn support(&self, node: Node) -> Option<&[Signal]> {
        match self.supports[node.index()] {
            (_, NONE) => None,
            (start, length) => Some(&self.bits[start as usize..][..usize::from(length)]),
        }
    }

    /// The nodes between a support and some targets that depend on it, ascending; `None` if they are too
    /// many.
    pub(super) fn between(&self, targets: &[Signal]) -> Option<Vec<Node>> {
        let (mut nodes, mut left) = (BTreeSet::new(), targets.to_vec());
        while let Some(signal) = left.pop() {
            let source = self.circuit.source(signal);
            let Some(node) = source.filter(|&node| self.support(node).is_some()) else {
                continue;
            };
            if nodes.insert(node) {
                left.extend(self.circuit.op(node).operands().map(|wire| wire.signal()));
            }
            if nodes.len() > NODES {
                return None;
            }
        }
        Some(nodes.into_iter().collect())
    }

    /// Of these nodes the signals that others read, too.
    pub(super) fn read_beside(&self, nodes: &[Node]) -> Vec<Signal> {
        let mut own: HashMap<Signal, u32> = HashMap::new();
        for &node in nodes {
            for wire in self.circuit.op(node).operands() {
                *own.entry(wire.signal()).or_default() += 1;
            }
        }
        let signals = nodes.iter().flat_map(|&node| self.circuit.signals_of(node));
        let is_read =
            |signal: &Signal| self.reads[signal.index()] > own.get(signal).copied().unwrap_or(0);
        signals.filter(is_read).collect()
    }
}

/// Whether an operation is nothing but a function of bits.
fn is_function(op: &Op<'_>) -> bool {
    matches!(
        op,
        Op::And(..)
            | Op::Xor(..)
            | Op::Mux { .. }
            | Op::Lookup { .. }
            | Op::Parity { .. }
            | Op::Disjoint { .. }
            | Op::Choose { .. }
            | Op::Linear { .. }
    )
}
