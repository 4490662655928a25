//! Who reads a signal, and how early.
//!
//! A fused lookup may come out later than its parts did, as long as that is before all that read it.
//! A condition is read by a selection for each bit of each word that it decides, and every one of
//! them asks whether the condition may become part of it: walked anew each time, the readers cost
//! the square of their number. So the levels of the readers of such a signal are counted, and the
//! counts follow whatever rises, falls or is absorbed. An answer is then a look at the lowest two
//! levels.

use std::collections::{BTreeMap, HashMap};

use crate::Circuit;
use crate::ir::{Node, Op, Signal};

/// A signal read by more nodes than this has its readers' levels counted.
const MANY: usize = 16;

/// A signal whose readers are walked.
const WALKED: u32 = u32::MAX;

/// Readers of all signals, and the levels of those that are many.
pub(super) struct Readers {
    /// Readers of signal `s`: `readers[first[s]..first[s + 1]]`.
    first: Vec<u32>,
    readers: Vec<u32>,
    /// By signal: its place in `crowds`, or [`WALKED`].
    crowd: Vec<u32>,
    crowds: Vec<Crowd>,
    /// By node: the crowds that it belongs to, each once.
    member: Vec<Vec<u32>>,
    /// Lookups that do another one's work once more, by what they read for it.
    more: HashMap<Signal, Vec<Node>>,
}

/// The readers of a signal that many read.
#[derive(Default)]
pub(super) struct Crowd {
    /// How many lookups and gates there are of each level.
    levels: BTreeMap<u32, u32>,
    /// Sums of disjoint bits, and the lowest of their levels: these never change.
    pub(super) sums: Vec<Node>,
    lowest_sum: Option<u32>,
}

impl Crowd {
    fn add(&mut self, level: u32) {
        *self.levels.entry(level).or_insert(0) += 1;
    }

    fn remove(&mut self, level: u32) {
        if let Some(count) = self.levels.get_mut(&level) {
            *count -= 1;
            if *count == 0 {
                self.levels.remove(&level);
            }
        }
    }

    /// The lowest level of the readers that are no sums, but for one of them.
    pub(super) fn lowest_but(&self, one: Option<u32>) -> Option<u32> {
        let mut levels = self.levels.iter();
        let (lowest, count) = levels.next()?;
        match one {
            Some(level) if level == *lowest && *count == 1 => levels.next().map(|(next, _)| *next),
            _ => Some(*lowest),
        }
    }

    /// The lowest level of all readers.
    pub(super) fn lowest(&self) -> Option<u32> {
        self.lowest_but(None)
            .into_iter()
            .chain(self.lowest_sum)
            .min()
    }
}

impl Readers {
    pub(super) fn new(circuit: &Circuit, level: &[u32]) -> Self {
        let mut first = vec![0u32; circuit.signals() + 2];
        for node in circuit.nodes() {
            for wire in circuit.op(node).operands() {
                first[wire.signal().index() + 2] += 1;
            }
        }
        for i in 2..first.len() {
            first[i] += first[i - 1];
        }
        let mut readers = vec![0u32; first[circuit.signals() + 1] as usize];
        for node in circuit.nodes() {
            for wire in circuit.op(node).operands() {
                let next = &mut first[wire.signal().index() + 1];
                readers[*next as usize] = node.0;
                *next += 1;
            }
        }
        first.pop();
        let mut all = Self {
            crowd: vec![WALKED; circuit.signals()],
            crowds: Vec::new(),
            member: vec![Vec::new(); circuit.len()],
            more: HashMap::new(),
            first,
            readers,
        };
        all.count(circuit, level);
        all
    }

    fn count(&mut self, circuit: &Circuit, level: &[u32]) {
        for signal in 0..self.crowd.len() {
            let range = self.first[signal] as usize..self.first[signal + 1] as usize;
            if range.len() <= MANY {
                continue;
            }
            let number = self.crowds.len() as u32;
            self.crowd[signal] = number;
            let mut crowd = Crowd::default();
            // They come in the order of the circuit, one that reads it twice in a row.
            let mut last = None;
            for &reader in &self.readers[range] {
                if last.replace(reader) == Some(reader) {
                    continue;
                }
                let at = level[reader as usize];
                if let Op::Disjoint { .. } = circuit.op(Node(reader)) {
                    crowd.sums.push(Node(reader));
                    crowd.lowest_sum = crowd.lowest_sum.into_iter().chain([at]).min();
                } else {
                    crowd.add(at);
                    self.member[reader as usize].push(number);
                }
            }
            self.crowds.push(crowd);
        }
    }

    /// The nodes that read a signal in the circuit as it was.
    pub(super) fn of(&self, signal: Signal) -> &[u32] {
        let range = self.first[signal.index()] as usize..self.first[signal.index() + 1] as usize;
        &self.readers[range]
    }

    /// The nodes that read a signal since, for another one that reads it, too.
    pub(super) fn more(&self, signal: Signal) -> &[Node] {
        self.more.get(&signal).map_or(&[], Vec::as_slice)
    }

    /// A node does another one's work once more, and so reads what that reads.
    pub(super) fn add(&mut self, signal: Signal, reader: Node) {
        self.more.entry(signal).or_default().push(reader);
    }

    /// What is counted of a signal's readers, if they are many.
    pub(super) fn crowd(&self, signal: Signal) -> Option<(u32, &Crowd)> {
        let number = self.crowd[signal.index()];
        self.crowds
            .get(number as usize)
            .map(|crowd| (number, crowd))
    }

    /// Whether a node reads the signal with this crowd.
    pub(super) fn is_in(&self, node: Node, crowd: u32) -> bool {
        self.member[node.index()].contains(&crowd)
    }

    /// A node has another level.
    pub(super) fn moved(&mut self, node: Node, from: u32, to: u32) {
        if from == to {
            return;
        }
        for &number in &self.member[node.index()] {
            let crowd = &mut self.crowds[number as usize];
            crowd.remove(from);
            crowd.add(to);
        }
    }

    /// A node became part of another: what it read, the other reads.
    pub(super) fn absorbed(&mut self, (first, its): (Node, u32), (second, own): (Node, u32)) {
        for number in std::mem::take(&mut self.member[first.index()]) {
            let crowd = &mut self.crowds[number as usize];
            crowd.remove(its);
            if !self.member[second.index()].contains(&number) {
                crowd.add(own);
                self.member[second.index()].push(number);
            }
        }
    }
}
