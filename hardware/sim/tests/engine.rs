//! Products of our circuit, beside GMP's.
#![cfg(feature = "whole")]

mod numbers;
mod random;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use bignum::paper::vectors::CASES;
use bignum::paper::{OPERAND_LIMBS, PRODUCT_LIMBS};
use blindcore_hardware::{Command, Engine, Flow, Lanes, Slot};
use numbers::{limbs, number, random};
use rug::Integer;

/// What a number has at most.
const BITS: u32 = 64 * OPERAND_LIMBS as u32;

/// Cycles of a product, and of a modular one: what we set out for.
fn aims(lanes: Lanes) -> (usize, usize) {
    match lanes {
        Lanes::Sixteen => (25_000, 75_000),
        Lanes::ThirtyTwo => (12_600, 37_500),
        Lanes::SixtyFour => (6_500, 20_000),
    }
}

fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    limbs(&(number(a) * number(b)), PRODUCT_LIMBS)
}

/// A modulus of 786,430 bits at most, and what slots keep for it.
fn modulus(seed: u64) -> (Integer, Vec<u64>, Vec<u64>) {
    let n = (number(&random(seed, OPERAND_LIMBS)) >> 2u32) | Integer::from(1);
    let whole = Integer::from(1) << BITS;
    let inverse = Integer::from(n.invert_ref(&whole).unwrap());
    let kept = limbs(&(whole - inverse), OPERAND_LIMBS);
    let its = limbs(&n, OPERAND_LIMBS);
    (n, kept, its)
}

#[test]
fn the_vectors() {
    for lanes in Lanes::ALL {
        let mut circuit = Engine::new(lanes);
        for case in CASES {
            let [a, b] = case.operands();
            let found = circuit.run(Command::Multiply, &a, &b);
            assert!(found.limbs == product(&a, &b), "{lanes:?}, {}", case.name);
            println!("{lanes:?}, {}: {} cycles", case.name, found.cycles);
            if !found.decided {
                assert!(found.cycles <= aims(lanes).0, "{} cycles", found.cycles);
            }
        }
    }
}

#[test]
fn every_command() {
    for lanes in Lanes::ALL {
        let mut circuit = Engine::new(lanes);
        let [a, b] = [1, 2].map(|seed| random(seed, OPERAND_LIMBS));
        let (n, kept, its) = modulus(3);
        let square = circuit.run(Command::Square, &a, &b);
        assert!(square.limbs == product(&a, &a), "{lanes:?}: square");

        circuit.run(Command::Keep(Slot::One), &b, &[]);
        circuit.run(Command::Keep(Slot::Zero), &a, &[]);
        circuit.reset();
        let found = circuit.run(Command::Kept(Slot::One), &a, &[]);
        assert!(found.limbs == product(&a, &b), "{lanes:?}: kept in one");
        let found = circuit.run(Command::Kept(Slot::Zero), &its, &a);
        assert!(found.limbs == product(&a, &its), "{lanes:?}: kept in zero");
        let found = circuit.run(Command::BothKept, &[], &[]);
        assert!(found.limbs == product(&a, &b), "{lanes:?}: both kept");
        println!("{lanes:?}: both kept, {} cycles", found.cycles);

        circuit.run(Command::Keep(Slot::Zero), &kept, &[]);
        let keeping = circuit.run(Command::Keep(Slot::One), &its, &[]);
        println!("{lanes:?}: keep, {} cycles", keeping.cycles);
        // Residues below 2 n are as good as those below n.
        let [x, y] = [&a, &b].map(|limbs_of| number(limbs_of) % (Integer::from(2) * &n));
        let [x_limbs, y_limbs] = [&x, &y].map(|residue| limbs(residue, OPERAND_LIMBS));
        for (command, right) in [
            (Command::Modular, Integer::from(&x * &y)),
            (Command::ModularSquare, Integer::from(&x * &x)),
        ] {
            let found = circuit.run(command, &x_limbs, &y_limbs);
            let result = number(&found.limbs);
            assert!(
                !found.wrong && result < Integer::from(2) * &n,
                "{lanes:?}: {command:?}"
            );
            assert!(
                ((result << BITS) - right).is_divisible(&n),
                "{lanes:?}: {command:?}"
            );
            println!("{lanes:?}: {command:?}, {} cycles", found.cycles);
            assert!(found.cycles <= aims(lanes).1, "{} cycles", found.cycles);
        }

        // So is a modulus that is too large for its operands, and so are their results.
        let whole = Integer::from(1) << BITS;
        let most = Integer::from(&whole - 1u32);
        let inverse = &whole - Integer::from(most.invert_ref(&whole).unwrap());
        circuit.run(
            Command::Keep(Slot::Zero),
            &limbs(&inverse, OPERAND_LIMBS),
            &[],
        );
        circuit.run(Command::Keep(Slot::One), &limbs(&most, OPERAND_LIMBS), &[]);
        let largest = vec![u64::MAX; OPERAND_LIMBS];
        for (a, b) in [(&largest, &largest), (&a, &largest), (&a, &b)] {
            let found = circuit.run(Command::Modular, a, b);
            let t = number(a) * number(b);
            let m = (Integer::from(&t * &inverse)).keep_bits(BITS);
            let result = (t + m * &most) >> BITS;
            assert_eq!(found.wrong, result >= whole, "{lanes:?}");
            assert!(number(&found.limbs) == result.keep_bits(BITS), "{lanes:?}");
        }

        // Slots that do not belong together are noticed.
        circuit.run(Command::Keep(Slot::Zero), &its, &[]);
        assert!(circuit.run(Command::Modular, &x_limbs, &y_limbs).wrong);
        assert!(!circuit.run(Command::Square, &x_limbs, &[]).wrong);
    }
}

