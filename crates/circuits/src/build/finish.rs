//! From the builder's growing lists to a circuit's flat arrays. Only what outputs need is copied:
//! a processor records flags and intermediate values that nobody reads.

use super::{Builder, NONE};
use crate::Circuit;
use crate::ir::{Addition, Parts, Record, Signal, Term, Wire};

impl Builder {
    /// The finished circuit: all inputs, and those nodes and tables that some output depends on.
    /// Linear in what was recorded.
    #[must_use]
    pub fn finish(self) -> Circuit {
        let live = self.live();
        let count = live.iter().filter(|&&alive| alive).count();
        // Renumbering, by old signal; the constant keeps its number.
        let mut renumbered = vec![Signal::FALSE; self.signals.len()];
        let wire_at = |renumbered: &[Signal], wire: Wire| {
            Wire::from(renumbered[wire.signal().index()]).invert_if(wire.is_inverted())
        };
        let mut parts = Parts::with_capacity(count, count, self.terms.len().min(4 * count));
        let mut ports: Vec<u32> = Vec::new();
        let mut kept = 0;
        let mut positions: Vec<u32> = Vec::with_capacity(self.additions.len());
        for (node, (entry, record)) in self.nodes.iter().zip(&self.records).enumerate() {
            let next = |addition: &&Addition| addition.at as usize <= node;
            let begin_here = self.additions[positions.len()..].iter().take_while(next);
            positions.extend(begin_here.map(|_| kept));
            ports.clear();
            let mut signal = entry.newest;
            while signal != NONE {
                ports.push(signal);
                signal = self.signals[signal as usize].older;
            }
            ports.reverse();
            let is_live = |port: &u32| live[*port as usize];
            if !ports.iter().any(is_live) {
                continue;
            }
            // A store's signals are known by their places.
            if !matches!(record, Record::Store { .. }) {
                ports.retain(is_live);
            }
            let at = |wire| wire_at(&renumbered, wire);
            let terms = &self.terms[record.span().unwrap_or_default()];
            let first = parts.push_terms(terms.iter().map(|term| Term {
                wire: at(term.wire),
                weight: term.weight,
            }));
            let record = record.moved(first, at);
            let masks = ports.iter().map(|&port| self.signals[port as usize].mask);
            let first = parts.push(record, masks);
            kept += 1;
            let causes = self.causes.as_deref();
            parts.attribute(causes.and_then(|causes| causes.of(node)));
            if entry.is_half {
                parts.set_half();
            }
            for (offset, &port) in ports.iter().enumerate() {
                renumbered[port as usize] = Signal(first.0 + offset as u32);
            }
        }
        let outputs = self
            .outputs
            .iter()
            .map(|&wire| wire_at(&renumbered, wire))
            .collect();
        let additions = self.additions.iter().zip(positions);
        let additions = additions.filter_map(|(addition, at)| {
            let live = |wire: Wire| live[wire.signal().index()];
            addition.kept(at, live, |wire| wire_at(&renumbered, wire))
        });
        let additions = additions.collect();
        let inputs = (self.inputs, self.half_inputs);
        let circuit = parts.finish(inputs, outputs, self.input_names, self.output_names);
        circuit.with_additions(additions)
    }

    /// By signal: whether an output depends on it. Inputs always live.
    fn live(&self) -> Vec<bool> {
        let mut live = vec![false; self.signals.len()];
        for wire in &self.outputs {
            live[wire.signal().index()] = true;
        }
        for (node, record) in self.records.iter().enumerate().rev() {
            let mut signal = self.nodes[node].newest;
            let mut needed = false;
            while signal != NONE {
                needed |= live[signal as usize];
                signal = self.signals[signal as usize].older;
            }
            if let Record::Input(_) = record {
                live[self.nodes[node].newest as usize] = true;
            } else if needed {
                for wire in record.view(&self.terms, &[]).operands() {
                    live[wire.signal().index()] = true;
                }
            }
        }
        live[Signal::FALSE.index()] = false;
        live
    }
}
