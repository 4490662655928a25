//! Products against schoolbook multiplication and against residues.

use super::*;
use crate::InstructionSet;
use std::num::NonZeroUsize;

/// Schoolbook multiplication.
fn schoolbook(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut product = vec![0; a.len() + b.len()];
    for (i, &a) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, &b) in b.iter().enumerate() {
            let sum = u128::from(a) * u128::from(b) + u128::from(product[i + j]) + carry;
            product[i + j] = sum as u64;
            carry = sum >> 64;
        }
        product[i + b.len()] = carry as u64;
    }
    product
}

/// SplitMix64.
fn random(seed: u64, len: usize) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    (0..len).map(|_| next()).collect()
}

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

fn product(plan: &Plan, a: &[u64], b: &[u64], len: usize) -> Result<Vec<u64>, RightAngleError> {
    let [mut x, mut y, mut sum] = [plan.spectrum(), plan.spectrum(), plan.spectrum()];
    plan.forward(a, &mut x)?;
    plan.forward(b, &mut y)?;
    plan.multiply_add(&mut sum, &x, &y)?;
    let mut out = vec![0; len];
    plan.inverse(&mut sum, &mut out)?;
    Ok(out)
}

#[test]
fn random_products_of_many_lengths_agree_with_schoolbook() {
    for set in InstructionSet::available() {
        for limbs in [1, 2, 5, 16, 40, 100, 333, 700, 1500] {
            let plan = Plan::new(limbs, 1, set, one()).unwrap();
            for part in [1, 2, 3] {
                let len = (limbs * part / 6).max(1).min(limbs);
                let (a, b) = (random(1, len), random(2, limbs - len));
                let expected = schoolbook(&a, &b);
                let found = product(&plan, &a, &b, limbs).unwrap();
                assert_eq!(
                    found,
                    expected,
                    "{set}, {limbs} limbs, {} points",
                    plan.points()
                );
            }
        }
    }
}

/// GMP.
fn gmp(a: &[u64], b: &[u64]) -> Vec<u64> {
    use rug::{Integer, integer::Order};
    let product = Integer::from_digits(a, Order::Lsf) * Integer::from_digits(b, Order::Lsf);
    let mut digits = product.to_digits::<u64>(Order::Lsf);
    digits.resize(a.len() + b.len(), 0);
    digits
}

#[test]
fn schoolbook_agrees_with_gmp() {
    let (a, b) = (random(3, 37), vec![u64::MAX; 21]);
    assert_eq!(schoolbook(&a, &b), gmp(&a, &b));
}

/// Every shape of stages: one, two, three passes, each odd part, digits of odd and even width.
#[test]
fn products_of_every_shape_agree_with_gmp() {
    for set in InstructionSet::available() {
        let mut shapes = std::collections::BTreeSet::new();
        let mut limbs = 64;
        while limbs < 120_000 {
            let plan = Plan::new(limbs, 1, set, one()).unwrap();
            if shapes.insert(plan.points()) {
                let (a, b) = (random(1, limbs / 2), random(2, limbs - limbs / 2));
                let found = product(&plan, &a, &b, limbs).unwrap();
                let points = plan.points();
                assert!(
                    found == gmp(&a, &b),
                    "{set}, {limbs} limbs, {points} points"
                );
            }
            limbs += limbs / 8;
        }
        assert!(shapes.len() > 30);
    }
}
