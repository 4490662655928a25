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
#[ignore = "slow: 3 s"]
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

/// Every length about the shortest that is halved, whose halves have rows alone and no columns.
#[test]
fn short_products_on_two_threads_agree_with_gmp() {
    let two = NonZeroUsize::new(2).unwrap();
    for set in InstructionSet::available() {
        let mut lengths = std::collections::BTreeSet::new();
        for limbs in (500..1_400).step_by(12) {
            let plan = Plan::new(limbs, 1, set, two).unwrap();
            let (a, b) = (random(1, limbs / 2), random(2, limbs - limbs / 2));
            let found = product(&plan, &a, &b, limbs).unwrap();
            let points = plan.points();
            assert!(
                found == gmp(&a, &b),
                "{set}, {limbs} limbs, {points} points"
            );
            lengths.insert(points);
        }
        assert!(lengths.contains(&1024) && lengths.len() > 5, "{lengths:?}");
    }
}

/// `a` modulo `2^bits + 1`, in one limb more than `bits` has.
fn modulo(a: &[u64], b: &[u64], bits: usize) -> Vec<u64> {
    use rug::{Integer, integer::Order};
    let product = Integer::from_digits(a, Order::Lsf) * Integer::from_digits(b, Order::Lsf);
    let modulus = (Integer::from(1) << bits as u32) + 1u32;
    let mut digits = (product % modulus).to_digits::<u64>(Order::Lsf);
    digits.resize(bits / 64 + 1, 0);
    digits
}

#[test]
fn products_modulo_agree_with_gmp_also_where_the_residue_is_minus_one() {
    for set in InstructionSet::available() {
        for limbs in [3, 24, 100, 768, 12_288] {
            let plan = Plan::modulo(limbs, 1, set, one()).unwrap();
            let bits = plan.modulus_bits();
            let full = bits / 64;
            assert!(full >= limbs);
            let mut half = vec![0; full];
            half[bits / 2 / 64] = 1 << (bits / 2 % 64);
            let ones = vec![u64::MAX; full];
            let (a, b) = (random(5, full), random(6, full));
            for (a, b) in [
                (&a, &b),
                (&half, &half),
                (&ones, &ones),
                (&ones, &half),
                (&a, &ones),
            ] {
                let found = product(&plan, a, b, full + 1).unwrap();
                assert!(
                    found == modulo(a, b, bits),
                    "{set}, {limbs} limbs, {bits} bits"
                );
            }
            // −1 as a product: 2^(m/2) squared.
            let mut minus_one = vec![0; full + 1];
            minus_one[full] = 1;
            assert_eq!(product(&plan, &half, &half, full + 1).unwrap(), minus_one);
        }
    }
}

