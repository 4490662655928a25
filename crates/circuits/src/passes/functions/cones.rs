//! Which signals depend on few bits, and on which.

use super::Reach;
use super::marks::Marks;
use crate::ir::{Node, Op, Signal};
use crate::{Circuit, Wire};
use std::cmp::Reverse;

/// Fewer make one lookup anyway.
const FEWEST: usize = 5;
/// Operands of an operation of which some may be cut: of long sums that takes long, and helps none.
const OPERANDS: usize = 32;
/// Functions of one cone that are looked at together.
const FUNCTIONS: usize = 16;
/// Nodes of one cone: a hash of a byte may have any number of them.
pub(super) const NODES: usize = 1 << 12;
/// No support: the node's signals are bits that others depend on.
const NONE: u8 = u8::MAX;

/// The bits that a signal depends on, ascending.
pub(super) type Support = Vec<Signal>;

/// What depends on few bits.
pub(super) struct Cones<'a> {
    circuit: &'a Circuit,
    reach: Reach,
    /// By node: where in `bits` its support begins, and how long it is.
    supports: Vec<(u32, u8)>,
    bits: Vec<Signal>,
    /// By signal: how often it is read, by nodes and as an output.
    reads: Vec<u32>,
    /// By support, ascending: signals that are outputs, or read by what depends on more.
    pub(super) groups: Vec<(Support, Vec<Signal>)>,
}

impl<'a> Cones<'a> {
    /// Linear, but for operations of many operands.
    pub(super) fn of(circuit: &'a Circuit, reach: Reach) -> Self {
        let mut cones = Self {
            circuit,
            reach,
            supports: Vec::with_capacity(circuit.len()),
            bits: Vec::new(),
            reads: vec![0; circuit.signals()],
            groups: Vec::new(),
        };
        let mut is_target = vec![false; circuit.signals()];
        for wire in circuit.outputs() {
            cones.reads[wire.signal().index()] += 1;
            is_target[wire.signal().index()] = true;
        }
        for node in circuit.nodes() {
            let op = circuit.op(node);
            let mut cut = Vec::new();
            let support = cones.measure(&op, &mut cut);
            for wire in op.operands() {
                let signal = wire.signal().index();
                cones.reads[signal] += 1;
                is_target[signal] |= support.1 == NONE;
            }
            for signal in cut {
                is_target[signal.index()] = true;
            }
            cones.supports.push(support);
        }
        cones.groups = cones.grouped(&is_target);
        cones
    }

    /// Targets by what they depend on.
    fn grouped(&self, is_target: &[bool]) -> Vec<(Support, Vec<Signal>)> {
        let mut targets: Vec<(&[Signal], Signal)> = Vec::new();
        for node in self.circuit.nodes() {
            if let Some(support) = self.support(node).filter(|it| it.len() >= FEWEST) {
                let signals = self.circuit.signals_of(node);
                // A half has a scale of its own.
                let is_target = |it: &Signal| is_target[it.index()] && !self.circuit.is_half(*it);
                targets.extend(signals.filter(is_target).map(|signal| (support, signal)));
            }
        }
        targets.sort_unstable();
        let groups = targets.chunk_by(|one, other| one.0 == other.0);
        groups
            .filter(|group| group.len() <= FUNCTIONS)
            .map(|group| {
                let signals = group.iter().map(|(_, signal)| *signal);
                (group[0].0.to_vec(), signals.collect())
            })
            .collect()
    }

