//! Sums modulo 2, for schemes that add integers.
//!
//! Where an XOR is an addition of ciphertexts, x ⊕ y ⊕ x has twice the noise of x in it, although x
//! is not in its value. In networks of XORs alone such multiples grow exponentially: u ← u ⊕ v, v ←
//! v ⊕ u has Fibonacci's numbers after some steps, xorshift and shift registers others. Modulo 2
//! each source (an input, an AND) is in a sum once or not at all.
//!
//! So every sum is followed by how often it has each source in it. One that has none twice stays as
//! it is. So does one whose multiples make it no more than [`MOST_EXCESS`] times as noisy, as a
//! variance, as the same sum with each source once, unless it has a source of a greater depth for
//! nothing: adders and multipliers hardly ever have others. Any other is written again,
//!
//! - from the sums that it consists of, opened from the latest until what they have in common is
//!   gone: (a ⊕ b) ⊕ (b ⊕ c) is a ⊕ c;
//! - or, if that takes as many, from its sources, in halves: sources are ordered by depth and then
//!   by age, aligned blocks of them are added first, so that sums which agree in a block share it.
//!   Of 32 sources, sums of half of them take four XORs each or so if there are hundreds (V. L.
//!   Arlazarov, E. A. Dinic, M. A. Kronrod, I. A. Faradžev, 1970).
//!
//! Two sums of the same sources are one, however they were written. Time: a sum takes as long as it
//! has sources.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::rebuild::Rebuild;
use super::remove_dead;
use crate::ir::{Op, Signal};
use crate::{Circuit, Profile, Wire};

/// The variance that a sum may have over that of its sources, each counted once.
const MOST_EXCESS: u64 = 2;
/// Sources of a sum that are counted; one that has more counts as a source.
const MOST_SOURCES: usize = 4096;
/// The same once this many were counted in all, which take 128 MB.
const FEW_SOURCES: usize = 64;
const MOST_COUNTED: usize = 1 << 24;
/// Sums that are opened before a sum is written from its sources.
const MOST_OPENED: usize = 256;

/// Writes sums again that have a source in them so often that the scheme's noise would grow. Linear
/// but for the lengths of sums.
#[must_use]
pub fn reduce_sums(circuit: &Circuit, profile: &Profile) -> Circuit {
    let mut sums = Sums {
        rebuild: Rebuild::new(circuit, profile),
        counts: Vec::new(),
        counted: 0,
        known: HashMap::new(),
    };
    for node in circuit.nodes() {
        match circuit.op(node) {
            Op::Xor(a, b) => {
                sums.rebuild.stand_for(node);
                let (a, b) = (sums.rebuild.wire(a), sums.rebuild.wire(b));
                let sum = sums.sum(a, b);
                for signal in circuit.signals_of(node) {
                    sums.rebuild.set(signal, sum);
                }
            }
            _ => sums.rebuild.copy(node),
        }
    }
    remove_dead(&sums.rebuild.finish())
}

/// How often a sum has a source in it.
#[derive(Clone, Copy, PartialEq)]
struct Count {
    source: Signal,
    times: u32,
}

/// Sorted by source, none zero times.
type Counts = Rc<[Count]>;

struct Sums<'a> {
    rebuild: Rebuild<'a>,
    /// By new signal; `None` for sources.
    counts: Vec<Option<Counts>>,
    /// Of all together.
    counted: usize,
    /// Sums by a hash of the sources that they have an odd number of times.
    known: HashMap<u64, Wire>,
}

