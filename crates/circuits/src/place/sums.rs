//! Sums that travel instead of what is added up.
//!
//! Operations that are free can be computed by whoever needs them; but then all that they read has to be
//! there. Where a machine needs several results of others for nothing but one sum, somebody else adds them
//! up and sends the sum.
//!
//! One walk in the circuit's order, so that sums of sums are met when their parts are settled already. For
//! every machine and what it reads: by how many of its own operations. O(what is received or read by free
//! operations).

use std::collections::HashMap;

use super::share::{Needs, Sent};
use crate::ir::{Node, Signal};

/// Machines stop computing what others had better send. Who sends what.
pub(super) fn send(needs: &mut Needs<'_>) -> Sent {
    let mut sent = Sent::new();
    if needs.machines().len() < 2 {
        return sent;
    }
    let mut sums = Sums {
        uses: uses(needs),
        needs,
    };
    let circuit = sums.needs.circuit;
    for node in circuit.nodes() {
        if !sums.needs.is_free(node) {
            continue;
        }
        let computing: Vec<u32> = sums.needs.computing(node).collect();
        let reads = match computing.is_empty() {
            true => continue,
            false => reads(sums.needs, node),
        };
        for &machine in &computing {
            let own = reads
                .iter()
                .filter(|&&signal| sums.is_for_one(machine, signal));
            let wanted = circuit.range(node);
            let wanted = wanted.filter(|&signal| sums.needs.readers.has(signal, machine));
            if own.count() <= wanted.count() {
                continue;
            }
            let from = match sent.get(&node.0) {
                Some(&from) => Some(from),
                None => sums.sender(machine, node, &reads),
            };
            if let Some(from) = from.filter(|&from| from != machine) {
                sums.add(from, node, &reads);
                sent.insert(node.0, from);
                sums.drop(machine, node, &sent);
            }
        }
    }
    sent
}

struct Sums<'n, 'c> {
    needs: &'n mut Needs<'c>,
    /// By machine and signal: how many operations of the machine read it, and whether it is an output. Of
    /// what the machine has not itself, or has for nothing.
    uses: HashMap<(u32, u32), u32>,
}

impl Sums<'_, '_> {
    /// Whether a signal comes from another machine, for one operation alone.
    fn is_for_one(&self, machine: u32, signal: u32) -> bool {
        let has = source(self.needs, signal).is_none_or(|node| self.needs.has(machine, node));
        !has && self.uses.get(&(machine, signal)) == Some(&1)
    }

    /// Another machine that has all that a node reads, or will: one that computes it, or one that has some
    /// of it itself.
    fn sender(&self, machine: u32, node: Node, reads: &[u32]) -> Option<u32> {
        let needs = &*self.needs;
        let there = |other: u32, signal: u32| {
            needs.readers.has(signal as usize, other)
                || source(needs, signal).is_some_and(|node| needs.has(other, node))
        };
        let having = reads.iter().filter_map(|&signal| source(needs, signal));
        let having = having.flat_map(|node| {
            needs
                .machines()
                .filter(move |&other| needs.has(other, node))
        });
        let mut others = needs.computing(node).chain(having);
        others.find(|&other| other != machine && reads.iter().all(|&signal| there(other, signal)))
    }

    /// A machine computes a node, too.
    fn add(&mut self, machine: u32, node: Node, reads: &[u32]) {
        if self.needs.has(machine, node) {
            return;
        }
        self.needs.computes[machine as usize][node.index()] = true;
        for &signal in reads {
            self.needs.readers.add(signal as usize, &[machine]);
            if source(self.needs, signal).is_some_and(|node| !self.needs.is_own(machine, node)) {
                *self.uses.entry((machine, signal)).or_default() += 1;
            }
        }
    }

    /// A machine does not compute a node, nor what is free and only the node needed.
    fn drop(&mut self, machine: u32, node: Node, sent: &Sent) {
        let mut dropped = vec![node];
        while let Some(node) = dropped.pop() {
            self.needs.computes[machine as usize][node.index()] = false;
            for signal in reads(self.needs, node) {
                let Some(uses) = self.uses.get_mut(&(machine, signal)) else {
                    continue;
                };
                *uses -= 1;
                if *uses > 0 {
                    continue;
                }
                self.needs.readers.remove(signal as usize, machine);
                let Some(read) = source(self.needs, signal) else {
                    continue;
                };
                let readers = &self.needs.readers;
                let mut signals = self.needs.circuit.range(read);
                let is_read = signals.any(|signal| readers.has(signal, machine));
                let is_computed = self.needs.computes[machine as usize][read.index()];
                if is_computed && !is_read && sent.get(&read.0) != Some(&machine) {
                    dropped.push(read);
                }
            }
        }
    }
}

/// What operations read, each signal once, without inputs.
fn reads(needs: &Needs<'_>, node: Node) -> Vec<u32> {
    let operands = needs.circuit.op(node).operands();
    let signals = operands.map(|wire| wire.signal());
    let mut signals: Vec<u32> = signals
        .filter(|&signal| source(needs, signal.index() as u32).is_some())
        .map(|signal| signal.index() as u32)
        .collect();
    signals.sort_unstable();
    signals.dedup();
    signals
}

/// The node that a signal is a result of, unless it is an input.
fn source(needs: &Needs<'_>, signal: u32) -> Option<Node> {
    let node = needs.circuit.source(Signal(signal))?;
    needs.circuit.input_number(node).is_none().then_some(node)
}

fn uses(needs: &Needs<'_>) -> HashMap<(u32, u32), u32> {
    let mut uses = HashMap::new();
    let mut read = |machine: u32, signal: u32| {
        if let Some(node) = source(needs, signal)
            && !needs.is_own(machine, node)
        {
            *uses.entry((machine, signal)).or_default() += 1;
        }
    };
    let mut outputs: Vec<u32> = Vec::new();
    outputs.extend(
        needs
            .circuit
            .outputs()
            .iter()
            .map(|wire| wire.signal().index() as u32),
    );
    outputs.sort_unstable();
    outputs.dedup();
    for machine in needs.machines() {
        outputs.iter().for_each(|&signal| read(machine, signal));
    }
    for node in needs.circuit.nodes() {
        let mut computing = needs.computing(node).peekable();
        if computing.peek().is_none() {
            continue;
        }
        let reads = reads(needs, node);
        for machine in computing {
            reads.iter().for_each(|&signal| read(machine, signal));
        }
    }
    uses
}
