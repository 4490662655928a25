//! Parts of parities that are added once and read by several, or that shrink to one value where they
//! are made.
//!
//! A word that a table gave is many lookups' bits, and an XOR of several such words one parity of all of
//! them: MixColumns of AES adds up some 110 bits of five tables. The bits of one table come together in
//! parity after parity, or are at least made together. So what a parity reads of lookups that have
//! operands in common is added by itself ([`Op::Subtotal`]): fewer additions where several parities read
//! the same part, and few values instead of many that wait for the parity's other parts, in memory and
//! on the way to another machine.
//!
//! Sums of ciphertexts do not depend on their order: not a bit of any result changes. Nor does noise,
//! for whoever asks looks through subtotals as through sums of disjoint bits.

use std::collections::{HashMap, HashSet};

use super::rebuild::Rebuild;
use crate::ir::{Node, Op, Parts, Record, Signal, Term};
use crate::union::Union;
use crate::{Circuit, Profile, Wire};

/// Bits that are worth a sum of their own.
const LEAST: usize = 4;

/// The circuit with subtotals, where they make fewer values than they replace. Near-linear.
pub(super) fn gather(circuit: Circuit, profile: &Profile) -> Circuit {
    if !profile.has_parity() {
        return circuit;
    }
    let found = Found::of(&circuit);
    match found.parts.is_empty() {
        true => circuit,
        false => written(&circuit, &found),
    }
}

/// The circuit without any; `None` where there are none. Rewriting asks for whole parities.
pub(super) fn dissolve(circuit: &Circuit, profile: &Profile) -> Option<Circuit> {
    let is_part = |node| matches!(circuit.op(node), Op::Subtotal { .. });
    if !circuit.nodes().any(is_part) {
        return None;
    }
    let mut rebuild = Rebuild::new(circuit, profile);
    circuit.nodes().for_each(|node| rebuild.copy(node));
    Some(super::remove_dead(&rebuild.finish()))
}

/// What may be added by itself.
#[derive(Default)]
struct Found {
    /// The bits of each part, sorted.
    parts: Vec<Vec<Signal>>,
    /// By parity the numbers of its parts.
    of: HashMap<Node, Vec<u32>>,
}

impl Found {
    fn of(circuit: &Circuit) -> Self {
        let mut found = Self::default();
        let mut numbers: HashMap<Vec<Signal>, u32> = HashMap::new();
        for node in circuit.nodes() {
            let Op::Parity { terms } = circuit.op(node) else {
                continue;
            };
            for part in parts(circuit, terms) {
                let number = *numbers.entry(part).or_insert_with_key(|part| {
                    found.parts.push(part.clone());
                    found.parts.len() as u32 - 1
                });
                found.of.entry(node).or_default().push(number);
            }
        }
        if !found.parts.is_empty() {
            found.keep(&found.worthwhile(circuit));
        }
        found
    }

    /// By part: whether it and those that it has bits in common with are fewer than the bits of theirs
    /// that nobody reads any more.
    fn worthwhile(&self, circuit: &Circuit) -> Vec<bool> {
        let mut reads = vec![0i64; circuit.signals()];
        let operands = circuit.nodes().flat_map(|node| circuit.op(node).operands());
        for wire in operands.chain(circuit.outputs().iter().copied()) {
            reads[wire.signal().index()] += 1;
        }
        for &number in self.of.values().flatten() {
            for bit in &self.parts[number as usize] {
                reads[bit.index()] -= 1;
            }
        }
        let mut sets = Union::new(self.parts.len());
        let mut first: HashMap<Signal, u32> = HashMap::new();
        for (number, part) in (0..).zip(&self.parts) {
            for &bit in part {
                sets.join(*first.entry(bit).or_insert(number), number);
            }
        }
        // Values that go, less those that come.
        let mut gain = vec![0i64; self.parts.len()];
        for number in 0..self.parts.len() as u32 {
            gain[sets.root(number) as usize] -= 1;
        }
        for (bit, &number) in &first {
            gain[sets.root(number) as usize] += i64::from(reads[bit.index()] == 0);
        }
        let roots = (0..self.parts.len() as u32).map(|number| sets.root(number));
        roots.map(|root| gain[root as usize] > 0).collect()
    }

