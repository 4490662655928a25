//! Rounded Gaussian errors on the 64-bit torus.
//!
//! Box–Muller (1958), because it never rejects: two uniform words give two
//! independent normal variables r·cos θ and r·sin θ, with r = √(−2 ln u).
//!
//! Precision. `u` is a multiple of 2^-64 in (0, 1], converted with 53 correct
//! bits *relative* to itself, so the tail reaches √(2·64·ln 2) = 9.4 standard
//! deviations; probabilities below 2^-64 are cut off. A sample of standard
//! deviation σ (in units of 2^-64 of the torus) is exact to about σ·2^-52
//! before it is rounded to an integer: with σ = 2^45.2, the largest error of
//! our parameter sets, the absolute error is below 2^-6 of one unit, and the
//! statistical distance to the rounded Gaussian is of the order of 2^-50.

use std::f64::consts::TAU;

use crate::Generator;

/// A standard deviation, kept as the base-2 logarithm of its fraction of the
/// torus: between 2^-64 and 2^-2.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct StandardDeviation {
    log2: f64,
}

impl StandardDeviation {
    /// 2^`log2` of the torus; `None` unless -64 <= `log2` < -2.
    #[must_use]
    pub const fn from_log2(log2: f64) -> Option<Self> {
        if log2 >= -64.0 && log2 < -2.0 {
            Some(Self { log2 })
        } else {
            None
        }
    }

    /// log2 of the deviation as a fraction of the torus.
    #[must_use]
    pub const fn log2(self) -> f64 {
        self.log2
    }

    /// The deviation in units of 2^-64 of the torus.
    #[must_use]
    pub fn units(self) -> f64 {
        (64.0 + self.log2).exp2()
    }
}

impl Generator {
    /// Adds an independent rounded Gaussian error to every element.
    ///
    /// Running time: see the crate's notes.
    pub fn add_gaussian(&mut self, elements: &mut [u64], deviation: StandardDeviation) {
        let units = deviation.units();
        for pair in elements.chunks_mut(2) {
            let errors = self
                .normal_pair()
                .map(|x| (x * units).round() as i64 as u64);
            for (element, error) in pair.iter_mut().zip(errors) {
                *element = element.wrapping_add(error);
            }
        }
    }

    /// Two independent standard normal variables.
    fn normal_pair(&mut self) -> [f64; 2] {
        const UNIT: f64 = 1.0 / 18_446_744_073_709_551_616.0; // 2^-64
        let u = (self.uniform() as f64 + 1.0) * UNIT;
        let angle = (self.uniform() >> 11) as f64 * (TAU / 9_007_199_254_740_992.0); // 2^53
        let radius = (-2.0 * u.min(1.0).ln()).sqrt();
        let (sine, cosine) = angle.sin_cos();
        [radius * cosine, radius * sine]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200,000 samples each. Tolerances are six deviations of the estimators
    /// (mean σ/√n, variance σ²√(2/n), fourth moment σ⁴√(96/n)): a false alarm
    /// in 10^8 for a fresh seed; the seed is fixed.
    #[test]
    fn moments_are_those_of_a_gaussian() {
        let mut generator = Generator::from_key([3; 32]);
        for log2 in [-18.8, -48.3, -62.0] {
            let deviation = StandardDeviation::from_log2(log2).unwrap();
            let n = 200_000;
            let mut samples = vec![0_u64; n];
            generator.add_gaussian(&mut samples, deviation);
            let x: Vec<f64> = samples
                .iter()
                .map(|&s| s as i64 as f64 / deviation.units())
                .collect();
            let moment = |power: i32| x.iter().map(|x| x.powi(power)).sum::<f64>() / n as f64;
            let root = (n as f64).sqrt();
            // Rounding to integers adds 1/12 of a unit squared.
            let variance = 1.0 + 1.0 / (12.0 * deviation.units().powi(2));
            assert!(moment(1).abs() < 6.0 / root, "mean {}", moment(1));
            assert!(
                (moment(2) - variance).abs() < 6.0 * 2_f64.sqrt() / root,
                "{}",
                moment(2)
            );
            let fourth = moment(4) / variance.powi(2);
            assert!(
                (fourth - 3.0).abs() < 6.0 * 96_f64.sqrt() / root,
                "fourth {fourth}"
            );
        }
    }

    #[test]
    fn deviations_outside_the_torus_are_refused() {
        assert_eq!(StandardDeviation::from_log2(-2.0), None);
        assert_eq!(StandardDeviation::from_log2(f64::NAN), None);
        assert_eq!(StandardDeviation::from_log2(-64.0).unwrap().units(), 1.0);
    }
}
