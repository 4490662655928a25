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
    held: &[Vec<bool>],
    count: usize,
) -> Vec<Share> {
    /// A node that no machine computes as its own: it is free, an input, or not needed.
    const NOBODY: u32 = u32::MAX;
    let mut own = vec![NOBODY; circuit.len()];
    for (node, &machine) in tasks.nodes.iter().zip(machines) {
        own[node.index()] = machine;
    }
    let mut shares: Vec<Share> = (0..count as u32)
        .map(|machine| {
            let is_held = |node: usize| held.get(machine as usize).is_some_and(|nodes| nodes[node]);
            let mut computes = vec![false; circuit.len()];
            let mut reads = vec![false; circuit.signals()];
            for wire in circuit.outputs() {
                reads[wire.signal().index()] = true;
            }
            let mut receives = Vec::new();
            for node in circuit.nodes().rev() {
                if circuit.input_number(node).is_some() {
                    continue;
                }
                let op = circuit.op(node);
                let is_free = profile.rotations(&op) == 0;
                let is_own = own[node.index()] == machine;
                let is_read = circuit.range(node).any(|signal| reads[signal]);
                if !is_own && (!is_read || (!is_free && is_held(node.index()))) {
                    continue;
                }
                if is_own || is_free {
                    computes[node.index()] = true;
                    for wire in op.operands() {
                        reads[wire.signal().index()] = true;
                    }
                    continue;
                }
                let from = match own[node.index()] {
                    NOBODY => (0..)
                        .zip(held)
                        .find(|(_, nodes)| nodes[node.index()])
                        .map(|(at, _)| at),
                    from => Some(from),
                };
                let Some(from) = from else { continue };
                let read = circuit.range(node).filter(|&signal| reads[signal]);
                receives.extend(read.map(|signal| (signal as u32, from)));
            }
            receives.sort_unstable();
            Share {
                computes,
                receives,
                sends: Vec::new(),
            }
        })
        .collect();
    for to in 0..count {
        for (signal, from) in shares[to].receives.clone() {
            shares[from as usize].sends.push((signal, vec![to as u32]));
        }
    }
    for share in &mut shares {
        share.sends.sort();
        share.sends.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            if is_same {
                first.1.append(&mut next.1);
            }
            is_same
        });
    }
    shares
}
