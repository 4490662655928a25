//! Against the definition, against GMP, on every instruction set and on one thread and more.

use super::tables::ROOT;
use super::*;
use crate::torus::ntt::field::{P, multiply, power};
use rug::Integer;
use rug::integer::Order;

fn plans() -> Vec<Plan> {
    let threads = [1, 2, 3].map(|threads| NonZeroUsize::new(threads).unwrap());
    let sets = InstructionSet::available().into_iter();
    sets.flat_map(|set| threads.map(|threads| Plan::new(set, threads)))
        .collect()
}

/// Limbs of a generator of its own, so that failures repeat.
fn random(limbs: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    };
    (0..limbs).map(|_| next()).collect()
}

fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let number = |limbs: &[u64]| Integer::from_digits(limbs, Order::Lsf);
    let mut limbs = (number(a) * number(b)).to_digits(Order::Lsf);
    limbs.resize(a.len() + b.len(), 0);
    limbs
}

#[test]
fn spectra_by_the_definition() {
    let limbs = random(OPERAND_LIMBS, 1);
    let number = Integer::from_digits(&limbs, Order::Lsf);
    let digit = |n: usize| Integer::from(&number >> (24 * n as u32)).to_u32_wrapping() & 0xff_ffff;
    let digits: Vec<u32> = (0..DIGITS).map(digit).collect();
    for plan in plans() {
        let mut spectrum = plan.spectrum();
        plan.forward(&mut spectrum, &limbs).unwrap();
        let values = plan.values(&spectrum).unwrap();
        for k in [0, 1, 15, 16, 4096, 4097, 0x1234, 0xabcd, 65_535] {
            let point = power(ROOT, k as u64);
            let value = digits.iter().rev().fold(0, |sum, &digit| {
                ((u128::from(multiply(sum, point)) + u128::from(digit)) % u128::from(P)) as u64
            });
            assert_eq!(values[k], value, "value {k}");
        }
    }
}

#[test]
#[ignore = "slow: 4 s"]
fn products_by_gmp() {
    let top = |len: usize| -> Vec<u64> {
        let mut limbs = vec![0; len];
        limbs[len - 1] = 1 << 63;
        limbs
    };
    let ones = |len: usize| vec![u64::MAX; len];
    let cases = [
        (random(OPERAND_LIMBS, 2), random(OPERAND_LIMBS, 3)),
        (ones(OPERAND_LIMBS), ones(OPERAND_LIMBS)),
        (ones(OPERAND_LIMBS), random(1, 4)),
        (top(OPERAND_LIMBS), ones(OPERAND_LIMBS)),
        (top(4096), random(777, 5)),
        (random(3, 6), random(5, 7)),
        (random(8191, 8), ones(8193)),
        (vec![0; 100], random(OPERAND_LIMBS, 9)),
        (Vec::new(), vec![5]),
        (Vec::new(), Vec::new()),
    ];
    for plan in plans() {
        let mut work = [plan.spectrum(), plan.spectrum()];
        for (a, b) in &cases {
            let mut out = vec![u64::MAX; a.len() + b.len()];
            plan.multiply(&mut out, a, b, &mut work).unwrap();
            assert!(out == product(a, b), "{} by {} limbs", a.len(), b.len());
            let mut kept = plan.spectrum();
            plan.forward(&mut kept, b).unwrap();
            out.fill(1);
            plan.multiply_kept(&mut out, &kept, a, &mut work[0])
                .unwrap();
            assert!(out == product(a, b), "{} by kept {}", a.len(), b.len());
            let mut out = vec![7; 2 * a.len()];
            plan.square(&mut out, a, &mut work[1]).unwrap();
            assert!(out == product(a, a), "{} limbs squared", a.len());
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let plan = Plan::new(InstructionSet::detect(), NonZeroUsize::MIN);
    let mut work = [plan.spectrum(), plan.spectrum()];
    let limbs = OPERAND_LIMBS + 1;
    let long = vec![1; limbs];
    let mut out = vec![0; limbs + 1];
    assert_eq!(
        plan.multiply(&mut out, &long, &[1], &mut work),
        Err(Error::OperandLength { limbs })
    );
    assert_eq!(
        plan.multiply(&mut out, &[1], &[1], &mut work),
        Err(Error::OutputLength {
            needed: 2,
            given: limbs + 1
        })
    );
    let portable = Plan::new(InstructionSet::Scalar, NonZeroUsize::MIN);
    if portable.machine.lanes() != plan.machine.lanes() {
        let mut foreign = portable.spectrum();
        assert_eq!(
            plan.square(&mut out[..2], &[1], &mut foreign),
            Err(Error::ForeignSpectrum)
        );
    }
}
