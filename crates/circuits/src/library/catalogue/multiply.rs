//! Products.

use super::integers::{ONE, THREE, TWO, signed};
use super::unit::{Family, Unit};
use crate::architectures::{Architectures, Multiplier};
use crate::library::{self, Signedness};

/// The factor of the products by a clear number.
const FACTOR: u64 = 0x5a5a_1b37;

/// Every multiplier.
pub(super) fn units() -> Vec<Unit> {
    let low = Unit::new(
        Family::Multiplication,
        "multiply",
        TWO,
        |b, w| vec![library::multiply(b, &w[0], &w[1])],
        |_, v| vec![v[0].wrapping_mul(v[1])],
    )
    .costing(|forced, n| forced.multiplier?.formula_low(n));
    let long_unsigned = Unit::new(
        Family::Multiplication,
        "multiply_long_unsigned",
        TWO,
        |b, w| {
            let kind = Signedness::Unsigned;
            vec![library::multiply_long(b, kind, &w[0], &w[1])]
        },
        |_, v| vec![v[0].wrapping_mul(v[1])],
    )
    .costing(|forced, n| forced.multiplier?.formula_long(Signedness::Unsigned, n));
    let long_signed = Unit::new(
        Family::Multiplication,
        "multiply_long_signed",
        TWO,
        |b, w| {
            let kind = Signedness::Signed;
            vec![library::multiply_long(b, kind, &w[0], &w[1])]
        },
        |n, v| vec![(signed(n, v[0]) * signed(n, v[1])) as u128],
    )
    .costing(|forced, n| forced.multiplier?.formula_long(Signedness::Signed, n));
    let subtract = Unit::new(
        Family::Multiplication,
        "multiply_subtract",
        THREE,
        |b, w| vec![library::multiply_subtract(b, &w[0], &w[1], &w[2])],
        |_, v| vec![v[2].wrapping_sub(v[0].wrapping_mul(v[1]))],
    );
    let mut units = Vec::new();
    for operation in [low, long_unsigned, long_signed, subtract] {
        units.push(operation.clone());
        for multiplier in Multiplier::all() {
            let forced = Architectures {
                multiplier: Some(multiplier),
                ..Architectures::default()
            };
            units.push(operation.forced(multiplier, multiplier.source(), forced));
        }
    }
    units.extend(alone());
    units
}

/// Products that have one architecture.
fn alone() -> Vec<Unit> {
    vec![
        Unit::new(
            Family::Multiplication,
            "multiply_add",
            THREE,
            |b, w| vec![library::multiply_add(b, &w[0], &w[1], &w[2])],
            |_, v| vec![v[0].wrapping_mul(v[1]).wrapping_add(v[2])],
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
            "square_long_unsigned",
            ONE,
            |b, w| vec![library::square(b, Signedness::Unsigned, &w[0])],
            |_, v| vec![v[0] * v[0]],
        ),
        Unit::new(
            Family::Multiplication,
            "square_long_signed",
            ONE,
            |b, w| vec![library::square(b, Signedness::Signed, &w[0])],
            |n, v| vec![(signed(n, v[0]) * signed(n, v[0])) as u128],
        ),
        Unit::new(
            Family::Multiplication,
            "multiply_by_constant",
            ONE,
            |b, w| vec![library::multiply_by(b, &w[0], FACTOR)],
            |_, v| vec![v[0].wrapping_mul(FACTOR.into())],
        ),
        Unit::new(
            Family::Multiplication,
            "multiply_by_ten",
            ONE,
            |b, w| vec![library::multiply_by(b, &w[0], 10)],
            |_, v| vec![v[0] * 10],
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
