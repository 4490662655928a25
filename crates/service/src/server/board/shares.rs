//! What each client has used lately, by which it is decided whose turn it is.
//!
//! Time of threads counts, and half as much after each minute. So a client that uses little comes
//! before one that takes all it can get, and two that take all they can get come to use the same.
//! Idleness saves little up: who comes with a large job after a month goes first until it has used
//! what others used in their last minutes.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// After so long, what was used counts half.
const HALF: Duration = Duration::from_secs(60);
/// Seconds that are as good as none.
const NOTHING: f64 = 1e-3;

/// Seconds of threads, by client.
pub(super) struct Shares {
    used: HashMap<String, f64>,
    faded: Instant,
}

impl Default for Shares {
    fn default() -> Self {
        Self::new(Instant::now())
    }
}

impl Shares {
    fn new(now: Instant) -> Self {
        Self {
            used: HashMap::new(),
            faded: now,
        }
    }

    /// A client has used so many seconds.
    pub(super) fn charge(&mut self, client: &str, seconds: f64) {
        match self.used.get_mut(client) {
            Some(used) => *used += seconds,
            None => {
                self.used.insert(client.to_owned(), seconds);
            }
        }
    }

    /// Time passes.
    pub(super) fn fade(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.faded);
        let left = (-passed.as_secs_f64() / HALF.as_secs_f64()).exp2();
        for used in self.used.values_mut() {
            *used *= left;
        }
        self.used.retain(|_, used| *used > NOTHING);
        self.faded = now;
    }

    /// What a client has used.
    pub(super) fn of(&self, client: &str) -> f64 {
        self.used.get(client).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_counts_half_after_a_minute() {
        let begin = Instant::now();
        let mut shares = Shares::new(begin);
        shares.charge("a", 6.0);
        shares.charge("a", 2.0);
        shares.fade(begin + HALF);
        shares.charge("b", 3.0);
        assert!((shares.of("a") - 4.0).abs() < 1e-9 && shares.of("b") < shares.of("a"));
        // In many steps as in one.
        for step in 1..=60 {
            shares.fade(begin + HALF + HALF * step / 60);
        }
        assert!((shares.of("a") - 2.0).abs() < 1e-9);
        shares.fade(begin + HALF * 100);
        assert!(shares.used.is_empty() && shares.of("a") == 0.0);
    }

    /// One takes all that is left, the other a twentieth: the one that uses little has used less at
    /// any moment at which it has something to run.
    #[test]
    fn who_uses_little_has_used_less() {
        let begin = Instant::now();
        let mut shares = Shares::new(begin);
        for second in 0..600 {
            shares.fade(begin + Duration::from_secs(second));
            let little = second % 60 < 3;
            if little && second > 10 {
                assert!(shares.of("little") < shares.of("greedy"));
            }
            shares.charge(if little { "little" } else { "greedy" }, 1.0);
        }
    }
}
