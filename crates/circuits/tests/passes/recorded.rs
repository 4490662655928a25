//! Circuits to pass on: recorded from random steps, and additions by slices.

use blindcore_circuits::{Builder, Cause, Circuit, Profile, Wire, library};
use proptest::prelude::*;

use super::targets::lookups;

/// A way to make one more wire from earlier ones, chosen by random numbers.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Gate(u8, [u16; 3]),
    Lookup(Vec<(u16, i8)>, Vec<u16>),
    /// The same of sums up to 31.
    Negacyclic(Vec<(u16, i8)>, Vec<u16>),
    Wide(u8, Vec<u16>),
    Refresh(u16),
    /// Three bits of which two conditions admit one at most.
    Disjoint(bool, [u16; 5]),
    /// Words by one condition.
    Select(u16, Vec<(u16, u16)>),
    /// A word of some bits from an array, at an index.
    Load(Vec<u16>, u8, Vec<u16>),
    /// A word of some bits put into an array, at an index and under a condition, if there is one.
    Store(Vec<u16>, Option<u16>, Vec<u16>, Vec<u16>),
    /// A sum modulo 2.
    Linear(Vec<u16>),
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..11u8, any::<[u16; 3]>()).prop_map(|(kind, from)| Step::Gate(kind, from)),
        3 => (
            prop::collection::vec((any::<u16>(), -5..6i8), 1..7),
            prop::collection::vec(any::<u16>(), 1..5)
        )
            .prop_map(|(terms, masks)| Step::Lookup(terms, masks)),
        2 => (
            prop::collection::vec((any::<u16>(), -9..10i8), 2..10),
            prop::collection::vec(any::<u16>(), 1..5)
        )
            .prop_map(|(terms, masks)| Step::Negacyclic(terms, masks)),
        1 => (0..3u8, prop::collection::vec(any::<u16>(), 3..20))
            .prop_map(|(kind, from)| Step::Wide(kind, from)),
        1 => any::<u16>().prop_map(Step::Refresh),
        2 => any::<(bool, [u16; 5])>().prop_map(|(gates, from)| Step::Disjoint(gates, from)),
        1 => any::<(u16, [(u16, u16); 4])>()
            .prop_map(|(condition, places)| Step::Select(condition, places.to_vec())),
        1 => (
            prop::collection::vec(any::<u16>(), 0..5),
            1..4u8,
            prop::collection::vec(any::<u16>(), 48)
        )
            .prop_map(|(index, width, entries)| Step::Load(index, width, entries)),
        1 => (
            prop::collection::vec(any::<u16>(), 0..4),
            any::<Option<u16>>(),
            prop::collection::vec(any::<u16>(), 1..4),
            prop::collection::vec(any::<u16>(), 24)
        )
            .prop_map(|(index, enable, word, entries)| Step::Store(index, enable, word, entries)),
        1 => prop::collection::vec(any::<u16>(), 1..6).prop_map(Step::Linear),
    ]
}

pub(crate) const INPUTS: usize = 8;

/// A sum that takes no value above `largest`, its constant, and its largest value.
fn sum(terms: &[(u16, i8)], largest: i8, pick: impl Fn(u16) -> Wire) -> (Vec<(Wire, i8)>, i8, u8) {
    let mut left = largest;
    let mut chosen: Vec<(Wire, i8)> = Vec::new();
    for &(number, weight) in terms {
        if weight.abs() <= left {
            left -= weight.abs();
            chosen.push((pick(number), weight));
        }
    }
    let constant = chosen.iter().map(|&(_, weight)| -weight.min(0)).sum();
    (chosen, constant, (largest - left) as u8)
}

pub(crate) fn record(profile: &Profile, steps: &[Step], outputs: &[u16]) -> Circuit {
    record_for(profile, steps, outputs, |_| None)
}