#[test]
fn products_of_every_shape_with_pauses() {
    let full = OPERAND_LIMBS;
    let one_bit = |at: usize| {
        let mut number = vec![0; full];
        number[at / 64] = 1 << (at % 64);
        number
    };
    let shapes = [
        (vec![], random(1, full)),
        (vec![1], vec![u64::MAX; full]),
        // Carries run through all of the upper half.
        (vec![u64::MAX; full], vec![u64::MAX; full]),
        (one_bit(64 * full - 1), one_bit(64 * full - 1)),
        (one_bit(12_345), random(2, full)),
        // All ones but for the lowest segments.
        (
            limbs(&((Integer::from(1) << (BITS - 1)) - 1u32), full),
            limbs(&((Integer::from(1) << 100_000u32) + 1u32), full),
        ),
    ];
    for lanes in Lanes::ALL {
        let mut circuit = Engine::new(lanes);
        let mut coins = random(7, 1 << 18).into_iter().cycle();
        let mut decided = 0;
        for (at, (a, b)) in shapes.iter().enumerate() {
            let mut flow = || {
                let coin = coins.next().unwrap_or(0);
                Flow {
                    offers: coin & 3 != 0,
                    takes: coin >> 2 & 3 != 0,
                }
            };
            let found = circuit.run_with(Command::Multiply, a, b, &mut flow);
            assert!(found.limbs == product(a, b), "{lanes:?}, shape {at}");
            decided += usize::from(found.decided);
        }
        println!("{lanes:?}: carries decided {decided} times");
        assert!(decided > 0);
    }
}

#[test]
fn a_modular_product_with_pauses() {
    for lanes in Lanes::ALL {
        let mut circuit = Engine::new(lanes);
        let (n, kept, its) = modulus(4);
        let mut coins = random(8, 1 << 18).into_iter().cycle();
        let mut flow = || Flow {
            offers: coins.next().is_some_and(|coin| coin & 1 == 0),
            takes: coins.next().is_some_and(|coin| coin & 3 == 0),
        };
        circuit.run_with(Command::Keep(Slot::Zero), &kept, &[], &mut flow);
        circuit.run_with(Command::Keep(Slot::One), &its, &[], &mut flow);
        // n - 1 squared is 1; the largest that are allowed.
        let largest = Integer::from(2) * &n - 1u32;
        for (x, y) in [
            (Integer::from(&n - 1u32), Integer::from(&n - 1u32)),
            (largest.clone(), largest),
            (Integer::new(), Integer::from(1)),
        ] {
            let [a, b] = [&x, &y].map(|residue| limbs(residue, OPERAND_LIMBS));
            let found = circuit.run_with(Command::Modular, &a, &b, &mut flow);
            let result = number(&found.limbs);
            assert!(!found.wrong && result < Integer::from(2) * &n);
            assert!(((result << BITS) - x * y).is_divisible(&n), "{lanes:?}");
        }
    }
}

#[test]
fn a_reset_forgets_what_was_begun() {
    for lanes in Lanes::ALL {
        let mut circuit = Engine::new(lanes);
        let [a, b] = [8, 9].map(|seed| random(seed, OPERAND_LIMBS));
        let expected = product(&a, &b);
        // While rows come in, in a forward stage, in an inverse one, while rows leave.
        for part in [1, 40, 70, 90] {
            circuit.begin(Command::Multiply, &a, aims(lanes).0 * part / 100);
            circuit.reset();
            let found = circuit.run(Command::Multiply, &a, &b);
            assert!(found.limbs == expected, "{lanes:?}: reset after {part} %");
        }
    }
}

#[test]
fn a_thousand_random_products() {
    let next = AtomicU64::new(0);
    let at_work = || {
        let mut circuit = Engine::new(Lanes::SixtyFour);
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= 1000 {
                break;
            }
            let [a, b] = [2 * seed, 2 * seed + 1].map(|seed| random(seed, OPERAND_LIMBS));
            let found = circuit.run(Command::Multiply, &a, &b);
            assert!(found.limbs == product(&a, &b), "seed {seed}");
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(at_work);
        }
    });
}
