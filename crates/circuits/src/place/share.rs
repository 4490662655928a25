//! What one machine does of a circuit: which nodes it computes, what it gets from others and what it gives
//! them.

use std::collections::HashMap;

use super::sums;
use super::tasks::Tasks;
use crate::ir::{Node, Signal};
use crate::{Circuit, Profile};

/// One machine's part of a circuit.
///
/// Laws, which hold for every placement and which the tests check: whatever a node of `computes` reads is
/// an input, computed here, received or held; what is sent to a machine is what that machine receives from
/// this one; every node that takes time is computed by one machine or held; every output is there in the end.
/// What is free is computed by every machine that needs it, or [received](super::sums) like the rest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    /// By node: whether this machine computes it.
    computes: Vec<bool>,
    /// Signals that come from others, in ascending order, and from which machine each comes.
    receives: Vec<(u32, u32)>,
    /// Signals that others need, in ascending order, and the machines that do.
    sends: Vec<(u32, Vec<u32>)>,
}

impl Share {
    /// By node: whether this machine computes it.
    #[must_use]
    pub fn computes(&self) -> &[bool] {
        &self.computes
    }

    /// Signals that come from others, in ascending order, and from which machine each comes.
    #[must_use]
    pub fn receives(&self) -> &[(u32, u32)] {
        &self.receives
    }

    /// Signals that others need, in ascending order, and the machines that do.
    #[must_use]
    pub fn sends(&self) -> &[(u32, Vec<u32>)] {
        &self.sends
    }

    /// The machines that need a signal.
    #[must_use]
    pub fn readers_of(&self, signal: u32) -> &[u32] {
        match self.sends.binary_search_by_key(&signal, |(sent, _)| *sent) {
            Ok(place) => &self.sends[place].1,
            Err(_) => &[],
        }
    }

    /// Whether a signal comes from another machine.
    pub(crate) fn receives_signal(&self, signal: u32) -> bool {
        let found = self.receives.binary_search_by_key(&signal, |(own, _)| *own);
        found.is_ok()
    }

    /// The numbers of the nodes of which something is received, in ascending order.
    pub(crate) fn received_nodes(&self, circuit: &Circuit) -> Vec<u32> {
        let signals = self.receives.iter().map(|&(signal, _)| Signal(signal));
        let mut nodes: Vec<u32> = signals
            .filter_map(|signal| Some(circuit.source(signal)?.0))
            .collect();
        nodes.dedup();
        nodes
    }

    pub(super) fn hash_into(&self, hasher: &mut blake3::Hasher) {
        let mut number = |number: usize| {
            hasher.update(&(number as u64).to_le_bytes());
        };
        number(self.computes.len());
        let computed = self.computes.iter().enumerate();
        computed
            .filter(|(_, own)| **own)
            .for_each(|(node, _)| number(node));
        number(self.receives.len());
        for &(signal, from) in &self.receives {
            number(signal as usize);
            number(from as usize);
        }
    }
}

/// The shares of machines, by the machine of each task. All outputs are needed by everybody.
pub(super) fn shares(
    circuit: &Circuit,
    profile: &Profile,
    tasks: &Tasks,
    machines: &[u32],
    (held, given): (&[Vec<bool>], &[bool]),
    count: usize,
) -> Vec<Share> {
    let mut own = vec![NOBODY; circuit.len()];
    let taking_time = (0..tasks.len()).filter(|&task| !tasks.is_free(task));
    for task in taking_time {
        own[tasks.nodes[task].index()] = machines[task];
    }
    let mut needs = Needs::new(circuit, profile, own, (held, given), count);
    let sent = sums::send(&mut needs);
    needs.shares(&sent)
}

/// A node that no machine computes as its own: it is free, an input, or not needed.
const NOBODY: u32 = u32::MAX;

/// Who computes and who reads what.
pub(super) struct Needs<'a> {
    pub(super) circuit: &'a Circuit,
    held: &'a [Vec<bool>],
    /// By node the machine that computes it, if it takes time.
    own: Vec<u32>,
    /// By machine and by node: whether it computes it.
    pub(super) computes: Vec<Vec<bool>>,
    /// By signal: who reads it.
    pub(super) readers: Sets,
}

