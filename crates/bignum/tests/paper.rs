//! The golden model of the paper's multiplier beside its fast form: the same spectrum, the same
//! product.

use std::num::NonZeroUsize;

use blindcore_bignum::paper::stages::reversed;
use blindcore_bignum::paper::{OPERAND_LIMBS, POINTS, Trace};
use transforms::InstructionSet;
use transforms::integers::goldilocks_cyclic::Plan;

fn numbers(seed: u64, length: usize) -> Vec<u64> {
    let step = |x: &u64| Some(x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
    let limbs = std::iter::successors(Some(seed), step).skip(9);
    limbs.map(|x| x ^ x >> 29).take(length).collect()
}

#[test]
fn every_value_of_the_spectrum_and_every_limb() {
    let cases = [
        (numbers(1, OPERAND_LIMBS), numbers(2, OPERAND_LIMBS)),
        (vec![u64::MAX; OPERAND_LIMBS], numbers(3, 5000)),
    ];
    for (a, b) in cases {
        let trace = Trace::new(&a, &b).unwrap();
        for set in InstructionSet::available() {
            let plan = Plan::new(set, NonZeroUsize::MIN);
            for (limbs, operand) in [&a, &b].into_iter().zip(&trace.operands) {
                let mut spectrum = plan.spectrum();
                plan.forward(&mut spectrum, limbs).unwrap();
                let values = plan.values(&spectrum).unwrap();
                let golden = operand.spectrum();
                assert!((0..POINTS).all(|at| golden[at] == values[reversed(at)]));
            }
            let mut product = vec![0; a.len() + b.len()];
            let mut work = [plan.spectrum(), plan.spectrum()];
            plan.multiply(&mut product, &a, &b, &mut work).unwrap();
            let golden = trace.limbs();
            assert!(golden[..product.len()] == product);
            assert!(golden[product.len()..].iter().all(|&limb| limb == 0));
        }
    }
}

#[test]
#[ignore = "slow: 4 s"]
fn squares_and_kept_operands_on_two_threads() {
    let (a, b) = (numbers(5, OPERAND_LIMBS), vec![u64::MAX; OPERAND_LIMBS - 7]);
    let product = |a: &[u64], b: &[u64]| {
        let mut limbs = Trace::new(a, b).unwrap().limbs();
        limbs.truncate(a.len() + b.len());
        limbs
    };
    for set in InstructionSet::available() {
        for threads in [1, 2] {
            let plan = Plan::new(set, NonZeroUsize::new(threads).unwrap());
            let mut work = [plan.spectrum(), plan.spectrum()];
            let mut out = vec![0; a.len() + b.len()];
            plan.multiply(&mut out, &a, &b, &mut work).unwrap();
            assert!(out == product(&a, &b));
            let mut kept = plan.spectrum();
            plan.forward(&mut kept, &b).unwrap();
            out.fill(1);
            plan.multiply_kept(&mut out, &kept, &a, &mut work[1])
                .unwrap();
            assert!(out == product(&a, &b));
            let mut out = vec![0; 2 * b.len()];
            plan.square(&mut out, &b, &mut work[0]).unwrap();
            assert!(out == product(&b, &b));
        }
    }
}
