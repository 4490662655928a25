//! The graph that is placed: which operations wait for which, and which signals they read.

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

/// Operations in the circuit's order: those that are still to be computed, and behind them those that some
/// machines hold. What is free is among them, for its result may travel instead of what it reads; but not
/// where it reads nothing but inputs, which are everywhere.
pub(super) struct Tasks {
    /// Nodes of what is to be computed.
    pub(super) nodes: Vec<Node>,
    /// Places that each fills in a batch; none of what is free.
    places: Vec<usize>,
    /// What each waits for; what is held has numbers from [`len`](Self::len) on.
    waits: Lists,
    /// Who waits for it.
    pub(super) readers: Lists,
    /// Signals that each reads.
    pub(super) reads: Lists,
    /// By signal: the task that it is a result of, or [`NOBODY`].
    owners: Vec<u32>,
    /// By what is held: the machines that have it.
    pub(super) holders: Vec<Vec<u32>>,
}

/// The owner of a signal that is everywhere, or that nobody needs.
const NOBODY: u32 = u32::MAX;

impl Tasks {
    /// `given` has what is [taken from whoever holds it](given).
    pub(super) fn new(
        circuit: &Circuit,
        profile: &Profile,
        held: &[Vec<bool>],
        given: &[bool],
    ) -> Self {
        let takes_time = |node: Node| profile.rotations(&circuit.op(node)) > 0;
        let is_held = |node: Node| given[node.index()];
        let needed = needed(circuit, &is_held);
        let is_in = |node: &Node| needed[node.index()] && circuit.input_number(*node).is_none();
        let (holding, computed): (Vec<Node>, Vec<Node>) = circuit
            .nodes()
            .filter(is_in)
            .partition(|&node| is_held(node));
        // What is held has its numbers behind the others', and how many those are is not known yet.
        const HELD: u32 = 1 << 31;
        let mut owners = vec![NOBODY; circuit.signals()];
        for (number, &node) in (0..).zip(&holding) {
            owners[circuit.range(node)].fill(HELD | number);
        }
        let mut nodes = Vec::with_capacity(computed.len());
        let mut reads: Vec<Vec<u32>> = Vec::with_capacity(computed.len());
        for node in computed {
            let op = circuit.op(node);
            let signals = op.operands().map(|wire| wire.signal().index() as u32);
            let mut read: Vec<u32> = signals
                .filter(|&signal| owners[signal as usize] != NOBODY)
                .collect();
            read.sort_unstable();
            read.dedup();
            if read.is_empty() && !takes_time(node) {
                continue;
            }
            owners[circuit.range(node)].fill(nodes.len() as u32);
            nodes.push(node);
            reads.push(read);
        }
        for owner in owners.iter_mut().filter(|owner| **owner != NOBODY) {
            if *owner & HELD != 0 {
                *owner = nodes.len() as u32 + (*owner & !HELD);
            }
        }
        let waits: Vec<Vec<u32>> = reads
            .iter()
            .map(|read| {
                let mut tasks: Vec<u32> =
                    read.iter().map(|&signal| owners[signal as usize]).collect();
                tasks.dedup();
                tasks
            })
            .collect();
        let mut readers = vec![Vec::new(); nodes.len() + holding.len()];
        for (task, waits) in (0..).zip(&waits) {
            for &read in waits {
                readers[read as usize].push(task);
            }
        }
        let machines_with = |node: &Node| {
            let machines = (0..).zip(held);
            machines
                .filter(|(_, nodes)| nodes[node.index()])
                .map(|(machine, _)| machine)
                .collect()
        };
        Self {
            places: nodes
                .iter()
                .map(|&node| profile.rotations(&circuit.op(node)))
                .collect(),
            waits: Lists::new(&waits),
            readers: Lists::new(&readers),
            reads: Lists::new(&reads),
            owners,
            holders: holding.iter().map(machines_with).collect(),
            nodes,
        }
    }

    /// How many are to be computed.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether a task takes no time.
    pub(super) fn is_free(&self, task: usize) -> bool {
        self.places[task] == 0
    }

    /// Places that a task fills.
    pub(super) fn places(&self, task: usize) -> usize {
        self.places[task]
    }

    /// The task that a signal which somebody reads is a result of.
    pub(super) fn owner(&self, signal: u32) -> usize {
        self.owners[signal as usize] as usize
    }

    /// What a task waits for that is to be computed.
    pub(super) fn waits_for(&self, task: usize) -> impl Iterator<Item = usize> + '_ {
        let waits = self.waits.of(task).iter().map(|&read| read as usize);
        waits.filter(|&read| read < self.len())
    }

    /// Nanoseconds of a task in a full batch.
    pub(super) fn time(&self, task: usize, profile: &Profile) -> f64 {
        let batch = profile.batch.max(1);
        self.places[task] as f64 * profile.batch_time_beside(batch, 1) / batch as f64
    }

    /// No schedule is shorter than the longest chain, or than an even share of the work in the batches that
    /// take the least for each place, by measurement not always full ones: the two in nanoseconds.
    pub(super) fn bounds(&self, profile: &Profile, cluster: &Cluster) -> [f64; 2] {
        let fastest = cluster.machines.iter().map(|machine| machine.speed);
        let fastest = fastest.fold(f64::MIN_POSITIVE, f64::max);
        // Two workers may share a rotation.
        let shared = profile.shared.unwrap_or(1.0).min(1.0);
        let batches = 1..=profile.batch.max(1);
        let place = batches.map(|places| profile.batch_time_beside(places, 1) / places as f64);
        let place = place.fold(f64::INFINITY, f64::min);
        let mut ends = vec![0.0f64; self.len()];
        let (mut chain, mut work) = (0.0f64, 0.0);
        for task in 0..self.len() {
            let begin = self
                .waits_for(task)
                .map(|read| ends[read])
                .fold(0.0, f64::max);
            let alone = match self.places[task] {
                0 => 0.0,
                places => profile.batch_time_beside(places, 1) * shared,
            };
            ends[task] = begin + alone / fastest;
            chain = chain.max(ends[task]);
            work += self.places[task] as f64 * place;
        }
        [chain, work / cluster.strength()]
    }
}

/// By node whether it is taken from whoever holds it, and not computed again: also what is free, since what it
/// reads may be freed where it was computed. Not what is free and reads inputs alone, which are everywhere.
pub(super) fn given(circuit: &Circuit, profile: &Profile, held: &[Vec<bool>]) -> Vec<bool> {
    let mut given = vec![false; circuit.len()];
    if held.is_empty() {
        return given;
    }
    let mut everywhere = vec![false; circuit.len()];
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let of_inputs = || sources(circuit, &op).all(|source| everywhere[source.index()]);
        let is_everywhere =
            circuit.input_number(node).is_some() || profile.rotations(&op) == 0 && of_inputs();
        everywhere[node.index()] = is_everywhere;
        given[node.index()] = !is_everywhere && held.iter().any(|nodes| nodes[node.index()]);
    }
    given
}

/// The nodes that an operation reads, as often as it does.
fn sources<'a>(circuit: &'a Circuit, op: &Op<'a>) -> impl Iterator<Item = Node> + 'a {
    let wires = op.operands();
    wires.filter_map(|wire| circuit.source(wire.signal()))
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
