//! Recording circuits: a [`Builder`] folds constants, shares equal nodes, keeps inversions on the
//! wires, and merges what one lookup can answer into that lookup.
//!
//! Every method works in constant time per wire it is given; nodes are found again by hashing
//! their contents, so that a program that computes the same thing twice pays once. What no output
//! needs is dropped by [`Builder::finish`].

mod choose;
mod disjoint;
mod expand;
mod finish;
mod gates;
mod halves;
mod idioms;
mod load;
mod lookup;
mod once;
mod share;
mod store;
mod wide;

use std::collections::BTreeMap;

use crate::Profile;
use crate::architectures::Architectures;
use crate::ir::chosen::{self, Most, Network};
use crate::ir::table::{Function, is_negacyclic};
use crate::ir::variance::Origin;
use crate::ir::{Addition, Bounds, Cause, Causes, HalfInputs, Op, Record, Signal, Term, Wire};
pub(crate) use lookup::{care, whole};
use once::Answers;
pub(crate) use share::Shared;

/// No further signal in a node's list.
const NONE: u32 = u32::MAX;

/// Records a circuit for one target.
///
/// ```
/// use blindcore_circuits::{Builder, Profile, sim};
///
/// let mut build = Builder::new(&Profile::lookup_simulation());
/// let (a, b) = (build.input(), build.input());
/// let differ = build.xor(a, b);
/// build.output(differ);
/// let circuit = build.finish();
/// assert_eq!(sim::evaluate(&circuit, &[0b0011, 0b0101]).unwrap(), [0b0110]);
/// ```
///
/// What was recorded can be asked for at any time:
///
/// ```
/// use blindcore_circuits::{Builder, Profile};
///
/// let mut build = Builder::new(&Profile::gate_simulation());
/// assert!(build.is_empty());
/// let (a, b) = (build.input(), build.input());
/// build.name_input("b");
/// let before = build.len();
/// let both = build.and(a, b);
/// // The same gate again is the same wire.
/// assert_eq!(build.and(b, a), both);
/// assert_eq!(build.operations_since(before), 1);
/// assert_eq!((build.depth(a), build.depth(both)), (0, 1));
/// assert!(build.is_input(b) && !build.is_input(both));
/// assert_eq!(build.input_number(!b), Some(1));
/// let quiet = build.refresh(both);
/// build.named_output(quiet, "both");
///
/// let circuit = build.finish();
/// assert_eq!(circuit.input_names()[&1], "b");
/// assert_eq!(circuit.output_names()[&0], "both");
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    profile: Profile,
    records: Vec<Record>,
    terms: Vec<Term>,
    /// By node: its newest output, and the number of bootstraps or ANDs on the longest way to it.
    nodes: Vec<NodeEntry>,
    signals: Vec<SignalEntry>,
    shared: Shared,
    inputs: u32,
    outputs: Vec<Wire>,
    input_names: BTreeMap<u32, String>,
    output_names: BTreeMap<u32, String>,
    /// What was worked out about the target.
    answers: Answers,
    /// What nodes are recorded for, if somebody wants to know.
    causes: Option<Box<Causes>>,
    /// By node: the most noise of what was chosen, and of halves.
    bounds: Bounds,
    /// The inputs that are halves.
    half_inputs: HalfInputs,
    /// Bits that loads and stores read.
    loaded: usize,
    /// Sums of which another form may turn out to be better.
    additions: Vec<Addition>,
}

#[derive(Clone, Copy, Debug)]
struct NodeEntry {
    newest: u32,
    depth: u32,
    /// Whether its signals are bits at scale 1/2.
    is_half: bool,
}

/// A signal, its table or column if its node is a lookup or a load, and the node's next older output.
#[derive(Clone, Copy, Debug)]
struct SignalEntry {
    node: u32,
    older: u32,
    mask: u16,
}

