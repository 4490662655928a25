//! The builder folds, shares and merges; the circuits it makes compute what was asked.

use blindcore_circuits::{Builder, Circuit, Op, Profile, Wire, sim};

fn lookups(circuit: &Circuit) -> usize {
    circuit
        .nodes()
        .filter(|&node| matches!(circuit.op(node), Op::Lookup { .. }))
        .count()
}

fn gates(circuit: &Circuit) -> usize {
    circuit.len() - circuit.inputs()
}

/// Input `i` of up to six as a truth table of sixty-four lanes.
const LANES: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

fn profiles() -> [Profile; 2] {
    [Profile::lookup_simulation(), Profile::gate_simulation()]
}

#[test]
fn every_gate_on_every_pair_of_wires() {
    type Method = fn(&mut Builder, Wire, Wire) -> Wire;
    type Meaning = fn(u64, u64) -> u64;
    let gates: [(Method, Meaning); 10] = [
        (Builder::and, |a, b| a & b),
        (Builder::or, |a, b| a | b),
        (Builder::xor, |a, b| a ^ b),
        (Builder::nand, |a, b| !(a & b)),
        (Builder::nor, |a, b| !(a | b)),
        (Builder::xnor, |a, b| !(a ^ b)),
        (Builder::andny, |a, b| !a & b),
        (Builder::andyn, |a, b| a & !b),
        (Builder::orny, |a, b| !a | b),
        (Builder::oryn, |a, b| a | !b),
    ];
    for profile in profiles() {
        let mut build = Builder::new(&profile);
        let inputs = build.inputs(3);
        let inner = build.and(inputs[0], inputs[1]);
        let slice = build.lookup(
            &[(inputs[0], 1), (inputs[1], 1), (inputs[2], 2)],
            0,
            &[0xaaaa, 0xcccc, 0xf0f0],
        );
        let mut wires = vec![Wire::FALSE, Wire::TRUE, inner, !inner];
        wires.extend(inputs.iter().flat_map(|&wire| [wire, !wire]));
        wires.extend(slice);
        let mut expected = Vec::new();
        for &wire in &wires {
            build.output(wire);
        }
        for &(method, _) in &gates {
            for &a in &wires {
                for &b in &wires {
                    let gate = method(&mut build, a, b);
                    build.output(gate);
                }
            }
        }
        for &select in &wires {
            for &then in &wires {
                for &otherwise in &wires {
                    let mux = build.mux(select, then, otherwise);
                    build.output(mux);
                    expected.push((select, then, otherwise));
                }
            }
        }
        let values = sim::evaluate(&build.finish(), &LANES[..3]).unwrap();
        let (clear, mut rest) = values.split_at(wires.len());
        for &(_, meaning) in &gates {
            for &a in clear {
                for &b in clear {
                    assert_eq!(rest[0], meaning(a, b), "{}", profile.name);
                    rest = &rest[1..];
                }
            }
        }
        for &s in clear {
            for &t in clear {
                for &o in clear {
                    assert_eq!(rest[0], s & t | !s & o, "{}", profile.name);
                    rest = &rest[1..];
                }
            }
        }
    }
}

#[test]
fn equal_things_are_recorded_once() {
    let mut build = Builder::new(&Profile::lookup_simulation());
    let (a, b, c) = (build.input(), build.input(), build.input());
    assert_eq!(build.and(a, b), build.and(b, a));
    assert_eq!(build.xor(a, !b), !build.xor(b, a));
    assert_eq!(build.or(a, b), build.nand(!a, !b));
    assert_eq!(build.mux(a, !b, !c), !build.mux(!a, c, b));
    // Scaled, shifted, reflected, reordered sums are one node.
    let majority = build.lookup(&[(a, 1), (b, 1), (c, 1)], 0, &[0b1100])[0];
    assert_eq!(
        build.lookup(&[(c, 2), (b, 2), (a, 2)], 1, &[0b1010_0000])[0],
        majority
    );
    assert_eq!(
        build.lookup(&[(!c, 1), (!b, 1), (!a, 1)], 0, &[0b0011])[0],
        majority
    );
    assert_eq!(
        build.lookup(&[(a, -4), (b, -4), (c, -4)], 12, &[0b0001_0001])[0],
        majority
    );
    let parity = build.parity(&[a, b, c, a, a]);
    assert_eq!(
        build.lookup(&[(a, 1), (b, 1), (c, 1)], 0, &[0b1010])[0],
        parity
    );
    let folded = build.lookup(
        &[(a, 1), (!a, 1), (b, 2), (b, -2), (Wire::TRUE, 3)],
        1,
        &[1 << 5],
    );
    assert_eq!(folded, [Wire::TRUE]);
    assert_eq!(
        build.lookup(&[(a, 3), (!a, 1)], 0, &[0b1000, 0b0010, 0b0001]),
        [a, !a, Wire::FALSE]
    );
}

