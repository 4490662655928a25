//! Orders, equality and flags.

use super::integers::{ONE, TWO, low, signed};
use super::{Family, Unit};
use crate::Wire;
use crate::library;

/// Every comparison.
pub(super) fn units() -> Vec<Unit> {
    vec![
        Unit::new(
            Family::Comparison,
            "compare_flags",
            TWO,
            |b, w| {
                let difference =
                    library::add_with_carry(b, &w[0], &library::not(&w[1]), Wire::TRUE);
                let zero = library::is_zero(b, &difference.sum);
                let negative = difference.sum.last().copied().unwrap_or(Wire::FALSE);
                [negative, zero, difference.carry, difference.overflow]
                    .map(|flag| vec![flag])
                    .to_vec()
            },
            |n, v| {
                let difference = v[0].wrapping_sub(v[1]) & low(n);
                let wide = signed(n, v[0]) - signed(n, v[1]);
                let overflow = wide != signed(n, difference);
                let flags = [
                    difference >> (n - 1) == 1,
                    difference == 0,
                    v[0] >= v[1],
                    overflow,
                ];
                flags.map(u128::from).to_vec()
            },
        ),
        Unit::new(
            Family::Comparison,
            "less_than_unsigned",
            TWO,
            |b, w| vec![vec![library::less_than_unsigned(b, &w[0], &w[1])]],
            |_, v| vec![u128::from(v[0] < v[1])],
        ),
        Unit::new(
            Family::Comparison,
            "less_than_signed",
            TWO,
            |b, w| vec![vec![library::less_than_signed(b, &w[0], &w[1])]],
            |n, v| vec![u128::from(signed(n, v[0]) < signed(n, v[1]))],
        ),
        Unit::new(
            Family::Comparison,
            "equal",
            TWO,
            |b, w| vec![vec![library::equal(b, &w[0], &w[1])]],
            |_, v| vec![u128::from(v[0] == v[1])],
        ),
        Unit::new(
            Family::Comparison,
            "is_zero",
            ONE,
            |b, w| vec![vec![library::is_zero(b, &w[0])]],
            |_, v| vec![u128::from(v[0] == 0)],
        ),
    ]
}
