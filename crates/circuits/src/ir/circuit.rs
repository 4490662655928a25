//! The finished netlist: flat arrays, one allocation each, so that millions of nodes cost sixteen
//! bytes and a few more for terms and tables.

use std::collections::BTreeMap;
use std::ops::Range;

use super::table::{Function, is_negacyclic};
use super::{
    Addition, Cause, HalfInputs, HalfNoise, Load, Op, Signal, Store, Sum, Tables, Term, Wire,
};

/// The number of a node within one circuit; nodes only read nodes of smaller numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node(pub(crate) u32);

impl Node {
    /// The position of this node in arrays that hold one entry for each node.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node as it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Record {
    Input(u32),
    And(Wire, Wire),
    Xor(Wire, Wire),
    Mux(Wire, Wire, Wire),
    /// `count` terms from `first` on in the array of terms.
    Lookup {
        first: u32,
        count: u8,
        constant: i8,
        max: u8,
    },
    /// `count` terms from `first` on.
    Parity {
        first: u32,
        count: u32,
    },
    /// `count` terms from `first` on.
    Disjoint {
        first: u32,
        count: u32,
    },
    /// `count` terms from `first` on.
    Subtotal {
        first: u32,
        count: u32,
    },
    Refresh(Wire),
    /// As a lookup.
    Selector {
        first: u32,
        count: u8,
        constant: i8,
        max: u8,
    },
    Choose(Wire, Wire, Wire),
    /// `count` terms from `first` on, of which the first `index` are the index.
    Load {
        first: u32,
        count: u32,
        index: u8,
    },
    /// `count` terms from `first` on.
    Linear {
        first: u32,
        count: u32,
    },
    /// `count` terms from `first` on: the index, perhaps a condition, a word of `width` bits, and
    /// the array.
    Store {
        first: u32,
        count: u32,
        index: u8,
        is_conditional: bool,
        width: u16,
    },
}

impl Record {
    /// Its terms, where they lie in an array of them: the first and how many.
    pub(crate) fn span(&self) -> Option<Range<usize>> {
        let (first, count) = match *self {
            Self::Lookup { first, count, .. } | Self::Selector { first, count, .. } => {
                (first, count.into())
            }
            Self::Parity { first, count }
            | Self::Disjoint { first, count }
            | Self::Subtotal { first, count }
            | Self::Linear { first, count }
            | Self::Load { first, count, .. }
            | Self::Store { first, count, .. } => (first, count),
            _ => return None,
        };
        Some(first as usize..(first + count) as usize)
    }

    /// The same with its terms elsewhere, and other wires.
    pub(crate) fn moved(mut self, to: u32, at: impl Fn(Wire) -> Wire) -> Self {
        match &mut self {
            Self::Input(_) => {}
            Self::And(a, b) | Self::Xor(a, b) => [a, b].into_iter().for_each(|a| *a = at(*a)),
            Self::Mux(a, b, c) | Self::Choose(a, b, c) => {
                [a, b, c].into_iter().for_each(|a| *a = at(*a));
            }
            Self::Refresh(a) => *a = at(*a),
            Self::Lookup { first, .. }
            | Self::Selector { first, .. }
            | Self::Parity { first, .. }
            | Self::Disjoint { first, .. }
            | Self::Subtotal { first, .. }
            | Self::Linear { first, .. }
            | Self::Load { first, .. }
            | Self::Store { first, .. } => *first = to,
        }
        self
    }