#[test]
fn functions_of_one_sum_cost_nothing() {
    let mut build = Builder::new(&Profile::lookup_simulation());
    let inputs = build.inputs(7);
    let weights = [1, 1, 2, 2, 4, 4, 1];
    let terms: Vec<(Wire, i8)> = inputs.iter().copied().zip(weights).collect();
    let bits = build.lookup(&terms, 0, &[0xaaaa, 0xcccc, 0xf0f0, 0xff00]);
    let zero = build.any(&bits[..3]);
    let less = build.xor(bits[2], bits[3]);
    let chosen = build.mux(less, bits[0], !bits[1]);
    let all = build.all(&bits);
    let odd = build.parity(&bits);
    for wire in [zero, less, chosen, all, odd] {
        build.output(wire);
    }
    let circuit = build.finish();
    assert_eq!(gates(&circuit), 1);
    let inputs: Vec<u64> = (0..7)
        .map(|i| 0x0123_4567_89ab_cdef_u64.rotate_left(i * i * 3))
        .collect();
    let values = sim::evaluate(&circuit, &inputs).unwrap();
    for lane in 0..64 {
        let t: u64 = (0..7)
            .map(|i| (inputs[i] >> lane & 1) * weights[i] as u64)
            .sum();
        let bit = |i: u64| t >> i & 1;
        let less = bit(2) ^ bit(3);
        let chosen = if less == 1 { bit(0) } else { 1 - bit(1) };
        let expected = [
            u64::from(t & 7 != 0),
            less,
            chosen,
            u64::from(t == 15),
            u64::from(t.count_ones()) & 1,
        ];
        for (value, expected) in values.iter().zip(expected) {
            assert_eq!(value >> lane & 1, expected);
        }
    }
}

#[test]
fn wide_questions_take_fifteen_bits_a_lookup() {
    let mut profile = Profile::lookup_simulation();
    if let Some(lookup) = &mut profile.lookup {
        lookup.parity = false;
    }
    for (count, lookup_count) in [
        (3, 1),
        (15, 1),
        (16, 1),
        (29, 2),
        (30, 2),
        (43, 3),
        (225, 16),
    ] {
        for question in [Builder::any, Builder::all, Builder::parity] {
            let mut build = Builder::new(&profile);
            let inputs = build.inputs(count);
            let answer = question(&mut build, &inputs);
            build.output(answer);
            let circuit = build.finish();
            assert_eq!(lookups(&circuit), lookup_count, "{count}");
        }
    }
}

#[test]
fn wide_questions_are_answered() {
    for profile in profiles() {
        for count in 0..=40usize {
            let mut build = Builder::new(&profile);
            let inputs = build.inputs(count);
            let flipped: Vec<Wire> = inputs
                .iter()
                .enumerate()
                .map(|(i, &w)| if i % 3 == 1 { !w } else { w })
                .collect();
            for answer in [
                build.any(&flipped),
                build.all(&flipped),
                build.parity(&flipped),
            ] {
                build.output(answer);
            }
            let circuit = build.finish();
            for pattern in 0..=count {
                // All as it takes to make every bit 0 or 1, but for one.
                for ones in [0, u64::MAX] {
                    let clear: Vec<u64> = (0..count)
                        .map(|i| {
                            ones ^ if i % 3 == 1 { u64::MAX } else { 0 } ^ u64::from(i == pattern)
                        })
                        .collect();
                    let values = sim::evaluate(&circuit, &clear).unwrap();
                    let bits: Vec<u64> = (0..count)
                        .map(|i| (ones & 1) ^ u64::from(i == pattern))
                        .collect();
                    assert_eq!(values[0] & 1, bits.iter().fold(0, |a, b| a | b));
                    assert_eq!(values[1] & 1, bits.iter().fold(1, |a, b| a & b));
                    assert_eq!(values[2] & 1, bits.iter().fold(0, |a, b| a ^ b));
                }
            }
        }
    }
}

