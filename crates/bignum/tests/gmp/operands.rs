//! Operands, and GMP's integers of them.

use rug::Integer;
use rug::integer::Order;

/// The kinds of operands that tests go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Random,
    /// Every bit set: every digit is the largest, and every carry goes all the way.
    Ones,
    /// A bit here and there.
    Sparse,
    /// One bit, at the top.
    Power,
    /// A long run of ones over a few bits: one carry at the bottom runs through all of it.
    Chain,
    Zero,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] = [
        Self::Random,
        Self::Ones,
        Self::Sparse,
        Self::Power,
        Self::Chain,
        Self::Zero,
    ];

    /// An operand of this kind.
    pub(crate) fn operand(self, seed: u64, length: usize) -> Vec<u64> {
        let mut limbs = vec![0; length];
        match self {
            Self::Random => limbs = numbers(seed, length),
            Self::Ones => limbs.fill(u64::MAX),
            Self::Sparse => {
                let mut next = 0;
                for step in numbers(seed, length.div_ceil(5)) {
                    if let Some(limb) = limbs.get_mut(next) {
                        *limb = 1 << (step % 64);
                    }
                    next += (step >> 8) as usize % 9 + 1;
                }
            }
            Self::Power => {
                if let Some(top) = limbs.last_mut() {
                    *top = 1 << (seed % 64);
                }
            }
            Self::Chain => {
                limbs.fill(u64::MAX);
                if let Some(first) = limbs.first_mut() {
                    *first = seed | 1;
                }
                if let Some(top) = limbs.last_mut() {
                    *top >>= 1;
                }
            }
            Self::Zero => {}
        }
        limbs
    }
}

/// Limbs that look random (splitmix64).
pub(crate) fn numbers(seed: u64, length: usize) -> Vec<u64> {
    let mut state = seed;
    std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    })
    .take(length)
    .collect()
}

/// The same number of GMP's.
pub(crate) fn gmp(a: &[u64]) -> Integer {
    Integer::from_digits(a, Order::Lsf)
}

/// Limbs of GMP's number, with zeros up to a length.
pub(crate) fn limbs(a: &Integer, length: usize) -> Vec<u64> {
    let mut limbs = a.to_digits(Order::Lsf);
    assert!(limbs.len() <= length);
    limbs.resize(length, 0);
    limbs
}