    fn keep(&mut self, is_kept: &[bool]) {
        let mut kept = Vec::new();
        let mut renumbered = vec![0; self.parts.len()];
        for (number, part) in self.parts.drain(..).enumerate() {
            if is_kept[number] {
                renumbered[number] = kept.len() as u32;
                kept.push(part);
            }
        }
        self.parts = kept;
        for numbers in self.of.values_mut() {
            numbers.retain(|&number| is_kept[number as usize]);
            for number in numbers {
                *number = renumbered[*number as usize];
            }
        }
        self.of.retain(|_, numbers| !numbers.is_empty());
    }
}

/// The parts of a parity: bits of lookups that are joined by operands in common. None if that is all.
fn parts(circuit: &Circuit, terms: &[Term]) -> Vec<Vec<Signal>> {
    if terms.len() <= LEAST {
        return Vec::new();
    }
    let mut sets = Union::new(terms.len());
    let mut first: HashMap<Signal, u32> = HashMap::new();
    for (number, term) in (0..).zip(terms) {
        if let Some(op @ Op::Lookup { .. }) = source(circuit, term.wire) {
            for wire in op.operands() {
                sets.join(*first.entry(wire.signal()).or_insert(number), number);
            }
        }
    }
    let mut by_root: Vec<(u32, Signal)> = (0..)
        .zip(terms)
        .map(|(number, term)| (sets.root(number), term.wire.signal()))
        .collect();
    by_root.sort_unstable();
    let parts = by_root.chunk_by(|one, other| one.0 == other.0);
    let parts = parts.filter(|part| part.len() >= LEAST && part.len() < terms.len());
    parts
        .map(|part| part.iter().map(|&(_, bit)| bit).collect())
        .collect()
}

fn source(circuit: &Circuit, wire: Wire) -> Option<Op<'_>> {
    circuit.source(wire.signal()).map(|node| circuit.op(node))
}

/// The circuit with its parts, each behind the last of its bits.
fn written(circuit: &Circuit, found: &Found) -> Circuit {
    let count = found.parts.len();
    let terms = circuit.nodes().map(|node| circuit.op(node).terms().len());
    let mut parts = Parts::with_capacity(
        circuit.len() + count,
        circuit.signals() + count,
        terms.sum(),
    );
    let mut behind: HashMap<Node, Vec<u32>> = HashMap::new();
    for (number, part) in (0..).zip(&found.parts) {
        let sources = part.iter().filter_map(|&bit| circuit.source(bit));
        if let Some(last) = sources.max() {
            behind.entry(last).or_default().push(number);
        }
    }
    // By part who reads it first, which it is charged to.
    let mut readers: Vec<Option<Node>> = vec![None; count];
    for (&node, numbers) in &found.of {
        for &number in numbers {
            let first = &mut readers[number as usize];
            *first = Some(first.map_or(node, |first| first.min(node)));
        }
    }
    let mut renumbered = vec![Signal::FALSE; circuit.signals()];
    let mut totals = vec![Signal::FALSE; count];
    for node in circuit.nodes() {
        let at = |wire: Wire| {
            Wire::from(renumbered[wire.signal().index()]).invert_if(wire.is_inverted())
        };
        let record = match found.of.get(&node) {
            None => {
                let terms = circuit.op(node).terms().iter();
                let first = parts.push_terms(terms.map(|term| Term {
                    wire: at(term.wire),
                    weight: term.weight,
                }));
                circuit.record(node).moved(first, at)
            }
            Some(numbers) => {
                let numbers = || numbers.iter().map(|&number| number as usize);
                let inside: HashSet<Signal> = numbers()
                    .flat_map(|number| found.parts[number].iter().copied())
                    .collect();
                let terms = circuit.op(node).terms().iter();
                let alone = terms.map(|term| term.wire.signal());
                let alone = alone.filter(|bit| !inside.contains(bit));
                let alone = alone.map(|bit| renumbered[bit.index()]);
                let (first, count) = plain(
                    &mut parts,
                    alone.chain(numbers().map(|number| totals[number])),
                );
                Record::Parity { first, count }
            }
        };
        let masks = circuit.signals_of(node).map(|signal| circuit.mask(signal));
        let mut next = parts.push(record, masks);
        parts.attribute(circuit.cause(node));
        for signal in circuit.signals_of(node) {
            if circuit.is_half(signal) {
                parts.set_half();
            }
            renumbered[signal.index()] = next;
            next = Signal(next.0 + 1);
        }
        for &number in behind.get(&node).into_iter().flatten() {
            let part = found.parts[number as usize].iter();
            let (first, count) = plain(&mut parts, part.map(|bit| renumbered[bit.index()]));
            totals[number as usize] = parts.push(Record::Subtotal { first, count }, [0]);
            let reader = readers[number as usize].unwrap_or(node);
            parts.attribute(circuit.cause(reader));
        }
    }
    parts.finish_as(circuit, &renumbered)
}