impl Builder {
    /// An empty circuit for a target.
    #[must_use]
    pub fn new(profile: &Profile) -> Self {
        Self {
            profile: profile.clone(),
            records: Vec::new(),
            terms: Vec::new(),
            nodes: Vec::new(),
            signals: vec![SignalEntry {
                node: NONE,
                older: NONE,
                mask: 0,
            }],
            shared: Shared::default(),
            inputs: 0,
            outputs: Vec::new(),
            input_names: BTreeMap::new(),
            output_names: BTreeMap::new(),
            answers: Answers::new(),
            causes: None,
            bounds: Bounds::default(),
            half_inputs: HalfInputs::default(),
            loaded: 0,
            additions: Vec::new(),
        }
    }

    /// The target.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Builds with these architectures, and the profile's own where these leave the choice.
    pub(crate) fn with_architectures<T>(
        &mut self,
        forced: Architectures,
        build: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let own = self.profile.architectures;
        self.profile.architectures = forced.or(own);
        let built = build(self);
        self.profile.architectures = own;
        built
    }

    /// From here on nodes are recorded for this [`Cause`], which they keep through all passes; what
    /// is found again keeps that of the first who recorded it. Nodes from before the first call are
    /// charged to its cause.
    pub fn attribute_to(&mut self, cause: Cause) {
        match &mut self.causes {
            Some(causes) => causes.turn_to(cause),
            None => self.causes = Some(Box::new(Causes::new(cause, self.records.len()))),
        }
    }

    /// What the node of a wire was recorded for.
    #[must_use]
    pub fn cause(&self, wire: Wire) -> Option<Cause> {
        let causes = self.causes.as_deref()?;
        causes.of(self.source(wire)? as usize)
    }

    /// Says what was recorded, where a pass may record it otherwise.
    pub(crate) fn note_addition(&mut self, addition: Addition) {
        self.additions.push(addition);
    }

    /// The number of nodes so far, inputs included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Operations recorded since the builder had `mark` nodes: all but inputs and what the target
    /// does not charge for.
    #[must_use]
    pub fn operations_since(&self, mark: usize) -> usize {
        let nodes = mark.min(self.records.len())..self.records.len();
        nodes
            .filter(|&node| self.profile.time(&self.op(node as u32)) > 0.0)
            .count()
    }

    /// Whether nothing was recorded yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The number of bootstraps (for targets with lookups) or ANDs (for those without) on the
    /// longest path that leads to a wire.
    #[must_use]
    pub fn depth(&self, wire: Wire) -> u32 {
        match self.source(wire) {
            Some(node) => self.nodes[node as usize].depth,
            None => 0,
        }
    }

    /// A new input.
    pub fn input(&mut self) -> Wire {
        let number = self.inputs;
        self.inputs += 1;
        let input = self.append(Record::Input(number), 0);
        self.note_half_input(number, input);
        input
    }

    /// New inputs.
    pub fn inputs(&mut self, count: usize) -> Vec<Wire> {
        (0..count).map(|_| self.input()).collect()
    }

    /// Gives the newest input a name.
    pub fn name_input(&mut self, name: impl Into<String>) {
        if let Some(number) = self.inputs.checked_sub(1) {
            self.input_names.insert(number, name.into());
        }
    }

    /// Declares the next output.
    pub fn output(&mut self, wire: Wire) {
        self.outputs.push(wire);
    }

    /// Declares the next output and names it.
    pub fn named_output(&mut self, wire: Wire, name: impl Into<String>) {
        self.output_names
            .insert(self.outputs.len() as u32, name.into());
        self.outputs.push(wire);
    }

    /// The same bit with less noise. Passes insert these; authors of circuits need not. The wire
    /// itself where the target has no refresh.
    pub fn refresh(&mut self, wire: Wire) -> Wire {
        if wire.as_constant().is_some() || !self.profile.has_refresh() {
            return wire;
        }
        self.node(Record::Refresh(wire.positive()))
            .invert_if(wire.is_inverted())
    }

    /// The node that computes a wire, `None` for constants.
    fn source(&self, wire: Wire) -> Option<u32> {
        let node = self.signals[wire.signal().index()].node;
        (node != NONE).then_some(node)
    }

    /// Whether two wires are outputs of one node, or both constant.
    pub(crate) fn same_node(&self, a: Wire, b: Wire) -> bool {
        self.source(a) == self.source(b)
    }

