//! How noisy a ciphertext is, by a bound that needs no secret.
//!
//! # The quantity
//! A ciphertext c is the value a(r) modulo d of a short polynomial a = b + 2u. Its decryption is
//! right while the centred residue e of c·w stays below d/2, and e is one coefficient of a·w in
//! Z[x]/(x^n + 1): e = (1/n)·Σ a(ρ)·w(ρ)·ρ^i over the n complex roots ρ of x^n + 1, with w(ρ) =
//! d/v(ρ). So what grows under sums and products is the function ρ ↦ a(ρ), and its size is measured
//! by the root of the mean of
//! |a(ρ)|² over ρ, which is the Euclidean norm ‖a‖. The *margin*, log2(d/|e|), is then
//!
//! margin = M − log2‖a‖ with M = −½·log2((1/n²)·Σ 1/|v(ρ)|²),
//!
//! as deviates a sum of n terms of random phases. For t-bit coefficients |v(ρ)|² has the mean
//! n·4^t/12, so M is t + log2(n) − ½·log2(12) less something for the smallest of the |v(ρ)|. Key
//! generation draws again when that is more than [`KEY_TAIL`] bits.
//!
//! # How it grows
//! a(ρ) is a polynomial in the values at ρ of fresh noises, which are close to independent Gaussian
//! variables of mean square F = 1 + 4·noise. In that model, with P and Q of degrees k and l:
//!
//! - ‖P + Q‖ ≤ ‖P‖ + ‖Q‖ (Minkowski), whatever they have in common;
//! - ‖P·Q‖² ≤ C(k + l, k)·‖P‖²·‖Q‖² (from Bombieri's inequality for the norm k!·Σ α!/k!·|c_α|²,
//!   which the Gaussian mean is); equality is reached by powers of one variable, so squaring is
//!   covered, too;
//! - a recrypted bit has a norm that depends on the parameters alone: [`Noise::recrypted`].
//!
//! A [`Noise`] carries log2‖a‖ and the degree. It is a mean over keys and noises, so a bound has
//! [`TAIL`] bits more: |e| is a Gaussian variable in this model, and exceeds eight times its
//! deviation with probability 2^-49. Tests compare bounds with margins measured under the secret
//! key, on both sides.

use crate::{Error, Parameters};

/// Bits by which the smallest |v(ρ)| of a key may lower the margin of everything under it.
pub(crate) const KEY_TAIL: f64 = 3.0;
/// Bits between the deviation of |e| and what it practically never exceeds.
const TAIL: f64 = 3.0;
/// Bits by which recryption exceeds its mean square, practically never more: see
/// [`Noise::recrypted`].
const RECRYPTION_TAIL: f64 = 7.0;
/// The degree that a recrypted bit, whose tail is counted already, has in products.
const RECRYPTION_DEGREE: u32 = 4;
/// No degree beyond this is told apart: noise is exhausted long before.
const LARGEST_DEGREE: u32 = 1 << 20;
/// Deviations by which a binomial count may exceed its mean: 10^-9 for a fresh one.
const DEVIATIONS: f64 = 6.0;

/// An estimate of a ciphertext's noise: log2 of the norm of its polynomial, and the degree of that
/// as a polynomial in independent Gaussian variables. Public: it depends on what was computed only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    log2_norm: f64,
    degree: u32,
}

impl Noise {
    /// A constant, which has no noise.
    pub const CONSTANT: Self = Self {
        log2_norm: 0.0,
        degree: 0,
    };

    /// An estimate read from a file.
    ///
    /// # Errors
    /// [`Error::InvalidNoise`] unless 0 ≤ `log2_norm` ≤ 4096 and `degree` ≤ 2^20.
    pub fn from_parts(log2_norm: f64, degree: u32) -> Result<Self, Error> {
        if (0.0..=4096.0).contains(&log2_norm) && degree <= LARGEST_DEGREE {
            Ok(Self { log2_norm, degree })
        } else {
            Err(Error::InvalidNoise { log2_norm, degree })
        }
    }

    /// log2 of the norm, to be written to a file.
    #[must_use]
    pub fn log2_norm(self) -> f64 {
        self.log2_norm
    }

    /// The degree, to be written to a file.
    #[must_use]
    pub fn degree(self) -> u32 {
        self.degree
    }

    /// A fresh encryption: one of at most `noise` ±1s and six deviations, doubled, and the bit.
    #[must_use]
    pub fn fresh(parameters: &Parameters) -> Self {
        let mean = parameters.noise() as f64;
        let most = (mean + DEVIATIONS * mean.sqrt()).min(parameters.dimension() as f64);
        Self {
            log2_norm: (1.0 + 4.0 * most).log2() / 2.0,
            degree: 1,
        }
    }