    /// What an operation depends on: that of its last operand again where that is all, as it is for most.
    /// Signals that stand for what they depend on are added to `cut`.
    fn measure(&mut self, op: &Op<'_>, cut: &mut Vec<Signal>) -> (u32, u8) {
        if !is_function(op) {
            return (0, NONE);
        }
        let cuts = self.reach.cuts && op.operands().count() <= OPERANDS;
        let (mut known, mut whole) = self.joined(op, cut);
        while known.len() > self.reach.bits {
            let most = |wire: &Wire| {
                let signal = wire.signal();
                let depends = self
                    .of_signal(signal, cut)
                    .map_or(0, |it| usize::from(it.1));
                (depends, Reverse(signal))
            };
            let longest = op.operands().max_by_key(most);
            match longest.filter(|it| cuts && most(it).0 > 1) {
                Some(wire) => cut.push(wire.signal()),
                None => {
                    cut.clear();
                    return (0, NONE);
                }
            }
            (known, whole) = self.joined(op, cut);
        }
        let (start, length) = whole;
        if self.bits[start as usize..][..usize::from(length)] == known[..] {
            return whole;
        }
        let start = self.bits.len() as u32;
        self.bits.extend(&known);
        (start, known.len() as u8)
    }

    /// What the operands depend on, ascending, and that of the last one.
    fn joined(&self, op: &Op<'_>, cut: &[Signal]) -> (Support, (u32, u8)) {
        let mut known: Support = Vec::with_capacity(2 * self.reach.bits);
        let mut whole = (0, 0);
        for wire in op.operands() {
            if self.circuit.source(wire.signal()).is_none() {
                continue;
            }
            match self.of_signal(wire.signal(), cut) {
                Some((start, length)) => {
                    known.extend(&self.bits[start as usize..][..usize::from(length)]);
                    whole = (start, length);
                }
                None => known.push(wire.signal()),
            }
            if known.len() > 2 * self.reach.bits {
                known.sort_unstable();
                known.dedup();
            }
            // Of a long sum these are enough to know that it depends on too many.
            if known.len() > 4 * self.reach.bits {
                break;
            }
        }
        known.sort_unstable();
        known.dedup();
        (known, whole)
    }

    /// What a signal depends on, where it does not stand for that.
    fn of_signal(&self, signal: Signal, cut: &[Signal]) -> Option<(u32, u8)> {
        let node = self.circuit.source(signal)?;
        let support = self.supports[node.index()];
        (support.1 != NONE && !cut.contains(&signal)).then_some(support)
    }

    /// What a node depends on, if that is little.
    fn support(&self, node: Node) -> Option<&[Signal]> {
        match self.supports[node.index()] {
            (_, NONE) => None,
            (start, length) => Some(&self.bits[start as usize..][..usize::from(length)]),
        }
    }

    /// The nodes between a support and some targets that depend on it, ascending; `None` if they are too
    /// many, or more than so many.
    pub(super) fn between(
        &self,
        bits: &Support,
        targets: &[Signal],
        most: usize,
        seen: &mut Marks,
    ) -> Option<Vec<Node>> {
        seen.clear();
        let (mut nodes, mut left) = (Vec::new(), targets.to_vec());
        while let Some(signal) = left.pop() {
            if bits.binary_search(&signal).is_ok() {
                continue;
            }
            let source = self.circuit.source(signal);
            let Some(node) = source.filter(|&node| self.support(node).is_some()) else {
                continue;
            };
            if seen.insert(node.index()) {
                nodes.push(node);
                left.extend(self.circuit.op(node).operands().map(|wire| wire.signal()));
            }
            if nodes.len() > most.min(NODES) {
                return None;
            }
        }
        nodes.sort_unstable();
        Some(nodes)
    }

    /// Of these nodes the signals that others read, too. `own` has a zero for each signal, and has them again
    /// in the end.
    pub(super) fn read_beside(&self, nodes: &[Node], own: &mut [u32]) -> Vec<Signal> {
        let operands = || {
            let ops = nodes.iter().map(|&node| self.circuit.op(node));
            ops.flat_map(|op| op.operands().map(|wire| wire.signal().index()))
        };
        operands().for_each(|signal| own[signal] += 1);
        let signals = nodes.iter().flat_map(|&node| self.circuit.signals_of(node));
        let is_read = |signal: &Signal| self.reads[signal.index()] > own[signal.index()];
        let read = signals.filter(is_read).collect();
        operands().for_each(|signal| own[signal] = 0);
        read
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
