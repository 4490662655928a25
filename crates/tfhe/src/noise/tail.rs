//! Tails of the normal distribution, down to any depth.
//!
//! The failure probabilities of this scheme lie far below what a double can hold (2^-1074), so
//! their logarithm is computed.

/// log2 of the complementary error function, for any argument: no underflow.
///
/// Below 2 by the Taylor series of erf; above by the continued fraction
/// erfc(x) = e^(-x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …)))) (Abramowitz
/// and Stegun 7.1.14), evaluated from its 120th level, where it has converged to
/// double precision for x >= 2.
#[must_use]
pub(crate) fn log2_erfc(x: f64) -> f64 {
    use std::f64::consts::{FRAC_2_SQRT_PI, LOG2_E, PI};
    if x < 0.0 {
        return (2.0 - log2_erfc(-x).exp2()).log2();
    }
    if x < 2.0 {
        // erf(x) = 2/√π Σ (-1)^j x^(2j+1) / (j! (2j+1))
        let (mut term, mut sum) = (x, x);
        for j in 1..60 {
            term *= -x * x / f64::from(j);
            sum += term / f64::from(2 * j + 1);
        }
        return (1.0 - FRAC_2_SQRT_PI * sum).log2();
    }
    let tail = (1..=120)
        .rev()
        .fold(x, |tail, j| x + f64::from(j) / 2.0 / tail);
    -x * x * LOG2_E - 0.5 * PI.log2() - tail.log2()
}

/// log2 of the probability that a normal variable of this variance leaves ±`margin`.
#[must_use]
pub(crate) fn log2_two_sided(margin: f64, variance: f64) -> f64 {
    log2_erfc(margin / (2.0 * variance).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of mpmath at 30 digits.
    #[test]
    fn erfc_against_high_precision() {
        for (x, expected) in [
            (0.0, 0.0),
            (0.5, -1.060_396_912_014_155_7),
            (1.0, -2.668_416_696_781_597),
            (1.9, -7.115_870_916_182_284),
            (3.0, -15.466_214_597_195_473),
            (10.0, -148.424_305_703_350_6),
            (30.0, -1_304.158_975_847_505),
            (61.0, -5_375.024_926_343_563),
        ] {
            let error: f64 = log2_erfc(x) - expected;
            assert!(
                error.abs() < 1e-11 * (1.0 + f64::abs(expected)),
                "{x}: {error}"
            );
        }
        // Both sides of the seam agree.
        assert!((log2_erfc(2.0 - 1e-12) - log2_erfc(2.0)).abs() < 1e-9);
        assert!((log2_erfc(-1.0) - 1.842_700_792_949_715_f64.log2()).abs() < 1e-12);
    }
}
