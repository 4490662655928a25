//! Products against schoolbook and GMP, on every instruction set that the machine has.

pub(crate) mod bounds;
mod bundles;
mod laws;

use super::*;
use rug::Integer;
use rug::integer::Order;

const ONE: NonZeroUsize = NonZeroUsize::MIN;

fn threads(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

/// Limbs of a generator with known constants (SplitMix64).
pub(crate) fn random(length: usize, seed: u64) -> Vec<u64> {
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
    assert!(limbs.len() <= length);
    limbs.resize(length, 0);
    limbs
}

fn schoolbook(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut out = vec![0; a.len() + b.len()];
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, y) in b.iter().enumerate() {
            let sum = u128::from(*x) * u128::from(*y) + u128::from(out[i + j]) + carry;
            out[i + j] = sum as u64;
            carry = sum >> 64;
        }
        out[i + b.len()] = carry as u64;
    }
    out
}

/// The sum of products, by one inverse transform.
fn sum(plan: &Plan, pairs: &[(&[u64], &[u64])], length: usize) -> Vec<u64> {
    let (mut x, mut y, mut sum) = (plan.spectrum(), plan.spectrum(), plan.spectrum());
    for (a, b) in pairs {
        plan.forward(a, &mut x).unwrap();
        plan.forward(b, &mut y).unwrap();
        plan.multiply_add(&mut sum, &x, &y).unwrap();
    }
    let mut out = vec![0xdead; length];
    plan.inverse(&mut sum, &mut out).unwrap();
    out
}

fn product(plan: &Plan, a: &[u64], b: &[u64]) -> Vec<u64> {
    let length = match plan.modulus_bits() {
        Some(_) => plan.points() + 1,
        None => a.len() + b.len(),
    };
    let expected = sum(plan, &[(a, b)], length);
    // The ways that keep nothing agree.
    let mut work = [plan.spectrum(), plan.spectrum()];
    let mut out = vec![0xdead; length];
    plan.multiply(&mut out, a, b, &mut work).unwrap();
    assert!(out == expected);
    let [kept, work] = &mut work;
    plan.forward(b, kept).unwrap();
    plan.multiply_kept(&mut out, a, kept, work).unwrap();
    assert!(out == expected);
    if 2 * a.len() <= plan.points() || plan.modulus_bits().is_some() {
        let mut square = vec![0xdead; length];
        plan.square(&mut square, a, work).unwrap();
        assert!(square == sum(plan, &[(a, a)], length));
    }
    expected
}

/// What the modular plan's product must be.
fn residue(plan: &Plan, x: Integer) -> Vec<u64> {
    let modulus = (Integer::from(1) << plan.modulus_bits().unwrap() as u32) + 1;
    limbs(&x.modulo(&modulus), plan.points() + 1)
}

/// Every length up to that many points.
fn lengths(most: usize) -> impl Iterator<Item = usize> {
    let lengths = (7..22).flat_map(|log| [1usize << log, 3 << (log - 1)]);
    lengths.filter(move |&points| points <= most)
}

#[test]
fn schoolbook_equals_gmp() {
    let (a, b) = (random(37, 5), random(52, 6));
    assert_eq!(schoolbook(&a, &b), limbs(&(integer(&a) * integer(&b)), 89));
}

#[test]
fn small_products_equal_schoolbook() {
    for set in InstructionSet::available() {
        let plan = Plan::new(128, 1, set, ONE).unwrap();
        for n in [0, 1, 2, 7, 8, 9, 63, 64, 65, 100, 127] {
            for m in [1, 3, 8, 28, 64] {
                if n + m <= 128 {
                    let (a, b) = (random(n, 3), random(m, 4));
                    assert_eq!(product(&plan, &a, &b), schoolbook(&a, &b), "{set} {n} {m}");
                }
            }
        }
    }
}

