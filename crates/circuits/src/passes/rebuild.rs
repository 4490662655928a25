//! Rewriting a circuit by recording it again: what a pass does not change is copied through the
//! builder, which folds and shares as it always does.

use std::collections::HashMap;

use crate::ir::{Load, Node, Op, Signal, Store};
use crate::{Builder, Circuit, Profile, Wire};

/// A circuit on its way into a new one.
pub(super) struct Rebuild<'a> {
    pub(super) circuit: &'a Circuit,
    pub(super) build: Builder,
    /// By old signal, the new wire.
    map: Vec<Wire>,
}

impl<'a> Rebuild<'a> {
    pub(super) fn new(circuit: &'a Circuit, profile: &Profile) -> Self {
        let map = vec![Wire::FALSE; circuit.signals()];
        let mut build = Builder::new(profile);
        build.expect_half_inputs(circuit.half_inputs());
        Self {
            circuit,
            build,
            map,
        }
    }

    /// The circuit with other wires for some signals: before each node is copied, `before` may record some,
    /// which are taken from where their signals stand on. `None` if there are none. What nobody reads then
    /// is left out.
    pub(super) fn replacing(
        circuit: &'a Circuit,
        profile: &Profile,
        mut before: impl FnMut(&mut Self, Node) -> Vec<(Signal, Wire)>,
    ) -> Option<Self> {
        let mut rebuild = Self::new(circuit, profile);
        let mut instead: HashMap<Signal, Wire> = HashMap::new();
        for node in circuit.nodes() {
            rebuild.stand_for(node);
            instead.extend(before(&mut rebuild, node));
            rebuild.copy(node);
            for signal in circuit.signals_of(node) {
                if let Some(&wire) = instead.get(&signal) {
                    rebuild.set(signal, wire);
                }
            }
        }
        (!instead.is_empty()).then_some(rebuild)
    }

    /// What is recorded from here on stands for an old node, and is charged to what that was
    /// recorded for.
    #[inline]
    pub(super) fn stand_for(&mut self, old: Node) {
        if let Some(cause) = self.circuit.cause(old) {
            self.build.attribute_to(cause);
        }
    }

    /// The new wire for an old one.
    pub(super) fn wire(&self, old: Wire) -> Wire {
        self.map[old.signal().index()].invert_if(old.is_inverted())
    }

    /// Declares what an old signal has become.
    pub(super) fn set(&mut self, old: Signal, new: Wire) {
        self.map[old.index()] = new;
    }

    /// Whether a sum of new wires may be looked up.
    pub(super) fn is_quiet(&self, terms: &[(Wire, i8)]) -> bool {
        self.build.is_quiet(terms)
    }

