//! Sums modulo 2: what a scheme that adds integers has in them.

use blindcore_circuits::passes::{cost, multiplicative_depth, prepare, reduce_sums};
use blindcore_circuits::{Builder, Circuit, Op, Profile, Wire, sim};
use proptest::prelude::*;

use super::recorded::{LANES, record, step};

/// How often each node that is no XOR is in each signal, as integers: by the definition, dense.
fn multiples(circuit: &Circuit) -> Vec<Vec<f64>> {
    let mut all = vec![vec![0.0; circuit.len()]; circuit.signals()];
    for node in circuit.nodes() {
        let own = match circuit.op(node) {
            Op::Xor(a, b) => {
                let [a, b] = [a, b].map(|wire| &all[wire.signal().index()]);
                a.iter().zip(b).map(|(a, b)| a + b).collect()
            }
            _ => {
                let mut own = vec![0.0; circuit.len()];
                own[node.index()] = 1.0;
                own
            }
        };
        for signal in circuit.signals_of(node) {
            all[signal.index()].clone_from(&own);
        }
    }
    all
}

/// The largest variance over that which it has with each source once, of sums that products read or
/// that are outputs: others are part of one of these, and no noisier than it.
fn worst_excess(circuit: &Circuit) -> f64 {
    let multiples = multiples(circuit);
    let products = circuit
        .nodes()
        .filter(|&node| !matches!(circuit.op(node), Op::Xor(..)));
    let read = products.flat_map(|node| circuit.op(node).operands());
    let read = read.chain(circuit.outputs().iter().copied());
    let excess = read.map(|wire| {
        let times = &multiples[wire.signal().index()];
        let odd = times.iter().filter(|&&times| times % 2.0 == 1.0).count();
        let squares: f64 = times.iter().map(|times| times * times).sum();
        match squares {
            0.0 => 0.0,
            _ => squares / odd as f64,
        }
    });
    excess.fold(0.0, f64::max)
}

fn rotated(word: &[Wire], by: usize) -> Vec<Wire> {
    let mut word = word.to_vec();
    word.rotate_right(by);
    word
}

fn xor(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Vec<Wire> {
    x.iter().zip(y).map(|(&x, &y)| b.xor(x, y)).collect()
}

/// A word of 32 bits after `steps` steps of u ← u ⊕ (v rotated), v ← v ⊕ (u rotated).
fn mixed(steps: usize) -> Circuit {
    let mut b = Builder::new(&Profile::levelled_simulation());
    let (mut u, mut v) = (b.inputs(32), b.inputs(32));
    for step in 0..steps {
        u = xor(&mut b, &u, &rotated(&v, step % 31));
        v = xor(&mut b, &v, &rotated(&u, 7));
    }
    for bit in [u, v].concat() {
        b.output(bit);
    }
    b.finish()
}

fn agree(a: &Circuit, b: &Circuit) {
    let lanes: Vec<u64> = (1..=a.inputs() as u64)
        .map(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i))
        .collect();
    assert_eq!(sim::evaluate(a, &lanes), sim::evaluate(b, &lanes));
}

/// Without the pass multiples are those of Fibonacci; with it none counts, and of 64 sources no
/// network takes more XORs than its outputs have sources.
#[test]
fn multiples_of_long_chains_vanish() {
    let profile = Profile::levelled_simulation();
    for steps in [1, 10, 50, 300] {
        let circuit = mixed(steps);
        let reduced = reduce_sums(&circuit, &profile);
        agree(&circuit, &reduced);
        if steps == 50 {
            assert!(worst_excess(&circuit) > 1e20);
        }
        assert!(worst_excess(&reduced) <= 2.0, "{steps}");
        let xors = cost(&reduced, &profile).xor;
        assert!(xors <= 64 * 32, "{steps} steps take {xors} XORs");
    }
}

/// (a ⊕ b) ⊕ (b ⊕ c) is a ⊕ c, of sums that are there; of equal sums one is left, and so of their
/// products.
#[test]
fn what_sums_have_in_common_vanishes() {
    let profile = Profile::levelled_simulation();
    let mut b = Builder::new(&profile);
    let parts: Vec<Wire> = (0..3)
        .map(|_| {
            let bits = b.inputs(40);
            bits.into_iter().reduce(|sum, bit| b.xor(sum, bit)).unwrap()
        })
        .collect();
    let (left, right) = (b.xor(parts[0], parts[1]), b.xor(parts[1], parts[2]));
    let (sum, same) = (b.xor(left, right), b.xor(parts[2], parts[0]));
    let (one, other) = (b.and(sum, parts[1]), b.and(!same, parts[1]));
    let both = b.xor(one, other);
    let nothing = b.xor(sum, same);
    for wire in [left, right, sum, one, both, nothing] {
        b.output(wire);
    }
    let circuit = b.finish();
    let reduced = reduce_sums(&circuit, &profile);
    agree(&circuit, &reduced);
    assert_eq!(reduced.outputs()[5].as_constant(), Some(false));
    let found = cost(&reduced, &profile);
    // 39 for each part, three sums of two, one of products.
    assert_eq!((found.xor, found.and), (3 * 39 + 4, 2));
}

/// A source that vanishes does not make a sum deep.
#[test]
fn depth_that_vanishes_is_not_counted() {
    let profile = Profile::levelled_simulation();
    let mut b = Builder::new(&profile);
    let x = b.inputs(4);
    let deep = x
        .iter()
        .copied()
        .reduce(|all, bit| b.and(all, bit))
        .unwrap();
    let (left, right) = (b.xor(x[0], deep), b.xor(x[1], deep));
    let sum = b.xor(left, right);
    let product = b.and(sum, x[2]);
    b.output(product);
    let circuit = b.finish();
    let prepared = prepare(&circuit, &profile);
    agree(&circuit, &prepared);
    assert_eq!(multiplicative_depth(&prepared).depth, 1);
}

/// Sums of more sources than are counted are sources themselves.
#[test]
fn sums_of_many_thousands_are_kept() {
    let profile = Profile::levelled_simulation();
    let mut b = Builder::new(&profile);
    let bits = b.inputs(5_000);
    let mut sum = bits[0];
    for (place, &bit) in bits.iter().enumerate() {
        sum = b.xor(sum, bit);
        let again = b.xor(sum, bits[place / 2]);
        sum = b.xor(sum, again);
        sum = b.xor(sum, bit);
        b.output(sum);
    }
    let circuit = b.finish();
    let reduced = reduce_sums(&circuit, &profile);
    agree(&circuit, &reduced);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: 37 s"]
    fn random_circuits_keep_their_meaning_and_no_multiples(
        steps in prop::collection::vec(step(), 1..150),
        outputs in prop::collection::vec(any::<u16>(), 1..12),
    ) {
        let profile = Profile::levelled_simulation();
        let circuit = record(&profile, &steps, &outputs);
        let prepared = prepare(&circuit, &profile);
        prop_assert_eq!(
            sim::evaluate(&prepared, &LANES).unwrap(),
            sim::evaluate(&circuit, &LANES).unwrap()
        );
        prop_assert!(worst_excess(&prepared) <= 2.0);
    }
}