#[test]
fn promised_sums() {
    // One-hot bits: only one of the three is ever 1.
    for profile in profiles() {
        let mut build = Builder::new(&profile);
        let (a, b) = (build.input(), build.input());
        let hot = [build.and(a, b), build.and(a, !b), build.and(!a, b)];
        let terms = [(hot[0], 7), (hot[1], 9), (hot[2], 12)];
        let wires = build.lookup_within(&terms, 3, 15, &[1 << 10, 1 << 12, 1 << 15, 1 << 3]);
        for wire in wires {
            build.output(wire);
        }
        let values = sim::evaluate(&build.finish(), &LANES[..2]).unwrap();
        let [a, b, ..] = LANES;
        assert_eq!(values, [a & b, a & !b, !a & b, !a & !b]);
    }
}

#[test]
fn a_promise_makes_no_rotation_of_its_own() {
    // Of four bits one is 1, so that the sum with a fifth is 1 to 9, of 16 that the weights allow. Promises of 16
    // and more ask negacyclic functions.
    let masks = [0b10_0010_0110_u16, !0b10_0010_0110, 0b11_0110_1010];
    for [first, second] in [[15, 9], [9, 15], [9, 31], [31, 9], [16, 31]] {
        let mut build = Builder::new(&Profile::lookup_simulation());
        let (a, b, c) = (build.input(), build.input(), build.input());
        let hot = [(a, b), (a, !b), (!a, b), (!a, !b)].map(|(a, b)| build.and(a, b));
        let terms = [(hot[0], 1), (hot[1], 2), (hot[2], 4), (hot[3], 8), (c, 1)];
        let before = build.len();
        for (max, mask) in [first, second, first].into_iter().zip(masks) {
            let wires = build.lookup_within(&terms, 0, max, &[mask]);
            build.output(wires[0]);
        }
        assert_eq!(build.len(), before + 1, "promises of {first} and {second}");
        // What is the same for all values that are promised is known, whatever others promise.
        let always = build.lookup_within(&terms, 0, 9, &[0b11_1111_1111]);
        assert_eq!(always, [Wire::TRUE], "promises of {first} and {second}");
        let values = sim::evaluate(&build.finish(), &LANES[..3]).unwrap();
        for lane in 0..8 {
            let sum = [8, 2, 4, 1][lane & 3] + (lane >> 2);
            for (value, mask) in values.iter().zip(masks) {
                assert_eq!(value >> lane & 1, u64::from(mask >> sum & 1), "{lane}");
            }
        }
    }
}

#[test]
fn broken_promises_are_found_by_simulation() {
    let mut build = Builder::new(&Profile::lookup_simulation());
    let (a, b) = (build.input(), build.input());
    let wire = build.lookup_within(&[(a, 1), (b, 1)], 0, 1, &[0b10])[0];
    build.output(wire);
    let circuit = build.finish();
    assert!(sim::evaluate(&circuit, &[0b01, 0b10]).is_ok());
    let error = sim::evaluate(&circuit, &[0b110, 0b100]).unwrap_err();
    assert!(matches!(
        error,
        sim::SimulationError::OutOfRange {
            lane: 2,
            sum: 2,
            max: 1,
            ..
        }
    ));
}

#[test]
#[should_panic(expected = "takes values from 0 to 16")]
fn sums_out_of_range_are_refused() {
    let mut build = Builder::new(&Profile::lookup_simulation());
    let (a, b) = (build.input(), build.input());
    let _ = build.lookup(&[(a, 8), (b, 8)], 0, &[2]);
}

#[test]
fn an_adder_slice_without_lookups_is_three_full_adders() {
    let mut build = Builder::new(&Profile::gate_simulation());
    let inputs = build.inputs(7);
    let terms: Vec<(Wire, i8)> = inputs.iter().copied().zip([1, 1, 2, 2, 4, 4, 1]).collect();
    let bits = build.lookup(&terms, 0, &[0xaaaa, 0xcccc, 0xf0f0, 0xff00]);
    for wire in bits {
        build.output(wire);
    }
    let circuit = build.finish();
    let ands = circuit
        .nodes()
        .filter(|&node| matches!(circuit.op(node), Op::And(..)))
        .count();
    assert_eq!(ands, 3);
    assert_eq!(lookups(&circuit), 0);
}

