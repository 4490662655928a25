//! Inputs that are halves: bits at scale 1/2, of which sums are XORs.

use std::ops::Range;

/// The most noise of an input that is a half, in the units of [`NoiseModel`](crate::NoiseModel) for
/// bits: at either scale what matters is the error beside half a window, and a bit shifted from
/// scale 1/32 to scale 1/2 keeps its number.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct HalfNoise {
    /// The variance of what was chosen or stored.
    pub carried: f64,
    /// Products in a row, each by its share of a choice between bits.
    pub products: f64,
    /// Of them those by one selector, at most.
    pub repeated: f64,
}

/// How much more the variance of a half counts: whoever decrypts one asks that it is within an eighth of the
/// torus of 0 or 1/2, half of what a lookup asks, so that damage shows.
pub(crate) const DECRYPTED: f64 = 4.0;

/// By number of the input, ascending: an array that was stored to is millions of them with the same noise,
/// and every pass copies it.
#[derive(Clone, Debug, Default)]
pub(crate) struct HalfInputs(Vec<HalfRun>);

/// Inputs that follow one another.
#[derive(Clone, Debug)]
struct HalfRun {
    numbers: Range<u32>,
    noise: HalfNoise,
}

impl HalfInputs {
    /// One more, of a number above all others.
    pub(crate) fn push(&mut self, number: u32, noise: HalfNoise) {
        match self.0.last_mut() {
            Some(run) if run.numbers.end == number && run.noise == noise => run.numbers.end += 1,
            _ => self.0.push(HalfRun {
                numbers: number..number + 1,
                noise,
            }),
        }
    }

    pub(crate) fn get(&self, number: u32) -> Option<HalfNoise> {
        let after = self.0.partition_point(|run| run.numbers.start <= number);
        let run = self.0.get(after.checked_sub(1)?)?;
        run.numbers.contains(&number).then_some(run.noise)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each number with its noise.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, HalfNoise)> {
        let each = |run: &HalfRun| run.numbers.clone().zip(std::iter::repeat(run.noise));
        self.0.iter().flat_map(each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_the_same_noise_are_one_run() {
        let noise = |carried: f64| HalfNoise {
            carried,
            ..HalfNoise::default()
        };
        let all = [(3, 1.0), (4, 1.0), (5, 2.0), (7, 2.0), (8, 2.0)];
        let mut inputs = HalfInputs::default();
        assert!(inputs.is_empty() && inputs.get(0).is_none());
        for (number, carried) in all {
            inputs.push(number, noise(carried));
        }
        assert_eq!(inputs.0.len(), 3);
        let back: Vec<_> = inputs.iter().collect();
        assert_eq!(back, all.map(|(number, carried)| (number, noise(carried))));
        let found: Vec<_> = (0..10)
            .filter(|number| inputs.get(*number).is_some())
            .collect();
        assert_eq!(found, [3, 4, 5, 7, 8]);
        assert_eq!(inputs.get(7), Some(noise(2.0)));
    }
}
