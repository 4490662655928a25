//! Twiddle factors, at the places of the data that they multiply.
//!
//! Between two stages stands the root to the `16^s·(digit)·(the digits below)`. Forward and back
//! take the same factors, for the way back is a transform with the same root whose results are read
//! from the end.

use crate::torus::ntt::field::{PHI, multiply};
use crate::torus::ntt::limbs::word;

/// The paper's root: of order 65,536, its 4,096th power is `2^12`.
pub(super) const ROOT: u64 = 0x001d_bad3_d629_a262;

/// Factors `w` as words, and those of `φ·w`, which a prepared product wants too.
#[derive(Debug)]
pub(super) struct Factors {
    pub(super) plain: Vec<u64>,
    pub(super) shifted: Vec<u64>,
}

/// All of them: for digits times 4,096, times 256 and times 16 places.
#[derive(Debug)]
pub(super) struct Tables {
    /// 65,536 factors: `R^(k·m)` at `4096·k + m`.
    pub(super) whole: Factors,
    /// 4,096 factors: `R^(16·k·m)` at `256·k + m`.
    pub(super) block: Factors,
    /// 256 factors: `R^(256·k·m)` at `16·k + m`.
    pub(super) square: Factors,
}

impl Tables {
    pub(super) fn new() -> Self {
        let mut powers = vec![1];
        for at in 1..super::POINTS {
            powers.push(multiply(powers[at - 1], ROOT));
        }
        let factors = |places: usize| {
            let step = 4096 / places;
            let factor = |at: usize| powers[step * (at / places) * (at % places)];
            let all = || (0..16 * places).map(factor);
            Factors {
                plain: all().map(word).collect(),
                shifted: all().map(|w| word(multiply(w, PHI))).collect(),
            }
        };
        Self {
            whole: factors(4096),
            block: factors(256),
            square: factors(16),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torus::ntt::field::power;

    #[test]
    fn the_root_has_its_order_and_contains_shifts() {
        assert_eq!(power(ROOT, 4096), 1 << 12);
    }

    #[test]
    fn no_factor_has_both_least_limbs() {
        // Products by it could overflow.
        let tables = Tables::new();
        for factors in [&tables.whole, &tables.block, &tables.square] {
            let mut words = factors.plain.iter().chain(&factors.shifted);
            assert!(words.all(|&word| word != 0x8000_0000_8000_0000));
        }
    }
}