#[test]
fn unusual_operands_give_the_product_or_are_refused() {
    let patterns: [fn(usize) -> u64; 9] = [
        |_| 0,
        |_| u64::MAX,
        |_| 0x8000_8000_8000_8000,
        |_| 0x7fff_7fff_7fff_7fff,
        |_| 0x7fff_8000_7fff_8000,
        |i| u64::from(i == 0),
        |i| if i % 2 == 0 { u64::MAX } else { 0 },
        |i| if i % 97 == 0 { 1 << 63 } else { 0 },
        |i| (i as u64).wrapping_mul(0x5555_5555_5555_5555),
    ];
    for set in InstructionSet::available() {
        for limbs in [48, 600, 24_576] {
            let plan = Plan::new(limbs, 1, set, one()).unwrap();
            let [mut refused, mut right] = [0, 0];
            for (i, x) in patterns.iter().enumerate() {
                for y in &patterns[..=i] {
                    let a: Vec<_> = (0..limbs / 2).map(x).collect();
                    let b: Vec<_> = (0..limbs / 2).map(y).collect();
                    match product(&plan, &a, &b, limbs) {
                        Ok(found) => {
                            assert!(found == gmp(&a, &b), "{set}, {limbs} limbs, pattern {i}");
                            right += 1;
                        }
                        Err(RightAngleError::Uncertain(Uncertain { bound })) => {
                            assert!(bound >= 0.5);
                            refused += 1;
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
            }
            assert!(
                right > 20,
                "{set}, {limbs} limbs: {right} right, {refused} refused"
            );
            // At the main size, with digits of 16 bits, the largest digits are beyond what is
            // certified.
            assert!(limbs < 24_576 || plan.digit_bits() < 16 || refused > 0);
        }
    }
}

/// The largest distance of a coefficient from an integer, and the bound on it.
fn error_and_bound(plan: &Plan, a: &[u64], b: &[u64]) -> (f64, f64) {
    let [mut x, mut y, mut sum] = [plan.spectrum(), plan.spectrum(), plan.spectrum()];
    plan.forward(a, &mut x).unwrap();
    plan.forward(b, &mut y).unwrap();
    plan.multiply_add(&mut sum, &x, &y).unwrap();
    let bound = plan.bound(&sum);
    plan.join_for_test(&mut sum);
    let points = plan.points() as f64;
    let distance = |value: &f64| (value / points - (value / points).round()).abs();
    (sum.values.iter().map(distance).fold(0.0, f64::max), bound)
}

#[test]
fn errors_stay_below_the_bound_and_not_absurdly_far_below() {
    for set in InstructionSet::available() {
        for limbs in [30, 200, 1000, 5000, 24_576] {
            let plan = Plan::new(limbs, 1, set, one()).unwrap();
            let (a, b) = (random(1, limbs / 2), random(2, limbs / 2));
            let (error, bound) = error_and_bound(&plan, &a, &b);
            assert!(bound < 0.5);
            assert!(error < bound, "{set}, {limbs} limbs: {error} of {bound}");
            assert!(
                error * 2e4 > bound,
                "{set}, {limbs} limbs: {error} of {bound}"
            );
            // Digits of one sign and full size, with all their energy in a few points, are the
            // worst found. Their product is refused at some sizes; their errors can be measured as
            // long as they are below one half.
            let a = vec![0x7fff_7fff_7fff_7fff; limbs / 2];
            let (error, bound) = error_and_bound(&plan, &a, &a);
            assert!(
                error < bound && error < 0.25,
                "{set}, {limbs} limbs: {error} of {bound}"
            );
        }
    }
}

#[test]
fn sums_of_products_agree_with_gmp() {
    for set in InstructionSet::available() {
        for (limbs, sums) in [(40, 3), (700, 50), (3000, 20)] {
            let plan = Plan::new(limbs + 1, sums, set, one()).unwrap();
            let mut sum = plan.spectrum();
            let mut expected = rug::Integer::new();
            for k in 0..sums as u64 {
                let (a, b) = (random(2 * k, limbs / 2), random(2 * k + 1, limbs / 2));
                let [mut x, mut y] = [plan.spectrum(), plan.spectrum()];
                plan.forward(&a, &mut x).unwrap();
                plan.forward(&b, &mut y).unwrap();
                plan.multiply_add(&mut sum, &x, &y).unwrap();
                expected += rug::Integer::from_digits(&gmp(&a, &b), rug::integer::Order::Lsf);
            }
            let mut out = vec![0; limbs + 1];
            plan.inverse(&mut sum, &mut out).unwrap();
            let mut expected = expected.to_digits::<u64>(rug::integer::Order::Lsf);
            expected.resize(limbs + 1, 0);
            assert!(out == expected, "{set}, {limbs} limbs");
            // The sum is zero again.
            plan.inverse(&mut sum, &mut out).unwrap();
            assert!(out.iter().all(|&limb| limb == 0));
        }
    }
}

#[test]
#[ignore = "slow: 2 s"]
fn products_in_one_go_and_on_two_threads_are_the_same() {
    for set in InstructionSet::available() {
        for limbs in [50, 450, 2000, 24_576, 70_001] {
            let (a, b) = (random(1, limbs / 2), random(2, limbs - limbs / 2));
            let (expected, square) = (gmp(&a, &b), gmp(&a, &a));
            for threads in [1, 2, 3] {
                let threads = NonZeroUsize::new(threads).unwrap();
                let plan = Plan::new(limbs + 1, 1, set, threads).unwrap();
                let name = format!("{set}, {limbs} limbs, {threads} threads");
                let mut memory = [plan.spectrum(), plan.spectrum()];
                let mut out = vec![0; limbs];
                assert!(product(&plan, &a, &b, limbs).unwrap() == expected, "{name}");
                plan.multiply(&mut out, &a, &b, &mut memory).unwrap();
                assert!(out == expected, "{name}");
                let mut kept = plan.spectrum();
                plan.forward(&b, &mut kept).unwrap();
                out.fill(1);
                plan.multiply_kept(&mut out, &kept, &a, &mut memory[0])
                    .unwrap();
                assert!(out == expected, "{name}");
                out.resize(square.len(), 0);
                plan.square(&mut out, &a, &mut memory[1]).unwrap();
                assert!(out == square, "{name}");
            }
        }
    }
}

#[test]
fn sums_of_two_products_in_one_go_are_the_same() {
    use rug::{Integer, integer::Order};
    for set in InstructionSet::available() {
        for limbs in [48, 8192] {
            for threads in [1, 2, 3] {
                let threads = NonZeroUsize::new(threads).unwrap();
                let plan = Plan::modulo(limbs, 2, set, threads).unwrap();
                let ring = Plan::ring(limbs, 2, set, threads).unwrap();
                let full = plan.modulus_bits() / 64;
                assert_eq!(ring, (full, plan.points()));
                let numbers = [1, 2, 3, 4].map(|seed| random(seed, full));
                let [a, b, c, d] = numbers.each_ref();
                let integers = numbers
                    .each_ref()
                    .map(|x| Integer::from_digits(x, Order::Lsf));
                let [x, y, z, w] = integers;
                let more = z * w;
                let mut kept = plan.spectrum();
                plan.forward(d, &mut kept).unwrap();
                let mut memory = [(); 3].map(|()| plan.spectrum());
                for (second, expected) in [
                    (Some(&b[..]), Integer::from(&x * &y) + &more),
                    (None, Integer::from(&x * &x) + &more),
                ] {
                    let expected = expected % ((Integer::from(1) << (64 * full) as u32) + 1u32);
                    let mut out = vec![7; full + 1];
                    plan.multiply_two(&mut out, a, second, &kept, c, &mut memory)
                        .unwrap();
                    let found = Integer::from_digits(&out, Order::Lsf);
                    assert!(found == expected, "{set}, {limbs} limbs, {threads} threads");
                }
            }
        }
    }
}

#[test]
fn misuse_is_refused() {
    let set = InstructionSet::detect();
    let plan = Plan::new(10, 1, set, one()).unwrap();
    let other = Plan::new(1000, 1, set, one()).unwrap();
    let capacity = plan.modulus_bits() / 64;
    let mut spectrum = plan.spectrum();
    assert_eq!(
        plan.forward(&vec![1; capacity + 1], &mut spectrum),
        Err(RightAngleError::OperandTooLong {
            limbs: capacity + 1,
            capacity
        })
    );
    assert_eq!(
        other.forward(&[1], &mut spectrum),
        Err(RightAngleError::OtherPlan {
            found: plan.points(),
            expected: other.points()
        })
    );
    let mut sum = plan.spectrum();
    let operand_needed = RightAngleError::OtherContent {
        found: "nothing",
        expected: "an operand",
    };
    assert_eq!(
        plan.multiply_add(&mut sum, &spectrum, &spectrum),
        Err(operand_needed)
    );
    plan.forward(&[1], &mut spectrum).unwrap();
    let sum_needed = RightAngleError::OtherContent {
        found: "an operand",
        expected: "a sum of products",
    };
    assert_eq!(plan.inverse(&mut spectrum, &mut [0]), Err(sum_needed));
    for (limbs, sums) in [(usize::MAX, 1), (1 << 40, 1), (1, usize::MAX)] {
        let error = Plan::new(limbs, sums, set, one()).err();
        assert_eq!(error, Some(RightAngleError::TooLarge { limbs, sums }));
    }
}

#[test]
#[ignore = "operands of 2^26 bits, 20 seconds"]
fn the_largest_products_agree_with_gmp() {
    let limbs = 1 << 21;
    for threads in [1, 2] {
        let threads = NonZeroUsize::new(threads).unwrap();
        let plan = Plan::new(limbs, 1, InstructionSet::detect(), threads).unwrap();
        let (a, b) = (random(1, limbs / 2), random(2, limbs / 2));
        assert!(product(&plan, &a, &b, limbs).unwrap() == gmp(&a, &b));
    }
}
