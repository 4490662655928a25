//! Whole products: every memory after every stage, pauses on both sides, GMP.

mod numbers;
mod random;

use bignum::paper::vectors::CASES;
use bignum::paper::{OPERAND_LIMBS, POINTS, PRODUCT_LIMBS};
use blindcore_hardware::{Flow, Multiplier};
use numbers::{limbs, number, random};

/// The paper's: 4,096 to load, eight stages of 4,119, 4,098 to read.
const PAPER_S_CYCLES: usize = 41_146;

const ALWAYS: Flow = Flow {
    offers: true,
    takes: true,
};

fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    limbs(&(number(a) * number(b)), PRODUCT_LIMBS)
}

#[test]
fn every_stage_of_the_vectors() {
    let mut circuit = Multiplier::new();
    for case in CASES {
        let [a, b] = case.operands();
        let trace = case.trace().unwrap();
        let mut stages = Vec::new();
        let found = circuit.multiply_watched(
            &a,
            &b,
            || ALWAYS,
            |circuit, stage| {
                let memory = |processor| {
                    (0..POINTS)
                        .map(|at| circuit.word(processor, at))
                        .collect::<Vec<_>>()
                };
                stages.push(stage);
                match stage {
                    0..3 => {
                        assert!(
                            memory(0) == trace.operands[0].stages[stage],
                            "{}: a, {stage}",
                            case.name
                        );
                        assert!(
                            memory(1) == trace.operands[1].stages[stage],
                            "{}: b, {stage}",
                            case.name
                        );
                    }
                    3 => {
                        // The first one's last stage is multiplied by the second's at once.
                        assert!(
                            memory(0) == trace.product,
                            "{}: component product",
                            case.name
                        );
                        assert!(
                            memory(1) == trace.operands[1].stages[3],
                            "{}: b, {stage}",
                            case.name
                        );
                    }
                    _ => assert!(
                        memory(0) == trace.inverse[stage - 4],
                        "{}: inverse, {stage}",
                        case.name
                    ),
                }
            },
        );
        assert_eq!(stages, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(found.limbs == trace.limbs(), "{}", case.name);
        assert!(found.limbs == product(&a, &b), "{}", case.name);
        println!("{}: {} cycles", case.name, found.cycles);
        assert!(found.cycles <= PAPER_S_CYCLES, "{} cycles", found.cycles);
    }
}

#[test]
fn products_of_every_shape_with_pauses() {
    let mut circuit = Multiplier::new();
    let full = OPERAND_LIMBS;
    let one_bit = |at: usize| {
        let mut number = vec![0; full];
        number[at / 64] = 1 << (at % 64);
        number
    };
    let shapes = [
        (vec![], random(1, full)),
        (vec![1], vec![u64::MAX; full]),
        (one_bit(64 * full - 1), one_bit(64 * full - 1)),
        (one_bit(12_345), random(2, full)),
        (random(3, 1), random(4, full)),
        (random(5, full), random(6, full)),
    ];
    let mut coins = random(7, 1 << 18).into_iter().cycle();
    for (at, (a, b)) in shapes.into_iter().enumerate() {
        let mut flow = || {
            let coin = coins.next().unwrap_or(0);
            Flow {
                offers: coin & 3 != 0,
                takes: coin >> 2 & 3 != 0,
            }
        };
        let found = circuit.multiply_watched(&a, &b, &mut flow, |_, _| ());
        assert!(found.limbs == product(&a, &b), "shape {at}");
    }
}

#[test]
fn a_reset_forgets_what_was_begun() {
    let mut circuit = Multiplier::new();
    let (a, b) = (random(8, OPERAND_LIMBS), random(9, OPERAND_LIMBS));
    let expected = product(&a, &b);
    // While rows come in, in a forward stage, in an inverse one, while rows leave.
    for cycles in [1_234, 10_000, 30_001, 38_000] {
        circuit.begin(&a, cycles);
        circuit.reset();
        assert!(
            circuit.multiply(&a, &b).limbs == expected,
            "reset after {cycles} cycles"
        );
    }
}

#[cfg(feature = "whole")]
#[test]
fn random_products() {
    let mut circuit = Multiplier::new();
    for seed in 0..100 {
        let (a, b) = (
            random(2 * seed, OPERAND_LIMBS),
            random(2 * seed + 1, OPERAND_LIMBS),
        );
        let found = circuit.multiply(&a, &b);
        assert!(found.limbs == product(&a, &b), "seed {seed}");
    }
}
