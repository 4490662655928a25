//! Differences and negation.

use super::integers::{ONE, TWO};
use super::{Family, Unit};
use crate::library;

/// Every subtractor.
pub(super) fn units() -> Vec<Unit> {
    vec![
        Unit::new(
            Family::Subtraction,
            "subtract",
            TWO,
            |b, w| vec![library::subtract(b, &w[0], &w[1])],
            |_, v| vec![v[0].wrapping_sub(v[1])],
        ),
        Unit::new(
            Family::Subtraction,
            "negate",
            ONE,
            |b, w| vec![library::negate(b, &w[0])],
            |_, v| vec![v[0].wrapping_neg()],
        ),
        Unit::new(
            Family::Subtraction,
            "negate_if",
            |n| vec![n, 1],
            |b, w| vec![library::negate_if(b, w[1][0], &w[0])],
            |_, v| vec![if v[1] == 1 { v[0].wrapping_neg() } else { v[0] }],
        ),
    ]
}