    /// The lookup node that computes a wire, of which any function can be had.
    fn source_lookup(&self, wire: Wire) -> Option<u32> {
        let node = self.source(wire)?;
        let record = &self.records[node as usize];
        matches!(record, Record::Lookup { max, .. } if !is_negacyclic(*max)).then_some(node)
    }

    /// Whether passes may yet make something noisier of a wire: of a selection a choice by a selector, of
    /// gates of gates one lookup with many edges.
    pub(crate) fn may_get_noisier(&self, wire: Wire) -> bool {
        let record = |wire| Some(&self.records[self.source(wire)? as usize]);
        let is_gate = |wire| matches!(record(wire), Some(Record::And(..) | Record::Xor(..)));
        match record(wire) {
            Some(
                Record::Mux(..) | Record::Choose(..) | Record::Load { .. } | Record::Store { .. },
            ) => self.profile.selectors.is_some(),
            Some(&Record::And(a, b) | &Record::Xor(a, b)) => is_gate(a) || is_gate(b),
            _ => false,
        }
    }

    /// The bits of which a wire is the XOR, unless they are XORs themselves, or halves, of which a sum is
    /// free and each would have to be made a bit.
    pub(crate) fn differing(&self, wire: Wire) -> Option<(Wire, Wire)> {
        let record = |wire| Some(&self.records[self.source(wire)? as usize]);
        let is_other =
            |&wire: &Wire| self.is_half(wire) || matches!(record(wire), Some(Record::Xor(..)));
        match record(wire) {
            Some(&Record::Xor(a, b)) if ![a, b].iter().any(is_other) => {
                Some((a, b.invert_if(wire.is_inverted())))
            }
            _ => None,
        }
    }

    /// The variance of `Σ weight·bit` over distinct wires as they are recorded, in units of the
    /// profile's noise model; 0 where there is none.
    pub(crate) fn variance(&self, terms: &[(Wire, i8)]) -> f64 {
        let Some(lookup) = self.profile().lookup else {
            return 0.0;
        };
        // 1 − x has the noise of x with the other sign, which matters beside another output of
        // the same rotation.
        let terms = terms.iter().copied();
        chosen::variance(self, terms, &lookup.noise, &mut Vec::new())
    }

    /// Whether a lookup may read such a sum.
    pub(crate) fn is_quiet(&self, terms: &[(Wire, i8)]) -> bool {
        let terms = terms.iter().copied();
        let noise = self.profile.lookup.map(|lookup| lookup.noise);
        noise.is_none_or(|model| {
            let limit = model.limit;
            chosen::variance_or_more(self, terms, &model, &mut Vec::new(), limit) <= limit
        })
    }

    /// The largest variance that a lookup's sum may have.
    pub(crate) fn noise_limit(&self) -> f64 {
        self.profile()
            .lookup
            .map_or(f64::INFINITY, |lookup| lookup.noise.limit)
    }

    /// The number of signals so far, the constant included.
    pub(crate) fn signals(&self) -> usize {
        self.signals.len()
    }

    /// The node of a signal that is not the constant, and its table if that is a lookup.
    pub(crate) fn signal(&self, index: usize) -> (u32, u16) {
        let SignalEntry { node, mask, .. } = self.signals[index];
        (node, mask)
    }

    /// The number of a signal among those of its node, of which all were made at once.
    pub(crate) fn number_of(&self, index: usize) -> usize {
        let node = self.signals[index].node as usize;
        let count = match self.op(node as u32) {
            Op::Store(store) => store.entries().len(),
            _ => 1,
        };
        index + count - 1 - self.nodes[node].newest as usize
    }

