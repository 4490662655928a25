//! Passes keep what a circuit computes, and do what they are for.

use circuits::library;
use circuits::passes::{
    cost, expand, growth, insert_refresh, map_to_lookups, multiplicative_depth, noise, peak_bits,
    prepare, reduce_depth, remove_dead,
};
use circuits::sim::{self, Simulator};
use circuits::{Builder, Circuit, NoiseAmount, NoiseGrowth, Op, Pool, Profile, Wire, run};
use proptest::prelude::*;
use std::sync::Arc;

fn lookups() -> Profile {
    Profile::lookup_simulation()
}

fn gates() -> Profile {
    Profile::gate_simulation()
}

/// A way to make one more wire from earlier ones, chosen by random numbers.
#[derive(Clone, Debug)]
enum Step {
    Gate(u8, [u16; 3]),
    Lookup(Vec<(u16, i8)>, Vec<u16>),
    Wide(u8, Vec<u16>),
    Refresh(u16),
    /// Three bits of which two conditions admit one at most.
    Disjoint(bool, [u16; 5]),
    /// Words by one condition.
    Select(u16, Vec<(u16, u16)>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..11u8, any::<[u16; 3]>()).prop_map(|(kind, from)| Step::Gate(kind, from)),
        3 => (
            prop::collection::vec((any::<u16>(), -5..6i8), 1..7),
            prop::collection::vec(any::<u16>(), 1..5)
        )
            .prop_map(|(terms, masks)| Step::Lookup(terms, masks)),
        1 => (0..3u8, prop::collection::vec(any::<u16>(), 3..20))
            .prop_map(|(kind, from)| Step::Wide(kind, from)),
        1 => any::<u16>().prop_map(Step::Refresh),
        2 => any::<(bool, [u16; 5])>().prop_map(|(gates, from)| Step::Disjoint(gates, from)),
        1 => any::<(u16, [(u16, u16); 4])>()
            .prop_map(|(condition, places)| Step::Select(condition, places.to_vec())),
    ]
}

const INPUTS: usize = 8;

