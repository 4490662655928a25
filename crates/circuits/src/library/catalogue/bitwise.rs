//! Gates on words, selections and counts of bits.

use super::integers::{ONE, TWO};
use super::{Family, Unit};
use crate::library;

/// Every unit of this kind.
pub(super) fn units() -> Vec<Unit> {
    vec![
        Unit::new(
            Family::Bitwise,
            "and",
            TWO,
            |b, w| vec![library::and(b, &w[0], &w[1])],
            |_, v| vec![v[0] & v[1]],
        ),
        Unit::new(
            Family::Bitwise,
            "or",
            TWO,
            |b, w| vec![library::or(b, &w[0], &w[1])],
            |_, v| vec![v[0] | v[1]],
        ),
        Unit::new(
            Family::Bitwise,
            "xor",
            TWO,
            |b, w| vec![library::xor(b, &w[0], &w[1])],
            |_, v| vec![v[0] ^ v[1]],
        ),
        Unit::new(
            Family::Bitwise,
            "select",
            |n| vec![n, n, 1],
            |b, w| vec![library::select(b, w[2][0], &w[0], &w[1])],
            |_, v| vec![if v[2] == 1 { v[0] } else { v[1] }],
        ),
        Unit::new(
            Family::Bitwise,
            "count_leading_zeros",
            ONE,
            |b, w| vec![library::count_leading_zeros(b, &w[0])],
            |n, v| vec![(n as u32 - (128 - v[0].leading_zeros())).into()],
        ),
    ]
}
