//! Products of our circuit, beside GMP's.

mod random;

use bignum::paper::{OPERAND_LIMBS, PRODUCT_LIMBS};
use blindcore_hardware::{Command, Engine, Lanes};
use random::Random;
use rug::Integer;
use rug::integer::Order;

fn random(seed: u64, limbs: usize) -> Vec<u64> {
    let mut random = Random(seed);
    (0..limbs).map(|_| random.word()).collect()
}

fn number(limbs: &[u64]) -> Integer {
    Integer::from_digits(limbs, Order::Lsf)
}

fn limbs(number: &Integer, count: usize) -> Vec<u64> {
    let mut limbs = number.to_digits(Order::Lsf);
    limbs.resize(count, 0);
    limbs
}

fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    limbs(&(number(a) * number(b)), PRODUCT_LIMBS)
}

#[test]
fn a_product() {
    for lanes in Lanes::ALL {
        let mut circuit = Engine::new(lanes);
        let (a, b) = (random(1, OPERAND_LIMBS), random(2, OPERAND_LIMBS));
        let found = circuit.run(Command::Multiply, &a, &b);
        let right = product(&a, &b);
        println!("{lanes:?}: {} cycles, {:?}", found.cycles, found.decided);
        assert!(
            found.limbs == right,
            "{lanes:?} {:x?} {:x?}",
            &found.limbs[..8],
            &right[..8]
        );
    }
}
