//! What the scheduler knows before it starts: who waits for whom, how often each bit is read, and
//! how far each node is from the end. A few words for each node, all in flat arrays.

use crate::Profile;
use crate::ir::{Circuit, Node, Op};

/// The static part of a schedule.
pub(super) struct Dependencies {
    /// By node: how many operands are still to be computed, counted as often as they are read.
    pub(super) waiting: Vec<u32>,
    /// By signal: how often it is read, by nodes and by outputs.
    pub(super) reads: Vec<u32>,
    /// By node: time from its start to the end of the circuit, in thousandths of a nanosecond.
    pub(super) urgency: Vec<u64>,
    /// Readers of node `n`: `readers[first[n]..first[n + 1]]`.
    first: Vec<u32>,
    readers: Vec<u32>,
}

impl Dependencies {
    pub(super) fn new(circuit: &Circuit, profile: &Profile) -> Self {
        let mut waiting = vec![0u32; circuit.len()];
        let mut reads = vec![0u32; circuit.signals()];
        let mut first = vec![0u32; circuit.len() + 2];
        let computed = |wire: crate::Wire| {
            let source = circuit.source(wire.signal())?;
            (!matches!(circuit.op(source), Op::Input(_))).then_some(source)
        };
        for node in circuit.nodes() {
            for wire in circuit.op(node).operands() {
                reads[wire.signal().index()] += 1;
                if let Some(source) = computed(wire) {
                    waiting[node.index()] += 1;
                    first[source.index() + 2] += 1;
                }
            }
        }
        for wire in circuit.outputs() {
            reads[wire.signal().index()] += 1;
        }
        for i in 2..first.len() {
            first[i] += first[i - 1];
        }
        // `first[n + 1]` is where the next reader of `n` goes; in the end it is where they stop.
        let mut readers = vec![0u32; first[circuit.len() + 1] as usize];
        let mut urgency = vec![0u64; circuit.len()];
        for node in circuit.nodes() {
            for wire in circuit.op(node).operands() {
                if let Some(source) = computed(wire) {
                    let place = &mut first[source.index() + 1];
                    readers[*place as usize] = node.0;
                    *place += 1;
                }
            }
        }
        first.pop();
        let mut dependencies = Self {
            waiting,
            reads,
            urgency: Vec::new(),
            first,
            readers,
        };
        for node in circuit.nodes().rev() {
            let after = dependencies
                .readers(node)
                .iter()
                .map(|&reader| urgency[reader as usize]);
            let after = after.max().unwrap_or(0);
            urgency[node.index()] = time(&circuit.op(node), profile).saturating_add(after);
        }
        dependencies.urgency = urgency;
        dependencies
    }

    /// The nodes that read a node, as often as they do.
    pub(super) fn readers(&self, node: Node) -> &[u32] {
        let range = self.first[node.index()] as usize..self.first[node.index() + 1] as usize;
        &self.readers[range]
    }
}

/// An operation's time in thousandths of a nanosecond, at least one so that order shows.
fn time(op: &Op<'_>, profile: &Profile) -> u64 {
    match op {
        Op::Input(_) => 0,
        _ => ((profile.time(op) * 1000.0) as u64).clamp(1, 1 << 40),
    }
}
