//! Bits at scale 1/2 between two windows: what was stored to arrays stays in their rows, and the next
//! circuit has to know how noisy it is.

use circuits::HalfNoise;
use serde::{Deserialize, Serialize};

/// Neighbouring inputs at scale 1/2, of one noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HalfRun {
    /// The number of the first input.
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// The fields of [`HalfNoise`], as the bits of numbers of 64 bits.
    noise: [u64; 3],
}

impl HalfRun {
    /// Those of a circuit, whose numbers ascend.
    pub(crate) fn of(inputs: impl Iterator<Item = (u32, HalfNoise)>) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        for (number, noise) in inputs {
            let noise = [noise.carried, noise.products, noise.repeated].map(f64::to_bits);
            let last = runs.last_mut();
            match last.filter(|last| last.end() == u64::from(number) && last.noise == noise) {
                Some(last) => last.count += 1,
                None => runs.push(Self {
                    first: number,
                    count: 1,
                    noise,
                }),
            }
        }
        runs
    }

    /// What is wrong with runs that somebody claims of so many inputs.
    pub(crate) fn check(runs: &[Self], inputs: usize) -> Result<(), &'static str> {
        let mut before = 0;
        for run in runs {
            let is_noise =
                |bits: u64| f64::from_bits(bits).is_finite() && f64::from_bits(bits) >= 0.0;
            if run.count == 0 || u64::from(run.first) < before || run.end() > inputs as u64 {
                return Err("it names inputs at scale 1/2 that it does not have");
            }
            if !run.noise.into_iter().all(is_noise) {
                return Err("it has a noise that is no number");
            }
            before = run.end();
        }
        Ok(())
    }

    pub(crate) fn noise(&self) -> HalfNoise {
        let [carried, products, repeated] = self.noise.map(f64::from_bits);
        HalfNoise {
            carried,
            products,
            repeated,
        }
    }

    fn end(&self) -> u64 {
        u64::from(self.first) + u64::from(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_join_and_are_checked() {
        let noise = |carried| HalfNoise {
            carried,
            products: 0.5,
            repeated: 0.25,
        };
        let inputs = [
            (3, noise(1.0)),
            (4, noise(1.0)),
            (5, noise(2.0)),
            (7, noise(2.0)),
        ];
        let runs = HalfRun::of(inputs.into_iter());
        let shape: Vec<_> = runs.iter().map(|run| (run.first, run.count)).collect();
        assert_eq!(shape, [(3, 2), (5, 1), (7, 1)]);
        assert_eq!(runs[1].noise(), noise(2.0));
        assert_eq!(HalfRun::check(&runs, 8), Ok(()));
        assert!(HalfRun::check(&runs, 7).is_err());
        let [first, second, last] = [runs[0], runs[1], runs[2]];
        assert!(HalfRun::check(&[second, first], 8).is_err());
        assert!(HalfRun::check(&[HalfRun { count: 0, ..last }], 8).is_err());
        let huge = HalfRun {
            first: u32::MAX,
            count: u32::MAX,
            ..last
        };
        assert!(HalfRun::check(&[huge], 8).is_err());
        for wrong in [f64::NAN, f64::INFINITY, -1.0] {
            let noise = [wrong.to_bits(), 0, 0];
            assert!(HalfRun::check(&[HalfRun { noise, ..last }], 8).is_err());
        }
    }
}
