//! Numbers as limbs, and GMP's.

use rug::Integer;
use rug::integer::Order;

use super::random::Random;

/// So many limbs.
pub(crate) fn random(seed: u64, limbs: usize) -> Vec<u64> {
    let mut random = Random(seed);
    (0..limbs).map(|_| random.word()).collect()
}

pub(crate) fn number(limbs: &[u64]) -> Integer {
    Integer::from_digits(limbs, Order::Lsf)
}

pub(crate) fn limbs(number: &Integer, count: usize) -> Vec<u64> {
    let mut limbs = number.to_digits(Order::Lsf);
    assert!(limbs.len() <= count, "{} limbs", limbs.len());
    limbs.resize(count, 0);
    limbs
}
