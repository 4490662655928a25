//! Products by every route, at every boundary between algorithms.

use blindcore_bignum::{Error, Kept, Multiplier, Options, Route};

use super::operands::{Kind, gmp, limbs, numbers};

fn by(route: Route, largest: usize, sums: usize) -> Multiplier {
    let options = Options {
        route,
        sums,
        ..Options::default()
    };
    Multiplier::new(largest, options).unwrap()
}

/// Every pair of kinds, of the given lengths.
fn check(multiplier: &Multiplier, n: usize, m: usize) {
    let route = multiplier.options().route;
    for first in Kind::ALL {
        for second in Kind::ALL {
            let (a, b) = (first.operand(n as u64, n), second.operand(m as u64 + 7, m));
            let expected = limbs(&(gmp(&a) * gmp(&b)), n + m);
            let mut found = vec![0x5555; n + m];
            multiplier.multiply(&mut found, &a, &b).unwrap();
            assert!(
                found == expected,
                "{route}: {first:?} {n} by {second:?} {m}"
            );
        }
        let a = first.operand(n as u64 + 3, n);
        let expected = limbs(&gmp(&a).square(), 2 * n);
        let mut found = vec![0xAAAA; 2 * n];
        multiplier.square(&mut found, &a).unwrap();
        assert!(found == expected, "{route}: square of {first:?} {n}");
    }
}

#[test]
fn every_small_length() {
    for route in [Route::Schoolbook, Route::Automatic] {
        let multiplier = by(route, 0, 1);
        for n in 0..72 {
            check(&multiplier, n, n);
            check(&multiplier, n, 72 - n);
        }
    }
}

#[test]
fn both_sides_of_every_threshold() {
    let automatic = by(Route::Automatic, 0, 1);
    for (_, threshold) in blindcore_bignum::thresholds() {
        if threshold > 10_000 {
            continue;
        }
        for n in [threshold - 1, threshold, threshold + 1] {
            check(&automatic, n, n);
        }
    }
    for (route, lengths) in [
        (Route::Karatsuba, [32, 33, 63, 65, 129, 700]),
        (Route::Toom, [599, 600, 601, 700, 1801, 2103]),
    ] {
        let multiplier = by(route, 0, 1);
        for n in lengths {
            check(&multiplier, n, n);
            check(&multiplier, n, n - 1);
        }
    }
}

#[test]
fn columns_of_every_length() {
    let options = Options {
        route: Route::Columns,
        ..Options::default()
    };
    let multiplier = match Multiplier::new(0, options) {
        Err(Error::Unavailable { .. }) => return println!("this machine has no columns"),
        made => made.unwrap(),
    };
    for n in (0..40).chain([255, 256, 257, 300, 513]) {
        check(&multiplier, n, n);
        check(&multiplier, n, n / 2 + 5);
        check(&multiplier, n, 600);
    }
}

#[test]
#[ignore = "products of 2^27 bits and more, 15 seconds"]
fn operands_of_two_to_the_26_bits_and_beyond_every_transform() {
    for (route, n) in [
        (Route::Automatic, 1 << 20),
        (Route::Float, 1 << 20),
        (Route::Exact, 1 << 20),
        (Route::Automatic, (1 << 20) + 1),
    ] {
        let multiplier = by(route, 0, 1);
        let (a, b) = (numbers(1, n), Kind::Ones.operand(2, n));
        let expected = limbs(&(gmp(&a) * gmp(&b)), 2 * n);
        let mut found = vec![1; 2 * n];
        multiplier.multiply(&mut found, &a, &b).unwrap();
        assert!(found == expected, "{route}: {n}");
    }
    let exact = by(Route::Exact, 0, 1);
    let n = (1 << 20) + 1;
    assert_eq!(
        exact.multiply(&mut vec![0; 2 * n], &vec![1; n], &vec![1; n]),
        Err(Error::Oversize {
            route: Route::Exact,
            limbs: 2 * n
        })
    );
}

