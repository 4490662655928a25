//! Sums of two words.

use super::integers::{TWO, low, signed};
use super::unit::{Family, Unit};
use crate::architectures::{Adder, Architectures};
use crate::library::{self, Carries};

/// Every adder.
pub(super) fn units() -> Vec<Unit> {
    let add = Unit::new(
        Family::Addition,
        "add",
        TWO,
        |b, w| vec![library::add(b, &w[0], &w[1])],
        |_, v| vec![v[0] + v[1]],
    )
    .costing(|forced, n| forced.adder?.formula(n, Carries::Dropped));
    let with_carry = Unit::new(
        Family::Addition,
        "add_with_carry",
        |n| vec![n, n, 1],
        |b, w| {
            let added = library::add_with_carry(b, &w[0], &w[1], w[2][0]);
            vec![added.sum, vec![added.carry], vec![added.overflow]]
        },
        |n, v| {
            let sum = v[0] + v[1] + v[2];
            let wide = signed(n, v[0]) + signed(n, v[1]) + v[2] as i128;
            let overflow = wide != signed(n, sum & low(n));
            vec![sum, sum >> n, u128::from(overflow)]
        },
    )
    .costing(|forced, n| forced.adder?.formula(n, Carries::InAndOut));
    let mut units = Vec::new();
    for operation in [add, with_carry] {
        units.push(operation.clone());
        for adder in Adder::all() {
            let forced = Architectures {
                adder: Some(adder),
                ..Architectures::default()
            };
            units.push(operation.forced(adder, adder.source(), forced));
        }
    }
    units
}