    /// The operation; `masks` are the tables of a lookup's outputs, or the columns of a load's.
    #[inline]
    pub(crate) fn view<'a>(&self, terms: &'a [Term], masks: &'a [u16]) -> Op<'a> {
        match *self {
            Self::Input(number) => Op::Input(number),
            Self::And(a, b) => Op::And(a, b),
            Self::Xor(a, b) => Op::Xor(a, b),
            Self::Mux(select, then, otherwise) => Op::Mux {
                select,
                then,
                otherwise,
            },
            Self::Lookup {
                first,
                count,
                constant,
                max,
            } => {
                let first = first as usize;
                let terms = &terms[first..first + usize::from(count)];
                Op::Lookup {
                    sum: Sum {
                        terms,
                        constant,
                        max,
                    },
                    tables: Tables::new(masks),
                }
            }
            Self::Parity { first, count } => Op::Parity {
                terms: &terms[first as usize..][..count as usize],
            },
            Self::Disjoint { first, count } => Op::Disjoint {
                terms: &terms[first as usize..][..count as usize],
            },
            Self::Subtotal { first, count } => Op::Subtotal {
                terms: &terms[first as usize..][..count as usize],
            },
            Self::Refresh(a) => Op::Refresh(a),
            Self::Selector {
                first,
                count,
                constant,
                max,
            } => {
                let first = first as usize;
                let terms = &terms[first..first + usize::from(count)];
                Op::Selector {
                    sum: Sum {
                        terms,
                        constant,
                        max,
                    },
                    tables: Tables::new(masks),
                }
            }
            Self::Choose(select, then, otherwise) => Op::Choose {
                select,
                then,
                otherwise,
            },
            Self::Load {
                first,
                count,
                index,
            } => Op::Load(Load {
                terms: &terms[first as usize..][..count as usize],
                index: index.into(),
                columns: masks,
            }),
            Self::Linear { first, count } => Op::Linear {
                terms: &terms[first as usize..][..count as usize],
            },
            Self::Store {
                first,
                count,
                index,
                is_conditional,
                width,
            } => Op::Store(Store {
                terms: &terms[first as usize..][..count as usize],
                index: index.into(),
                is_conditional,
                width: width.into(),
            }),
        }
    }
}

/// Nodes in topological order with inputs, outputs and their names. Immutable; owns no
/// ciphertext, no key and no thread.
#[derive(Clone, Debug)]
pub struct Circuit {
    parts: Parts,
    outputs: Vec<Wire>,
    inputs: u32,
    half_inputs: HalfInputs,
    /// As they were recorded; after a pass there are none.
    additions: Vec<Addition>,
    input_names: BTreeMap<u32, String>,
    output_names: BTreeMap<u32, String>,
}

/// The arrays of a circuit while it is written, node after node.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    records: Vec<Record>,
    terms: Vec<Term>,
    /// The first signal of each node, and one past the last signal at the end.
    first_signal: Vec<u32>,
    /// By signal: the table of a lookup's output, the column of a load's, otherwise 0.
    masks: Vec<u16>,
    /// By signal: its node. Signal 0 has none and holds 0.
    node_of: Vec<u32>,
    /// By node: what it was recorded for; empty where nobody asked.
    causes: Vec<Cause>,
    /// By node: whether its signals are halves; none are beyond the end.
    halves: Vec<bool>,
}

impl Parts {
    pub(crate) fn with_capacity(nodes: usize, signals: usize, terms: usize) -> Self {
        let mut first_signal = Vec::with_capacity(nodes + 1);
        first_signal.push(1);
        let mut masks = Vec::with_capacity(signals + 1);
        masks.push(0);
        let mut node_of = Vec::with_capacity(signals + 1);
        node_of.push(0);
        Self {
            records: Vec::with_capacity(nodes),
            terms: Vec::with_capacity(terms),
            first_signal,
            masks,
            node_of,
            causes: Vec::new(),
            halves: Vec::new(),
        }
    }

    /// Appends terms and answers where they begin.
    pub(crate) fn push_terms(&mut self, terms: impl IntoIterator<Item = Term>) -> u32 {
        let first = self.terms.len() as u32;
        self.terms.extend(terms);
        first
    }

    /// Appends a node of one output for each mask (one that is 0, but for lookups, selectors and
    /// loads).
    pub(crate) fn push(&mut self, record: Record, masks: impl IntoIterator<Item = u16>) -> Signal {
        let node = self.records.len() as u32;
        let first = self.masks.len();
        self.records.push(record);
        self.masks.extend(masks);
        self.node_of.resize(self.masks.len(), node);
        self.first_signal.push(self.masks.len() as u32);
        Signal(first as u32)
    }

    /// Says what the newest node was recorded for: of every node or of none.
    #[inline]
    pub(crate) fn attribute(&mut self, cause: Option<Cause>) {
        self.causes.extend(cause);
    }

    /// Says that the newest node's signals are halves.
    pub(crate) fn set_half(&mut self) {
        self.halves.resize(self.records.len(), false);
        if let Some(newest) = self.halves.last_mut() {
            *newest = true;
        }
    }

