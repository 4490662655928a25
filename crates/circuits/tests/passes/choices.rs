//! The noise of what selectors chose, against every way in which it can have been chosen.

use blindcore_circuits::passes::{self, noise};
use blindcore_circuits::{Builder, ChoiceNoise, Circuit, Op, Profile, Tail, Wire};
use proptest::prelude::*;

const CONDITIONS: usize = 4;

/// Selectors whose products add so much.
fn profile(variance: f64) -> Profile {
    let mut profile = Profile::selector_simulation();
    let lookup = profile.lookup.as_mut().unwrap();
    lookup.noise.choice = Some(ChoiceNoise {
        variance,
        tails: [tail(lookup.noise.limit); 2],
    });
    profile
}

fn tail(limit: f64) -> Tail {
    Tail {
        square: 1e-9,
        limit,
    }
}

/// The noise of the lookup that an output is, `None` if it is something else. Under a limit that no sum
/// keeps: what is within it by a simple bound is not counted exactly.
fn variance(circuit: &Circuit, profile: &Profile) -> Option<f64> {
    let mut model = profile.lookup.unwrap().noise;
    model.limit = 0.01;
    if let Some(choice) = &mut model.choice {
        choice.tails = [tail(model.limit); 2];
    }
    match circuit.source(circuit.outputs()[0].signal()) {
        Some(node) if matches!(circuit.op(node), Op::Lookup { .. }) => {
            Some(noise(circuit, &model).sums[node.index()])
        }
        _ => None,
    }
}

/// Choices one after the other, by the number of a condition, between earlier bits, some inverted.
type Recipe = Vec<(usize, u8, u8, bool)>;

