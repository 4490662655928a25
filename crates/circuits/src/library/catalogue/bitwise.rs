//! Gates on words, selections and counts of bits.

use super::integers::{ONE, TWO, low, signed};
use super::unit::{Family, Unit};
use crate::architectures::{Architectures, Formula};
use crate::library::{self, Signedness};

/// Every unit of this kind.
pub(super) fn units() -> Vec<Unit> {
    let mut units = gates();
    units.extend(fields());
    units.extend(byte_orders());
    units.extend(counts());
    units
}

fn gates() -> Vec<Unit> {
    vec![
        Unit::new(
            Family::Bitwise,
            "and",
            TWO,
            |b, w| vec![library::and(b, &w[0], &w[1])],
            |_, v| vec![v[0] & v[1]],
        )
        .costing(|_, n| {
            Some(Formula {
                ands: n,
                depth: 1,
                ..Formula::default()
            })
        }),
        Unit::new(
            Family::Bitwise,
            "or",
            TWO,
            |b, w| vec![library::or(b, &w[0], &w[1])],
            |_, v| vec![v[0] | v[1]],
        )
        .costing(|_, n| {
            Some(Formula {
                ands: n,
                depth: 1,
                ..Formula::default()
            })
        }),
        Unit::new(
            Family::Bitwise,
            "xor",
            TWO,
            |b, w| vec![library::xor(b, &w[0], &w[1])],
            |_, v| vec![v[0] ^ v[1]],
        )
        .costing(|_, n| {
            Some(Formula {
                xors: n,
                depth: 1,
                ..Formula::default()
            })
        }),
        Unit::new(
            Family::Bitwise,
            "select",
            |n| vec![n, n, 1],
            |b, w| vec![library::select(b, w[2][0], &w[0], &w[1])],
            |_, v| vec![if v[2] == 1 { v[0] } else { v[1] }],
        )
        .costing(|_, n| {
            Some(Formula {
                muxes: n,
                depth: 1,
                ..Formula::default()
            })
        }),
        Unit::new(
            Family::Bitwise,
            "or_not",
            TWO,
            |b, w| vec![library::or_not(b, &w[0], &w[1])],
            |_, v| vec![v[0] | !v[1]],
        )
        .costing(|_, n| {
            Some(Formula {
                ands: n,
                depth: 1,
                ..Formula::default()
            })
        }),
        Unit::new(
            Family::Bitwise,
            "and_not",
            TWO,
            |b, w| vec![library::and_not(b, &w[0], &w[1])],
            |_, v| vec![v[0] & !v[1]],
        )
        .costing(|_, n| {
            Some(Formula {
                ands: n,
                depth: 1,
                ..Formula::default()
            })
        }),
        Unit::new(
            Family::Bitwise,
            "not",
            ONE,
            |_, w| vec![library::not(&w[0])],
            |_, v| vec![!v[0]],
        )
        .costing(WIRES),
    ]
}

/// Wires that change places: no gate at all.
const WIRES: fn(&Architectures, usize) -> Option<Formula> = |_, _| Some(Formula::default());

/// Where a word's middle field begins, and its bits.
fn middle(n: usize) -> (usize, usize) {
    (n / 4, n.div_ceil(2))
}

/// Fields and orders of bits.
fn fields() -> Vec<Unit> {
    let units = [
        Unit::new(
            Family::Bitwise,
            "clear_field",
            ONE,
            |_, w| {
                let (lowest, width) = middle(w[0].len());
                vec![library::clear_field(&w[0], lowest, width)]
            },
            |n, v| {
                let (lowest, width) = middle(n);
                vec![v[0] & !(low(width) << lowest)]
            },
        ),
        Unit::new(
            Family::Bitwise,
            "insert_field",
            |n| vec![n, middle(n).1],
            |_, w| vec![library::insert_field(&w[0], &w[1], middle(w[0].len()).0)],
            |n, v| {
                let (lowest, width) = middle(n);
                vec![v[0] & !(low(width) << lowest) | v[1] << lowest]
            },
        ),
        Unit::new(
            Family::Bitwise,
            "extract_field_unsigned",
            ONE,
            |_, w| {
                let (lowest, width) = middle(w[0].len());
                let kind = Signedness::Unsigned;
                vec![library::extract_field(kind, &w[0], lowest, width)]
            },
            |n, v| {
                let (lowest, width) = middle(n);
                vec![v[0] >> lowest & low(width)]
            },
        ),
        Unit::new(
            Family::Bitwise,
            "extract_field_signed",
            ONE,
            |_, w| {
                let (lowest, width) = middle(w[0].len());
                let kind = Signedness::Signed;
                vec![library::extract_field(kind, &w[0], lowest, width)]
            },
            |n, v| {
                let (lowest, width) = middle(n);
                vec![signed(width, v[0] >> lowest & low(width)) as u128]
            },
        ),
        Unit::new(
            Family::Bitwise,
            "reverse_bits",
            ONE,
            |_, w| vec![library::reverse_bits(&w[0])],
            |n, v| vec![v[0].reverse_bits() >> (128 - n)],
        ),
    ];
    units.map(|unit| unit.costing(WIRES)).to_vec()
}

/// Bits of n rounded up to whole bytes.
fn bytes(n: usize) -> Vec<usize> {
    vec![n.next_multiple_of(8)]
}

/// Bits of n rounded up to whole halfwords.
fn halfwords(n: usize) -> Vec<usize> {
    vec![n.next_multiple_of(16)]
}

/// The two bytes of a halfword swapped.
fn swapped(halfword: u128) -> u128 {
    u128::from((halfword as u16).swap_bytes())
}

/// Orders of bytes.
fn byte_orders() -> Vec<Unit> {
    let units = [
        Unit::new(
            Family::Bitwise,
            "reverse_bytes",
            bytes,
            |_, w| vec![library::reverse_bytes(&w[0])],
            |n, v| vec![v[0].swap_bytes() >> (128 - bytes(n)[0])],
        ),
        Unit::new(
            Family::Bitwise,
            "reverse_bytes_of_halfwords",
            halfwords,
            |_, w| vec![library::reverse_bytes_of_halfwords(&w[0])],
            |n, v| {
                let halfword = |at: usize| swapped(v[0] >> at) << at;
                vec![(0..n).step_by(16).map(halfword).sum()]
            },
        ),
        Unit::new(
            Family::Bitwise,
            "reverse_bytes_signed",
            halfwords,
            |_, w| vec![library::reverse_bytes_signed(&w[0])],
            |_, v| vec![signed(16, swapped(v[0])) as u128],
        ),
    ];
    units.map(|unit| unit.costing(WIRES)).to_vec()
}

fn counts() -> Vec<Unit> {
    let ones = Unit::new(
        Family::Bitwise,
        "population_count",
        ONE,
        |b, w| vec![library::population_count(b, &w[0])],
        |_, v| vec![v[0].count_ones().into()],
    );
    let by_halves = Unit {
        architecture: "halves".to_owned(),
        source: "a tree of ripple adders",
        build: |b, w| vec![library::population_count_by_halves(b, &w[0])],
        formula: |_, n| Some(library::population_count::gates_by_halves(n)),
        ..ones.clone()
    };
    vec![
        ones,
        by_halves,
        Unit::new(
            Family::Bitwise,
            "count_leading_zeros",
            ONE,
            |b, w| vec![library::count_leading_zeros(b, &w[0])],
            |n, v| vec![(n as u32 - (128 - v[0].leading_zeros())).into()],
        ),
    ]
}