fn record(profile: &Profile, steps: &[Step], outputs: &[u16]) -> Circuit {
    let mut build = Builder::new(profile);
    let mut wires = build.inputs(INPUTS);
    for step in steps {
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
                let mut left = 15;
                let mut chosen: Vec<(Wire, i8)> = Vec::new();
                for &(number, weight) in terms {
                    if weight.abs() <= left {
                        left -= weight.abs();
                        chosen.push((pick(number), weight));
                    }
                }
                let constant = chosen.iter().map(|&(_, weight)| -weight.min(0)).sum();
                wires.extend(build.lookup(&chosen, constant, masks));
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

const LANES: [u64; INPUTS] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
    0x9e37_79b9_7f4a_7c15,
    0xd6e8_feb8_6659_fd93,
];

fn small_noise() -> Profile {
    let mut profile = lookups();
    if let Some(lookup) = &mut profile.lookup {
        lookup.noise.limit = 90.0;
    }
    profile
}

/// No selection by masks, not every function of four bits, or hardly any; and cores to spare, for
/// which depth counts.
fn narrow(max_value: u8) -> Profile {
    let mut profile = lookups();
    profile.cores = 16;
    if let Some(lookup) = &mut profile.lookup {
        lookup.max_value = max_value;
    }
    profile
}

fn levelled() -> Profile {
    Profile {
        levels: Some(3),
        ..gates()
    }
}

const FRESH: NoiseAmount = NoiseAmount {
    bits: 3.0,
    degree: 1,
};

/// Gates whose noise grows with the degree, refreshes that leave as much as three fresh bits have.
fn growing() -> Profile {
    Profile {
        growth: Some(NoiseGrowth {
            fresh: FRESH,
            refreshed: NoiseAmount {
                bits: 10.0,
                degree: 3,
            },
            // Two refreshed bits, perhaps negated, multiplied: C(6, 3) = 20 ways.
            limit: 23.0,
        }),
        ..gates()
    }
}

/// The longest path, every operation but inputs counted.
fn levels(circuit: &Circuit) -> u32 {
    circuit
        .nodes()
        .map(|node| circuit.level(node))
        .max()
        .unwrap_or(0)
}

/// The most ANDs in a row without a refresh.
fn and_levels(circuit: &Circuit) -> u32 {
    let mut since = vec![0; circuit.len()];
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let operands = op
            .operands()
            .filter_map(|wire| circuit.source(wire.signal()));
        let below = operands
            .map(|source| since[source.index()])
            .max()
            .unwrap_or(0);
        since[node.index()] = match op {
            Op::Refresh(_) => 0,
            Op::And(..) | Op::Mux { .. } => below + 1,
            _ => below,
        };
    }
    since.into_iter().max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn prepare_keeps_what_is_computed(
        steps in prop::collection::vec(step(), 1..120),
        outputs in prop::collection::vec(any::<u16>(), 1..12),
    ) {
        let reference = record(&lookups(), &steps, &outputs);
        let expected = sim::evaluate(&reference, &LANES).unwrap();
        let profiles = [
            lookups(),
            gates(),
            small_noise(),
            narrow(7),
            narrow(2),
            levelled(),
            growing(),
            Profile::levelled_simulation(),
        ];
        for profile in profiles {
            for circuit in [reference.clone(), record(&profile, &steps, &outputs)] {
                let prepared = prepare(&circuit, &profile);
                prop_assert_eq!(&sim::evaluate(&prepared, &LANES).unwrap(), &expected);
                prop_assert_eq!(prepared.inputs(), INPUTS);
                let after = cost(&prepared, &profile);
                match profile.lookup {
                    Some(lookup) => {
                        prop_assert!(noise(&prepared, &lookup.noise).worst <= lookup.noise.limit);
                        prop_assert_eq!(after.and + after.xor + after.mux, 0);
                        for node in prepared.nodes() {
                            if let Op::Lookup { sum, .. } = prepared.op(node) {
                                prop_assert!(sum.max <= lookup.max_value);
                            }
                        }
                    }
                    None => prop_assert_eq!(after.lookup + after.mux, 0),
                }
                if let Some(bound) = profile.levels {
                    prop_assert!(and_levels(&prepared) <= bound);
                }
                if !profile.has_refresh() {
                    let plain = expand(&remove_dead(&circuit), &profile);
                    let depth = |circuit| multiplicative_depth(circuit).depth;
                    prop_assert!(depth(&prepared) <= depth(&plain));
                    prop_assert_eq!(after.refresh, 0);
                }
                if let Some(model) = &profile.growth {
                    prop_assert!(growth(&prepared, model).worst <= model.limit);
                }
                let engine = Simulator::new(profile.clone());
                let bits: Vec<_> = LANES.map(Arc::new).to_vec();
                let outputs = run(&engine, &prepared, &bits, &Pool::new(2)).unwrap();
                let outputs: Vec<u64> = outputs.iter().map(|bit| **bit).collect();
                prop_assert_eq!(&outputs, &expected);
            }
        }
    }

    #[test]
    fn mapping_never_adds_rotations_or_depth(
        steps in prop::collection::vec(step(), 1..120),
        outputs in prop::collection::vec(any::<u16>(), 1..12),
    ) {
        let circuit = record(&lookups(), &steps, &outputs);
        let mapped = map_to_lookups(&circuit, &lookups());
        prop_assert_eq!(sim::evaluate(&mapped, &LANES), sim::evaluate(&circuit, &LANES));
        prop_assert!(levels(&mapped) <= levels(&circuit));
        let count = |circuit: &Circuit| cost(circuit, &lookups()).bootstraps;
        prop_assert!(count(&mapped) <= count(&circuit), "{} > {}", count(&mapped), count(&circuit));
    }
}

/// Records a circuit, prepares it for lookups, and counts bootstraps, and depth.
fn rotations(author: impl FnOnce(&mut Builder)) -> (usize, usize) {
    let mut build = Builder::new(&lookups());
    author(&mut build);
    let prepared = prepare(&build.finish(), &lookups());
    let cost = cost(&prepared, &lookups());
    (cost.bootstraps, cost.depth)
}