/// Random numbers, ones, powers of two, and a few limbs among zeros, with operands of equal length
/// and not.
#[test]
#[ignore = "slow: 8 s"]
fn products_of_every_length_equal_gmp() {
    for set in InstructionSet::available() {
        for points in lengths(1 << 14) {
            let plan = Plan::new(points, 1, set, ONE).unwrap();
            assert_eq!(plan.points(), points);
            for n in [points / 2, points - points / 3, points - 1, points / 2 - 3] {
                let m = points - n;
                let mut power = vec![0; n];
                power[n - 1] = 1 << 63;
                let mut sparse = vec![0; n];
                sparse[n / 3] = u64::MAX;
                sparse[0] = 1;
                for a in [random(n, 1), vec![u64::MAX; n], power, sparse, vec![0; n]] {
                    for b in [random(m, 2), vec![u64::MAX; m]] {
                        let expected = limbs(&(integer(&a) * integer(&b)), points);
                        assert!(product(&plan, &a, &b) == expected, "{set} {points} {n}");
                    }
                }
            }
        }
    }
}

#[test]
#[ignore = "slow: 4 s"]
fn modular_products_of_every_length_equal_gmp() {
    for set in InstructionSet::available() {
        for points in lengths(1 << 13) {
            let plan = Plan::modulo(points, 1, set, ONE).unwrap();
            assert_eq!(plan.modulus_bits(), Some(64 * points));
            for n in [points, points / 2, points - 5, 3] {
                for a in [random(n, 1), vec![u64::MAX; n]] {
                    for b in [random(points, 2), vec![u64::MAX; points]] {
                        let expected = residue(&plan, integer(&a) * integer(&b));
                        assert!(product(&plan, &a, &b) == expected, "{set} {points} {n}");
                    }
                }
            }
        }
    }
}

#[test]
#[ignore = "slow: 8 s"]
fn large_products_equal_gmp() {
    for points in lengths(1 << 20).filter(|&points| points > 1 << 14) {
        let plan = Plan::new(points, 1, InstructionSet::detect(), threads(2)).unwrap();
        let (a, b) = (random(points / 2, 1), vec![u64::MAX; points / 2]);
        let expected = limbs(&(integer(&a) * integer(&b)), points);
        assert!(product(&plan, &a, &b) == expected, "{points}");
    }
}

/// Narrow primes hold 65,534 terms: two fewer than a transform of 2^17 points has room for,
/// whatever the length that it was chosen by.
#[test]
fn a_plan_takes_every_product_that_it_has_room_for() {
    let plan = Plan::new(120_000, 1, InstructionSet::detect(), ONE).unwrap();
    assert_eq!((plan.points(), plan.prime_bits()), (1 << 17, 50));
    let ones = vec![u64::MAX; 1 << 16];
    let expected = limbs(&integer(&ones).square(), 1 << 17);
    assert!(product(&plan, &ones, &ones) == expected);
    let shorter = Plan::new(3 << 15, 1, InstructionSet::detect(), ONE).unwrap();
    assert_eq!(shorter.prime_bits(), 48);
}

/// Of 2^26 bits each.
#[test]
#[ignore = "slow: 4 s"]
fn the_largest_product_equals_gmp() {
    let n = 1 << 20;
    let plan = Plan::new(2 * n, 3, InstructionSet::detect(), threads(2)).unwrap();
    let (a, b) = (random(n, 1), vec![u64::MAX; n]);
    let expected = limbs(&(integer(&a) * integer(&b)), 2 * n);
    assert!(product(&plan, &a, &b) == expected);
}

#[test]
fn threads_change_nothing() {
    for set in InstructionSet::available() {
        let (a, b) = (random(5000, 1), random(7000, 2));
        let expected = limbs(&(integer(&a) * integer(&b)), 12_000);
        for number in [2, 3, 8] {
            let plan = Plan::new(12_000, 1, set, threads(number)).unwrap();
            assert!(product(&plan, &a, &b) == expected, "{set} {number}");
            let plan = Plan::modulo(7000, 1, set, threads(number)).unwrap();
            let expected = residue(&plan, integer(&a) * integer(&b));
            assert!(product(&plan, &a, &b) == expected, "{set} {number}");
        }
    }
}

