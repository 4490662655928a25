//! Orders, extrema, equality and flags.

use super::integers::{ONE, TWO, low, signed};
use super::unit::{Family, Unit};
use crate::Wire;
use crate::architectures::{Architectures, Comparator, Formula, Subtractor};
use crate::library::{self, Flags, Signedness, Word};

/// Every comparison.
pub(super) fn units() -> Vec<Unit> {
    let compare_flags = compare_flags();
    let borrow = Architectures {
        subtractor: Some(Subtractor::Borrow),
        ..Architectures::default()
    };
    let by_borrow = compare_flags.forced("borrow", Subtractor::Borrow.source(), borrow);
    let mut units = vec![compare_flags, by_borrow];
    units.extend(flags_of_results());
    let less_unsigned = Unit::new(
        Family::Comparison,
        "less_than_unsigned",
        TWO,
        |b, w| vec![vec![library::less_than_unsigned(b, &w[0], &w[1])]],
        |_, v| vec![u128::from(v[0] < v[1])],
    )
    .costing(|forced, n| forced.comparator?.formula(n));
    let less_signed = Unit::new(
        Family::Comparison,
        "less_than_signed",
        TWO,
        |b, w| vec![vec![library::less_than_signed(b, &w[0], &w[1])]],
        |n, v| vec![u128::from(signed(n, v[0]) < signed(n, v[1]))],
    )
    .costing(|forced, n| forced.comparator?.formula(n));
    for operation in [less_unsigned, less_signed] {
        units.push(operation.clone());
        for comparator in Comparator::all() {
            let forced = Architectures {
                comparator: Some(comparator),
                ..Architectures::default()
            };
            units.push(operation.forced(comparator, comparator.source(), forced));
        }
    }
    units.extend(extrema());
    let equal = Unit::new(
        Family::Comparison,
        "equal",
        TWO,
        |b, w| vec![vec![library::equal(b, &w[0], &w[1])]],
        |_, v| vec![u128::from(v[0] == v[1])],
    );
    units.push(equal.costing(|_, n| Some(all(n, n))));
    let is_zero = Unit::new(
        Family::Comparison,
        "is_zero",
        ONE,
        |b, w| vec![vec![library::is_zero(b, &w[0])]],
        |_, v| vec![u128::from(v[0] == 0)],
    );
    units.push(is_zero.costing(|_, n| Some(all(n, 0))));
    units
}

/// Whether n bits are all 1, or all 0, after n XORs side by side: a tree.
fn all(n: usize, xors: usize) -> Formula {
    let levels = n.next_power_of_two().ilog2() as usize;
    Formula {
        ands: n - 1,
        xors,
        muxes: 0,
        depth: levels + usize::from(xors > 0),
    }
}

/// N, Z, C and V of a difference that is made for them.
fn compare_flags() -> Unit {
    Unit::new(
        Family::Comparison,
        "compare_flags",
        TWO,
        |b, w| {
            let difference = library::subtract_with_carry(b, &w[0], &w[1]);
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
    )
}

/// N, Z, C and V of operands, a result and a carry that are there: V as signs say, whatever the
/// result is.
fn flags_of_results() -> [Unit; 2] {
    let flags = Unit::new(
        Family::Comparison,
        "flags_of_a_result",
        |n| vec![n, n, n, 1],
        |b, w| of_flags(library::flags(b, &w[0], &w[1], &w[2], w[3][0])),
        |n, v| {
            let [x, y, result] = [v[0], v[1], v[2]].map(|word| word >> (n - 1) & 1);
            let overflow = x == y && x != result;
            vec![result, u128::from(v[2] == 0), v[3], u128::from(overflow)]
        },
    );
    let two_products = flags.built_by("two-products", "Gong, Negrut, 2020, §VI-A", |b, w| {
        let mut flags = library::flags(b, &w[0], &w[1], &w[2], w[3][0]);
        let [x, y, result] = [0, 1, 2].map(|at| w[at].last().copied().unwrap_or(Wire::FALSE));
        flags.overflow = library::overflow_in_two_products(b, x, y, result);
        of_flags(flags)
    });
    [
        flags.costing(|_, n| Some(beside_zero(n, 1, 2, 2))),
        two_products.costing(|_, n| Some(beside_zero(n, 5, 0, 3))),
    ]
}

/// Z, and V beside it.
fn beside_zero(n: usize, ands: usize, xors: usize, depth: usize) -> Formula {
    let zero = all(n, 0);
    Formula {
        ands: zero.ands + ands,
        xors,
        muxes: 0,
        depth: zero.depth.max(depth),
    }
}

fn of_flags(flags: Flags) -> Vec<Word> {
    [flags.negative, flags.zero, flags.carry, flags.overflow]
        .map(|flag| vec![flag])
        .to_vec()
}

fn extrema() -> Vec<Unit> {
    const UNSIGNED: Signedness = Signedness::Unsigned;
    const SIGNED: Signedness = Signedness::Signed;
    let unit =
        |operation, build, clear| Unit::new(Family::Comparison, operation, TWO, build, clear);
    vec![
        unit(
            "minimum_unsigned",
            |b, w| vec![library::minimum(b, UNSIGNED, &w[0], &w[1])],
            |_, v| vec![v[0].min(v[1])],
        ),
        unit(
            "maximum_unsigned",
            |b, w| vec![library::maximum(b, UNSIGNED, &w[0], &w[1])],
            |_, v| vec![v[0].max(v[1])],
        ),
        unit(
            "minimum_signed",
            |b, w| vec![library::minimum(b, SIGNED, &w[0], &w[1])],
            |n, v| vec![signed(n, v[0]).min(signed(n, v[1])) as u128],
        ),
        unit(
            "maximum_signed",
            |b, w| vec![library::maximum(b, SIGNED, &w[0], &w[1])],
            |n, v| vec![signed(n, v[0]).max(signed(n, v[1])) as u128],
        ),
    ]
}
