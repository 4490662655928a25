//! Units against the golden model, with random operands and those that carry fear.

mod random;

use std::collections::VecDeque;

use bignum::paper::carries::Unit;
use bignum::paper::field::{PRIME, multiply, power};
use bignum::paper::stages::{Direction, radix_16};
use blindcore_hardware::{CarryUnit, Multiply, Normalize, Radix4, Radix16, Sum16, TurnedResidue};
use random::Random;
use rug::Integer;
use rug::integer::Order;

impl Random {
    /// One of the edges, one time in two.
    fn near(&mut self, edges: &[u64]) -> u64 {
        let random = self.word();
        match random & 1 {
            0 => self.word(),
            _ => edges[(random >> 1) as usize % edges.len()],
        }
    }

    fn residue(&mut self) -> u64 {
        self.near(&[
            0,
            1,
            PRIME - 1,
            PRIME - 2,
            1 << 32,
            (1 << 32) - 1,
            PRIME - (1 << 32),
        ]) % PRIME
    }
}

/// Feeds a pipeline, and compares what comes out with what was expected of what went in.
fn pipeline<T: PartialEq + std::fmt::Debug>(
    latency: usize,
    count: usize,
    mut cycle: impl FnMut() -> (T, T),
) {
    let mut expected = VecDeque::new();
    for at in 0..count + latency {
        let (found, wanted) = cycle();
        if at >= latency {
            assert_eq!(Some(found), expected.pop_front(), "after {at} cycles");
        }
        expected.push_back(wanted);
    }
}

#[test]
fn products_modulo_the_prime() {
    let (mut unit, mut random) = (Multiply::new(), Random(1));
    pipeline(Multiply::LATENCY, 200_000, || {
        let (a, b) = (random.residue(), random.residue());
        (unit.cycle(a, b), multiply(a, b))
    });
    // Any words, too, although the circuit has residues only.
    let edges = [u64::MAX, PRIME, PRIME + 1, 0, 1];
    pipeline(Multiply::LATENCY, 200_000, || {
        let (a, b) = (random.near(&edges), random.near(&edges));
        let product = u128::from(a) * u128::from(b) % u128::from(PRIME);
        (unit.cycle(a, b), product as u64)
    });
}

#[test]
fn residues_of_192_bits() {
    let (mut unit, mut random) = (Normalize::new(), Random(2));
    let edges = [0, u64::MAX, 0xFFFF_FFFF, 0xFFFF_FFFF_0000_0000, 1, 1 << 32];
    pipeline(Normalize::LATENCY, 200_000, || {
        let x = [0; 3].map(|_| random.near(&edges));
        let modulo = |high: u64, low: u64| {
            ((u128::from(high) << 64 | u128::from(low)) % u128::from(PRIME)) as u64
        };
        let residue = modulo(modulo(x[2] % PRIME, x[1]), x[0]);
        (unit.cycle(&x), residue)
    });
}

#[test]
fn sums_of_sixteen_rows() {
    let (mut unit, mut random) = (Sum16::new(), Random(5));
    let modulus = (Integer::from(1) << 192_u32) - 1_u32;
    let number = |row: &[u64; 3]| Integer::from_digits(row, Order::Lsf);
    // Zero may come as the modulus.
    pipeline(Sum16::LATENCY, 20_000, || {
        let edge = random.near(&[0, u64::MAX]);
        let rows = [0; 16].map(|_| [0; 3].map(|_| random.near(&[edge, 0, u64::MAX, 1, 1 << 63])));
        let sum: Integer = rows.iter().map(number).sum();
        (number(&unit.cycle(&rows)) % &modulus, sum % &modulus)
    });
}

#[test]
fn transforms_of_four_points() {
    let (mut unit, mut random) = (Radix4::new(), Random(6));
    // The direction is the whole stage's.
    for inverse in [false, true] {
        pipeline(Radix4::LATENCY, 100_000, || {
            let x = [0; 4].map(|_| random.residue());
            let expected = [0, 1, 2, 3].map(|d| {
                let turned = x.iter().zip([0, 1, 2, 3]).map(|(&x, b)| {
                    let turn = 48 * b * d % 192;
                    let turn = if inverse { 192 - turn } else { turn };
                    u128::from(multiply(x, power(2, turn)))
                });
                (turned.sum::<u128>() % u128::from(PRIME)) as u64
            });
            let found = unit.cycle(inverse, &x);
            (found.map(|y| (y % u128::from(PRIME)) as u64), expected)
        });
    }
}

#[test]
fn residues_of_turned_numbers() {
    let (mut unit, mut random) = (TurnedResidue::new(), Random(7));
    let edges = [0, u64::MAX, 0xFFFF_FFFF, PRIME, 1];
    pipeline(TurnedResidue::LATENCY, 200_000, || {
        let high = random.near(&edges) & ((1 << 50) - 1);
        let x = u128::from(high) << 64 | u128::from(random.near(&edges));
        let (turn, scale) = ((random.word() % 64) as u8, random.word() & 1 == 1);
        let bits = 3 * u64::from(turn) + if scale { 192 - 16 } else { 0 };
        let expected = multiply((x % u128::from(PRIME)) as u64, power(2, bits));
        (unit.cycle(turn, scale, x), expected)
    });
}

#[test]
fn transforms_of_sixteen_points() {
    let (mut unit, mut random) = (Radix16::new(), Random(3));
    pipeline(Radix16::LATENCY, 20_000, || {
        let x = [0; 16].map(|_| random.residue());
        let (inverse, turned) = (random.word() & 1 == 1, random.word() & 1 == 1);
        let direction = if inverse {
            Direction::Inverse
        } else {
            Direction::Forward
        };
        let mut expected = radix_16(direction, &x);
        if inverse && turned {
            for (k, y) in expected.iter_mut().enumerate() {
                *y = multiply(*y, power(2, (192 - 12 * k as u64) % 192));
            }
        }
        (unit.cycle(inverse, turned, &x), expected)
    });
}

#[test]
fn carries_with_pauses() {
    let (mut unit, mut random) = (CarryUnit::new(), Random(4));
    let edges = [0, 0xFF_FFFF, u64::MAX, 1 << 24, 0xFF_FFFE];
    for _ in 0..200 {
        let mut golden = Unit::default();
        unit.cycle(true, false, false, &[0; 16]);
        let mut on_their_way = VecDeque::new();
        let mut given = None;
        for _ in 0..100 {
            let sums = [0; 16].map(|_| random.near(&edges));
            let moves = random.word() % 4 > 0;
            let full = !on_their_way.is_empty();
            let found = unit.cycle(false, moves, moves && full, &sums);
            if let Some(digits) = given.take() {
                assert_eq!(found, digits);
                given = Some(digits);
            }
            if moves {
                on_their_way.push_back(golden.step(&sums).digits);
                if full {
                    given = on_their_way.pop_front();
                }
            }
        }
    }
}
