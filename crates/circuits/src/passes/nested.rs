//! ANDs and ORs of which each has the bits of another one and more.
//!
//! `x |= x >> 1; x |= x >> 2; …` writes below each bit whether any bit above it is 1: by gates, four ANDs for
//! each of 32 bits. The circuit shows it: of each AND the bits are known that it is the AND of, through ANDs of
//! ANDs, and where those of one are among those of the next, all of them are recorded as one chain of lookups
//! ([`running_any`](crate::library::running_any)), three bits in each. So are masks below the lowest
//! bit, and what hand-written priority encoders ask.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::map::map_to_lookups;
use super::rebuild::Rebuild;
use crate::ir::table::LARGEST;
use crate::ir::{Node, Op, Signal};
use crate::library;
use crate::{Builder, Circuit, Profile, Wire};

/// Bits of one AND: of more it is taken as a bit.
const WIDEST: usize = 64;
/// Bits of all ANDs of a circuit. What comes later is left as it is.
const ALL_BITS: usize = 1 << 23;
/// Gates of all chains that are looked at, beside twice those of the circuit.
const EFFORT: usize = 1 << 14;
/// ANDs of a chain: of fewer, gates are mapped as well.
const FEWEST: usize = 4;
/// Gates of one chain: a word of 64 bits that is smeared has five to six for each bit.
const GATES: usize = 1 << 12;
/// Chains that an AND is compared with, by bit.
const TRIED: usize = 8;

/// The circuit with such chains in lookups, while `alive` says so; `None` where there are none that gain by
/// themselves. What reads them may be mapped with their gates, as the sums of half adders are: the whole
/// circuits are to be compared.
pub(super) fn settle<E>(
    circuit: &Circuit,
    profile: &Profile,
    alive: &dyn Fn() -> Result<(), E>,
) -> Result<Option<Circuit>, E> {
    if profile.max_value() != Some(LARGEST) {
        return Ok(None);
    }
    let mut found = chains(&Ands::of(circuit));
    found.retain(|chain| chain.ands.len() >= FEWEST);
    if found.is_empty() {
        return Ok(None);
    }
    let mut scratch = Rebuild::new(circuit, profile);
    let mut left = EFFORT + 2 * circuit.len();
    let mut chains = Vec::new();
    for chain in found {
        alive()?;
        if gains(&mut scratch, profile, &chain, &mut left) {
            chains.push(chain);
        }
    }
    chains.sort_by_key(|chain| chain.first);
    let mut chains = chains.into_iter().peekable();
    let chained = Rebuild::replacing(circuit, profile, |rebuild, node| {
        let mut instead = Vec::new();
        while let Some(chain) = chains.next_if(|chain| chain.first == node) {
            let runs = chain.runs(|bit| rebuild.wire(bit));
            if let Some(any) = library::running_any(&mut rebuild.build, &runs) {
                for (and, any) in chain.ands.iter().zip(any) {
                    instead.extend(and.signals.iter().map(|&signal| (signal, !any)));
                }
            }
        }
        instead
    });
    Ok(chained.map(Rebuild::finish))
}

/// The bits of an AND, ascending.
type Bits = Rc<[Wire]>;

/// What ANDs are ANDs of.
struct Ands<'a> {
    circuit: &'a Circuit,
    /// By node.
    bits: Vec<Option<Bits>>,
    /// By node: whether something else reads it than ANDs.
    is_wanted: Vec<bool>,
}

impl<'a> Ands<'a> {
    fn of(circuit: &'a Circuit) -> Self {
        let mut ands = Self {
            circuit,
            bits: Vec::with_capacity(circuit.len()),
            is_wanted: vec![false; circuit.len()],
        };
        let mut left = ALL_BITS;
        for node in circuit.nodes() {
            let op = circuit.op(node);
            let bits = match op {
                Op::And(a, b) => ands.joined(a, b, &mut left),
                _ => None,
            };
            for wire in op.operands() {
                let is_part = bits.is_some() && !wire.is_inverted();
                ands.note_reader(wire, is_part);
            }
            ands.bits.push(bits);
        }
        for &wire in circuit.outputs() {
            ands.note_reader(wire, false);
        }
        ands
    }

    fn note_reader(&mut self, wire: Wire, is_part: bool) {
        if let Some(source) = self.circuit.source(wire.signal()) {
            self.is_wanted[source.index()] |= !is_part;
        }
    }

    fn joined(&self, a: Wire, b: Wire, left: &mut usize) -> Option<Bits> {
        let of = |wire: Wire| -> Bits {
            let source = self.circuit.source(wire.signal());
            let source = source.filter(|_| !wire.is_inverted());
            let bits = source.and_then(|source| self.bits[source.index()].clone());
            bits.unwrap_or_else(|| Rc::from([wire]))
        };
        let (a, b) = (of(a), of(b));
        let mut bits: Vec<Wire> = a.iter().chain(b.iter()).copied().collect();
        bits.sort_unstable();
        bits.dedup();
        // Longer ones are bits of others themselves. A half has a scale of its own.
        let is_half = |bit: &Wire| self.circuit.is_half(bit.signal());
        if bits.len() > WIDEST || bits.iter().any(is_half) {
            return None;
        }
        *left = left.checked_sub(bits.len())?;
        Some(bits.into())
    }
}

/// An AND, perhaps written several times.
struct And {
    /// The first of its gates.
    node: Node,
    signals: Vec<Signal>,
    bits: Bits,
}

/// ANDs of which each has all bits of the one before and some more.
struct Chain {
    ands: Vec<And>,
    /// Before this node all bits are there, and none of the ANDs.
    first: Node,
    /// Where the last of the bits is made.
    bits_until: Option<Node>,
}