#[test]
fn random_lookups_agree_with_arithmetic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |bound: u64| {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) % bound
    };
    for _ in 0..2000 {
        let count = 1 + next(6) as usize;
        let weights: Vec<i8> = (0..count).map(|_| next(9) as i8 - 4).collect();
        let low: i8 = weights.iter().map(|w| w.min(&0)).sum();
        let high: i8 = weights.iter().map(|w| w.max(&0)).sum();
        if high - low > 15 {
            continue;
        }
        let constant = -low + next((16 - (high - low)) as u64) as i8;
        let masks = [next(1 << 16) as u16, next(1 << 16) as u16];
        for profile in profiles() {
            let mut build = Builder::new(&profile);
            let inputs = build.inputs(6);
            let terms: Vec<(Wire, i8)> = inputs.iter().copied().zip(weights.clone()).collect();
            for wire in build.lookup(&terms, constant, &masks) {
                build.output(wire);
            }
            let values = sim::evaluate(&build.finish(), &LANES).unwrap();
            for lane in 0..64 {
                let t: i8 = (0..count)
                    .map(|i| (LANES[i] >> lane & 1) as i8 * weights[i])
                    .sum::<i8>();
                for (value, mask) in values.iter().zip(masks) {
                    assert_eq!(value >> lane & 1, u64::from(mask >> (t + constant) & 1));
                }
            }
        }
    }
}