#[test]
fn two_gates_share_a_rotation() {
    for gate in [Builder::and, Builder::xor, Builder::andny, Builder::orny] {
        let found = rotations(|build| {
            let (x, y) = (build.inputs(32), build.inputs(32));
            for (&a, &b) in x.iter().zip(&y) {
                let wire = gate(build, a, b);
                build.output(wire);
            }
        });
        assert_eq!(found, (16, 1));
    }
}

#[test]
fn gates_of_one_pair_share_a_sum() {
    let found = rotations(|build| {
        let (a, b, c, d) = (build.input(), build.input(), build.input(), build.input());
        for (a, b) in [(a, b), (c, d)] {
            for wire in [
                build.and(a, b),
                build.xor(a, b),
                build.andny(a, b),
                build.nor(a, b),
            ] {
                build.output(wire);
            }
        }
    });
    assert_eq!(found, (1, 1));
}

#[test]
fn cones_become_one_lookup() {
    // A full adder in five gates.
    let found = rotations(|build| {
        let (a, b, c) = (build.input(), build.input(), build.input());
        let (differ, both) = (build.xor(a, b), build.and(a, b));
        let (sum, carried) = (build.xor(differ, c), build.and(differ, c));
        let carry = build.or(both, carried);
        build.output(sum);
        build.output(carry);
    });
    assert_eq!(found, (1, 1));
    // A selection, and (a ∧ b) ∨ (c ∧ d).
    let found = rotations(|build| {
        let (a, b, c, d) = (build.input(), build.input(), build.input(), build.input());
        let select = build.mux(a, b, c);
        let (left, right) = (build.and(a, b), build.and(c, d));
        let either = build.or(left, right);
        build.output(select);
        build.output(either);
    });
    assert_eq!(found, (2, 1));
}

#[test]
fn cones_that_no_sum_knows_are_not_chosen() {
    // Four bits, for which no sum of eight values is enough: two lookups even where only depth
    // counts.
    for (profile, found) in [(narrow(7), (2, 2)), (narrow(15), (1, 1))] {
        let mut build = Builder::new(&profile);
        let (a, b, c, d) = (build.input(), build.input(), build.input(), build.input());
        let selected = build.mux(c, a, b);
        let masked = build.and(d, selected);
        build.output(masked);
        let cost = cost(&prepare(&build.finish(), &profile), &profile);
        assert_eq!((cost.bootstraps, cost.depth), found);
    }
}

#[test]
fn selections_by_one_condition_are_masks() {
    for (places, count) in [(1, 1), (2, 2), (3, 2), (32, 22)] {
        let found = rotations(|build| {
            let (s, x, y) = (build.input(), build.inputs(places), build.inputs(places));
            for (at, (&x, &y)) in x.iter().zip(&y).enumerate() {
                let wire = build.mux(s, x.invert_if(at % 2 == 1), y.invert_if(at % 3 == 1));
                build.output(wire);
            }
        });
        assert_eq!(found, (count, 1), "{places}");
    }
    // A condition that is too noisy for the largest weight is left as it is.
    let found = rotations(|build| {
        let bits = build.inputs(4);
        let terms: Vec<_> = bits.iter().copied().zip([1, 2, 4, 8]).collect();
        let s = build.lookup(&terms, 0, &[0xaaaa, 0xcccc])[0];
        let (x, y) = (build.inputs(3), build.inputs(3));
        for (&x, &y) in x.iter().zip(&y) {
            let wire = build.mux(s, x, y);
            build.output(wire);
        }
        build.output(!s);
    });
    assert_eq!(found, (4, 2));
}

