//! Which elements of the big sets matter how much to a ciphertext: public numbers of p + 1 bits.
//!
//! The secret w is Σ x_i·R^(e_i) modulo d, so with y_ij = c·x_i·R^j mod d the sum of the y_i,e_i is
//! k·d + e, where e decrypts c. Recryption needs, for every i and j, the fraction y_ij/d rounded to
//! p bits, and the parity of y_ij.
//!
//! Instead of S steps of y ← y·R mod d, the private expansion of y_i0/d in base 2 is computed once,
//! to (S − 1)·log2 R + p + 65 bits: y_ij/d is the fractional part of R^j·y_i0/d, so its leading
//! bits are those of the expansion from bit j·log2 R on. And R^j·y_i0 = ⌊R^j·y_i0/d⌋·d + y_ij with
//! R even and d odd, so the parity of y_ij is that of the quotient: the bit just before (for j = 0,
//! the parity of y_i0 itself).
//!
//! An error of 2^-63 in the expansion changes a rounding only where y_ij/d is that close to the
//! middle between two, and both are then as good. Where y_ij/d is that close to 0, the quotient may
//! come out one too small and the fraction as 1 − ε, which rounds to 1: parity and units bit change
//! together, and only their sum is used.

use crate::{Error, Parameters, limbs};

/// What expansions need of d.
pub(crate) struct Expansion {
    parameters: Parameters,
    /// F: limbs of the fraction.
    fraction: usize,
    /// ⌊B^(N+F+1)/d⌋ in F + 2 limbs, B = 2^64.
    reciprocal: Vec<u64>,
}

impl Expansion {
    pub(crate) fn new(parameters: &Parameters, d: &[u64]) -> Result<Self, Error> {
        let bits =
            (parameters.set_size() - 1) * parameters.log_ratio() + parameters.precision() + 65;
        let fraction = bits.div_ceil(64);
        let mut power = vec![0; d.len() + fraction + 2];
        power[d.len() + fraction + 1] = 1;
        let (mut reciprocal, mut rest) = (vec![0; power.len()], vec![0; d.len()]);
        bignum::divide(&mut reciprocal, &mut rest, &power, d)?;
        reciprocal.truncate(fraction + 2);
        Ok(Self {
            parameters: *parameters,
            fraction,
            reciprocal,
        })
    }

    /// For each j < S: the fraction y·R^j/d rounded to p bits, with the units bit (weight 2^p)
    /// changed by the parity of y·R^j mod d.
    pub(crate) fn selectors(&self, y: &[u64]) -> Result<Vec<u8>, Error> {
        let (p, log_ratio) = (self.parameters.precision(), self.parameters.log_ratio());
        // The top F + 2 limbs of y, or all: what is cut off is below a unit of the last place.
        let top = &y[y.len().saturating_sub(self.fraction + 2)..];
        let mut product = vec![0; top.len() + self.reciprocal.len()];
        bignum::multiply(&mut product, top, &self.reciprocal)?;
        let expansion = &product[top.len() + 1..];
        let point = 64 * self.fraction;
        let selectors = (0..self.parameters.set_size()).map(|j| {
            let before = point - j * log_ratio;
            let parity = if j == 0 {
                y[0] & 1
            } else {
                limbs::window(expansion, before) & 1
            };
            let kept = limbs::window(expansion, before - (p + 1)) & ((1 << (p + 1)) - 1);
            let rounded = (kept >> 1) + (kept & 1);
            (rounded ^ parity << p) as u8
        });
        Ok(selectors.collect())
    }
}

#[cfg(test)]
mod tests {
    use random::Generator;

    use super::*;

    /// The definition: S steps of y ← y·R mod d, each fraction by a division.
    fn slowly(parameters: &Parameters, y: &[u64], d: &[u64]) -> Vec<u8> {
        let p = parameters.precision();
        let mut y = y.to_vec();
        let mut selectors = Vec::new();
        for _ in 0..parameters.set_size() {
            let scaled = limbs::shifted_left(&y, p + 1);
            let (mut quotient, mut rest) = (vec![0; scaled.len()], vec![0; d.len()]);
            bignum::divide(&mut quotient, &mut rest, &scaled, d).unwrap();
            let rounded = (quotient[0] >> 1) + (quotient[0] & 1);
            selectors.push((rounded ^ (y[0] & 1) << p) as u8);
            let shifted = limbs::shifted_left(&y, parameters.log_ratio());
            let mut quotient = vec![0; shifted.len()];
            bignum::divide(&mut quotient, &mut rest, &shifted, d).unwrap();
            y = rest;
        }
        selectors
    }

    #[test]
    fn one_expansion_says_what_all_the_steps_do() {
        let mut generator = Generator::from_key([1; 32]);
        for (set, length) in [
            (Parameters::TOY_32, 201),
            (Parameters::TOY_128, 802),
            (Parameters::BROKEN_512, 3058),
        ] {
            for top in [u64::MAX, 1, 0x1234_5678] {
                let mut d: Vec<_> = (0..length).map(|_| generator.uniform()).collect();
                d[0] |= 1;
                d[length - 1] = top;
                let mut y: Vec<_> = (0..length).map(|_| generator.uniform()).collect();
                y[length - 1] %= top;
                let expansion = Expansion::new(&set, &d).unwrap();
                assert_eq!(expansion.selectors(&y).unwrap(), slowly(&set, &y, &d));
            }
        }
    }

    #[test]
    fn nothing_selects_nothing() {
        let d = vec![u64::MAX; 201];
        let expansion = Expansion::new(&Parameters::TOY_32, &d).unwrap();
        assert_eq!(expansion.selectors(&[0; 201]).unwrap(), vec![0; 512]);
    }
}