#[test]
fn native_parities_take_as_many_bits_as_their_noise_allows() {
    let profile = Profile::lookup_simulation();
    for (count, parities) in [
        (5, 1),
        (15, 1),
        (200, 1),
        (580, 1),
        (581, 2),
        (1159, 2),
        (1160, 3),
    ] {
        let mut build = Builder::new(&profile);
        let mut inputs = build.inputs(count);
        inputs[1] = !inputs[1];
        let answer = build.parity(&inputs);
        // Found again, whatever the order and the inversions.
        inputs.reverse();
        inputs[0] = !inputs[0];
        assert_eq!(build.parity(&inputs), !answer);
        build.output(answer);
        let circuit = build.finish();
        let found = blindcore_circuits::passes::cost(&circuit, &profile);
        assert_eq!(
            (found.parity, found.bootstraps),
            (parities, parities),
            "{count}"
        );
        let values: Vec<u64> = (1..=count as u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let expected = !values.iter().fold(0, |odd, value| odd ^ value);
        assert_eq!(sim::evaluate(&circuit, &values).unwrap(), [expected]);
        let model = profile.lookup.unwrap().noise;
        assert!(blindcore_circuits::passes::noise(&circuit, &model).worst <= model.limit);
    }
}

#[test]
fn parities_of_outputs_of_one_lookup_are_merged_first() {
    let mut build = Builder::new(&Profile::lookup_simulation());
    let inputs = build.inputs(9);
    let terms: Vec<_> = inputs[..4].iter().copied().zip([1, 2, 4, 8]).collect();
    let bits = build.lookup(&terms, 0, &[0xaaaa, 0xcccc, 0xfffe]);
    let answer = build.parity(&[&bits[..], &inputs[4..]].concat());
    build.output(answer);
    let circuit = build.finish();
    let parity = circuit.source(circuit.outputs()[0].signal()).unwrap();
    assert_eq!(circuit.op(parity).operands().count(), 6);
}

/// `x ∧ [s = k]` for all four values of two conditions.
fn masked(build: &mut Builder, x: Wire, s: [Wire; 2]) -> Vec<Wire> {
    let terms = [(x, 1), (s[0], 2), (s[1], 4)];
    build.lookup(&terms, 0, &[1 << 1, 1 << 3, 1 << 5, 1 << 7])
}

#[test]
fn sums_of_disjoint_bits_are_free_and_as_noisy_as_their_bits() {
    let profile = Profile::lookup_simulation();
    let model = profile.lookup.unwrap().noise;
    let mut build = Builder::new(&profile);
    let (s, x) = (build.inputs(2), build.inputs(4));
    let bits: Vec<Wire> = (0..4)
        .map(|k| masked(&mut build, x[k], [s[0], s[1]])[k])
        .collect();
    let first = build.disjoint(&bits[..2]);
    // Sums of sums are one sum, found again in any order; constants fold.
    let chosen = build.disjoint(&[bits[3], first, Wire::FALSE, bits[2]]);
    assert_eq!(
        build.disjoint(&[bits[2], bits[0], bits[3], bits[1]]),
        chosen
    );
    assert_eq!(build.disjoint(&[bits[1], bits[1], Wire::FALSE]), bits[1]);
    assert_eq!(build.disjoint(&[bits[1], Wire::TRUE]), Wire::TRUE);
    assert_eq!(build.disjoint(&[bits[1], bits[2], !bits[1]]), Wire::TRUE);
    assert_eq!(build.disjoint(&[]), Wire::FALSE);
    assert_eq!(build.depth(chosen), 1);
    assert!(build.is_input(x[0]) && !build.is_input(chosen) && !build.is_input(Wire::TRUE));
    build.output(chosen);
    // A reader of the sum and of one of its bits counts what they share: (3·v + v)² + 3·(3·v)².
    let both = build.lookup(&[(chosen, 3), (bits[0], 1)], 0, &[1 << 3])[0];
    build.output(both);
    let circuit = build.finish();
    let cost = blindcore_circuits::passes::cost(&circuit, &profile);
    assert_eq!((cost.bootstraps, cost.disjoint, cost.depth), (5, 1, 2));
    let values = sim::evaluate(&circuit, &LANES).unwrap();
    let expected = (0..64).fold(0, |all, lane| {
        let k = (LANES[0] >> lane & 1) + 2 * (LANES[1] >> lane & 1);
        all | (LANES[2 + k as usize] >> lane & 1) << lane
    });
    assert_eq!(values[0], expected);
    // A bit that is 1 at one value has ‖v‖² = 2.
    let noise = blindcore_circuits::passes::noise(&circuit, &model);
    assert_eq!(noise.worst, f64::from((16 + 3 * 9) * 2));
    let sum = circuit.source(circuit.outputs()[0].signal()).unwrap();
    assert_eq!(noise.sums[sum.index()], 8.0);
}

#[test]
fn disjoint_bits_of_one_lookup_are_one_of_its_outputs() {
    for profile in profiles() {
        let mut build = Builder::new(&profile);
        let (s, x) = (build.inputs(2), build.input());
        let bits = masked(&mut build, x, [s[0], s[1]]);
        let all = build.disjoint(&bits);
        build.output(all);
        assert_eq!(
            sim::evaluate(&build.finish(), &LANES[..3]).unwrap(),
            [LANES[2]]
        );
    }
}

#[test]
fn sums_too_noisy_to_be_read_are_made_of_refreshed_parts() {
    let mut profile = Profile::lookup_simulation();
    let model = &mut profile.lookup.as_mut().unwrap().noise;
    (model.fresh, model.limit) = (16.0, 40.0);
    let model = *model;
    for count in [2, 3, 9, 200] {
        let mut build = Builder::new(&profile);
        let inputs = build.inputs(count);
        let sum = build.disjoint(&inputs);
        build.output(!sum);
        let circuit = build.finish();
        assert!(blindcore_circuits::passes::noise(&circuit, &model).worst <= model.limit);
        let values: Vec<u64> = (0..count)
            .map(|at| 1u64.checked_shl(at as u32).unwrap_or(0))
            .collect();
        let ones = if count < 64 {
            (1u64 << count) - 1
        } else {
            u64::MAX
        };
        assert_eq!(sim::evaluate(&circuit, &values).unwrap(), [!ones]);
        let overlapping = vec![1 << 5; count];
        assert!(matches!(
            sim::evaluate(&circuit, &overlapping),
            Err(sim::SimulationError::NotDisjoint { lane: 5, .. })
        ));
    }
}

#[test]
fn parities_of_sums_combine_what_the_sums_share() {
    let profile = Profile::lookup_simulation();
    let mut build = Builder::new(&profile);
    let (s, x) = (build.inputs(2), build.inputs(4));
    let made: Vec<Vec<Wire>> = x
        .iter()
        .map(|&x| masked(&mut build, x, [s[0], s[1]]))
        .collect();
    // A rotation by four places: all of them together have the parity of the word.
    let rotated: Vec<Wire> = (0..4)
        .map(|place| {
            let bits: Vec<Wire> = (0..4).map(|k| made[(place + k) % 4][k]).collect();
            build.disjoint(&bits)
        })
        .collect();
    let odd = build.parity(&[&rotated[..], &[s[0]]].concat());
    build.output(odd);
    let circuit = build.finish();
    let expected = LANES[0] ^ LANES[2] ^ LANES[3] ^ LANES[4] ^ LANES[5];
    assert_eq!(sim::evaluate(&circuit, &LANES).unwrap(), [expected]);
    let model = profile.lookup.unwrap().noise;
    // One output of each of the four lookups, which is 1 at the odd values of eight.
    assert_eq!(
        blindcore_circuits::passes::noise(&circuit, &model).worst,
        4.0 * 8.0 + 1.0
    );
}
