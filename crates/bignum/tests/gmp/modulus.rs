//! Residues modulo a fixed number.

use blindcore_bignum::{Error, Modulus, Montgomery, Options, Route};
use rug::Integer;

use super::operands::{Kind, gmp, limbs, numbers};

/// Moduli of a length: random with and without its top bit, near the ends of what the length holds,
/// even.
fn moduli(n: usize) -> Vec<(&'static str, Vec<u64>)> {
    let mut random = numbers(6, n);
    random[0] |= 1;
    let mut low = random.clone();
    low[n - 1] = 1;
    let mut high = random.clone();
    high[n - 1] |= 1 << 63;
    let mut power = vec![0; n];
    power[n - 1] = 1 << 63;
    let mut above = power.clone();
    above[0] |= 1;
    let mut small = vec![0; n];
    small[n - 1] = 1;
    vec![
        ("random", random),
        ("low top", low),
        ("high top", high),
        ("ones", vec![u64::MAX; n]),
        ("power", power),
        ("power and one", above),
        ("one and zeros", small),
    ]
}

#[test]
fn products_are_residues() {
    for n in [1, 2, 3, 17, 40, 130, 190, 384, 1000] {
        for (name, d) in moduli(n) {
            let options = Options {
                sums: 3,
                ..Options::default()
            };
            let modulus = Modulus::new(&d, options).unwrap();
            let big = gmp(&d);
            for first in Kind::ALL {
                let (a, b) = (first.operand(2, n), numbers(3, n));
                let what = format!("{first:?} modulo {name} of {n} limbs");
                let expected = limbs(&(gmp(&a) * gmp(&b) % &big), n);
                let mut found = vec![1; n];
                modulus.multiply(&mut found, &a, &b).unwrap();
                assert!(found == expected, "{what}");
                let (kept, other) = (modulus.keep(&a).unwrap(), modulus.keep(&b).unwrap());
                modulus.multiply_kept(&mut found, &kept, &b).unwrap();
                assert!(found == expected, "{what}, one kept");
                modulus.multiply_kept(&mut found, &kept, &other).unwrap();
                assert!(found == expected, "{what}, both kept");
                modulus
                    .sum_of_products(&mut found, &[(&kept, &other); 3])
                    .unwrap();
                let expected = limbs(&(gmp(&a) * gmp(&b) * 3u32 % &big), n);
                assert!(found == expected, "{what}, sum");
                modulus.multiply(&mut found, &[], &b).unwrap();
                assert!(found.iter().all(|&limb| limb == 0), "{what}, nothing");
                let short = modulus.keep(&a[..n / 2]).unwrap();
                modulus.multiply_kept(&mut found, &short, &b).unwrap();
                let expected = limbs(&(gmp(&a[..n / 2]) * gmp(&b) % &big), n);
                assert!(found == expected, "{what}, half");
                modulus.square(&mut found, &a).unwrap();
                assert!(
                    found == limbs(&(gmp(&a).square() % &big), n),
                    "{what}, square"
                );
                for length in [0, 1, n, 2 * n, 2 * n + 1, 5 * n + 2] {
                    let wide = first.operand(4, length);
                    modulus.reduce(&mut found, &wide).unwrap();
                    assert!(
                        found == limbs(&(gmp(&wide) % &big), n),
                        "{what}, {length} limbs"
                    );
                }
            }
        }
    }
}

/// `d² − 1`, and what else is just below and above multiples of the modulus.
#[test]
fn multiples_and_their_neighbours() {
    for n in [1, 5, 130, 500] {
        for (name, d) in moduli(n) {
            let modulus = Modulus::new(&d, Options::default()).unwrap();
            let big = gmp(&d);
            for factor in [
                gmp(&d),
                Integer::from(&big - 1u32),
                gmp(&numbers(5, n)) % &big,
            ] {
                for near in [-2, -1, 0, 1] {
                    let wide: Integer = Integer::from(&factor * &big) + near;
                    if wide < 0 {
                        continue;
                    }
                    let mut found = vec![1; n];
                    modulus
                        .reduce(&mut found, &limbs(&wide, 2 * n + 1))
                        .unwrap();
                    assert!(found == limbs(&(wide % &big), n), "{name} {n} {near}");
                }
            }
        }
    }
}