#[test]
fn operands_of_different_lengths() {
    let automatic = by(Route::Automatic, 0, 1);
    for (n, m) in [
        (1, 3000),
        (30, 1000),
        (64, 333),
        (100, 901),
        (257, 5000),
        (1500, 1501),
        (700, 20_000),
    ] {
        check(&automatic, n, m);
    }
}

#[test]
fn kept_operands_and_sums() {
    for route in Route::ALL.iter().copied() {
        for (n, m) in [(20, 20), (200, 150), (1024, 1024)] {
            let multiplier = match Multiplier::new(
                n + m,
                Options {
                    route,
                    sums: 5,
                    ..Options::default()
                },
            ) {
                Err(Error::Unavailable { .. }) => continue,
                made => made.unwrap(),
            };
            let firsts: Vec<_> = Kind::ALL
                .iter()
                .map(|kind| kind.operand(5, n))
                .take(5)
                .collect();
            let seconds: Vec<_> = (0..5).map(|at| numbers(at, m)).collect();
            let kept: Vec<Kept> = firsts.iter().map(|a| multiplier.keep(a).unwrap()).collect();
            let others: Vec<Kept> = seconds
                .iter()
                .map(|b| multiplier.keep(b).unwrap())
                .collect();
            let mut sum = rug::Integer::new();
            for ((a, b), (x, y)) in kept.iter().zip(&others).zip(firsts.iter().zip(&seconds)) {
                let product = gmp(x) * gmp(y);
                let mut found = vec![1; n + m];
                multiplier.multiply_kept(&mut found, a, b).unwrap();
                assert_eq!(
                    found,
                    limbs(&product, n + m),
                    "{route}: {n} by {m}, both kept"
                );
                multiplier.multiply_kept(&mut found, a, y).unwrap();
                assert_eq!(
                    found,
                    limbs(&product, n + m),
                    "{route}: {n} by {m}, one kept"
                );
                sum += product;
            }
            let mut found = vec![1; n + m + 1];
            let pairs: Vec<_> = kept.iter().zip(&others).collect();
            multiplier.sum_of_products(&mut found, &pairs).unwrap();
            assert_eq!(found, limbs(&sum, n + m + 1), "{route}: {n} by {m}, sum");
            let pairs: Vec<_> = kept.iter().zip(&seconds).collect();
            multiplier.sum_of_products(&mut found, &pairs).unwrap();
            assert_eq!(
                found,
                limbs(&sum, n + m + 1),
                "{route}: {n} by {m}, sum with one kept"
            );
        }
    }
}

#[test]
fn misuse_is_an_error() {
    let (a, b) = ([1, 2, 3], [4, 5]);
    assert_eq!(
        blindcore_bignum::multiply(&mut [0; 4], &a, &b),
        Err(Error::OutputLength {
            needed: 5,
            given: 4
        })
    );
    assert_eq!(
        blindcore_bignum::square(&mut [0; 7], &a),
        Err(Error::OutputLength {
            needed: 6,
            given: 7
        })
    );
    let multiplier = by(Route::Automatic, 5, 2);
    assert_eq!(
        multiplier.keep(&[1; 6]).map(|_| ()),
        Err(Error::OperandLength {
            given: 6,
            largest: 5
        })
    );
    let kept = multiplier.keep(&a).unwrap();
    assert_eq!(
        multiplier.sum_of_products(&mut [0; 6], &[(&kept, &b[..]); 3]),
        Err(Error::TooManyProducts {
            given: 3,
            planned: 2
        })
    );
    assert_eq!(
        multiplier.sum_of_products(&mut [0; 5], &[(&kept, &b[..]); 2]),
        Err(Error::OutputLength {
            needed: 6,
            given: 5
        })
    );
    assert_eq!(
        multiplier.multiply_kept(&mut [0; 6], &kept, &[1u64, 2, 3][..]),
        Err(Error::OperandLength {
            given: 6,
            largest: 5
        })
    );
}
