//! Products.

use super::integers::{ONE, THREE, TWO, signed};
use super::{Family, Unit};
use crate::library::{self, Signedness};

/// Every multiplier.
pub(super) fn units() -> Vec<Unit> {
    vec![
        Unit::new(
            Family::Multiplication,
            "multiply",
            TWO,
            |b, w| vec![library::multiply(b, &w[0], &w[1])],
            |_, v| vec![v[0].wrapping_mul(v[1])],
        ),
        Unit::new(
            Family::Multiplication,
            "square",
            ONE,
            |b, w| vec![library::multiply(b, &w[0], &w[0])],
            |_, v| vec![v[0].wrapping_mul(v[0])],
        ),
        Unit::new(
            Family::Multiplication,
            "multiply_add",
            THREE,
            |b, w| vec![library::multiply_add(b, &w[0], &w[1], &w[2])],
            |_, v| vec![v[0].wrapping_mul(v[1]).wrapping_add(v[2])],
        ),
        Unit::new(
            Family::Multiplication,
            "multiply_subtract",
            THREE,
            |b, w| vec![library::multiply_subtract(b, &w[0], &w[1], &w[2])],
            |_, v| vec![v[2].wrapping_sub(v[0].wrapping_mul(v[1]))],
        ),
        Unit::new(
            Family::Multiplication,
            "multiply_long_unsigned",
            TWO,
            |b, w| {
                let kind = Signedness::Unsigned;
                vec![library::multiply_long(b, kind, &w[0], &w[1])]
            },
            |_, v| vec![v[0].wrapping_mul(v[1])],
        ),
        Unit::new(
            Family::Multiplication,
            "multiply_long_signed",
            TWO,
            |b, w| {
                let kind = Signedness::Signed;
                vec![library::multiply_long(b, kind, &w[0], &w[1])]
            },
            |n, v| vec![(signed(n, v[0]) * signed(n, v[1])) as u128],
        ),
        Unit::new(
            Family::Multiplication,
            "multiply_add_long_unsigned",
            |n| vec![n, n, 2 * n],
            |b, w| {
                let kind = Signedness::Unsigned;
                vec![library::multiply_add_long(b, kind, &w[0], &w[1], &w[2])]
            },
            |_, v| vec![v[0].wrapping_mul(v[1]).wrapping_add(v[2])],
        ),
        Unit::new(
            Family::Multiplication,
            "multiply_add_long_signed",
            |n| vec![n, n, 2 * n],
            |b, w| {
                let kind = Signedness::Signed;
                vec![library::multiply_add_long(b, kind, &w[0], &w[1], &w[2])]
            },
            |n, v| {
                let product = (signed(n, v[0]) * signed(n, v[1])) as u128;
                vec![product.wrapping_add(v[2])]
            },
        ),
    ]
}
