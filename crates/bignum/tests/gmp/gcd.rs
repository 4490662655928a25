//! Greatest common divisors and inverses.

use blindcore_bignum::{Error, gcd_vartime, invert_vartime};
use rug::Integer;

use super::operands::{Kind, gmp, limbs, numbers};

#[test]
fn common_divisors() {
    for (n, m, common) in [
        (1, 1, 1),
        (3, 2, 1),
        (20, 20, 5),
        (79, 80, 3),
        (81, 81, 1),
        (160, 170, 40),
        (400, 390, 100),
        (1000, 300, 17),
        (1500, 1500, 700),
    ] {
        for kind in [Kind::Random, Kind::Sparse, Kind::Chain] {
            let divisor = gmp(&numbers(9, common));
            let a = &divisor * gmp(&kind.operand(1, n));
            let b = &divisor * gmp(&kind.operand(2, m));
            let found = gcd_vartime(&limbs(&a, n + common), &limbs(&b, m + common)).unwrap();
            assert!(gmp(&found) == a.gcd(&b), "{kind:?} {n} {m} {common}");
        }
    }
    assert_eq!(gcd_vartime(&[], &[0]), Ok(vec![]));
    assert_eq!(gcd_vartime(&[0, 6], &[0, 0, 0]), Ok(vec![0, 6]));
}

/// Consecutive Fibonacci numbers have the longest chain of quotients, all of them 1.
#[test]
fn fibonacci_numbers_have_no_common_divisor() {
    for index in [90, 100, 5_000, 60_000] {
        let (a, b) = Integer::from(Integer::fibonacci(index)).into_pair(index);
        assert_eq!(gcd_vartime(&a, &b), Ok(vec![1]), "{index}");
    }
}

trait IntoPair {
    fn into_pair(self, index: u32) -> (Vec<u64>, Vec<u64>);
}

impl IntoPair for Integer {
    fn into_pair(self, index: u32) -> (Vec<u64>, Vec<u64>) {
        let next = Integer::from(Integer::fibonacci(index + 1));
        let length = index as usize / 64 + 1;
        (limbs(&self, length), limbs(&next, length))
    }
}

#[test]
fn inverses() {
    for n in [1, 2, 3, 4, 30, 79, 80, 81, 100, 161, 333, 640, 1501] {
        for kind in [Kind::Random, Kind::Ones, Kind::Chain] {
            let mut d = kind.operand(4, n);
            d[0] |= 1;
            for other in [
                Kind::Random,
                Kind::Power,
                Kind::Sparse,
                Kind::Zero,
                Kind::Ones,
            ] {
                let a = other.operand(8, n);
                let expected = gmp(&a)
                    .invert(&gmp(&d))
                    .ok()
                    .map(|inverse| limbs(&inverse, n));
                let found = invert_vartime(&a, &d).unwrap();
                assert!(found == expected, "{other:?} modulo {kind:?} of {n} limbs");
            }
        }
    }
    assert_eq!(invert_vartime(&[5], &[0, 0]), Err(Error::ZeroModulus));
    assert_eq!(invert_vartime(&[5], &[1, 0]), Ok(Some(vec![0, 0])));
}

#[test]
#[ignore = "numbers of 786,432 bits, 3 seconds"]
fn inverses_of_the_largest_modulus() {
    let mut d = numbers(1, 12_288);
    d[0] |= 1;
    let a = numbers(2, 12_288);
    let expected = gmp(&a)
        .invert(&gmp(&d))
        .ok()
        .map(|inverse| limbs(&inverse, 12_288));
    let start = std::time::Instant::now();
    let found = invert_vartime(&a, &d).unwrap();
    println!("{:?}", start.elapsed());
    assert!(found == expected);
}