/// Appends bits as terms of a sum, and answers where they begin and how many they are.
fn plain(parts: &mut Parts, bits: impl Iterator<Item = Signal>) -> (u32, u32) {
    let mut bits: Vec<Wire> = bits.map(Wire::from).collect();
    bits.sort_unstable();
    let count = bits.len() as u32;
    let terms = bits.into_iter().map(|wire| Term { wire, weight: 1 });
    (parts.push_terms(terms), count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::{self, Provenance};
    use crate::{Builder, library, sim};

    const TABLES: usize = 3;

    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005);
            self.0 = self.0.wrapping_add(1442695040888963407);
            self.0 >> 33
        }
    }

    /// Bytes that tables give, added modulo 2 in several ways with some of the index beside them, after one
    /// round or two; without subtotals.
    fn mixed(seed: u64, profile: &Profile) -> Circuit {
        let mut numbers = Numbers(seed);
        let mut b = Builder::new(profile);
        let table: Vec<u64> = (0..256).map(|_| numbers.next() % 256).collect();
        let mut words: Vec<Vec<Wire>> = (0..TABLES).map(|_| b.inputs(8)).collect();
        for _ in 0..1 + seed % 2 {
            let read = words
                .iter()
                .map(|word| library::rom(&mut b, word, 8, &table));
            let read: Vec<Vec<Wire>> = read.collect();
            let mut sum = |_: usize| {
                let mut bits: Vec<Wire> = Vec::new();
                for word in &read {
                    let places = (0..8).filter(|_| numbers.next().is_multiple_of(4));
                    bits.extend(places.map(|place| word[place]));
                }
                bits.push(words[numbers.next() as usize % TABLES][numbers.next() as usize % 8]);
                bits
            };
            let sums: Vec<Vec<Wire>> = (0..8 * TABLES).map(&mut sum).collect();
            let odd: Vec<Wire> = sums.iter().map(|bits| b.parity(bits)).collect();
            words = odd.chunks(8).map(<[Wire]>::to_vec).collect();
        }
        words.concat().into_iter().for_each(|bit| b.output(bit));
        let alive = || Ok::<(), std::convert::Infallible>(());
        let Ok(circuit) = passes::steps(&b.finish(), profile, &alive);
        circuit
    }

    fn subtotals(circuit: &Circuit) -> usize {
        let is_part = |node: &Node| matches!(circuit.op(*node), Op::Subtotal { .. });
        circuit.nodes().filter(is_part).count()
    }

    fn made(circuit: &Circuit) -> Vec<Provenance> {
        let inputs: Vec<_> = (0..circuit.inputs() as u64)
            .map(Provenance::original)
            .collect();
        let known = passes::provenance(circuit, &inputs);
        let outputs = circuit.outputs().iter();
        outputs.map(|wire| known[wire.signal().index()]).collect()
    }

    #[test]
    fn nothing_changes_but_what_waits() {
        let profile = Profile::lookup_simulation();
        let model = profile.lookup.unwrap().noise;
        for seed in 0..12 {
            let plain = mixed(seed, &profile);
            let gathered = gather(plain.clone(), &profile);
            assert!(
                subtotals(&plain) == 0 && subtotals(&gathered) > 8 * TABLES,
                "{seed}"
            );
            let mut numbers = Numbers(seed ^ 99);
            let inputs: Vec<u64> = (0..plain.inputs())
                .map(|_| numbers.next() << 32 | numbers.next())
                .collect();
            assert_eq!(
                sim::evaluate(&plain, &inputs),
                sim::evaluate(&gathered, &inputs),
                "{seed}"
            );
            // The very ciphertexts, at the same price, with the same noise; fewer of them at a time.
            assert!(made(&plain) == made(&gathered), "{seed}");
            let [before, after] =
                [&plain, &gathered].map(|circuit| passes::cost(circuit, &profile));
            assert_eq!(
                (before.bootstraps, before.depth),
                (after.bootstraps, after.depth)
            );
            assert!(
                after.peak_bits < before.peak_bits,
                "{} {}",
                after.peak_bits,
                before.peak_bits
            );
            let [before, after] =
                [&plain, &gathered].map(|circuit| passes::noise(circuit, &model).worst);
            assert_eq!(before, after);
            // And back.
            let whole = dissolve(&gathered, &profile).unwrap();
            assert_eq!(subtotals(&whole), 0);
            assert_eq!(
                sim::evaluate(&whole, &inputs),
                sim::evaluate(&plain, &inputs)
            );
            assert_eq!(
                passes::cost(&whole, &profile).bootstraps,
                passes::cost(&plain, &profile).bootstraps
            );
            let again = passes::prepare(&gathered, &profile);
            assert_eq!(
                sim::evaluate(&again, &inputs),
                sim::evaluate(&gathered, &inputs),
                "{seed}"
            );
            assert!(
                passes::cost(&again, &profile).bootstraps
                    <= passes::cost(&gathered, &profile).bootstraps
            );
            let gates = passes::expand(&gathered, &Profile::gate_simulation());
            assert_eq!(gates.len(), passes::remove_dead(&gates).len());
            let mapped = passes::map_to_lookups(&gathered, &profile);
            let quiet = passes::insert_refresh(&gathered, &profile);
            for circuit in [&mapped, &quiet] {
                let bootstraps = |circuit| passes::cost(circuit, &profile).bootstraps;
                assert!(subtotals(circuit) == 0 && bootstraps(circuit) <= bootstraps(&plain));
                assert_eq!(
                    sim::evaluate(circuit, &inputs),
                    sim::evaluate(&plain, &inputs)
                );
            }
            assert_eq!(
                sim::evaluate(&gates, &inputs),
                sim::evaluate(&gathered, &inputs),
                "{seed}"
            );
        }
    }

    /// Many sums of few bits would be more values than the bits themselves.
    #[test]
    fn what_makes_more_of_them_stays() {
        let profile = Profile::lookup_simulation();
        let mut b = Builder::new(&profile);
        let mut numbers = Numbers(5);
        let (shared, others) = (b.inputs(2), b.inputs(40));
        let bits: Vec<Wire> = (others.iter())
            .map(|&other| {
                b.lookup(
                    &[(shared[0], 1), (shared[1], 2), (other, 4)],
                    0,
                    &[0b1001_0110],
                )[0]
            })
            .collect();
        for _ in 0..100 {
            let some = bits.iter().filter(|_| numbers.next().is_multiple_of(3));
            let some: Vec<Wire> = some.copied().chain(b.inputs(3)).collect();
            let odd = b.parity(&some);
            b.output(odd);
        }
        let circuit = b.finish();
        assert!(
            circuit
                .nodes()
                .any(|node| matches!(circuit.op(node), Op::Parity { .. }))
        );
        assert_eq!(subtotals(&gather(circuit, &profile)), 0);
    }
}