#[test]
fn chains_become_wide() {
    let gates = [
        (Builder::and as fn(&mut Builder, _, _) -> _, 15),
        (Builder::or, 15),
        (Builder::xor, 580),
    ];
    for (gate, widest) in gates {
        for (bits, count, depth) in [(6, 1, 1), (15, 1, 1), (29, 2, 2), (225, 16, 2)] {
            let (count, depth) = if bits <= widest {
                (1, 1)
            } else {
                (count, depth)
            };
            let found = rotations(|build| {
                let wires = build.inputs(bits);
                let chain = wires[1..]
                    .iter()
                    .fold(wires[0], |sum, &wire| gate(build, sum, wire));
                build.output(chain);
            });
            assert_eq!(found, (count, depth), "{bits}");
        }
    }
}

#[test]
fn independent_chains_are_packed_without_waiting() {
    // Two chains of unlike gates that no cone can swallow: each step is read outside.
    let found = rotations(|build| {
        let mut ends = [build.input(), build.input()];
        for _ in 0..10 {
            for end in &mut ends {
                let other = build.input();
                *end = build.and(*end, other);
                build.output(*end);
            }
        }
    });
    assert!(found.0 <= 10 && found.1 <= 10, "{found:?}");
}

#[test]
fn up_to_four_sums_of_two_values_share_a_rotation() {
    let mut build = Builder::new(&lookups());
    for _ in 0..4 {
        let (a, b) = (build.input(), build.input());
        // The author knows that a and b exclude each other.
        let either = build.lookup_within(&[(a, 1), (b, 1)], 0, 1, &[0b10])[0];
        build.output(either);
    }
    let circuit = build.finish();
    let prepared = prepare(&circuit, &lookups());
    assert_eq!(cost(&prepared, &lookups()).bootstraps, 1);
    let [a, b, ..] = LANES;
    let values = [a & b, !a & b, a, !a, 0, b, 0, 0];
    assert_eq!(
        sim::evaluate(&prepared, &values).unwrap(),
        [b, u64::MAX, b, 0]
    );
}