/// Bits of lookups and of inputs, and what is chosen among them: the variance of a sum of the last
/// three. Each condition is a bit, or known.
fn sum_of(recipe: &Recipe, conditions: [Option<bool>; CONDITIONS], variance: f64) -> Option<f64> {
    let profile = profile(variance);
    let mut b = Builder::new(&profile);
    let inputs = b.inputs(CONDITIONS);
    let conditions: Vec<Wire> = (conditions.iter().zip(&inputs))
        .map(|(known, &input)| known.map_or(input, Wire::constant))
        .collect();
    let mut bits = Vec::new();
    for _ in 0..3 {
        let terms: Vec<(Wire, i8)> = b.inputs(3).into_iter().zip([1, 2, 4]).collect();
        bits.extend(b.lookup(&terms, 0, &[0b1010_1010, 0b1100_1100, 0b1111_0000 ^ 0b0110]));
    }
    let inputs = b.inputs(2);
    let of_sum = b.disjoint(&[inputs[0], bits[0]]);
    bits.extend([inputs[1], of_sum]);
    for &(condition, then, otherwise, inverted) in recipe {
        let at = |number: u8| bits[usize::from(number) % bits.len()];
        let (then, otherwise) = (at(then), at(otherwise).invert_if(inverted));
        bits.push(b.choose(conditions[condition % CONDITIONS], then, otherwise));
    }
    let last: Vec<Wire> = bits.iter().rev().take(3).copied().collect();
    let terms: Vec<(Wire, i8)> = last.into_iter().zip([1, 2, 4]).collect();
    let read = b.lookup(&terms, 0, &[0b1001_0110]);
    b.output(read[0]);
    self::variance(&b.finish(), &profile)
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let choice = (0..CONDITIONS, any::<u8>(), any::<u8>(), any::<bool>());
    prop::collection::vec(choice, 3..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_worst_that_can_be_chosen_is_counted(recipe in recipe()) {
        let ways = (0..1 << CONDITIONS).map(|way| {
            let known = std::array::from_fn(|at| Some(way >> at & 1 == 1));
            sum_of(&recipe, known, 0.0)
        });
        let worst = ways.flatten().fold(0.0, f64::max);
        // Two of the three may be one bit, and the lookup a gate.
        let found = sum_of(&recipe, [None; CONDITIONS], 0.0);
        prop_assume!(found.is_some());
        let found = found.unwrap_or_default();
        // Never less; more only where a condition decides twice and the sides contradict each other.
        prop_assert!(found >= worst - 1e-9, "{found} < {worst}");
        let products = sum_of(&recipe, [None; CONDITIONS], 1.0).unwrap_or_default();
        prop_assert!(products >= found - 1e-9, "{products} < {found}");
    }
}

/// Both words of an exchange have one product's error: with opposite signs, so that their difference
/// has twice of it.
#[test]
fn an_exchange_makes_one_error() {
    let exchange = |swapped: bool| {
        let profile = profile(1.0);
        let mut b = Builder::new(&profile);
        let (s, x, y, z, w) = (b.input(), b.input(), b.input(), b.input(), b.input());
        let less = b.choose(s, x, y);
        let other = match swapped {
            true => b.choose(s, y, x),
            false => b.choose(s, z, w),
        };
        let read = b.lookup(&[(less, 1), (other, 2)], 0, &[0b0100]);
        b.output(read[0]);
        variance(&b.finish(), &profile).unwrap()
    };
    // Weights 1 and 2: inputs of variance 1, and products of 1.
    let close = |found: f64, expected: f64| (found - expected).abs() < 1e-6;
    assert!(close(exchange(false), 5.0 + 5.0));
    assert!(close(exchange(true), 5.0 + 9.0));
}

/// A sum of loaded bits counts as much as if each had been chosen by itself, or more, whatever the
/// array holds; and all of what a row's products may have in common.
#[test]
fn loads_count_no_less_than_choices() {
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    for round in 0..300 {
        let recipe: [usize; 48] = std::array::from_fn(|_| random());
        let sum = |rows: bool, products: f64| {
            let mut profile = profile(products);
            if let (Some(selectors), false) = (&mut profile.selectors, rows) {
                selectors.row.bits = 0;
            }
            let mut b = Builder::new(&profile);
            let (index, other) = (b.inputs(2), b.inputs(3));
            let terms: Vec<(Wire, i8)> = other.iter().copied().zip([1, 2, 4]).collect();
            let mut bits = b.lookup(&terms, 0, &[0b1010_1010, 0b1100_1100, 0b1001_0110]);
            bits.extend(other);
            let array: Vec<Wire> = recipe[..12]
                .iter()
                .map(|at| bits[at % bits.len()])
                .collect();
            let mut read = b.load(&index, 3, &array);
            // Half of them beside a bit that the same index chose, or one that nothing did.
            match round % 4 {
                0 => read[2] = b.choose(index[0], bits[0], bits[4]),
                1 => read[2] = bits[recipe[20] % bits.len()],
                _ => {}
            }
            let terms: Vec<(Wire, i8)> = read.into_iter().zip([1, 2, 4]).collect();
            let read = b.lookup(&terms, 0, &[0b1001_0110]);
            b.output(read[0]);
            variance(&b.finish(), &profile).unwrap()
        };
        for products in [0.0, 1.0] {
            let (rows, bits) = (sum(true, products), sum(false, products));
            assert!(rows >= bits - 1e-9, "{round}: {rows} < {bits}");
        }
    }
    // Four inputs of variance 1: all of them the same, and two products of weight 7.
    let profile = profile(1.0);
    let mut b = Builder::new(&profile);
    let (index, array) = (b.inputs(2), b.inputs(12));
    let read = b.load(&index, 3, &array);
    let terms: Vec<(Wire, i8)> = read.into_iter().zip([1, 2, 4]).collect();
    let read = b.lookup(&terms, 0, &[0b1001_0110]);
    b.output(read[0]);
    let found = variance(&b.finish(), &profile).unwrap();
    assert!((found - (49.0 + 2.0 * 49.0)).abs() < 1e-4, "{found}");
}

/// An XOR whose readers are outputs, stores and other such XORs takes no lookup; one whose bit somebody
/// needs does, and of halves a single one.
#[test]
fn xors_are_free_where_nobody_wants_the_bit() {
    let profile = profile(1.0);
    let lookups = |read: bool| {
        let mut b = Builder::new(&profile);
        let (x, y, z) = (b.inputs(8), b.inputs(8), b.inputs(8));
        for i in 0..8 {
            let first = b.xor(x[i], y[i]);
            let second = b.xor(first, z[i]);
            b.output(second);
            if read {
                let both = b.and(second, x[(i + 1) % 8]);
                b.output(both);
            }
        }
        let circuit = passes::prepare(&b.finish(), &profile);
        assert!(
            read || circuit
                .outputs()
                .iter()
                .all(|out| circuit.is_half(out.signal()))
        );
        passes::cost(&circuit, &profile)
    };
    assert_eq!((lookups(false).bootstraps, lookups(false).linear), (0, 8));
    assert!(lookups(true).bootstraps >= 8);

    // Loaded halves, and their XOR as a bit: one lookup each for the bits that an AND reads.
    let mut b = Builder::new(&profile);
    let (index, word, array) = (b.inputs(3), b.inputs(4), b.inputs(32));
    let array = b.store(&index, Wire::TRUE, &word, &array);
    let (one, two) = (b.load(&index[..], 4, &array), b.load(&word[1..], 4, &array));
    let odd = b.xor(one[0], two[0]);
    let both = b.and(odd, index[0]);
    b.output(both);
    let cost = passes::cost(&passes::prepare(&b.finish(), &profile), &profile);
    assert_eq!(
        (cost.store, cost.load, cost.linear, cost.refresh),
        (1, 2, 1, 1)
    );
}

/// Stores until bits have to be refreshed, for arrays of 16 words. At one index all products have the
/// selectors' errors in common, at others those of one store alone.
#[test]
fn stores_add_up_until_bits_are_refreshed() {
    let profile = Profile::selector_simulation();
    let until = |is_same: bool| {
        let mut b = Builder::new(&profile);
        let (mut word, mut array) = (b.inputs(2), b.inputs(32));
        let mut index = b.inputs(4);
        for stores in 1..20_000 {
            let before = b.len();
            array = b.store(&index, Wire::TRUE, &word, &array);
            assert!(array.iter().all(|bit| b.is_half(*bit)));
            // More than the node of the store: refreshes of the bits before it.
            if b.len() > before + 1 {
                return stores;
            }
            if !is_same {
                index = b.inputs(4);
            }
            // The same word in the same place again would be nothing new.
            word.swap(0, 1);
        }
        20_000
    };
    let (same, other) = (until(true), until(false));
    // Some fifty units, of which each of four products of a store adds 0.4 / 256.
    assert!((4_000..=12_000).contains(&same), "{same}");
    assert!(other > same, "{other} {same}");
}