    /// The sum of two.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (high, low) = (
            self.log2_norm.max(other.log2_norm),
            self.log2_norm.min(other.log2_norm),
        );
        Self {
            log2_norm: high + (low - high).exp2().ln_1p() / std::f64::consts::LN_2,
            degree: self.degree.max(other.degree),
        }
    }

    /// The product of two.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self {
            log2_norm: self.log2_norm
                + other.log2_norm
                + log2_binomial(self.degree, other.degree) / 2.0,
            degree: (self.degree + other.degree).min(LARGEST_DEGREE),
        }
    }

    /// A recrypted bit, whatever it was before.
    ///
    /// The mean squares of recryption's numbers follow its steps. A selected bit is a sum of
    /// products of two fresh ones, about half of the S there are: mean square F²·(S/2 + 3√S). The
    /// bits of different blocks are independent, so the elementary symmetric polynomials of a
    /// column have mean squares that are these polynomials of the bits' mean squares.
    ///
    /// This counts the selected bits of different columns as independent, and they are not: the
    /// term that weighs most is e_8·e_4·e_2 of the same column's bits. And a product of fifteen
    /// such variables has heavy tails, so that few of the n/2 roots make up the mean. Both are
    /// allowed for by 7 bits and a degree of 4, after the model was drawn at random (the tests
    /// called `simulated`): no margin of a hundred keys was below the bound, neither of a recrypted
    /// bit nor of a product or a square of such bits, and medians are 10 to 15 and 20 to 30 bits
    /// above it.
    #[must_use]
    pub fn recrypted(parameters: &Parameters) -> Self {
        let fresh = 1.0 + 4.0 * parameters.noise() as f64;
        let size = parameters.set_size() as f64;
        let selected = fresh * fresh * (size / 2.0 + DEVIATIONS / 2.0 * size.sqrt());
        let mut columns = vec![vec![selected; parameters.subset()]; parameters.precision() + 1];
        for k in (1..columns.len()).rev() {
            let degree = carries(columns[k].len(), k);
            let symmetric = symmetric_means(&columns[k], 1 << degree);
            for h in 1..=degree {
                columns[k - h].push(symmetric[1 << h]);
            }
        }
        let output: f64 = columns[0].iter().chain(&columns[1]).sum();
        Self {
            log2_norm: output.log2() / 2.0 + RECRYPTION_TAIL,
            degree: RECRYPTION_DEGREE,
        }
    }

    /// Bits that are left at least between the noise and what decrypts wrongly, for keys of this
    /// set.
    #[must_use]
    pub fn margin(self, parameters: &Parameters) -> f64 {
        parameters.coefficient_bits() as f64 + f64::from(parameters.log_dimension())
            - 12_f64.log2() / 2.0
            - KEY_TAIL
            - TAIL
            - self.log2_norm
    }

    /// Checks that enough is left to recrypt, which is more than decryption needs.
    pub(crate) fn check(
        self,
        parameters: &Parameters,
        operation: &'static str,
    ) -> Result<Self, Error> {
        let (margin, needed) = (self.margin(parameters), needed_margin(parameters));
        if margin >= needed {
            Ok(self)
        } else {
            Err(Error::NoiseExhausted {
                operation,
                margin,
                needed,
            })
        }
    }
}

/// Bits of margin that recryption needs: |e| < d/2^(p+1), so that the roundings of s fractions to p
/// bits and e/d together stay below 1/2.
pub(crate) fn needed_margin(parameters: &Parameters) -> f64 {
    parameters.precision() as f64 + 1.0
}

/// How many carries column `k` with `bits` bits sends on: the largest L with 2^L ≤ `bits` and L ≤
/// k. Carry h goes to column k − h.
pub(crate) fn carries(bits: usize, k: usize) -> usize {
    (bits.max(1).ilog2() as usize).min(k)
}

/// Elementary symmetric polynomials 0 to `degree` of the numbers.
fn symmetric_means(numbers: &[f64], degree: usize) -> Vec<f64> {
    let mut symmetric = vec![0.0; degree + 1];
    symmetric[0] = 1.0;
    for number in numbers {
        for q in (1..=degree).rev() {
            symmetric[q] += symmetric[q - 1] * number;
        }
    }
    symmetric
}

/// log2 C(k + l, k).
fn log2_binomial(k: u32, l: u32) -> f64 {
    let (small, large) = (k.min(l), k.max(l));
    (1..=small)
        .map(|i| (1.0 + f64::from(large) / f64::from(i)).log2())
        .sum()
}

#[cfg(test)]
mod simulated;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials() {
        for (k, l, expected) in [
            (0, 7, 1.0),
            (1, 1, 2.0),
            (2, 2, 6.0),
            (15, 15, 155_117_520.0_f64),
        ] {
            assert!((log2_binomial(k, l) - f64::log2(expected)).abs() < 1e-9);
        }
    }

    #[test]
    fn symmetric_polynomials_of_ones_are_binomials() {
        assert_eq!(symmetric_means(&[1.0; 4], 4), [1.0, 4.0, 6.0, 4.0, 1.0]);
    }

    #[test]
    fn two_recrypted_bits_can_be_multiplied_and_recrypted_in_every_set() {
        for set in Parameters::SETS {
            let recrypted = Noise::recrypted(&set);
            let product = recrypted.times(recrypted).margin(&set);
            assert!(product >= needed_margin(&set), "{}: {product}", set.name());
        }
    }

    #[test]
    fn what_no_ciphertext_has_is_refused() {
        for (norm, degree) in [
            (-1.0, 0),
            (f64::NAN, 1),
            (5000.0, 1),
            (1.0, LARGEST_DEGREE + 1),
        ] {
            assert!(matches!(
                Noise::from_parts(norm, degree),
                Err(Error::InvalidNoise { .. })
            ));
        }
        assert_eq!(Noise::from_parts(0.0, 0), Ok(Noise::CONSTANT));
    }
}