impl<'a> Needs<'a> {
    /// What takes time has a machine; what is free is computed by whoever needs it, unless somebody holds it. One walk from the outputs
    /// to the inputs, with a set of machines for each signal.
    fn new(
        circuit: &'a Circuit,
        profile: &Profile,
        own: Vec<u32>,
        (held, given): (&'a [Vec<bool>], &[bool]),
        count: usize,
    ) -> Self {
        let mut needs = Self {
            circuit,
            held,
            own,
            computes: vec![vec![false; circuit.len()]; count],
            readers: Sets::new(circuit.signals(), count),
        };
        for wire in circuit.outputs() {
            needs.readers.fill(wire.signal().index());
        }
        let mut computing = Vec::new();
        for node in circuit.nodes().rev() {
            if circuit.input_number(node).is_some() {
                continue;
            }
            let op = circuit.op(node);
            computing.clear();
            if profile.rotations(&op) == 0 {
                if !given[node.index()] {
                    let signals = circuit.range(node);
                    computing.extend(signals.flat_map(|signal| needs.readers.of(signal)));
                    computing.sort_unstable();
                    computing.dedup();
                }
            } else {
                let own = needs.own[node.index()];
                computing.extend((own != NOBODY).then_some(own));
            }
            for &machine in &computing {
                needs.computes[machine as usize][node.index()] = true;
            }
            for wire in op.operands() {
                needs.readers.add(wire.signal().index(), &computing);
            }
        }
        needs
    }

    fn holds(&self, machine: u32, node: Node) -> bool {
        let nodes = self.held.get(machine as usize);
        nodes.is_some_and(|nodes| nodes[node.index()])
    }

    /// Whether nobody computes a node alone.
    pub(super) fn is_free(&self, node: Node) -> bool {
        self.own[node.index()] == NOBODY
    }

    /// The machines that compute a node.
    pub(super) fn computing(&self, node: Node) -> impl Iterator<Item = u32> + '_ {
        let machines = (0..).zip(&self.computes);
        machines
            .filter(move |(_, computes)| computes[node.index()])
            .map(|(machine, _)| machine)
    }

    /// Whether a machine has a node's results whatever becomes of others: it takes time and is computed
    /// there, or is held.
    pub(super) fn is_own(&self, machine: u32, node: Node) -> bool {
        self.own[node.index()] == machine || self.holds(machine, node)
    }

    /// Whether a machine has a node's results without anybody's help.
    pub(super) fn has(&self, machine: u32, node: Node) -> bool {
        self.computes[machine as usize][node.index()] || self.holds(machine, node)
    }

    pub(super) fn machines(&self) -> std::ops::Range<u32> {
        0..self.computes.len() as u32
    }

    /// Shares; of what is free and travels, the machine that it comes from is in `sent`.
    fn shares(self, sent: &Sent) -> Vec<Share> {
        let mut receives = vec![Vec::new(); self.computes.len()];
        let mut sends = vec![Vec::new(); self.computes.len()];
        for node in self.circuit.nodes() {
            if self.circuit.input_number(node).is_some() {
                continue;
            }
            let holder = || self.machines().find(|&machine| self.holds(machine, node));
            let from = match self.own[node.index()] {
                NOBODY => sent.get(&node.0).copied().or_else(holder),
                own => Some(own),
            };
            for signal in self.circuit.range(node) {
                let Some(from) = from else { break };
                let to = self.readers.of(signal);
                let to: Vec<u32> = to.filter(|&machine| !self.has(machine, node)).collect();
                for &machine in &to {
                    receives[machine as usize].push((signal as u32, from));
                }
                if !to.is_empty() {
                    sends[from as usize].push((signal as u32, to));
                }
            }
        }
        let parts = self.computes.into_iter().zip(receives).zip(sends);
        parts
            .map(|((computes, receives), sends)| Share {
                computes,
                receives,
                sends,
            })
            .collect()
    }
}

/// By node that is free: the machine that sends its results to those that do not compute it.
pub(super) type Sent = HashMap<u32, u32>;

/// Sets of machines, one for each signal, as bits.
pub(super) struct Sets {
    words: usize,
    bits: Vec<u64>,
    all: Vec<u64>,
}

impl Sets {
    fn new(signals: usize, machines: usize) -> Self {
        let words = machines.div_ceil(64);
        let mut all = vec![0; words];
        for machine in 0..machines {
            all[machine / 64] |= 1 << (machine % 64);
        }
        Self {
            words,
            bits: vec![0; signals * words],
            all,
        }
    }

    fn words(&mut self, signal: usize) -> &mut [u64] {
        &mut self.bits[signal * self.words..(signal + 1) * self.words]
    }

    fn fill(&mut self, signal: usize) {
        let all = std::mem::take(&mut self.all);
        self.words(signal).copy_from_slice(&all);
        self.all = all;
    }

    pub(super) fn add(&mut self, signal: usize, machines: &[u32]) {
        let set = self.words(signal);
        for &machine in machines {
            set[machine as usize / 64] |= 1 << (machine % 64);
        }
    }

    pub(super) fn remove(&mut self, signal: usize, machine: u32) {
        self.words(signal)[machine as usize / 64] &= !(1 << (machine % 64));
    }

    pub(super) fn has(&self, signal: usize, machine: u32) -> bool {
        self.bits[signal * self.words + machine as usize / 64] >> (machine % 64) & 1 == 1
    }

    /// The machines of a set, ascending.
    pub(super) fn of(&self, signal: usize) -> impl Iterator<Item = u32> + '_ {
        let words = &self.bits[signal * self.words..(signal + 1) * self.words];
        (0..).step_by(64).zip(words).flat_map(|(first, &word)| {
            let rests = std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)));
            let ones = rests.take_while(|&rest| rest != 0);
            ones.map(move |rest| first + rest.trailing_zeros())
        })
    }
}
