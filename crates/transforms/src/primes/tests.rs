//! Products against schoolbook and GMP, on every instruction set that the machine has.

use super::*;
use rug::Integer;
use rug::integer::Order;

const ONE: NonZeroUsize = NonZeroUsize::MIN;

/// Limbs of a generator with known constants (SplitMix64).
fn random(length: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let step = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    };
    (0..length).map(step).collect()
}

fn integer(limbs: &[u64]) -> Integer {
    Integer::from_digits(limbs, Order::Lsf)
}

fn limbs(x: &Integer, length: usize) -> Vec<u64> {
    let mut limbs = x.to_digits(Order::Lsf);
    limbs.resize(length, 0);
    limbs
}

fn product(plan: &Plan, a: &[u64], b: &[u64]) -> Vec<u64> {
    let (mut x, mut y, mut sum) = (plan.spectrum(), plan.spectrum(), plan.spectrum());
    plan.forward(a, &mut x).unwrap();
    plan.forward(b, &mut y).unwrap();
    plan.multiply_add(&mut sum, &x, &y).unwrap();
    let length = match plan.modulus_bits() {
        Some(_) => plan.points() + 1,
        None => a.len() + b.len(),
    };
    let mut out = vec![0xdead; length];
    plan.inverse(&mut sum, &mut out).unwrap();
    out
}

#[test]
fn products_of_every_length_equal_gmp() {
    for set in InstructionSet::available() {
        for log in 7..=14 {
            for points in [1usize << log, 3 << (log - 1)] {
                let plan = Plan::new(points, 1, set, ONE).unwrap();
                assert_eq!(plan.points(), points);
                let (a, b) = (random(points / 2, 1), random(points / 2, 2));
                let expected = limbs(&(integer(&a) * integer(&b)), points);
                assert!(product(&plan, &a, &b) == expected, "{set} {points}");
            }
        }
    }
}

#[test]
fn modular_products_of_every_length_equal_gmp() {
    for set in InstructionSet::available() {
        for log in 7..=13 {
            for points in [1usize << log, 3 << (log - 1)] {
                let plan = Plan::modulo(points, 1, set, ONE).unwrap();
                let (a, b) = (random(points, 1), random(points, 2));
                let modulus = (Integer::from(1) << (64 * points as u32)) + 1;
                let expected = limbs(&(integer(&a) * integer(&b) % modulus), points + 1);
                assert!(product(&plan, &a, &b) == expected, "{set} {points}");
            }
        }
    }
}