/// One is added to a number of ones: the carry runs through every limb, tile, row and block.
#[test]
fn carries_run_through_the_whole_number() {
    for set in InstructionSet::available() {
        for points in lengths(1 << 12) {
            for number in [1, 2] {
                let plan = Plan::new(points, 2, set, threads(number)).unwrap();
                let ones = vec![u64::MAX; points - 1];
                let mut expected = vec![0; points];
                expected[points - 1] = 1;
                let pairs: [(&[u64], &[u64]); 2] = [(&ones, &[1]), (&[1], &[1])];
                assert!(sum(&plan, &pairs, points) == expected, "{set} {points}");
                // And beyond the points.
                let plan = Plan::modulo(points, 2, set, threads(number)).unwrap();
                let ones = vec![u64::MAX; points];
                let mut expected = vec![0; points + 1];
                expected[points] = 1;
                let pairs: [(&[u64], &[u64]); 2] = [(&ones, &[1]), (&[1], &[1])];
                assert!(sum(&plan, &pairs, points + 1) == expected, "{set} {points}");
            }
        }
    }
}

/// Residues at both ends: `2^64n`, zero, one, and what borrows through every limb.
#[test]
fn modular_results_at_the_ends() {
    for set in InstructionSet::available() {
        for points in lengths(1 << 10) {
            let plan = Plan::modulo(points, 2, set, ONE).unwrap();
            let mut root = vec![0; points];
            root[points / 2] = 1;
            let mut minus_one = vec![0; points + 1];
            minus_one[points] = 1;
            let mut minus_two = vec![u64::MAX; points + 1];
            minus_two[points] = 0;
            let mut one = vec![0; points + 1];
            one[0] = 1;
            let pair = (root.as_slice(), root.as_slice());
            assert!(
                sum(&plan, &[pair], points + 1) == minus_one,
                "{set} {points}"
            );
            assert!(
                sum(&plan, &[pair, pair], points + 1) == minus_two,
                "{set} {points}"
            );
            let unit = ([1].as_slice(), [1].as_slice());
            let zero = vec![0; points + 1];
            assert!(
                sum(&plan, &[pair, unit], points + 1) == zero,
                "{set} {points}"
            );
            let two = ([2].as_slice(), [1].as_slice());
            assert!(
                sum(&plan, &[pair, two], points + 1) == one,
                "{set} {points}"
            );
        }
    }
}

/// Every coefficient's largest values, as many times as both sets of primes allow.
#[test]
fn the_longest_sums_are_exact() {
    for set in InstructionSet::available() {
        for (sums, modular) in [(511, false), (32_767, false), (127, true), (8191, true)] {
            let (plan, n) = if modular {
                (Plan::modulo(256, sums, set, ONE).unwrap(), 256)
            } else {
                (Plan::new(256, sums, set, ONE).unwrap(), 128)
            };
            let ones = vec![u64::MAX; n];
            let (mut x, mut total) = (plan.spectrum(), plan.spectrum());
            plan.forward(&ones, &mut x).unwrap();
            for _ in 0..sums {
                plan.multiply_add(&mut total, &x, &x).unwrap();
            }
            let exact = integer(&ones).square() * sums as u64;
            let refusal = plan.multiply_add(&mut total, &x, &x);
            let terms = (sums + 1) as u64 * n as u64;
            let most = plan.capacity();
            assert_eq!(refusal, Err(PrimesError::TooManyTerms { terms, most }));
            let mut out = vec![0; 257];
            plan.inverse(&mut total, &mut out).unwrap();
            let expected = if modular {
                residue(&plan, exact)
            } else {
                limbs(&exact, 257)
            };
            assert!(out == expected, "{set} {sums} {modular}");
        }
    }
}

