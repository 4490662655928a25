//! How much lives at once.
//!
//! A bit lives from its node to its last reader, outputs to the end, inputs from the start.
//! [`peak_bits`] counts in the order of the circuit, which is what a run with a bound comes down to.
//! Without one, a run goes by urgency and computes ahead: [`peak_bytes`] counts what the scheduler
//! keeps on the profile's cores.

use crate::exec::in_turn;
use crate::ir::{Node, Op, Signal};
use crate::{Circuit, Profile};

/// Bits that live, and what they take.
struct Live<'a> {
    circuit: &'a Circuit,
    size: &'a dyn Fn(Signal) -> u64,
    /// By signal: how often it will still be read, once more for outputs.
    readers: Vec<u32>,
    now: u64,
    peak: u64,
}

impl<'a> Live<'a> {
    /// The inputs.
    fn new(circuit: &'a Circuit, size: &'a dyn Fn(Signal) -> u64) -> Self {
        let mut readers = vec![0; circuit.signals()];
        let operands = circuit.nodes().flat_map(|node| circuit.op(node).operands());
        for wire in operands.chain(circuit.outputs().iter().copied()) {
            readers[wire.signal().index()] += 1;
        }
        let mut live = Self {
            circuit,
            size,
            readers,
            now: 0,
            peak: 0,
        };
        let nodes = circuit.nodes();
        for input in nodes.filter(|&node| circuit.input_number(node).is_some()) {
            live.add(input);
        }
        live
    }

    fn add(&mut self, node: Node) {
        let signals = self.circuit.signals_of(node);
        self.now += signals.map(self.size).sum::<u64>();
        self.peak = self.peak.max(self.now);
    }

    /// A node is computed, and what it was the last to read goes, and what nobody reads.
    fn compute(&mut self, node: Node) {
        self.add(node);
        for signal in self.circuit.signals_of(node) {
            if self.readers[signal.index()] == 0 {
                self.now -= (self.size)(signal);
            }
        }
        for wire in self.circuit.op(node).operands() {
            let signal = wire.signal();
            if signal == Signal::FALSE {
                continue;
            }
            let readers = &mut self.readers[signal.index()];
            *readers -= 1;
            if *readers == 0 {
                self.now -= (self.size)(signal);
            }
        }
    }
}

/// The most bits that live at once in the order of the circuit. Linear.
#[must_use]
pub fn peak_bits(circuit: &Circuit) -> usize {
    let mut live = Live::new(circuit, &|_| 1);
    let nodes = circuit.nodes();
    for node in nodes.filter(|&node| circuit.input_number(node).is_none()) {
        live.compute(node);
    }
    live.peak as usize
}

/// The most memory that ciphertexts and selectors take on the profile's cores. As
/// [`makespan`](super::makespan()).
#[must_use]
pub fn peak_bytes(circuit: &Circuit, profile: &Profile) -> u64 {
    let selector = profile.selectors.map(|selectors| selectors.bytes);
    let size = |signal: Signal| match circuit.source(signal).map(|node| circuit.op(node)) {
        // What was stored lies in rows, as inputs do.
        Some(Op::Input(_) | Op::Store(_)) => profile.bytes_per_input,
        Some(Op::Selector { .. }) => selector.unwrap_or(profile.bytes_per_bit),
        _ => profile.bytes_per_bit,
    };
    let mut live = Live::new(circuit, &size);
    in_turn(circuit, profile, &mut |node| live.compute(node));
    live.peak
}