    /// The circuit that another has become, by its signals' new numbers.
    pub(crate) fn finish_as(self, before: &Circuit, renumbered: &[Signal]) -> Circuit {
        let at = |wire: &Wire| {
            Wire::from(renumbered[wire.signal().index()]).invert_if(wire.is_inverted())
        };
        self.finish(
            (before.inputs, before.half_inputs.clone()),
            before.outputs.iter().map(at).collect(),
            before.input_names.clone(),
            before.output_names.clone(),
        )
    }

    pub(crate) fn finish(
        self,
        (inputs, half_inputs): (u32, HalfInputs),
        outputs: Vec<Wire>,
        input_names: BTreeMap<u32, String>,
        output_names: BTreeMap<u32, String>,
    ) -> Circuit {
        Circuit {
            parts: self,
            outputs,
            inputs,
            half_inputs,
            additions: Vec::new(),
            input_names,
            output_names,
        }
    }
}

impl Circuit {
    /// The circuit with each output as it is computed, and which of them were inverted. Constants
    /// stay.
    #[must_use]
    pub fn with_positive_outputs(mut self) -> (Self, Vec<bool>) {
        let inverted = self.outputs.iter_mut().map(|output| {
            let inverted = output.as_constant().is_none() && output.is_inverted();
            *output = output.invert_if(inverted);
            inverted
        });
        let inverted = inverted.collect();
        (self, inverted)
    }