#[test]
fn sums_and_inverses() {
    for n in [1, 4, 100] {
        for (name, d) in moduli(n) {
            let modulus = Modulus::new(&d, Options::default()).unwrap();
            let big = gmp(&d);
            let (a, b) = (gmp(&numbers(1, n)) % &big, gmp(&numbers(2, n)) % &big);
            let (x, y) = (limbs(&a, n), limbs(&b, n));
            let mut found = vec![1; n];
            modulus.add(&mut found, &x, &y).unwrap();
            assert_eq!(gmp(&found), Integer::from(&a + &b) % &big, "{name} {n}");
            modulus.subtract(&mut found, &x, &y).unwrap();
            assert_eq!(
                gmp(&found),
                (Integer::from(&a - &b) + &big) % &big,
                "{name} {n}"
            );
            modulus.negate(&mut found, &x).unwrap();
            assert_eq!(gmp(&found), Integer::from(&big - &a) % &big, "{name} {n}");
            let inverse = modulus.invert_vartime(&x).unwrap();
            assert_eq!(
                inverse,
                a.invert(&big).ok().map(|inverse| limbs(&inverse, n)),
                "{name} {n}"
            );
        }
    }
}

#[test]
fn misuse_is_an_error() {
    let options = Options::default();
    assert_eq!(
        Modulus::new(&[0, 0], options).map(|_| ()),
        Err(Error::ZeroModulus)
    );
    let modulus = Modulus::new(&[7, 9], options).unwrap();
    let mut out = [0; 2];
    assert_eq!(
        modulus.multiply(&mut [0; 3], &[1], &[2]),
        Err(Error::OutputLength {
            needed: 2,
            given: 3
        })
    );
    assert_eq!(
        modulus.multiply(&mut out, &[1, 2, 3], &[2]),
        Err(Error::OperandLength {
            given: 3,
            largest: 2
        })
    );
    assert_eq!(
        modulus.add(&mut out, &[7, 9], &[0, 0]),
        Err(Error::NotReduced)
    );
    assert_eq!(modulus.negate(&mut out, &[8, 9]), Err(Error::NotReduced));
    assert_eq!(
        modulus.subtract(&mut out, &[1], &[0, 0]),
        Err(Error::OperandLength {
            given: 1,
            largest: 2
        })
    );
    assert_eq!(
        modulus.keep(&[1; 3]).map(|_| ()),
        Err(Error::OperandLength {
            given: 3,
            largest: 2
        })
    );
    let kept = modulus.keep(&[1]).unwrap();
    assert_eq!(
        modulus.sum_of_products(&mut out, &[(&kept, &kept); 2]),
        Err(Error::TooManyProducts {
            given: 2,
            planned: 1
        })
    );
}

#[test]
#[ignore = "slow: 2 s"]
fn montgomery_products() {
    for n in [1, 2, 40, 127, 128, 129, 384, 1000] {
        for (name, mut d) in moduli(n) {
            d[0] |= 1;
            for route in [Route::Automatic, Route::Exact, Route::Float] {
                let options = Options {
                    route,
                    ..Options::default()
                };
                let montgomery = Montgomery::new(&d, options).unwrap();
                let big = gmp(&d);
                for kind in Kind::ALL {
                    let (a, b) = (gmp(&kind.operand(2, n)) % &big, gmp(&numbers(3, n)) % &big);
                    let what = format!("{route}: {kind:?} modulo {name} of {n} limbs");
                    let (mut x, mut y, mut product) = (vec![1; n], vec![1; n], vec![1; n]);
                    montgomery.enter(&mut x, &limbs(&a, n)).unwrap();
                    montgomery.enter(&mut y, &limbs(&b, n)).unwrap();
                    montgomery.multiply(&mut product, &x, &y).unwrap();
                    montgomery.leave(&mut x, &product).unwrap();
                    assert!(gmp(&x) == a * b % &big, "{what}");
                }
            }
        }
    }
    assert_eq!(
        Montgomery::new(&[4, 1], Options::default()).map(|_| ()),
        Err(Error::EvenModulus)
    );
    assert_eq!(
        Montgomery::new(&[0], Options::default()).map(|_| ()),
        Err(Error::ZeroModulus)
    );
}

#[test]
#[ignore = "moduli of 786,432 bits, 5 seconds"]
fn the_largest_modulus_of_the_paper() {
    let n = 12_288;
    for (name, d) in moduli(n) {
        let options = Options {
            sums: 8,
            ..Options::default()
        };
        let modulus = Modulus::new(&d, options).unwrap();
        let big = gmp(&d);
        for kind in Kind::ALL {
            let (a, b) = (kind.operand(2, n), numbers(3, n));
            let product = gmp(&a) * gmp(&b);
            let mut found = vec![1; n];
            modulus.multiply(&mut found, &a, &b).unwrap();
            assert!(
                found == limbs(&Integer::from(&product % &big), n),
                "{kind:?} modulo {name}"
            );
            let (x, y) = (modulus.keep(&a).unwrap(), modulus.keep(&b).unwrap());
            modulus.sum_of_products(&mut found, &[(&x, &y); 8]).unwrap();
            assert!(
                found == limbs(&(product * 8u32 % &big), n),
                "{kind:?} modulo {name}, sum"
            );
        }
    }
}