    /// What a node computes, without its tables.
    pub(crate) fn op(&self, node: u32) -> Op<'_> {
        self.records[node as usize].view(&self.terms, &[])
    }

    /// The wire of a node of one output, found again or new.
    fn node(&mut self, record: Record) -> Wire {
        let hash = share::hash(&record, &[]);
        let records = &self.records;
        if let Some(node) = self
            .shared
            .find(hash, |node| records[node as usize] == record)
        {
            return Wire::from(Signal(self.nodes[node as usize].newest));
        }
        self.shared.insert(hash, self.records.len() as u32);
        self.append(record, 0)
    }

    /// The node of some terms, found again or new, and whether it is new; `record` says where they begin.
    fn node_of(&mut self, terms: &[Term], record: impl Fn(u32) -> Record) -> (u32, bool) {
        let own = record(0);
        let hash = share::hash(&own, terms);
        let same = |node| self.op(node) == own.view(terms, &[]);
        if let Some(node) = self.shared.find(hash, same) {
            return (node, false);
        }
        let record = record(self.terms.len() as u32);
        self.terms.extend_from_slice(terms);
        let node = self.append_bare(record);
        self.shared.insert(hash, node);
        (node, true)
    }

    /// The wire of the sum of distinct, sorted wires, found again or new; `record` says where they begin.
    fn sum_of(&mut self, wires: &[Wire], record: impl Fn(u32) -> Record) -> Wire {
        let terms: Vec<Term> = wires.iter().map(|&wire| Term { wire, weight: 1 }).collect();
        match self.node_of(&terms, record) {
            (node, true) => self.append_signal(node, 0),
            (node, false) => Wire::from(Signal(self.nodes[node as usize].newest)),
        }
    }

    /// Appends a node with one output.
    fn append(&mut self, record: Record, mask: u16) -> Wire {
        let node = self.append_bare(record);
        self.append_signal(node, mask)
    }

    /// Appends a node without outputs.
    fn append_bare(&mut self, record: Record) -> u32 {
        let node = self.records.len() as u32;
        let operands = record.view(&self.terms, &[]).operands();
        let before = operands.map(|wire| self.depth(wire)).max().unwrap_or(0);
        let own = match record {
            Record::Input(_)
            | Record::Disjoint { .. }
            | Record::Subtotal { .. }
            | Record::Linear { .. } => 0,
            Record::Xor(..) | Record::Parity { .. } if self.profile.lookup.is_none() => 0,
            _ => 1,
        };
        let op = record.view(&self.terms, &[]);
        let is_half = op.is_half(|signal| self.is_half(Wire::from(signal)));
        self.records.push(record);
        if let Some(causes) = &mut self.causes {
            causes.append();
        }
        self.nodes.push(NodeEntry {
            newest: NONE,
            depth: before + own,
            is_half,
        });
        node
    }

    /// Gives a node one more output.
    fn append_signal(&mut self, node: u32, mask: u16) -> Wire {
        let signal = self.signals.len() as u32;
        assert!(
            signal < 1 << 31,
            "a circuit of {signal} signals exceeds the 2^31 that fit"
        );
        let entry = &mut self.nodes[node as usize];
        self.signals.push(SignalEntry {
            node,
            older: entry.newest,
            mask,
        });
        entry.newest = signal;
        Wire::from(Signal(signal))
    }
}

impl Network for Builder {
    fn op_of(&self, signal: Signal) -> Option<Op<'_>> {
        self.source(Wire::from(signal)).map(|node| self.op(node))
    }

    fn origin_of(&self, signal: Signal) -> (Origin, bool) {
        let Some(node) = self.source(Wire::from(signal)) else {
            return (Origin::Constant, false);
        };
        let origin = match self.records[node as usize] {
            Record::Input(_) => Origin::Fresh,
            Record::Selector { .. } => Origin::Constant,
            Record::Lookup { max, .. } => Origin::Rotation {
                node,
                function: Function {
                    mask: self.signals[signal.index()].mask,
                    is_negacyclic: is_negacyclic(max),
                },
            },
            Record::Parity { .. } => Origin::Parity,
            _ => Origin::Rotation {
                node,
                function: Function::plain(self.op(node).rotation_mask()),
            },
        };
        (origin, false)
    }

    fn most_of(&self, chosen: Signal) -> Most {
        let node = self.source(Wire::from(chosen));
        let known = node.and_then(|node| self.bounds.get(node as usize));
        known.copied().unwrap_or_default()
    }

    fn is_half(&self, signal: Signal) -> bool {
        Self::is_half(self, Wire::from(signal))
    }
}
