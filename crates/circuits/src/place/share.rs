//! What one machine does of a circuit: which nodes it computes, what it gets from others and what it gives
//! them.

use super::tasks::Tasks;
use crate::ir::Signal;
use crate::{Circuit, Profile};

/// One machine's part of a circuit.
///
/// Laws, which hold for every placement and which the tests check: whatever a node of `computes` reads is
/// an input, computed here, received or held; what is sent to a machine is what that machine receives from
/// this one; every node that takes time is computed by one machine or held; every output is there in the end.
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
///
/// One walk from the outputs to the inputs, with a set of machines for each signal.
pub(super) fn shares(
    circuit: &Circuit,
    profile: &Profile,
    tasks: &Tasks,
    machines: &[u32],
    held: &[Vec<bool>],
    count: usize,
) -> Vec<Share> {
    /// A node that no machine computes as its own: it is free, an input, or not needed.
    const NOBODY: u32 = u32::MAX;
    let mut own = vec![NOBODY; circuit.len()];
    for (node, &machine) in tasks.nodes.iter().zip(machines) {
        own[node.index()] = machine;
    }
    let mut shares: Vec<Share> = (0..count)
        .map(|_| Share {
            computes: vec![false; circuit.len()],
            receives: Vec::new(),
            sends: Vec::new(),
        })
        .collect();
    let mut readers = Sets::new(circuit.signals(), count);
    for wire in circuit.outputs() {
        readers.fill(wire.signal().index());
    }
    let mut computing = Vec::new();
    for node in circuit.nodes().rev() {
        if circuit.input_number(node).is_some() {
            continue;
        }
        let op = circuit.op(node);
        let own = own[node.index()];
        computing.clear();
        if profile.rotations(&op) == 0 {
            let signals = circuit.range(node);
            computing.extend(signals.flat_map(|signal| readers.of(signal)));
            computing.sort_unstable();
            computing.dedup();
        } else {
            computing.extend((own != NOBODY).then_some(own));
            let holds = |machine: u32| {
                let nodes = held.get(machine as usize);
                nodes.is_some_and(|nodes| nodes[node.index()])
            };
            let from = match own {
                NOBODY => (0..count as u32).find(|&machine| holds(machine)),
                own => Some(own),
            };
            for signal in circuit.range(node) {
                let Some(from) = from else { break };
                let to = readers.of(signal);
                let to: Vec<u32> = to
                    .filter(|&machine| machine != own && !holds(machine))
                    .collect();
                for &machine in &to {
                    shares[machine as usize]
                        .receives
                        .push((signal as u32, from));
                }
                if !to.is_empty() {
                    shares[from as usize].sends.push((signal as u32, to));
                }
            }
        }
        for &machine in &computing {
            shares[machine as usize].computes[node.index()] = true;
        }
        for wire in op.operands() {
            readers.add(wire.signal().index(), &computing);
        }
    }
    for share in &mut shares {
        share.receives.sort_unstable();
        share.sends.sort_unstable();
    }
    shares
}

/// Sets of machines, one for each signal, as bits.
struct Sets {
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

    fn add(&mut self, signal: usize, machines: &[u32]) {
        let set = self.words(signal);
        for &machine in machines {
            set[machine as usize / 64] |= 1 << (machine % 64);
        }
    }

    /// The machines of a set, ascending.
    fn of(&self, signal: usize) -> impl Iterator<Item = u32> + '_ {
        let words = &self.bits[signal * self.words..(signal + 1) * self.words];
        (0..).step_by(64).zip(words).flat_map(|(first, &word)| {
            let rests = std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)));
            let ones = rests.take_while(|&rest| rest != 0);
            ones.map(move |rest| first + rest.trailing_zeros())
        })
    }
}
