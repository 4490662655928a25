//! Transforms against definitions: values at roots, products modulo `Φ_m`, automorphisms by exponents.

use super::arithmetic::{multiply, power};
use super::*;
use crate::InstructionSet;
use std::sync::Arc;

/// Splitmix64: words below `q`.
fn words(seed: u64, count: usize, q: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    (0..count).map(|_| next() % q).collect()
}

fn plans(m: u32, bits: u32) -> Vec<Plan> {
    let index = Arc::new(Index::new(m).unwrap());
    let q = primes(&index, bits, 1, &[]).unwrap()[0];
    let sets = InstructionSet::available().into_iter();
    sets.map(|set| Plan::new(&index, q, set).unwrap()).collect()
}

/// The root `ω` of a plan: the value of `ζ` at the position of 1.
fn root(plan: &Plan) -> u64 {
    let index = plan.index();
    let mut zeta = vec![0; index.degree()];
    zeta[index.position(1).unwrap()] = 1;
    plan.evaluate(&mut zeta);
    zeta[index.position(1).unwrap()]
}

/// `e` with `e·x ≡ 1`.
fn inverse_exponent(x: u32, m: u32) -> u64 {
    (1..m.into())
        .find(|e| e * u64::from(x) % u64::from(m) == 1)
        .unwrap()
}

const SMALL: [u32; 10] = [3, 7, 15, 17, 21, 51, 105, 255, 257, 1105];

#[test]
fn evaluations_are_values_at_roots() {
    for m in SMALL {
        for bits in [30, 47, 50] {
            for plan in plans(m, bits) {
                let (index, q) = (plan.index(), plan.modulus());
                let omega = root(&plan);
                assert_eq!(power(omega, m.into(), q), 1);
                for p in index.primes() {
                    assert_ne!(power(omega, u64::from(m / p), q), 1);
                }
                let roots: Vec<u64> = (0..m).map(|e| power(omega, e.into(), q)).collect();
                let coefficients = words(m.into(), index.degree(), q);
                let mut evaluations = coefficients.clone();
                plan.evaluate(&mut evaluations);
                for position in (0..index.degree()).step_by(1 + index.degree() / 64) {
                    let point = inverse_exponent(index.exponent(position), m);
                    let mut value = 0;
                    for (at, x) in coefficients.iter().enumerate() {
                        let power = u64::from(index.exponent(at)) * point % u64::from(m);
                        value = (value + multiply(*x, roots[power as usize], q)) % q;
                    }
                    assert_eq!(evaluations[position], value, "m {m}, {q}, {position}");
                }
                plan.interpolate(&mut evaluations);
                assert_eq!(evaluations, coefficients, "m {m}, {q}");
            }
        }
    }
}

/// The coefficients of an element of `Z[x]/(x^m − 1)` in the basis: along each axis, those at exponents that the
/// prime divides are subtracted from all that differ by its multiples.
fn to_basis(index: &Index, mut x: Vec<u64>, q: u64) -> Vec<u64> {
    let m = index.m() as usize;
    for p in index.primes() {
        let step = m / p as usize;
        for first in (0..m).filter(|e| e.is_multiple_of(p as usize)) {
            let zero = std::mem::take(&mut x[first]);
            for other in 1..p as usize {
                let at = (first + other * step) % m;
                x[at] = (x[at] + q - zero) % q;
            }
        }
    }
    (0..index.degree())
        .map(|position| x[index.exponent(position) as usize])
        .collect()
}

#[test]
fn products_are_those_modulo_the_cyclotomic_polynomial() {
    for m in SMALL {
        for plan in plans(m, 49) {
            let (index, q) = (plan.index(), plan.modulus());
            let a = words(1, index.degree(), q);
            let b = words(2, index.degree(), q);
            let mut product = vec![0; m as usize];
            for (i, x) in a.iter().enumerate() {
                for (j, y) in b.iter().enumerate() {
                    let exponent = (index.exponent(i) + index.exponent(j)) % m;
                    let sum = &mut product[exponent as usize];
                    *sum = (*sum + multiply(*x, *y, q)) % q;
                }
            }
            let expected = to_basis(index, product, q);
            let (mut a, mut b) = (a, b);
            plan.evaluate(&mut a);
            plan.evaluate(&mut b);
            plan.multiply(&mut a, &b);
            plan.interpolate(&mut a);
            assert_eq!(a, expected, "m {m}");
        }
    }
}

#[test]
fn one_is_one_everywhere() {
    for m in [3, 15, 105, 255, 4369, 8191, 65_535, 65_537] {
        for plan in plans(m, 45) {
            let (index, q) = (plan.index(), plan.modulus());
            let mut one = vec![0; index.degree()];
            let coefficient = if index.one() == 1 { 1 } else { q - 1 };
            plan.add_constant(&mut one, coefficient);
            plan.evaluate(&mut one);
            assert!(one.iter().all(|&x| x == 1), "m {m}");
        }
    }
}

#[test]
fn long_transforms_are_inverse_and_multiplicative() {
    for m in [4369, 8191, 13_107, 65_537] {
        for plan in plans(m, 45) {
            let (index, q) = (plan.index(), plan.modulus());
            let a = words(3, index.degree(), q);
            // ζ^s·a moves coefficients by s in Z[x]/(x^m − 1).
            let shift = 5;
            let mut monomial = vec![0; index.degree()];
            monomial[index.position(shift).unwrap()] = 1;
            let mut moved = vec![0; m as usize];
            for (i, x) in a.iter().enumerate() {
                moved[((index.exponent(i) + shift) % m) as usize] = *x;
            }
            let expected = to_basis(index, moved, q);
            let mut b = a;
            plan.evaluate(&mut b);
            plan.evaluate(&mut monomial);
            plan.multiply(&mut b, &monomial);
            plan.interpolate(&mut b);
            assert_eq!(b, expected, "m {m}");
        }
    }
}

#[test]
fn automorphisms_are_rotations_in_both_domains() {
    for m in [15, 51, 255, 1105, 4369] {
        for plan in plans(m, 40).into_iter().take(1) {
            let (index, q) = (plan.index(), plan.modulus());
            let a = words(4, index.degree(), q);
            let mut evaluations = a.clone();
            plan.evaluate(&mut evaluations);
            for exponent in (1..m).filter(|&e| index.position(e).is_some()).step_by(7) {
                let mut image = vec![0; index.degree()];
                rotate(index, exponent, &a, &mut image);
                for (position, x) in a.iter().enumerate() {
                    let to = u64::from(index.exponent(position)) * u64::from(exponent);
                    let to = index.position((to % u64::from(m)) as u32).unwrap();
                    assert_eq!(image[to], *x);
                }
                plan.evaluate(&mut image);
                let mut rotated = vec![0; index.degree()];
                rotate(index, exponent, &evaluations, &mut rotated);
                assert_eq!(image, rotated, "m {m}, {exponent}");
            }
        }
    }
}

#[test]
fn foreign_moduli_are_refused() {
    let index = Arc::new(Index::new(255).unwrap());
    let expected = CyclotomicError::UnsuitableModulus {
        q: 65_537,
        m: 255,
        step: 255 * 16,
        bits: 50,
    };
    let plan = Plan::new(&index, 65_537, InstructionSet::Scalar);
    assert_eq!(plan.err(), Some(expected));
}
