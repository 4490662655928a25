//! Gates become lookups: as few rotations as can be.

use blindcore_circuits::Builder;
use blindcore_circuits::passes::{cost, prepare};
use blindcore_circuits::sim;

use super::recorded::LANES;
use super::targets::{lookups, narrow};

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
