//! All units with their definitions on integers.

use crate::harness::{Unit, Value, low, signed};
use circuits::library::{self, Shift, Signedness};
use circuits::{Builder, Wire};

type Words = [Vec<Wire>];
type Results = Vec<Vec<Wire>>;

fn one_bit(wire: Wire) -> Vec<Wire> {
    vec![wire]
}

fn shift_unit(b: &mut Builder, w: &Words, kind: Shift) -> Results {
    let (word, carry) = library::shift(b, kind, &w[0], &w[1], w[2][0]);
    vec![word, one_bit(carry)]
}

fn divided(divided: library::Divided) -> Results {
    vec![divided.quotient, divided.remainder]
}

/// ARM's shifts, one bit at a time.
fn shifted(kind: Shift, n: usize, v: &[Value]) -> Vec<Value> {
    let (mut word, mut carry) = (v[0], v[2]);
    for _ in 0..v[1] {
        let (top, bottom) = (word >> (n - 1) & 1, word & 1);
        (word, carry) = match kind {
            Shift::Left => (word << 1 & low(n), top),
            Shift::LogicalRight => (word >> 1, bottom),
            Shift::ArithmeticRight => (word >> 1 | top << (n - 1), bottom),
            Shift::RotateRight => (word >> 1 | bottom << (n - 1), bottom),
        };
    }
    vec![word, carry]
}

fn quotient_and_remainder(x: i128, y: i128) -> Vec<Value> {
    // The dividend's 64 bits leave room for INT_MIN / −1.
    let quotient = if y == 0 { 0 } else { x / y };
    vec![quotient as Value, (x - y * quotient) as Value]
}

fn flags(n: usize, v: &[Value]) -> Vec<Value> {
    let sum = v[0] + v[1] + v[2];
    let wide = signed(n, v[0]) + signed(n, v[1]) + v[2] as i128;
    vec![sum, sum >> n, Value::from(wide != signed(n, sum & low(n)))]
}

const SHIFT_OPERANDS: fn(usize) -> Vec<usize> = |n| vec![n, 8, 1];
const TWO: fn(usize) -> Vec<usize> = |n| vec![n, n];
const THREE: fn(usize) -> Vec<usize> = |n| vec![n, n, n];