    /// BLAKE3 of nodes, inputs and outputs: two circuits of one hash are evaluated alike, node by
    /// node.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let mut number = |number: u64| {
            hasher.update(&number.to_le_bytes());
        };
        number(self.inputs.into());
        number(self.parts.records.len() as u64);
        for node in self.nodes() {
            let op = self.op(node);
            op.name().bytes().for_each(|byte| number(byte.into()));
            let (terms, constant, masks): (&[Term], _, &[u16]) = match &op {
                Op::Input(place) => (&[], i64::from(*place), &[]),
                Op::Lookup { sum, tables } | Op::Selector { sum, tables } => (
                    sum.terms,
                    i64::from(sum.constant) << 8 | i64::from(sum.max),
                    tables.masks(),
                ),
                Op::Parity { terms } | Op::Disjoint { terms } | Op::Subtotal { terms } => {
                    (terms, 0, &[])
                }
                Op::Load(load) => (&[], load.index().len() as i64, load.columns()),
                Op::Store(store) => {
                    let shape = store.index().len() << 24 | store.width() << 1;
                    (&[], (shape | usize::from(store.is_conditional)) as i64, &[])
                }
                _ => (&[], 0, &[]),
            };
            number(constant as u64);
            number(op.operands().count() as u64);
            op.operands().for_each(|wire| number(wire.code().into()));
            terms.iter().for_each(|term| number(term.weight as u64));
            number(masks.len() as u64);
            masks.iter().for_each(|mask| number((*mask).into()));
        }
        number(self.outputs.len() as u64);
        self.outputs
            .iter()
            .for_each(|wire| number(wire.code().into()));
        hasher.finalize().into()
    }

    /// The number of nodes, inputs included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.records.len()
    }

    /// Whether there is no node at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.records.is_empty()
    }

    /// The number of signals, the constant included: the length of an array by signal.
    #[must_use]
    pub fn signals(&self) -> usize {
        self.parts.masks.len()
    }

    /// Whether a signal is a bit at scale 1/2, of which sums are XORs.
    #[must_use]
    pub fn is_half(&self, signal: Signal) -> bool {
        let node = self.parts.node_of[signal.index()];
        signal != Signal::FALSE && self.parts.halves.get(node as usize) == Some(&true)
    }

    /// The noise of an input that is a half, by the input's number.
    #[must_use]
    pub fn half_input(&self, number: u32) -> Option<HalfNoise> {
        self.half_inputs.get(number)
    }

    /// The same circuit, of which the author says what it adds.
    pub(crate) fn with_additions(mut self, additions: Vec<Addition>) -> Self {
        self.additions = additions;
        self
    }

    pub(crate) fn additions(&self) -> &[Addition] {
        &self.additions
    }

    pub(crate) fn half_inputs(&self) -> &HalfInputs {
        &self.half_inputs
    }

    /// The number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs as usize
    }

    /// The outputs in the order in which they were declared.
    #[must_use]
    pub fn outputs(&self) -> &[Wire] {
        &self.outputs
    }

    /// The names of those inputs that have one, by number.
    #[must_use]
    pub fn input_names(&self) -> &BTreeMap<u32, String> {
        &self.input_names
    }

    /// The names of those outputs that have one, by number.
    #[must_use]
    pub fn output_names(&self) -> &BTreeMap<u32, String> {
        &self.output_names
    }

    /// All nodes in topological order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + use<> {
        (0..self.parts.records.len() as u32).map(Node)
    }

    /// What a node computes.
    #[must_use]
    #[inline]
    pub fn op(&self, node: Node) -> Op<'_> {
        let signals = self.range(node);
        self.record(node)
            .view(&self.parts.terms, &self.parts.masks[signals])
    }

    /// The number of the input that a node is, if it is one: an array of a megabyte has millions.
    #[inline]
    pub(crate) fn input_number(&self, node: Node) -> Option<u32> {
        match self.parts.records[node.index()] {
            Record::Input(number) => Some(number),
            _ => None,
        }
    }

    /// What a node was recorded for, if whoever recorded it [said so](crate::Builder::attribute_to).
    #[must_use]
    #[inline]
    pub fn cause(&self, node: Node) -> Option<Cause> {
        self.parts.causes.get(node.index()).copied()
    }

    /// The node's outputs: one signal, or one for each table of a lookup or column of a load.
    pub fn signals_of(&self, node: Node) -> impl ExactSizeIterator<Item = Signal> + Clone + use<> {
        let range = self.range(node);
        (range.start as u32..range.end as u32).map(Signal)
    }

    /// The node that computes a signal; `None` for the constant.
    #[must_use]
    pub fn source(&self, signal: Signal) -> Option<Node> {
        (signal != Signal::FALSE).then(|| Node(self.parts.node_of[signal.index()]))
    }

    /// The table of a lookup's output, the number of a load's; 0 for signals of other nodes.
    #[must_use]
    pub fn mask(&self, signal: Signal) -> u16 {
        self.parts.masks[signal.index()]
    }

    /// A lookup's output, and how it goes on.
    pub(crate) fn function(&self, signal: Signal) -> Function {
        let node = self.parts.node_of[signal.index()];
        let record = self.parts.records.get(node as usize);
        Function {
            mask: self.mask(signal),
            is_negacyclic: matches!(record, Some(Record::Lookup { max, .. }) if is_negacyclic(*max)),
        }
    }

    /// A node's level: the operations on the longest path to it, itself included; 0 for inputs,
    /// and sums count for nothing. Linear in the nodes before it.
    #[must_use]
    pub fn level(&self, node: Node) -> u32 {
        let mut levels = vec![0u32; node.index() + 1];
        for before in self.nodes().take(node.index() + 1) {
            let op = self.op(before);
            let operands = op.operands().filter_map(|wire| self.source(wire.signal()));
            let below = operands
                .map(|source| levels[source.index()])
                .max()
                .unwrap_or(0);
            let is_sum = matches!(
                op,
                Op::Disjoint { .. } | Op::Subtotal { .. } | Op::Linear { .. }
            );
            let is_counted = !is_sum && !matches!(op, Op::Input(_));
            levels[before.index()] = below + u32::from(is_counted);
        }
        levels[node.index()]
    }

    /// The number of terms of all lookups, parities and sums together.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.parts.terms.len()
    }

    /// The bits whose sum a signal is; `None` for one that is not a sum.
    pub(crate) fn summands(&self, signal: Signal) -> Option<&[Term]> {
        match self.op(self.source(signal)?) {
            Op::Disjoint { terms } | Op::Subtotal { terms } => Some(terms),
            _ => None,
        }
    }

    /// The bits of a part of a parity; `None` for every other signal.
    pub(crate) fn subtotal(&self, signal: Signal) -> Option<&[Term]> {
        match self.op(self.source(signal)?) {
            Op::Subtotal { terms } => Some(terms),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn range(&self, node: Node) -> Range<usize> {
        let first = &self.parts.first_signal;
        first[node.index()] as usize..first[node.index() + 1] as usize
    }

    #[inline]
    pub(crate) fn record(&self, node: Node) -> Record {
        self.parts.records[node.index()]
    }
}
