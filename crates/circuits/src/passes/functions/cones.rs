//! Which signals depend on few bits, and on which.

use std::collections::BTreeMap;

use crate::Circuit;
use crate::ir::{Node, Op, Signal};

/// Bits that a function may depend on.
const BITS: usize = 8;
/// Fewer make one lookup anyway.
const FEWEST: usize = 5;
/// Functions of one cone that are looked at together.
const FUNCTIONS: usize = 16;

/// The bits that a signal depends on, ascending.
pub(super) type Support = Vec<Signal>;

/// What depends on few bits.
pub(super) struct Cones {
    /// By node: what it depends on, if that is little; else it stands for itself.
    pub(super) supports: Vec<Option<Support>>,
    /// By what they depend on: signals that others read.
    pub(super) groups: BTreeMap<Support, Vec<Signal>>,
    /// By node: who reads it.
    pub(super) readers: Vec<Vec<Node>>,
    pub(super) is_output: Vec<bool>,
}

impl Cones {
    pub(super) fn of(circuit: &Circuit) -> Self {
        let mut supports: Vec<Option<Support>> = Vec::with_capacity(circuit.len());
        let mut readers: Vec<Vec<Node>> = vec![Vec::new(); circuit.len()];
        let mut is_output = vec![false; circuit.signals()];
        for wire in circuit.outputs() {
            is_output[wire.signal().index()] = true;
        }
        for node in circuit.nodes() {
            let op = circuit.op(node);
            let mut support = is_function(&op).then(Support::new);
            for wire in op.operands() {
                let Some(source) = circuit.source(wire.signal()) else {
                    continue;
                };
                readers[source.index()].push(node);
                let Some(known) = &mut support else { continue };
                match &supports[source.index()] {
                    Some(more) => known.extend(more),
                    None => known.push(wire.signal()),
                }
                known.sort_unstable();
                known.dedup();
                if known.len() > BITS {
                    support = None;
                }
            }
            supports.push(support);
        }
        let mut groups: BTreeMap<Support, Vec<Signal>> = BTreeMap::new();
        for node in circuit.nodes() {
            let Some(support) = supports[node.index()]
                .as_ref()
                .filter(|it| it.len() >= FEWEST)
            else {
                continue;
            };
            let is_read_outside =
                (readers[node.index()].iter()).any(|reader| supports[reader.index()].is_none());
            let outputs = circuit.signals_of(node);
            let targets = outputs.filter(|it| is_read_outside || is_output[it.index()]);
            let targets: Vec<Signal> = targets.collect();
            if !targets.is_empty() {
                groups.entry(support.clone()).or_default().extend(targets);
            }
        }
        groups.retain(|_, targets| targets.len() <= FUNCTIONS);
        Self {
            supports,
            groups,
            readers,
            is_output,
        }
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
