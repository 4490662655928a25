//! Quotients and remainders.

use super::integers::{ONE, TWO, low, signed};
use super::unit::{Family, Unit};
use crate::architectures::{Architectures, Divider};
use crate::library::{self, Divided, Signedness, Word};

fn both(divided: Divided) -> Vec<Word> {
    vec![divided.quotient, divided.remainder]
}

fn quotient_and_remainder(x: i128, y: i128) -> Vec<u128> {
    // The dividend's 64 bits leave room for INT_MIN / −1.
    let quotient = if y == 0 { 0 } else { x / y };
    vec![quotient as u128, (x - y * quotient) as u128]
}

/// Every divider.
pub(super) fn units() -> Vec<Unit> {
    let operations = [
        Unit::new(
            Family::Division,
            "divide_unsigned",
            TWO,
            |b, w| both(library::divide(b, Signedness::Unsigned, &w[0], &w[1])),
            |_, v| quotient_and_remainder(v[0] as i128, v[1] as i128),
        ),
        Unit::new(
            Family::Division,
            "quotient_unsigned",
            TWO,
            |b, w| vec![library::divide(b, Signedness::Unsigned, &w[0], &w[1]).quotient],
            |_, v| quotient_and_remainder(v[0] as i128, v[1] as i128)[..1].to_vec(),
        )
        .costing(|forced, n| forced.divider?.formula(n)),
        Unit::new(
            Family::Division,
            "divide_signed",
            TWO,
            |b, w| both(library::divide(b, Signedness::Signed, &w[0], &w[1])),
            |n, v| quotient_and_remainder(signed(n, v[0]), signed(n, v[1])),
        ),
        Unit::new(
            Family::Division,
            "quotient_signed",
            TWO,
            |b, w| vec![library::divide(b, Signedness::Signed, &w[0], &w[1]).quotient],
            |n, v| quotient_and_remainder(signed(n, v[0]), signed(n, v[1]))[..1].to_vec(),
        ),
    ];
    let mut units = Vec::new();
    for operation in operations {
        units.push(operation.clone());
        for divider in Divider::all() {
            let forced = Architectures {
                divider: Some(divider),
                ..Architectures::default()
            };
            units.push(operation.forced(divider, divider.source(), forced));
        }
    }
    units.push(Unit::new(
        Family::Division,
        "divide_by_ten",
        ONE,
        |b, w| {
            let ten = library::constant(10, w[0].len());
            both(library::divide(b, Signedness::Unsigned, &w[0], &ten))
        },
        |n, v| quotient_and_remainder(v[0] as i128, (10 & low(n)) as i128),
    ));
    units
}