impl Sums<'_> {
    /// `a ⊕ b` without multiples that are too large.
    fn sum(&mut self, a: Wire, b: Wire) -> Wire {
        let inverted = a.is_inverted() ^ b.is_inverted();
        let (a, b) = (a.positive(), b.positive());
        if a == b || a == Wire::FALSE || b == Wire::FALSE {
            return self.rebuild.build.xor(a, b).invert_if(inverted);
        }
        let counts = merged(&self.of(a), &self.of(b), u32::saturating_add);
        let odd = odd(&counts);
        let sum = match (self.find(&odd), &odd[..]) {
            (Some(known), _) => known,
            (None, &[]) => Wire::FALSE,
            (None, &[only]) => Wire::from(only),
            _ => {
                let sum = if self.is_quiet(&counts) {
                    self.add(a, b)
                } else {
                    self.again(a, b, counts, &odd)
                };
                self.known.insert(hash(&odd), sum);
                sum
            }
        };
        sum.invert_if(inverted)
    }

    /// How often a wire has its sources: a source once itself.
    fn of(&self, wire: Wire) -> Counts {
        let source = wire.signal();
        match self.counts.get(source.index()) {
            Some(Some(counts)) => Rc::clone(counts),
            _ => Rc::from([Count { source, times: 1 }]),
        }
    }

    fn is_source(&self, signal: Signal) -> bool {
        !matches!(self.counts.get(signal.index()), Some(Some(_)))
    }

    /// The sum that has these sources an odd number of times, if it was written before.
    fn find(&self, sources: &[Signal]) -> Option<Wire> {
        let wire = *self.known.get(&hash(sources))?;
        (odd(&self.of(wire)) == sources).then_some(wire)
    }

    /// Whether a sum is hardly noisier than it has to be, and no deeper.
    fn is_quiet(&self, counts: &[Count]) -> bool {
        let (mut least, mut variance) = (0u64, 0u64);
        let (mut needed, mut depth) = (0, 0);
        for &Count { source, times } in counts {
            let own = self.rebuild.build.depth(Wire::from(source));
            depth = depth.max(own);
            if times % 2 == 1 {
                least += 1;
                needed = needed.max(own);
            }
            let times = u64::from(times);
            variance = variance.saturating_add(times.saturating_mul(times));
        }
        variance <= MOST_EXCESS * least && depth == needed
    }

    /// `a ⊕ b` as it is.
    fn add(&mut self, a: Wire, b: Wire) -> Wire {
        let sum = self.rebuild.build.xor(a, b);
        let place = sum.signal().index();
        if self.counts.len() <= place {
            // Nodes that were copied are sources.
            self.counts.resize(place + 1, None);
            let counts = merged(&self.of(a), &self.of(b), u32::saturating_add);
            let most = match self.counted < MOST_COUNTED {
                true => MOST_SOURCES,
                false => FEW_SOURCES,
            };
            if counts.len() <= most {
                self.counted += counts.len();
                self.counts[place] = Some(Rc::from(counts));
            }
        }
        sum
    }

    /// `a ⊕ b`, which has these counts, of other sums.
    fn again(&mut self, a: Wire, b: Wire, mut counts: Vec<Count>, odd: &[Signal]) -> Wire {
        let (mut sources, mut open) = (BTreeSet::new(), BTreeSet::new());
        let mut pending = vec![a, b];
        for _ in 0..MOST_OPENED {
            let mut met = false;
            for wire in pending.drain(..) {
                let signal = wire.signal();
                let all = match self.is_source(signal) {
                    true => &mut sources,
                    false => &mut open,
                };
                if !all.insert(signal) {
                    all.remove(&signal);
                    let twice = self.of(wire);
                    counts = merged(&counts, &twice, |all, own| all - 2 * own);
                    met = true;
                }
            }
            let terms = sources.len() + open.len();
            if met && terms < odd.len() && self.is_quiet(&counts) {
                let terms: Vec<Signal> = sources.iter().chain(&open).copied().collect();
                return self.total(&terms);
            }
            // No two of them are the same: the latest is what others cannot consist of.
            let Some(latest) = open.pop_last() else {
                break;
            };
            let (node, _) = self.rebuild.build.signal(latest.index());
            match self.rebuild.build.op(node) {
                Op::Xor(a, b) => pending.extend([a, b]),
                _ => break,
            }
        }
        self.total(odd)
    }

    /// The sum of different signals, by aligned blocks of them in order of depth and age.
    fn total(&mut self, signals: &[Signal]) -> Wire {
        let mut keyed: Vec<(u64, Wire)> = signals
            .iter()
            .map(|&signal| {
                let wire = Wire::from(signal);
                let depth = self.rebuild.build.depth(wire);
                (u64::from(depth) << 32 | signal.index() as u64, wire)
            })
            .collect();
        keyed.sort_unstable();
        self.blocks(&keyed)
    }

    fn blocks(&mut self, keyed: &[(u64, Wire)]) -> Wire {
        match *keyed {
            [] => Wire::FALSE,
            [(_, only)] => only,
            [(first, _), .., (last, _)] => {
                // The highest bit in which keys differ divides them.
                let bit = u64::BITS - 1 - (first ^ last).leading_zeros();
                let middle = keyed.partition_point(|(key, _)| key >> bit == first >> bit);
                let (low, high) = keyed.split_at(middle);
                let (low, high) = (self.blocks(low), self.blocks(high));
                self.add(low, high)
            }
        }
    }
}

/// Counts of two sums, those of sources that both have by an operation.
fn merged(a: &[Count], b: &[Count], operation: impl Fn(u32, u32) -> u32) -> Vec<Count> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(&&left), Some(&&right)) = (a.peek(), b.peek()) {
        if left.source <= right.source {
            a.next();
        }
        if right.source <= left.source {
            b.next();
        }
        all.push(match left.source.cmp(&right.source) {
            std::cmp::Ordering::Less => left,
            std::cmp::Ordering::Greater => right,
            std::cmp::Ordering::Equal => Count {
                times: operation(left.times, right.times),
                ..left
            },
        });
    }
    all.extend(a.chain(b));
    all.retain(|count| count.times > 0);
    all
}

/// The sources of which there is an odd number.
fn odd(counts: &[Count]) -> Vec<Signal> {
    let odd = counts.iter().filter(|count| count.times % 2 == 1);
    odd.map(|count| count.source).collect()
}

fn hash(sources: &[Signal]) -> u64 {
    sources.iter().fold(0, |hash: u64, source| {
        (hash.rotate_left(5) ^ u64::from(source.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}
