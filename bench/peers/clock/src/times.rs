//! The time of a row: the median of its rounds, and how far they spread.

use std::fmt;
use std::time::Duration;

/// Median and extremes of the rounds.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub median: Duration,
    pub least: Duration,
    pub most: Duration,
}

impl Times {
    pub fn of(mut rounds: Vec<Duration>) -> Self {
        rounds.sort_unstable();
        let zero = Duration::ZERO;
        Self {
            median: rounds.get(rounds.len() / 2).copied().unwrap_or(zero),
            least: rounds.first().copied().unwrap_or(zero),
            most: rounds.last().copied().unwrap_or(zero),
        }
    }

    /// This time over another: above 1 if the other is faster.
    pub fn over(&self, other: &Self) -> f64 {
        self.median.as_secs_f64() / other.median.as_secs_f64()
    }

    /// Of one of `count` equal parts.
    pub fn divided(&self, count: u32) -> Self {
        Self {
            median: self.median / count,
            least: self.least / count,
            most: self.most / count,
        }
    }
}

/// `median [least … most]` in milliseconds; with `{:#}` in microseconds.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = if f.alternate() { 1e6 } else { 1e3 };
        let scaled = |time: Duration| time.as_secs_f64() * scale;
        let text = format!(
            "{:.2} [{:.2} … {:.2}]",
            scaled(self.median),
            scaled(self.least),
            scaled(self.most)
        );
        match f.width() {
            Some(width) => write!(f, "{text:>width$}"),
            None => f.write_str(&text),
        }
    }
}
