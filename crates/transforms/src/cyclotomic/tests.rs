//! Transforms against definitions: values at roots, products modulo `Φ_m`, automorphisms by
//! exponents.

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

/// The coefficients of an element of `Z[x]/(x^m − 1)` in the basis: along each axis, those at
/// exponents that the prime divides are subtracted from all that differ by its multiples.
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
    let cases = [
        (4369, 45),
        (8191, 45),
        (13_107, 47),
        (13_107, 50),
        (21_845, 50),
        (65_535, 30),
        (65_537, 45),
    ];
    for (m, bits) in cases {
        for plan in plans(m, bits) {
            let (index, q) = (plan.index(), plan.modulus());
            let a = words(3, index.degree(), q);
            // ζ^s·a moves coefficients by s in Z[x]/(x^m − 1).
            let shift = 2;
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
            assert_eq!(b, expected, "m {m}, {bits} bits");
        }
    }
}

#[test]
#[should_panic(expected = "words of a ring element")]
fn other_lengths_are_refused() {
    let plan = &plans(255, 45)[0];
    plan.evaluate(&mut [0; 127]);
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

#[test]
fn words_are_added_and_multiplied() {
    for (m, bits) in [(51, 20), (255, 30), (255, 47), (1105, 50), (35, 50)] {
        for plan in plans(m, bits) {
            let (q, n) = (plan.modulus(), plan.index().degree());
            let mut a = words(5, n, q);
            let mut b = words(6, n, q);
            let wide = words(7, n, 1 << 50);
            (a[0], b[0]) = (0, 0);
            (a[1], b[1]) = (q - 1, q - 1);
            (a[2], b[2]) = (0, q - 1);
            let factor = words(8, 1, q)[0];
            let check = |name: &str, found: &[u64], expected: &dyn Fn(u64, u64, u64) -> u64| {
                for i in 0..n {
                    assert_eq!(found[i], expected(a[i], b[i], wide[i]), "{name}, {q}, {i}");
                }
            };
            let run = |operation: &dyn Fn(&mut [u64])| {
                let mut into = a.clone();
                operation(&mut into);
                into
            };
            let add = |x: u64, y: u64| (x + y) % q;
            check("add", &run(&|x| plan.add(x, &b)), &|a, b, _| add(a, b));
            check("sub", &run(&|x| plan.sub(x, &b)), &|a, b, _| {
                (a + q - b) % q
            });
            check("negate", &run(&|x| plan.negate(x)), &|a, _, _| (q - a) % q);
            check(
                "constant",
                &run(&|x| plan.add_constant(x, factor)),
                &|a, _, _| add(a, factor),
            );
            check("multiply", &run(&|x| plan.multiply(x, &b)), &|a, b, _| {
                multiply(a, b, q)
            });
            check(
                "multiply_add",
                &run(&|x| plan.multiply_add(x, &b, &b)),
                &|a, b, _| add(a, multiply(b, b, q)),
            );
            check("scale", &run(&|x| plan.scale(x, factor)), &|a, _, _| {
                multiply(a, factor, q)
            });
            check(
                "scale_add",
                &run(&|x| plan.scale_add(x, &wide, factor)),
                &|a, _, c| add(a, multiply(c, factor, q)),
            );
            check(
                "add_scale",
                &run(&|x| plan.add_scale(x, &b, factor)),
                &|a, b, _| multiply(a + b, factor, q),
            );
            check(
                "reduce",
                &run(&|x| plan.reduce_from(x, &wide)),
                &|_, _, c| c % q,
            );
            let other = (1 << 50) - 27;
            check(
                "centred",
                &run(&|x| plan.reduce_centred_from(x, &wide, other)),
                &|_, _, c| {
                    let centred = i128::from(c) - if c > other / 2 { i128::from(other) } else { 0 };
                    centred.rem_euclid(q.into()) as u64
                },
            );
            for terms in (0..=9).chain([15, 16, 17, 40]) {
                let pairs = vec![[&a[..], &b[..]]; terms];
                check(
                    "sum",
                    &run(&|x| plan.sum_products(x, &pairs)),
                    &|a, b, _| multiply(terms as u64, multiply(a, b, q), q),
                );
                let largest = vec![(1 << 50) - 1; n];
                let mut sources = vec![&wide[..]; terms];
                sources.push(&largest);
                let weights = vec![q - 1; terms + 1];
                check(
                    "combine",
                    &run(&|x| plan.combine(x, &sources, &weights)),
                    &|_, _, c| {
                        let sum = (c % q * terms as u64 + ((1 << 50) - 1) % q) % q;
                        multiply(sum, q - 1, q)
                    },
                );
            }
        }
    }
}

#[test]
fn numbers_pass_from_moduli_to_others() {
    let index = Arc::new(Index::new(35).unwrap());
    let moduli = primes(&index, 45, 4, &[]).unwrap();
    let (n, product) = (
        index.degree(),
        i128::from(moduli[0]) * i128::from(moduli[1]),
    );
    let numbers: Vec<i128> = (0..n as i128)
        .map(|i| i * (product / 24) + product / 48 - product / 2)
        .collect();
    for set in InstructionSet::available() {
        let plans: Vec<Plan> = moduli
            .iter()
            .map(|&q| Plan::new(&index, q, set).unwrap())
            .collect();
        let residues = |q: u64| -> Vec<u64> {
            numbers
                .iter()
                .map(|x| x.rem_euclid(q.into()) as u64)
                .collect()
        };
        let mut sources: Vec<Vec<u64>> = moduli.iter().map(|&q| residues(q)).collect();
        let cofactor = |number: usize| moduli[1 - number];
        for number in 0..2 {
            let q = moduli[number];
            let inverse = power(cofactor(number) % q, q - 2, q);
            plans[number].scale(&mut sources[number], inverse);
        }
        let mut multiples = vec![0; n];
        wraps(&mut multiples, &[&sources[0], &sources[1]], &moduli[..2]);
        for target in 2..4 {
            let q = moduli[target];
            let negative = (-product).rem_euclid(q.into()) as u64;
            let mut found = vec![0; n];
            plans[target].combine(
                &mut found,
                &[&sources[0], &sources[1], &multiples],
                &[cofactor(0) % q, cofactor(1) % q, negative],
            );
            assert_eq!(found, residues(q));
        }
    }
}

#[test]
fn wraps_are_the_nearest_integers_or_the_next_of_a_parity() {
    let index = Index::new(51).unwrap();
    let moduli = primes(&index, 44, 9, &[]).unwrap();
    let sets = InstructionSet::available();
    for (count, set) in (0..=9).flat_map(|count| sets.iter().map(move |set| (count, *set))) {
        let moduli = &moduli[..count];
        let rows: Vec<Vec<u64>> = (1..)
            .zip(moduli)
            .map(|(seed, &q)| words(seed, 29, q))
            .collect();
        let rows: Vec<&[u64]> = rows.iter().map(Vec::as_slice).collect();
        let (mut nearest, mut even) = ([0; 29], [0; 29]);
        sums::all_wraps::<false>(set, &mut nearest, &rows, moduli);
        sums::all_wraps::<true>(set, &mut even, &rows, moduli);
        for i in 0..29 {
            let fractions = rows
                .iter()
                .zip(moduli)
                .map(|(row, &q)| row[i] as f64 / q as f64);
            let sum: f64 = fractions.sum();
            assert!(
                (sum - nearest[i] as f64).abs() < 0.5 + 1e-9,
                "{count} moduli, {sum}"
            );
            let odd = rows.iter().fold(nearest[i], |parity, row| parity ^ row[i]) & 1;
            assert_eq!(even[i], nearest[i] + odd, "{count} moduli, {i}");
        }
    }
}

/// Every pass on words that are bounds instead of residues, as multiples of the prime.
#[test]
fn no_sum_exceeds_its_limit() {
    for m in [51, 255, 4369, 8191, 13_107, 21_845, 65_535] {
        let index = Arc::new(Index::new(m).unwrap());
        let q = primes(&index, 45, 1, &[]).unwrap()[0];
        let plan = Plan::new(&index, q, InstructionSet::Scalar).unwrap();
        plan.check_bounds();
    }
}