#[test]
fn kept_spectra_and_their_copies_serve_again() {
    for set in InstructionSet::available() {
        let plan = Plan::new(300, 2, set, ONE).unwrap();
        let (a, b) = (random(100, 1), random(200, 2));
        let (mut x, mut y, mut total) = (plan.spectrum(), plan.spectrum(), plan.spectrum());
        plan.forward(&a, &mut x).unwrap();
        plan.forward(&b, &mut y).unwrap();
        let copy = x.clone();
        for x in [&x, &copy, &x] {
            // The sum is empty again after each inverse.
            plan.multiply_add(&mut total, x, &y).unwrap();
            plan.multiply_add(&mut total, x, x).unwrap();
            let mut out = vec![0; 300];
            plan.inverse(&mut total, &mut out).unwrap();
            let (a, b) = (integer(&a), integer(&b));
            assert_eq!(out, limbs(&(&a * b + a.clone().square()), 300));
        }
        // A part of the product is its lowest limbs, and there is nothing above it.
        for length in [0, 1, 7, 50, 299, 301, 600, 900] {
            plan.multiply_add(&mut total, &x, &y).unwrap();
            let mut out = vec![1; length];
            plan.inverse(&mut total, &mut out).unwrap();
            let mut expected = schoolbook(&a, &b);
            expected.resize(length, 0);
            assert_eq!(out, expected, "{length}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let set = InstructionSet::Scalar;
    let most = MOST_LIMBS;
    for limbs in [0, MOST_LIMBS + 1, usize::MAX] {
        let refusal = PrimesError::UnsupportedLength { limbs, most };
        assert_eq!(Plan::new(limbs, 1, set, ONE).unwrap_err(), refusal);
        assert_eq!(Plan::modulo(limbs, 1, set, ONE).unwrap_err(), refusal);
    }
    for (limbs, sums, most) in [
        (256, 32_768, 32_767),
        (256, usize::MAX, 32_767),
        (MOST_LIMBS, 4, 3),
    ] {
        let refusal = PrimesError::TooManySums { sums, limbs, most };
        assert_eq!(Plan::new(limbs, sums, set, ONE).unwrap_err(), refusal);
    }
    let plan = Plan::new(128, 1, set, ONE).unwrap();
    let (mut x, mut sum) = (plan.spectrum(), plan.spectrum());
    let refusal = PrimesError::TooLong {
        limbs: 129,
        room: 128,
    };
    assert_eq!(plan.forward(&[1; 129], &mut x), Err(refusal));
    plan.forward(&[1; 65], &mut x).unwrap();
    let refusal = PrimesError::TooLong {
        limbs: 130,
        room: 128,
    };
    assert_eq!(plan.multiply_add(&mut sum, &x, &x), Err(refusal));
    let refusal = PrimesError::WrongContent {
        found: "nothing",
        expected: "an operand",
    };
    assert_eq!(
        plan.multiply_add(&mut plan.spectrum(), &sum, &x),
        Err(refusal)
    );
    let refusal = PrimesError::WrongContent {
        found: "an operand",
        expected: "a sum of products",
    };
    assert_eq!(plan.inverse(&mut x, &mut [0; 128]), Err(refusal));
    let other = Plan::modulo(128, 1, set, ONE).unwrap();
    assert_eq!(
        other.forward(&[1], &mut x),
        Err(PrimesError::ForeignSpectrum)
    );
    let mut out = [1; 129];
    other.inverse(&mut other.spectrum(), &mut out).unwrap();
    assert_eq!(out, [0; 129]);
    let refusal = PrimesError::OutputLength {
        limbs: 128,
        expected: 129,
    };
    assert_eq!(
        other.inverse(&mut other.spectrum(), &mut out[..128]),
        Err(refusal)
    );
}
