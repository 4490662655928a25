//! The graph that is placed: operations that fill batches, and which of them wait for which. What is
//! free in between is looked through.

use super::Cluster;
use crate::ir::Node;
use crate::{Circuit, Op, Profile};

/// Lists of tasks, one for each task, in one array.
pub(super) struct Lists {
    first: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn new(lists: &[Vec<u32>]) -> Self {
        let mut first = vec![0];
        let mut items = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        for list in lists {
            items.extend(list);
            first.push(items.len() as u32);
        }
        Self { first, items }
    }

    pub(super) fn of(&self, task: usize) -> &[u32] {
        &self.items[self.first[task] as usize..self.first[task + 1] as usize]
    }
}

/// Operations that take time, in the circuit's order: those that are still to be computed, and behind them
/// those that some machines hold.
pub(super) struct Tasks {
    /// Nodes of what is to be computed.
    pub(super) nodes: Vec<Node>,
    /// Places that each fills in a batch.
    places: Vec<usize>,
    /// What each waits for; what is held has numbers from [`len`](Self::len) on.
    pub(super) reads: Lists,
    /// Who waits for it.
    pub(super) readers: Lists,
    /// Results that others read, of the held ones, too.
    pub(super) results: Vec<u32>,
    /// By what is held: the machines that have it.
    pub(super) holders: Vec<Vec<u32>>,
}

impl Tasks {
    pub(super) fn new(circuit: &Circuit, profile: &Profile, held: &[Vec<bool>]) -> Self {
        let takes_time: Vec<bool> = circuit
            .nodes()
            .map(|node| profile.rotations(&circuit.op(node)) > 0)
            .collect();
        let is_held =
            |node: Node| takes_time[node.index()] && held.iter().any(|nodes| nodes[node.index()]);
        let needed = needed(circuit, &is_held);
        let is_in = |node: &Node| needed[node.index()] && circuit.input_number(*node).is_none();
        let (holding, computed): (Vec<Node>, Vec<Node>) = circuit
            .nodes()
            .filter(is_in)
            .partition(|&node| is_held(node));
        let nodes: Vec<Node> = computed
            .iter()
            .copied()
            .filter(|node| takes_time[node.index()])
            .collect();
        // By node the numbers of what stands behind it, looking through what is free.
        let mut behind: Vec<Vec<u32>> = vec![Vec::new(); circuit.len()];
        let numbered = (0..).zip(nodes.iter().chain(&holding));
        for (number, node) in numbered {
            behind[node.index()] = vec![number];
        }
        let mut reads = Vec::with_capacity(nodes.len());
        for node in computed {
            let mut read: Vec<u32> = sources(circuit, &circuit.op(node))
                .flat_map(|source| behind[source.index()].iter().copied())
                .collect();
            read.sort_unstable();
            read.dedup();
            match takes_time[node.index()] {
                true => reads.push(read),
                false => behind[node.index()] = read,
            }
        }
        let mut readers = vec![Vec::new(); nodes.len() + holding.len()];
        for (task, reads) in (0..).zip(&reads) {
            for &read in reads {
                readers[read as usize].push(task);
            }
        }
        let is_read = read_signals(circuit, &|node| needed[node.index()] && !is_held(node));
        let results = nodes.iter().chain(&holding).map(|&node| {
            let read = circuit.range(node).filter(|&signal| is_read[signal]);
            read.count() as u32
        });
        let machines_with = |node: &Node| {
            let machines = (0..).zip(held);
            machines
                .filter(|(_, nodes)| nodes[node.index()])
                .map(|(machine, _)| machine)
                .collect()
        };
        Self {
            results: results.collect(),
            places: nodes
                .iter()
                .map(|&node| profile.rotations(&circuit.op(node)))
                .collect(),
            reads: Lists::new(&reads),
            readers: Lists::new(&readers),
            holders: holding.iter().map(machines_with).collect(),
            nodes,
        }
    }

    /// How many are to be computed.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// What a task waits for that is to be computed.
    pub(super) fn waits_for(&self, task: usize) -> impl Iterator<Item = usize> + '_ {
        let reads = self.reads.of(task).iter().map(|&read| read as usize);
        reads.filter(|&read| read < self.len())
    }

    /// Nanoseconds of a task in a full batch.
    pub(super) fn time(&self, task: usize, profile: &Profile) -> f64 {
        let batch = profile.batch.max(1);
        self.places[task] as f64 * profile.batch_time_beside(batch, 1) / batch as f64
    }

    /// No schedule is shorter than the longest chain, or than an even share of the work in full batches:
    /// the two in nanoseconds.
    pub(super) fn bounds(&self, profile: &Profile, cluster: &Cluster) -> [f64; 2] {
        let fastest = cluster.machines.iter().map(|machine| machine.speed);
        let fastest = fastest.fold(f64::MIN_POSITIVE, f64::max);
        // Two workers may share a rotation.
        let shared = profile.shared.unwrap_or(1.0).min(1.0);
        let mut ends = vec![0.0f64; self.len()];
        let (mut chain, mut work) = (0.0f64, 0.0);
        for task in 0..self.len() {
            let begin = self
                .waits_for(task)
                .map(|read| ends[read])
                .fold(0.0, f64::max);
            let alone = profile.batch_time_beside(self.places[task], 1) * shared;
            ends[task] = begin + alone / fastest;
            chain = chain.max(ends[task]);
            work += self.time(task, profile);
        }
        [chain, work / cluster.strength()]
    }
}

/// The nodes that an operation reads, as often as it does.
fn sources<'a>(circuit: &'a Circuit, op: &Op<'a>) -> impl Iterator<Item = Node> + 'a {
    let wires = op.operands();
    wires.filter_map(|wire| circuit.source(wire.signal()))
}

/// By signal whether one of these nodes or an output reads it.
fn read_signals(circuit: &Circuit, reads: &dyn Fn(Node) -> bool) -> Vec<bool> {
    let mut is_read = vec![false; circuit.signals()];
    for node in circuit.nodes().filter(|&node| reads(node)) {
        for wire in circuit.op(node).operands() {
            is_read[wire.signal().index()] = true;
        }
    }
    for wire in circuit.outputs() {
        is_read[wire.signal().index()] = true;
    }
    is_read
}

/// By node whether an output needs it, or whatever is to be computed does.
fn needed(circuit: &Circuit, is_held: &dyn Fn(Node) -> bool) -> Vec<bool> {
    let mut needed = vec![false; circuit.len()];
    for wire in circuit.outputs() {
        if let Some(node) = circuit.source(wire.signal()) {
            needed[node.index()] = true;
        }
    }
    for node in circuit.nodes().rev() {
        if needed[node.index()] && !is_held(node) {
            for source in sources(circuit, &circuit.op(node)) {
                needed[source.index()] = true;
            }
        }
    }
    needed
}
