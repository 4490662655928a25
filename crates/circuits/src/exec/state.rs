//! What workers share of a run: what has been evaluated, the values that are there, and how often each is
//! still to be read.

use std::collections::HashMap;
use std::sync::Arc;

use super::partial::Partial;
use super::queue::Queue;
use super::{Duet, ExecError, Gates, Selector};
use crate::ir::{Circuit, Signal, Wire};
use crate::place::Share;

/// A number of reads of what is kept to the end.
const FOR_EVER: u32 = u32::MAX;

/// What changes as nodes are evaluated.
pub(super) struct State<'a, G: Gates> {
    /// By node: whether it is evaluated.
    pub(super) evaluated: Vec<bool>,
    /// By signal; `None` before it is computed and after its last use.
    pub(super) values: Vec<Option<Arc<G::Bit>>>,
    /// By signal of those values that choose: what the engine chooses by.
    pub(super) selectors: HashMap<usize, Selector>,
    /// By signal: how often it is still to be read, by nodes and by outputs.
    pub(super) reads: Vec<u32>,
    /// Of a share, by node: how often its signals are still to be read by this machine. They stay and go
    /// together.
    left: Option<Vec<u32>>,
    pub(super) queue: Queue<'a>,
    /// Values that are there.
    pub(super) kept: usize,
    /// How many of them are too many.
    pub(super) most: Option<usize>,
    /// Workers that wait for something to do, and what other workers ask them to help with: never more.
    pub(super) idle: usize,
    pub(super) offers: Vec<Duet>,
    pub(super) stopped: bool,
    pub(super) error: Option<ExecError<G::Error>>,
}

impl<'a, G: Gates> State<'a, G> {
    pub(super) fn new(
        circuit: &Circuit,
        evaluated: Vec<bool>,
        mut values: Vec<Option<Arc<G::Bit>>>,
        queue: Queue<'a>,
        most: Option<usize>,
    ) -> Self {
        let mut reads = vec![0u32; circuit.signals()];
        let left = circuit.nodes().filter(|node| !evaluated[node.index()]);
        let left = left.filter(|node| circuit.input_number(*node).is_none());
        let operands = left.flat_map(|node| circuit.op(node).operands());
        for wire in operands.chain(circuit.outputs().iter().copied()) {
            reads[wire.signal().index()] += 1;
        }
        for (value, reads) in values.iter_mut().zip(&reads) {
            if *reads == 0 {
                *value = None;
            }
        }
        let kept = values.iter().flatten().count();
        let mut state = Self {
            evaluated,
            values,
            selectors: HashMap::new(),
            reads,
            left: None,
            queue,
            kept,
            most,
            idle: 0,
            offers: Vec::new(),
            stopped: false,
            error: None,
        };
        state.watch();
        state
    }

    /// A state of a share, which keeps what others may need when a machine is lost: all that was there
    /// before, what is sent and received, and the outputs. What is read by this machine alone goes after
    /// its last use: a lost machine's operations read what was sent to it, or what is lost, and others
    /// need it no more than this one does.
    pub(super) fn of_share(
        circuit: &Circuit,
        share: &Share,
        evaluated: Vec<bool>,
        values: Vec<Option<Arc<G::Bit>>>,
        queue: Queue<'a>,
    ) -> Self {
        let mut left = vec![0u32; circuit.len()];
        let stays = |left: &mut Vec<u32>, signal: usize| {
            if let Some(node) = circuit.source(Signal(signal as u32)) {
                left[node.index()] = FOR_EVER;
            }
        };
        for node in circuit.nodes() {
            if share.computes()[node.index()] && !evaluated[node.index()] {
                let operands = circuit.op(node).operands();
                for source in operands.filter_map(|wire| circuit.source(wire.signal())) {
                    left[source.index()] = left[source.index()].saturating_add(1);
                }
            }
        }
        for (signal, _) in values.iter().enumerate().filter(|(_, bit)| bit.is_some()) {
            stays(&mut left, signal);
        }
        let sent = share.sends().iter().map(|(signal, _)| *signal);
        let received = share.receives().iter().map(|(signal, _)| *signal);
        sent.chain(received)
            .for_each(|signal| stays(&mut left, signal as usize));
        for wire in circuit.outputs() {
            stays(&mut left, wire.signal().index());
        }
        Self {
            kept: values.iter().flatten().count(),
            evaluated,
            values,
            selectors: HashMap::new(),
            reads: vec![FOR_EVER; circuit.signals()],
            left: Some(left),
            queue,
            most: None,
            idle: 0,
            offers: Vec::new(),
            stopped: false,
            error: None,
        }
    }

    /// The circuit's outputs; `None` if one is not there.
    pub(super) fn outputs(&self, gates: &G, circuit: &Circuit) -> Option<Vec<Arc<G::Bit>>> {
        let output = |&wire: &Wire| match &self.values[wire.signal().index()] {
            Some(bit) if wire.is_inverted() => Some(Arc::new(gates.not(bit))),
            Some(bit) => Some(Arc::clone(bit)),
            None => wire
                .as_constant()
                .map(|value| Arc::new(gates.constant(value))),
        };
        circuit.outputs().iter().map(output).collect()
    }

    /// What is there.
    pub(super) fn partial(evaluated: &[bool], values: &[Option<Arc<G::Bit>>]) -> Partial<G::Bit> {
        let there = (0..).zip(values);
        let there = there.filter_map(|(signal, bit)| Some((signal, Arc::clone(bit.as_ref()?))));
        Partial {
            evaluated: evaluated.to_vec(),
            values: there.collect(),
        }
    }

    /// Has the queue go by the order that suits what is kept.
    pub(super) fn watch(&mut self) {
        if let Some(most) = self.most {
            self.queue.set_frugal(self.kept > most);
        }
    }

    /// One read less; after the last one the bit is not kept. What goes has to be dropped after the lock.
    pub(super) fn release(&mut self, circuit: &Circuit, wire: Wire, gone: &mut Vec<Arc<G::Bit>>) {
        let signal = wire.signal().index();
        let Some(left) = &mut self.left else {
            self.reads[signal] = self.reads[signal].saturating_sub(1);
            if self.reads[signal] == 0 {
                self.forget(signal, gone);
            }
            return;
        };
        let Some(node) = circuit.source(wire.signal()) else {
            return;
        };
        let left = &mut left[node.index()];
        if *left == FOR_EVER {
            return;
        }
        *left = left.saturating_sub(1);
        if *left == 0 {
            self.evaluated[node.index()] = false;
            for signal in circuit.range(node) {
                self.forget(signal, gone);
            }
        }
    }

    fn forget(&mut self, signal: usize, gone: &mut Vec<Arc<G::Bit>>) {
        if !self.selectors.is_empty() {
            self.selectors.remove(&signal);
        }
        let bit = self.values[signal].take();
        self.kept -= usize::from(bit.is_some());
        gone.extend(bit);
    }
}