/// The same, each step for a cause.
pub(crate) fn record_for(
    profile: &Profile,
    steps: &[Step],
    outputs: &[u16],
    cause: impl Fn(usize) -> Option<Cause>,
) -> Circuit {
    let mut build = Builder::new(profile);
    let mut wires = build.inputs(INPUTS);
    for (number, step) in steps.iter().enumerate() {
        if let Some(cause) = cause(number) {
            build.attribute_to(cause);
        }
        // The newest wires are chosen more often, so that circuits become deep.
        let pick = |number: u16| {
            let newest = wires.len() - 1;
            let back = usize::from(number >> 1)
                % if number & 6 == 0 {
                    newest + 1
                } else {
                    12.min(newest + 1)
                };
            wires[newest - back].invert_if(number & 1 == 1)
        };
        match step {
            Step::Gate(kind, from) => {
                let [a, b, c] = from.map(pick);
                let methods = [
                    Builder::and,
                    Builder::or,
                    Builder::xor,
                    Builder::nand,
                    Builder::nor,
                    Builder::xnor,
                    Builder::andny,
                    Builder::andyn,
                    Builder::orny,
                    Builder::oryn,
                ];
                wires.push(match methods.get(usize::from(*kind)) {
                    Some(method) => method(&mut build, a, b),
                    None => build.mux(a, b, c),
                });
            }
            Step::Lookup(terms, masks) => {
                let (chosen, constant, _) = sum(terms, 15, pick);
                wires.extend(build.lookup(&chosen, constant, masks));
            }
            Step::Negacyclic(terms, masks) => {
                let (chosen, constant, max) = sum(terms, 31, pick);
                wires.extend(build.lookup_within(&chosen, constant, max, masks));
            }
            Step::Wide(kind, from) => {
                let from: Vec<Wire> = from.iter().map(|&number| pick(number)).collect();
                wires.push(match kind {
                    0 => build.any(&from),
                    1 => build.all(&from),
                    _ => build.parity(&from),
                });
            }
            Step::Disjoint(gates, from) => {
                let [a, b, x, y, z] = from.map(pick);
                let mut masked = |select: Wire, other: Wire, bit: Wire| {
                    if *gates {
                        let both = build.and(select, other);
                        return build.and(both, bit);
                    }
                    build.lookup(&[(bit, 1), (select, 2), (other, 4)], 0, &[1 << 7])[0]
                };
                let bits = [masked(a, b, x), masked(a, !b, y), masked(!a, b, z), {
                    // Read inverted where its table begins with a one.
                    let either = build.or(a, b);
                    !build.or(either, x)
                }];
                // A sum of sums is one.
                let halves = [build.disjoint(&bits[..2]), build.disjoint(&bits[2..])];
                wires.push(build.disjoint(&halves));
                wires.extend(halves);
            }
            Step::Select(condition, places) => {
                let condition = pick(*condition);
                let places = places.iter().map(|&(x, y)| (pick(x), pick(y)));
                let (then, otherwise): (Vec<_>, Vec<_>) = places.unzip();
                wires.extend(library::select(&mut build, condition, &then, &otherwise));
            }
            Step::Load(index, width, entries) => {
                let index: Vec<Wire> = index.iter().map(|&number| pick(number)).collect();
                let width = usize::from(*width);
                let entry = |&number: &u16| match number % 8 {
                    0 => Wire::constant(number & 8 == 0),
                    _ => pick(number / 8),
                };
                let entries = entries.iter().take(width << index.len()).map(entry);
                let entries: Vec<Wire> = entries.collect();
                wires.extend(build.load(&index, width, &entries));
            }
            Step::Store(index, enable, word, entries) => {
                let index: Vec<Wire> = index.iter().map(|&number| pick(number)).collect();
                let enable = enable.map_or(Wire::TRUE, pick);
                let entry = |&number: &u16| match number % 8 {
                    0 => Wire::constant(number & 8 == 0),
                    _ => pick(number / 8),
                };
                let word: Vec<Wire> = word.iter().map(entry).collect();
                let entries = entries.iter().take(word.len() << index.len()).map(entry);
                let entries: Vec<Wire> = entries.collect();
                wires.extend(build.store(&index, enable, &word, &entries));
            }
            Step::Linear(from) => {
                let from: Vec<Wire> = from.iter().map(|&number| pick(number)).collect();
                wires.push(build.linear(&from));
            }
            Step::Refresh(number) => {
                let wire = pick(*number);
                wires.push(build.refresh(wire));
            }
        }
    }
    for &number in outputs {
        let wire = wires[wires.len() - 1 - usize::from(number >> 1) % wires.len()];
        build.output(wire.invert_if(number & 1 == 1));
    }
    build.finish()
}

pub(crate) const LANES: [u64; INPUTS] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
    0x9e37_79b9_7f4a_7c15,
    0xd6e8_feb8_6659_fd93,
];

/// `times` additions by slices of three bits, each offset by some bits against the one before.
pub(crate) fn additions(bits: usize, times: usize, offset: usize) -> Circuit {
    let mut build = Builder::new(&lookups());
    let mut x = build.inputs(bits);
    let mut y = build.inputs(bits);
    for _ in 0..times {
        let mut carry = Wire::FALSE;
        let mut sum = Vec::new();
        for (a, b) in x.chunks(3).zip(y.chunks(3)) {
            let mut terms = vec![(carry, 1)];
            for (place, (&a, &b)) in a.iter().zip(b).enumerate() {
                terms.extend([(a, 1 << place), (b, 1 << place)]);
            }
            let out = build.lookup(&terms, 0, &[0xaaaa, 0xcccc, 0xf0f0, 0xff00]);
            sum.extend(&out[..a.len()]);
            carry = out[a.len()];
        }
        (y, x) = (build.inputs(bits), sum);
        x.rotate_left(offset);
    }
    for wire in x {
        build.output(wire);
    }
    build.finish()
}