    /// A lookup's terms over new wires.
    pub(super) fn terms(&self, op: &Op<'_>) -> Vec<(Wire, i8)> {
        match op {
            Op::Lookup { sum, .. } | Op::Selector { sum, .. } => sum
                .terms
                .iter()
                .map(|term| (self.wire(term.wire), term.weight))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Whether selectors can be made of a sum: by this target, and of bits that are distinct,
    /// positive and secret still.
    pub(super) fn can_select(&self, terms: &[(Wire, i8)]) -> bool {
        let mut wires: Vec<Wire> = terms.iter().map(|&(wire, _)| wire).collect();
        wires.sort_unstable();
        self.build.profile().selectors.is_some()
            && wires.windows(2).all(|pair| pair[0] != pair[1])
            && wires
                .iter()
                .all(|wire| !wire.is_inverted() && wire.as_constant().is_none())
    }

    /// Records a node as it is.
    pub(super) fn copy(&mut self, node: Node) {
        self.stand_for(node);
        let new = match self.circuit.op(node) {
            Op::Input(number) => {
                let wire = self.build.input();
                if let Some(name) = self.circuit.input_names().get(&number) {
                    self.build.name_input(name.as_str());
                }
                wire
            }
            Op::And(a, b) => self.build.and(self.wire(a), self.wire(b)),
            Op::Xor(a, b) => self.build.xor(self.wire(a), self.wire(b)),
            Op::Mux {
                select,
                then,
                otherwise,
            } => self
                .build
                .mux(self.wire(select), self.wire(then), self.wire(otherwise)),
            // Too noisy a sum becomes several. Of subtotals the bits are taken: who else reads one
            // reads a parity of its own.
            Op::Parity { terms } | Op::Subtotal { terms } => {
                let wires = terms.iter().flat_map(|term| {
                    let part = self.circuit.subtotal(term.wire.signal());
                    part.unwrap_or(std::slice::from_ref(term))
                });
                let wires: Vec<Wire> = wires.map(|term| self.wire(term.wire)).collect();
                self.build.parity(&wires)
            }
            Op::Disjoint { terms } => {
                let wires: Vec<Wire> = terms.iter().map(|term| self.wire(term.wire)).collect();
                self.build.disjoint(&wires)
            }
            Op::Linear { terms } => {
                let wires: Vec<Wire> = terms.iter().map(|term| self.wire(term.wire)).collect();
                self.build.linear(&wires)
            }
            Op::Refresh(a) => self.build.refresh(self.wire(a)),
            Op::Choose {
                select,
                then,
                otherwise,
            } => self
                .build
                .choose(self.wire(select), self.wire(then), self.wire(otherwise)),
            op @ (Op::Lookup { sum, tables } | Op::Selector { sum, tables }) => {
                let terms = self.terms(&op);
                let is_selector = matches!(op, Op::Selector { .. });
                let wires = match is_selector && self.can_select(&terms) {
                    true => (self.build).selectors(&terms, sum.constant, sum.max, tables.masks()),
                    false => {
                        (self.build).lookup_within(&terms, sum.constant, sum.max, tables.masks())
                    }
                };
                for (signal, wire) in self.circuit.signals_of(node).zip(wires) {
                    self.set(signal, wire);
                }
                return;
            }
            Op::Load(load) => {
                let index = load.index().iter().map(|bit| self.wire(bit.wire));
                let index: Vec<Wire> = index.collect();
                self.copy_load(node, &load, &index);
                return;
            }
            Op::Store(store) => {
                let conditions = store.conditions().iter().map(|bit| self.wire(bit.wire));
                let conditions: Vec<Wire> = conditions.collect();
                self.copy_store(node, &store, &conditions);
                return;
            }
        };
        for signal in self.circuit.signals_of(node) {
            self.set(signal, new);
        }
    }

    /// Records a load at an index of new wires.
    pub(super) fn copy_load(&mut self, node: Node, load: &Load<'_>, index: &[Wire]) {
        let entries = load.entries().iter().map(|term| self.wire(term.wire));
        let entries: Vec<Wire> = entries.collect();
        let wires = (self.build).load_columns(index, load.width(), &entries, load.columns());
        for (signal, wire) in self.circuit.signals_of(node).zip(wires) {
            self.set(signal, wire);
        }
    }

    /// Records a store at an index, and under a condition, of new wires.
    pub(super) fn copy_store(&mut self, node: Node, store: &Store<'_>, conditions: &[Wire]) {
        let (index, enable) = conditions.split_at(store.index().len());
        let enable = enable.first().copied().unwrap_or(Wire::TRUE);
        let wires = |terms: &[crate::ir::Term]| -> Vec<Wire> {
            terms.iter().map(|term| self.wire(term.wire)).collect()
        };
        let (word, entries) = (wires(store.word()), wires(store.entries()));
        let after = self.build.store(index, enable, &word, &entries);
        for (signal, wire) in self.circuit.signals_of(node).zip(after) {
            self.set(signal, wire);
        }
    }

    /// The new circuit with the old one's outputs and names.
    pub(super) fn finish(mut self) -> Circuit {
        for (number, &wire) in self.circuit.outputs().iter().enumerate() {
            let wire = self.wire(wire);
            match self.circuit.output_names().get(&(number as u32)) {
                Some(name) => self.build.named_output(wire, name.as_str()),
                None => self.build.output(wire),
            }
        }
        self.build.finish()
    }
}