/// `times` additions by slices of three bits, each offset by some bits against the one before.
fn additions(bits: usize, times: usize, offset: usize) -> Circuit {
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

#[test]
fn noise_of_adder_slices_is_exact() {
    let model = lookups().lookup.unwrap().noise;
    // Both operands and the carry are outputs of slices: 112 + 112 + 2 aligned, 280 + 280 + 2 when
    // shifted by one bit.
    for (offset, expected) in [(0, 226.0), (1, 562.0), (2, 2.0 * 196.0 + 2.0)] {
        let mut build = Builder::new(&lookups());
        let slice = |build: &mut Builder, count: usize| {
            let wires: Vec<Wire> = (0..count)
                .flat_map(|_| {
                    let inputs = build.inputs(4);
                    let terms: Vec<_> = inputs.into_iter().zip([1, 2, 4, 8]).collect();
                    build.lookup(&terms, 0, &[0xaaaa, 0xcccc, 0xf0f0])
                })
                .collect();
            wires
        };
        let (a, b) = (slice(&mut build, 2), slice(&mut build, 2));
        let pair = build.inputs(2);
        let carry = build.lookup(&[(pair[0], 1), (pair[1], 1)], 0, &[0b100])[0];
        let mut terms = vec![(carry, 1)];
        for place in 0..3 {
            terms.extend([
                (a[offset + place], 1 << place),
                (b[offset + place], 1 << place),
            ]);
        }
        let out = build.lookup(&terms, 0, &[0xff00])[0];
        build.output(out);
        let noise = noise(&build.finish(), &model);
        assert_eq!(noise.worst, expected, "offset {offset}");
    }
}

#[test]
fn refreshes_come_only_where_noise_asks() {
    let circuit = additions(33, 6, 1);
    let prepared = prepare(&circuit, &lookups());
    assert_eq!(cost(&prepared, &lookups()).bootstraps, 66);
    let quiet = small_noise();
    let model = quiet.lookup.unwrap().noise;
    assert!(noise(&circuit, &model).worst > model.limit);
    let refreshed = insert_refresh(&circuit, &quiet);
    assert!(noise(&refreshed, &model).worst <= model.limit);
    assert!(cost(&refreshed, &quiet).bootstraps > 66);
    let values: Vec<u64> = (0..circuit.inputs() as u64)
        .map(|i| {
            (i + 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(i as u32)
        })
        .collect();
    assert_eq!(
        sim::evaluate(&refreshed, &values),
        sim::evaluate(&circuit, &values)
    );
}

#[test]
fn sums_too_heavy_for_any_refresh_are_written_in_gates() {
    let mut build = Builder::new(&lookups());
    let inputs = build.inputs(4);
    // One-hot bits of an index, with weights up to 15.
    let hot: Vec<Wire> = (0..15u16)
        .map(|index| {
            let bits: Vec<Wire> = (0..4)
                .map(|i| inputs[i].invert_if(index >> i & 1 == 0))
                .collect();
            build.all(&bits)
        })
        .collect();
    let terms: Vec<(Wire, i8)> = hot.iter().copied().zip(1..).collect();
    for wire in build.lookup_within(&terms, 0, 15, &[0xaaaa, 0xcccc, 0x1234]) {
        build.output(wire);
    }
    let circuit = build.finish();
    let model = lookups().lookup.unwrap().noise;
    assert!(noise(&circuit, &model).worst > model.limit);
    let prepared = prepare(&circuit, &lookups());
    assert!(noise(&prepared, &model).worst <= model.limit);
    assert_eq!(
        sim::evaluate(&prepared, &LANES[..4]),
        sim::evaluate(&circuit, &LANES[..4])
    );
}

/// Refreshes of a circuit on a target whose refreshes leave so much of 380 bits.
fn refreshes(record: impl Fn(&mut Builder), refreshed: f64) -> usize {
    let profile = Profile {
        growth: Some(NoiseGrowth {
            fresh: FRESH,
            refreshed: NoiseAmount {
                bits: refreshed,
                degree: 15,
            },
            limit: 380.0,
        }),
        ..gates()
    };
    let mut build = Builder::new(&profile);
    record(&mut build);
    let prepared = prepare(&build.finish(), &profile);
    cost(&prepared, &profile).refresh
}

#[test]
fn refreshes_are_put_off_until_a_product_would_exceed_the_limit() {
    let chain = |length: usize| {
        move |build: &mut Builder| {
            let first = build.input();
            let last = (1..length).fold(first, |product, _| {
                let next = build.input();
                build.and(product, next)
            });
            build.output(last);
        }
    };
    // n independent bits have 3n + ½·log2 n!, a refreshed one with k more 170 + 3k + ½·log2 (15 + k)!/15!.
    for (length, count) in [(2, 0), (70, 0), (71, 1), (108, 1), (109, 2)] {
        assert_eq!(refreshes(chain(length), 170.0), count, "{length} factors");
    }
}

#[test]
fn what_is_refreshed_once_serves_all_readers() {
    // A product of as many bits as there may be, read by five others.
    let count = refreshes(
        |build| {
            let bits = build.inputs(70);
            let noisy = bits.iter().copied().reduce(|a, b| build.and(a, b));
            let noisy = noisy.unwrap_or(Wire::FALSE);
            for _ in 0..5 {
                let other = build.input();
                let read = build.and(noisy, other);
                build.output(read);
            }
        },
        170.0,
    );
    assert_eq!(count, 1);
}

#[test]
fn degrees_count_and_not_depth() {
    // The carry of a ripple depends on all bits below it once: 33 columns need no refresh although
    // their ANDs follow each other.
    let circuit = additions(33, 1, 0);
    let profile = growing();
    let model = NoiseGrowth {
        limit: 380.0,
        ..profile.growth.unwrap()
    };
    let profile = Profile {
        growth: Some(model),
        ..profile
    };
    let prepared = prepare(&circuit, &profile);
    assert_eq!(cost(&prepared, &profile).refresh, 0);
    let worst = growth(&prepared, &model).worst;
    // Of degree 34 in bits of 3 bits each.
    assert!((34.0 * 3.0..380.0).contains(&worst), "{worst}");
}

#[test]
fn a_refresh_that_would_add_noise_is_dropped() {
    let record = |build: &mut Builder| {
        let (a, b) = (build.input(), build.input());
        let quiet = build.and(a, b);
        let refreshed = build.refresh(quiet);
        build.output(refreshed);
    };
    assert_eq!(refreshes(record, 170.0), 0);
    assert_eq!(refreshes(record, 5.0), 1);
}

#[test]
fn expansion_counts() {
    let circuit = expand(&additions(33, 1, 0), &gates());
    let cost = cost(&circuit, &gates());
    assert_eq!((cost.and, cost.lookup, cost.depth), (32, 0, 32));
}

#[test]
fn dead_nodes_and_tables_are_dropped() {
    let mut build = Builder::new(&lookups());
    let inputs = build.inputs(3);
    let terms: Vec<(Wire, i8)> = inputs.iter().map(|&wire| (wire, 1)).collect();
    let bits = build.lookup(&terms, 0, &[0xaaaa, 0xcccc]);
    let unused = build.and(inputs[0], inputs[1]);
    let _ = build.xor(unused, inputs[2]);
    build.named_output(!bits[1], "majority");
    let circuit = build.finish();
    assert_eq!(circuit.len(), 4);
    assert_eq!(circuit.signals(), 5);
    assert_eq!(circuit.output_names()[&0], "majority");
    let again = circuits::passes::remove_dead(&circuit);
    assert_eq!(
        (again.len(), again.output_names()),
        (4, circuit.output_names())
    );
}

#[test]
fn costs_are_counted() {
    let mut build = Builder::new(&lookups());
    let wires = build.inputs(4);
    let both = build.and(wires[0], wires[1]);
    let chosen = build.mux(both, wires[2], wires[3]);
    let sum = build.lookup(
        &[(chosen, 1), (wires[0], 1), (wires[3], 2)],
        0,
        &[0b10110, 0b1010],
    );
    build.output(sum[0]);
    build.output(sum[1]);
    let circuit = build.finish();
    let found = cost(&circuit, &lookups());
    assert_eq!(
        found.to_string(),
        "4 in, 2 out, 1 and, 1 mux, 1 lookup (2 tables); 3 bootstraps, depth 3, 5 bits live"
    );
    assert_eq!(
        (found.serial_ns, found.critical_ns, found.peak_bytes),
        (3.0, 3.0, 40)
    );
    assert_eq!(peak_bits(&circuit), 5);
}

#[test]
#[ignore = "a million nodes: 10 seconds"]
fn a_million_nodes() {
    let start = std::time::Instant::now();
    let mut build = Builder::new(&lookups());
    let mut wires = build.inputs(64);
    let mut state = 1u64;
    while build.len() < 1_000_000 {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let pick = |shift: u32| wires[wires.len() - 1 - (state >> shift) as usize % 64];
        let (a, b, c) = (pick(20), pick(30), pick(40));
        let wire = match state >> 60 & 3 {
            0 => build.and(a, !b),
            1 => build.xor(a, b),
            2 => build.mux(a, b, c),
            _ => build.or(a, b),
        };
        wires.push(wire);
    }
    for &wire in wires.iter().rev().take(64) {
        build.output(wire);
    }
    eprintln!("recorded {:?}", start.elapsed());
    let circuit = build.finish();
    eprintln!(
        "finished {:?}: {}",
        start.elapsed(),
        cost(&circuit, &lookups())
    );
    let prepared = prepare(&circuit, &lookups());
    eprintln!(
        "prepared {:?}: {}",
        start.elapsed(),
        cost(&prepared, &lookups())
    );
    let inputs: Vec<u64> = (0..64).map(|i| state.rotate_left(i)).collect();
    assert_eq!(
        sim::evaluate(&prepared, &inputs),
        sim::evaluate(&circuit, &inputs)
    );
    eprintln!("evaluated twice {:?}", start.elapsed());
    let bits: Vec<_> = inputs.iter().map(|&bits| Arc::new(bits)).collect();
    run(&Simulator::new(lookups()), &prepared, &bits, &Pool::new(2)).unwrap();
    eprintln!("scheduled {:?}", start.elapsed());
}

/// On many cores a circuit may take more rotations if it takes less time.
#[test]
fn depth_counts_where_cores_would_be_idle() {
    let mut build = Builder::new(&gates());
    let inputs = build.inputs(33);
    // Every step is an output, so that it cannot vanish into the next.
    let mut chain = inputs[0];
    for (at, &other) in inputs[1..].iter().enumerate() {
        chain = match at % 2 {
            0 => build.and(chain, other),
            _ => build.or(chain, other),
        };
        build.output(chain);
    }
    let circuit = build.finish();
    let on = |cores| {
        let profile = Profile { cores, ..lookups() };
        let prepared = prepare(&circuit, &profile);
        let values: Vec<u64> = (1..34)
            .map(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i))
            .collect();
        assert_eq!(
            sim::evaluate(&prepared, &values),
            sim::evaluate(&circuit, &values)
        );
        cost(&prepared, &profile)
    };
    let (one, many) = (on(1), on(64));
    assert!(many.depth < one.depth, "{one}; {many}");
    assert!(one.bootstraps <= many.bootstraps, "{one}; {many}");
}

/// What lowering the depth of the library's units comes to: depth and ANDs before and after.
#[test]
fn depth_is_lowered() {
    let profile = Profile::levelled_simulation();
    let found: Vec<_> = library::catalogue::catalogue()
        .iter()
        .filter_map(|unit| {
            let name = unit.name();
            let width = match name.as_str() {
                "add, ripple-two-and" | "subtract, borrow" | "shift_arithmetic_right" => 16,
                "multiply_long_unsigned, pencil-and-paper" | "divide_unsigned" => 8,
                "add" => 32,
                _ => return None,
            };
            let drawn = remove_dead(&unit.draw(&profile, width).circuit);
            let reduced = reduce_depth(&drawn, &profile);
            let values: Vec<u64> = (1..=drawn.inputs() as u64)
                .map(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i))
                .collect();
            assert_eq!(
                sim::evaluate(&reduced.circuit, &values),
                sim::evaluate(&drawn, &values),
                "{name}"
            );
            let depth = multiplicative_depth(&reduced.circuit).depth;
            assert_eq!(depth, reduced.after.0, "{name}");
            Some((name, reduced.before, reduced.after))
        })
        .collect();
    let found: Vec<_> = found
        .iter()
        .map(|(name, before, after)| (name.as_str(), *before, *after))
        .collect();
    assert_eq!(
        found,
        [
            ("add", (5, 129), (5, 129)),
            ("add, ripple-two-and", (15, 29), (5, 56)),
            ("subtract, borrow", (15, 15), (5, 56)),
            ("shift_arithmetic_right", (8, 72), (4, 140)),
            (
                "multiply_long_unsigned, pencil-and-paper",
                (15, 125),
                (13, 132)
            ),
            ("divide_unsigned", (48, 125), (33, 158)),
        ]
    );
}

/// A chain of ANDs becomes a tree, and takes no more of them.
#[test]
fn chains_of_ands_become_trees() {
    let profile = Profile::levelled_simulation();
    let mut build = Builder::new(&profile);
    let inputs = build.inputs(33);
    let all = inputs.into_iter().reduce(|a, b| build.and(a, b)).unwrap();
    build.output(!all);
    let prepared = prepare(&build.finish(), &profile);
    let found = cost(&prepared, &profile);
    assert_eq!((found.depth, found.and), (6, 32));
}

/// Nothing is refreshed where nothing can be.
#[test]
fn levelled_schemes_have_no_refresh() {
    let mut profile = Profile::levelled_simulation();
    profile.levels = Some(2);
    let mut build = Builder::new(&profile);
    let inputs = build.inputs(33);
    let all = build.all(&inputs);
    build.output(all);
    let prepared = prepare(&build.finish(), &profile);
    assert_eq!(cost(&prepared, &profile).refresh, 0);
    let depth = multiplicative_depth(&prepared);
    assert_eq!((depth.depth, depth.deepest), (6, Some(0)));
}
