//! Tails of the normal distribution, down to any depth.

/// log2 of the probability that a standard normal variable leaves ±`bound`, for `bound` of at
/// least 1.
///
/// erfc(x) = e^(−x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + …))) with x = bound/√2 (Abramowitz and
/// Stegun 7.1.14), evaluated from its 120th level; below 1 the result is only a bound, 0.
pub(crate) fn log2_leaves(bound: f64) -> f64 {
    use std::f64::consts::{LOG2_E, PI, SQRT_2};
    if bound < 1.0 || bound.is_nan() {
        return 0.0;
    }
    let x = bound / SQRT_2;
    let tail = (1..=120)
        .rev()
        .fold(x, |tail, j| x + f64::from(j) / 2.0 / tail);
    -x * x * LOG2_E - 0.5 * PI.log2() - tail.log2()
}

/// The bound that is left with probability 2^`log2`, at least 1.
pub(crate) fn bound_for(log2: f64) -> f64 {
    let (mut low, mut high) = (1.0, 64.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if log2_leaves(middle) > log2 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known tails: 4.550026e-2 at 2, 5.733e-7 at 5, 1.5239706e-23 at 10.
    #[test]
    fn tails_are_those_of_the_tables() {
        for (bound, probability) in [
            (2.0, 4.550_026_389_635_842e-2_f64),
            (5.0, 5.733_031_437_583_878e-7),
            (10.0, 1.523_970_604_832_105e-23),
        ] {
            let found = log2_leaves(bound);
            assert!(
                (found - probability.log2()).abs() < 1e-6,
                "{bound}: {found}"
            );
        }
        assert!((log2_leaves(bound_for(-64.0)) + 64.0).abs() < 1e-6);
    }
}