/// Every AND that is read by other operations, in the longest chain that was found for it.
fn chains(ands: &Ands<'_>) -> Vec<Chain> {
    let circuit = ands.circuit;
    let mut wanted: Vec<And> = Vec::new();
    let mut known: HashMap<Bits, usize> = HashMap::new();
    for node in circuit.nodes() {
        if let (Some(bits), true) = (&ands.bits[node.index()], ands.is_wanted[node.index()]) {
            let number = *known.entry(Rc::clone(bits)).or_insert(wanted.len());
            if number == wanted.len() {
                wanted.push(And {
                    node,
                    signals: Vec::new(),
                    bits: Rc::clone(bits),
                });
            }
            wanted[number].signals.extend(circuit.signals_of(node));
        }
    }
    wanted.sort_by_key(|and| (and.bits.len(), and.node));
    let mut chains: Vec<Chain> = Vec::new();
    // By a bit of their first AND.
    let mut of_bit: HashMap<Wire, Vec<usize>> = HashMap::new();
    for and in wanted {
        let until = and
            .bits
            .iter()
            .filter_map(|bit| circuit.source(bit.signal()))
            .max();
        let known = and.bits.iter().filter_map(|bit| of_bit.get(bit));
        let last = known.flat_map(|numbers| numbers.iter().rev().take(TRIED));
        let longest = last.filter(|&&number| chains[number].can_take(&and, until));
        match longest.max_by_key(|&&number| chains[number].ands.len()) {
            Some(&number) => chains[number].take(and, until),
            None => {
                if let Some(&bit) = and.bits.first() {
                    of_bit.entry(bit).or_default().push(chains.len());
                }
                chains.push(Chain {
                    first: and.node,
                    bits_until: until,
                    ands: vec![and],
                });
            }
        }
    }
    chains
}

impl Chain {
    /// Whether an AND has all bits of the last one, and all bits are there before any AND is.
    fn can_take(&self, and: &And, until: Option<Node>) -> bool {
        let has = |bit: &Wire| and.bits.binary_search(bit).is_ok();
        let first = self.first.min(and.node);
        self.bits_until.max(until).is_none_or(|until| until < first)
            && self
                .ands
                .last()
                .is_some_and(|last| last.bits.iter().all(has))
    }

    fn take(&mut self, and: And, until: Option<Node>) {
        self.first = self.first.min(and.node);
        self.bits_until = self.bits_until.max(until);
        self.ands.push(and);
    }

    /// The gates between the bits and the ANDs, ascending; `None` if they are very many.
    fn gates(&self, circuit: &Circuit) -> Option<BTreeSet<Node>> {
        let bits = self.ands.iter().flat_map(|and| and.bits.iter());
        let bits: HashSet<Signal> = bits.map(|bit| bit.signal()).collect();
        let mut gates = BTreeSet::new();
        let signals = self.ands.iter().flat_map(|and| &and.signals);
        let mut left: Vec<Signal> = signals.copied().collect();
        while let Some(signal) = left.pop() {
            let source = circuit.source(signal);
            if let Some(node) = source.filter(|_| !bits.contains(&signal))
                && gates.insert(node)
            {
                left.extend(circuit.op(node).operands().map(|wire| wire.signal()));
            }
            if gates.len() > GATES {
                return None;
            }
        }
        Some(gates)
    }

    /// What each AND has that the one before has not, inverted.
    fn runs(&self, wire: impl Fn(Wire) -> Wire) -> Vec<Vec<Wire>> {
        let mut before: &[Wire] = &[];
        let mut runs = Vec::with_capacity(self.ands.len());
        for and in &self.ands {
            let is_new = |bit: &&Wire| before.binary_search(bit).is_err();
            runs.push(
                and.bits
                    .iter()
                    .filter(is_new)
                    .map(|&bit| !wire(bit))
                    .collect(),
            );
            before = &and.bits;
        }
        runs
    }
}

/// Whether a chain takes fewer lookups than its gates, mapped by themselves, and no more time. The gates are taken
/// from what is left.
fn gains(scratch: &mut Rebuild<'_>, profile: &Profile, chain: &Chain, left: &mut usize) -> bool {
    let gates = chain.gates(scratch.circuit);
    let Some(gates) = gates.filter(|gates| gates.len() <= *left) else {
        return false;
    };
    *left -= gates.len();
    let chained = recorded(scratch, profile, chain, |scratch| {
        let runs = chain.runs(|bit| scratch.wire(bit));
        library::running_any(&mut scratch.build, &runs)
    });
    let gates = recorded(scratch, profile, chain, |scratch| {
        gates.into_iter().for_each(|node| scratch.copy(node));
        let signals = chain.ands.iter().flat_map(|and| &and.signals);
        Some(signals.map(|&signal| scratch.wire(signal.into())).collect())
    });
    let (Some(chained), Some(gates)) = (chained, gates) else {
        return false;
    };
    super::is_better(&chained, &map_to_lookups(&gates, profile), profile)
}

/// A circuit of a chain's bits alone.
fn recorded(
    scratch: &mut Rebuild<'_>,
    profile: &Profile,
    chain: &Chain,
    record: impl FnOnce(&mut Rebuild<'_>) -> Option<Vec<Wire>>,
) -> Option<Circuit> {
    scratch.build = Builder::new(profile);
    for bit in chain.ands.iter().flat_map(|and| and.bits.iter()) {
        let input = scratch.build.input();
        scratch.set(bit.signal(), input);
    }
    let outputs = record(scratch)?;
    outputs
        .into_iter()
        .for_each(|wire| scratch.build.output(wire));
    Some(std::mem::replace(&mut scratch.build, Builder::new(profile)).finish())
}