/// Every unit of the library.
pub(crate) const UNITS: &[Unit] = &[
    Unit {
        name: "add",
        operands: TWO,
        build: |b, w| vec![library::add(b, &w[0], &w[1])],
        oracle: |_, v| vec![v[0] + v[1]],
    },
    Unit {
        name: "add_with_carry",
        operands: |n| vec![n, n, 1],
        build: |b, w| {
            let added = library::add_with_carry(b, &w[0], &w[1], w[2][0]);
            vec![added.sum, one_bit(added.carry), one_bit(added.overflow)]
        },
        oracle: flags,
    },
    Unit {
        name: "subtract",
        operands: TWO,
        build: |b, w| vec![library::subtract(b, &w[0], &w[1])],
        oracle: |_, v| vec![v[0].wrapping_sub(v[1])],
    },
    Unit {
        name: "negate",
        operands: |n| vec![n],
        build: |b, w| vec![library::negate(b, &w[0])],
        oracle: |_, v| vec![v[0].wrapping_neg()],
    },
    Unit {
        name: "negate_if",
        operands: |n| vec![n, 1],
        build: |b, w| vec![library::negate_if(b, w[1][0], &w[0])],
        oracle: |_, v| vec![if v[1] == 1 { v[0].wrapping_neg() } else { v[0] }],
    },
    Unit {
        name: "compare_flags",
        operands: TWO,
        build: |b, w| {
            let difference = library::add_with_carry(b, &w[0], &library::not(&w[1]), Wire::TRUE);
            let zero = library::is_zero(b, &difference.sum);
            let negative = difference.sum.last().copied().unwrap_or(Wire::FALSE);
            [negative, zero, difference.carry, difference.overflow]
                .map(one_bit)
                .to_vec()
        },
        oracle: |n, v| {
            let difference = v[0].wrapping_sub(v[1]) & low(n);
            let wide = signed(n, v[0]) - signed(n, v[1]);
            let overflow = wide != signed(n, difference);
            let flags = [
                difference >> (n - 1) == 1,
                difference == 0,
                v[0] >= v[1],
                overflow,
            ];
            flags.map(Value::from).to_vec()
        },
    },
    Unit {
        name: "less_than_unsigned",
        operands: TWO,
        build: |b, w| vec![one_bit(library::less_than_unsigned(b, &w[0], &w[1]))],
        oracle: |_, v| vec![Value::from(v[0] < v[1])],
    },
    Unit {
        name: "less_than_signed",
        operands: TWO,
        build: |b, w| vec![one_bit(library::less_than_signed(b, &w[0], &w[1]))],
        oracle: |n, v| vec![Value::from(signed(n, v[0]) < signed(n, v[1]))],
    },
    Unit {
        name: "equal",
        operands: TWO,
        build: |b, w| vec![one_bit(library::equal(b, &w[0], &w[1]))],
        oracle: |_, v| vec![Value::from(v[0] == v[1])],
    },
    Unit {
        name: "is_zero",
        operands: |n| vec![n],
        build: |b, w| vec![one_bit(library::is_zero(b, &w[0]))],
        oracle: |_, v| vec![Value::from(v[0] == 0)],
    },
    Unit {
        name: "and",
        operands: TWO,
        build: |b, w| vec![library::and(b, &w[0], &w[1])],
        oracle: |_, v| vec![v[0] & v[1]],
    },
    Unit {
        name: "or",
        operands: TWO,
        build: |b, w| vec![library::or(b, &w[0], &w[1])],
        oracle: |_, v| vec![v[0] | v[1]],
    },
    Unit {
        name: "xor",
        operands: TWO,
        build: |b, w| vec![library::xor(b, &w[0], &w[1])],
        oracle: |_, v| vec![v[0] ^ v[1]],
    },
    Unit {
        name: "select",
        operands: |n| vec![n, n, 1],
        build: |b, w| vec![library::select(b, w[2][0], &w[0], &w[1])],
        oracle: |_, v| vec![if v[2] == 1 { v[0] } else { v[1] }],
    },
    Unit {
        name: "shift_left",
        operands: SHIFT_OPERANDS,
        build: |b, w| shift_unit(b, w, Shift::Left),
        oracle: |n, v| shifted(Shift::Left, n, v),
    },
    Unit {
        name: "shift_left_without_carry",
        operands: |n| vec![n, 8],
        build: |b, w| vec![library::shift(b, Shift::Left, &w[0], &w[1], Wire::FALSE).0],
        oracle: |n, v| vec![shifted(Shift::Left, n, &[v[0], v[1], 0])[0]],
    },
    Unit {
        name: "shift_logical_right",
        operands: SHIFT_OPERANDS,
        build: |b, w| shift_unit(b, w, Shift::LogicalRight),
        oracle: |n, v| shifted(Shift::LogicalRight, n, v),
    },
    Unit {
        name: "shift_arithmetic_right",
        operands: SHIFT_OPERANDS,
        build: |b, w| shift_unit(b, w, Shift::ArithmeticRight),
        oracle: |n, v| shifted(Shift::ArithmeticRight, n, v),
    },
    Unit {
        name: "rotate_right",
        operands: SHIFT_OPERANDS,
        build: |b, w| shift_unit(b, w, Shift::RotateRight),
        oracle: |n, v| shifted(Shift::RotateRight, n, v),
    },
    Unit {
        name: "sum_of_ten",
        operands: |n| vec![n; 10],
        build: |b, w| {
            let words: Vec<&[Wire]> = w.iter().map(Vec::as_slice).collect();
            vec![library::add_all(b, w[0].len(), &words)]
        },
        oracle: |_, v| vec![v.iter().fold(0, |sum, &v| v.wrapping_add(sum))],
    },
    Unit {
        name: "multiply",
        operands: TWO,
        build: |b, w| vec![library::multiply(b, &w[0], &w[1])],
        oracle: |_, v| vec![v[0].wrapping_mul(v[1])],
    },
    Unit {
        name: "square",
        operands: |n| vec![n],
        build: |b, w| vec![library::multiply(b, &w[0], &w[0])],
        oracle: |_, v| vec![v[0].wrapping_mul(v[0])],
    },
    Unit {
        name: "multiply_add",
        operands: THREE,
        build: |b, w| vec![library::multiply_add(b, &w[0], &w[1], &w[2])],
        oracle: |_, v| vec![v[0].wrapping_mul(v[1]).wrapping_add(v[2])],
    },
    Unit {
        name: "multiply_subtract",
        operands: THREE,
        build: |b, w| vec![library::multiply_subtract(b, &w[0], &w[1], &w[2])],
        oracle: |_, v| vec![v[2].wrapping_sub(v[0].wrapping_mul(v[1]))],
    },
    Unit {
        name: "multiply_long_unsigned",
        operands: TWO,
        build: |b, w| {
            vec![library::multiply_long(
                b,
                Signedness::Unsigned,
                &w[0],
                &w[1],
            )]
        },
        oracle: |_, v| vec![v[0].wrapping_mul(v[1])],
    },
    Unit {
        name: "multiply_long_signed",
        operands: TWO,
        build: |b, w| vec![library::multiply_long(b, Signedness::Signed, &w[0], &w[1])],
        oracle: |n, v| vec![(signed(n, v[0]) * signed(n, v[1])) as Value],
    },
    Unit {
        name: "multiply_add_long_unsigned",
        operands: |n| vec![n, n, 2 * n],
        build: |b, w| {
            vec![library::multiply_add_long(
                b,
                Signedness::Unsigned,
                &w[0],
                &w[1],
                &w[2],
            )]
        },
        oracle: |_, v| vec![v[0].wrapping_mul(v[1]).wrapping_add(v[2])],
    },
    Unit {
        name: "multiply_add_long_signed",
        operands: |n| vec![n, n, 2 * n],
        build: |b, w| {
            vec![library::multiply_add_long(
                b,
                Signedness::Signed,
                &w[0],
                &w[1],
                &w[2],
            )]
        },
        oracle: |n, v| vec![((signed(n, v[0]) * signed(n, v[1])) as Value).wrapping_add(v[2])],
    },
    Unit {
        name: "divide_unsigned",
        operands: TWO,
        build: |b, w| divided(library::divide(b, Signedness::Unsigned, &w[0], &w[1])),
        oracle: |_, v| quotient_and_remainder(v[0] as i128, v[1] as i128),
    },
    Unit {
        name: "quotient_unsigned",
        operands: TWO,
        build: |b, w| vec![library::divide(b, Signedness::Unsigned, &w[0], &w[1]).quotient],
        oracle: |_, v| quotient_and_remainder(v[0] as i128, v[1] as i128)[..1].to_vec(),
    },
    Unit {
        name: "divide_signed",
        operands: TWO,
        build: |b, w| divided(library::divide(b, Signedness::Signed, &w[0], &w[1])),
        oracle: |n, v| quotient_and_remainder(signed(n, v[0]), signed(n, v[1])),
    },
    Unit {
        name: "quotient_signed",
        operands: TWO,
        build: |b, w| vec![library::divide(b, Signedness::Signed, &w[0], &w[1]).quotient],
        oracle: |n, v| quotient_and_remainder(signed(n, v[0]), signed(n, v[1]))[..1].to_vec(),
    },
    Unit {
        name: "count_leading_zeros",
        operands: |n| vec![n],
        build: |b, w| vec![library::count_leading_zeros(b, &w[0])],
        oracle: |n, v| vec![(n as u32 - (128 - v[0].leading_zeros())).into()],
    },
];

/// The unit of this name.
pub(crate) fn unit(name: &str) -> &'static Unit {
    UNITS.iter().find(|unit| unit.name == name).unwrap()
}
