//! Times, and how each of them was come by.

use serde::Serialize;

/// Times of several rounds, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Times {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) rounds: usize,
}

impl Times {
    /// Of at least one round; `None` of none.
    pub(crate) fn of(mut seconds: Vec<f64>) -> Option<Self> {
        seconds.sort_by(f64::total_cmp);
        let rounds = seconds.len();
        let (&least, &most) = (seconds.first()?, seconds.last()?);
        let median = f64::midpoint(seconds[(rounds - 1) / 2], seconds[rounds / 2]);
        Some(Self {
            median,
            least,
            most,
            rounds,
        })
    }
}

/// How long a circuit takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Figure {
    /// It was run, and its answer was right.
    Measured(Times),
    /// Seconds from the time of one operation and how many of them one thread evaluates.
    Computed(f64),
    /// Seconds from the scheduler replayed with measured times of batches.
    Simulated(f64),
}

impl Figure {
    /// The median, or what was computed.
    pub(crate) fn seconds(&self) -> f64 {
        match self {
            Self::Measured(times) => times.median,
            Self::Computed(seconds) | Self::Simulated(seconds) => *seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let times =
            |seconds: &[f64]| Times::of(seconds.to_vec()).map(|t| (t.least, t.median, t.most));
        assert_eq!(times(&[]), None);
        assert_eq!(times(&[2.0]), Some((2.0, 2.0, 2.0)));
        assert_eq!(times(&[3.0, 1.0, 2.0]), Some((1.0, 2.0, 3.0)));
        assert_eq!(times(&[4.0, 1.0, 2.0, 3.0]), Some((1.0, 2.5, 4.0)));
    }
}
