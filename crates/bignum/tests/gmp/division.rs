//! Quotients and remainders.

use blindcore_bignum::{Error, divide};

use super::operands::{Kind, gmp, limbs};

fn check(a: &[u64], d: &[u64], what: &str) {
    let (mut quotient, mut remainder) = (vec![3; a.len()], vec![5; d.len()]);
    divide(&mut quotient, &mut remainder, a, d).unwrap();
    let (q, r) = gmp(a).div_rem(gmp(d));
    assert!(quotient == limbs(&q, a.len()), "{what}: quotient");
    assert!(remainder == limbs(&r, d.len()), "{what}: remainder");
}

#[test]
fn quotients_and_remainders() {
    for (n, m) in [
        (1, 1),
        (2, 1),
        (5, 2),
        (40, 7),
        (7, 40),
        (240, 120),
        (241, 119),
        (300, 121),
        (500, 130),
        (2000, 150),
        (901, 450),
        (1700, 800),
        (3000, 2600),
    ] {
        for first in Kind::ALL {
            for second in Kind::ALL {
                if second == Kind::Zero {
                    continue;
                }
                let (a, d) = (first.operand(n as u64, n), second.operand(m as u64 + 1, m));
                check(&a, &d, &format!("{first:?} {n} by {second:?} {m}"));
            }
        }
    }
}

#[test]
fn products_and_their_neighbours_divide_without_a_slip() {
    for (n, m) in [(130, 130), (400, 150), (700, 700)] {
        for kind in [Kind::Random, Kind::Ones, Kind::Chain, Kind::Power] {
            let (a, d) = (kind.operand(1, n), kind.operand(2, m));
            let product = gmp(&a) * gmp(&d);
            for near in [-1, 0, 1] {
                let number = rug::Integer::from(&product + near);
                check(
                    &limbs(&number, n + m + 1),
                    &d,
                    &format!("{kind:?} {n} {m} {near}"),
                );
            }
        }
    }
}

#[test]
fn zero_divides_nothing() {
    assert_eq!(
        divide(&mut [0; 2], &mut [0; 1], &[1, 2], &[0]),
        Err(Error::ZeroDivisor)
    );
    assert_eq!(
        divide(&mut [0; 1], &mut [0; 1], &[1, 2], &[1]),
        Err(Error::OutputLength {
            needed: 2,
            given: 1
        })
    );
}
