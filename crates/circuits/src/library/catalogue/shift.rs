//! Shifts and rotations by secret amounts.

use super::integers::low;
use super::unit::{Family, Unit};
use crate::architectures::{Architectures, Shifter};
use crate::library::{self, Shift, Word};
use crate::{Builder, Wire};

fn build(b: &mut Builder, words: &[Word], kind: Shift) -> Vec<Word> {
    let (word, carry) = library::shift(b, kind, &words[0], &words[1], words[2][0]);
    vec![word, vec![carry]]
}

/// ARM's shifts, one bit at a time.
fn shifted(kind: Shift, n: usize, v: &[u128]) -> Vec<u128> {
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

const OPERANDS: fn(usize) -> Vec<usize> = |n| vec![n, 8, 1];
/// Amounts below the width, and no carry: what the papers shift by.
const WITHIN: fn(usize) -> Vec<usize> = |n| vec![n, stages(n)];

fn stages(n: usize) -> usize {
    n.next_power_of_two().ilog2().max(1) as usize
}

fn within(b: &mut Builder, words: &[Word], kind: Shift) -> Vec<Word> {
    vec![library::shift(b, kind, &words[0], &words[1], Wire::FALSE).0]
}

fn shifted_within(kind: Shift, n: usize, v: &[u128]) -> Vec<u128> {
    shifted(kind, n, &[v[0], v[1], 0])[..1].to_vec()
}

/// Every shift.
pub(super) fn units() -> Vec<Unit> {
    let operations = [
        Unit::new(
            Family::Shift,
            "shift_left",
            OPERANDS,
            |b, w| build(b, w, Shift::Left),
            |n, v| shifted(Shift::Left, n, v),
        ),
        Unit::new(
            Family::Shift,
            "shift_left_without_carry",
            |n| vec![n, 8],
            |b, w| within(b, w, Shift::Left),
            |n, v| shifted_within(Shift::Left, n, v),
        ),
        Unit::new(
            Family::Shift,
            "shift_logical_right",
            OPERANDS,
            |b, w| build(b, w, Shift::LogicalRight),
            |n, v| shifted(Shift::LogicalRight, n, v),
        ),
        Unit::new(
            Family::Shift,
            "shift_arithmetic_right",
            OPERANDS,
            |b, w| build(b, w, Shift::ArithmeticRight),
            |n, v| shifted(Shift::ArithmeticRight, n, v),
        ),
        Unit::new(
            Family::Shift,
            "rotate_right",
            OPERANDS,
            |b, w| build(b, w, Shift::RotateRight),
            |n, v| shifted(Shift::RotateRight, n, v),
        ),
        Unit::new(
            Family::Shift,
            "shift_left_within",
            WITHIN,
            |b, w| within(b, w, Shift::Left),
            |n, v| shifted_within(Shift::Left, n, v),
        )
        .costing(|forced, n| forced.shifter?.formula(Shift::Left, n)),
        Unit::new(
            Family::Shift,
            "shift_logical_right_within",
            WITHIN,
            |b, w| within(b, w, Shift::LogicalRight),
            |n, v| shifted_within(Shift::LogicalRight, n, v),
        )
        .costing(|forced, n| forced.shifter?.formula(Shift::LogicalRight, n)),
        Unit::new(
            Family::Shift,
            "shift_arithmetic_right_within",
            WITHIN,
            |b, w| within(b, w, Shift::ArithmeticRight),
            |n, v| shifted_within(Shift::ArithmeticRight, n, v),
        )
        .costing(|forced, n| forced.shifter?.formula(Shift::ArithmeticRight, n)),
        Unit::new(
            Family::Shift,
            "rotate_right_within",
            WITHIN,
            |b, w| within(b, w, Shift::RotateRight),
            |n, v| shifted_within(Shift::RotateRight, n, v),
        )
        .costing(|forced, n| forced.shifter?.formula(Shift::RotateRight, n)),
        Unit::new(
            Family::Shift,
            "rotate_left_within",
            WITHIN,
            |b, w| vec![library::rotate_left(b, &w[0], &w[1])],
            |n, v| {
                let back = (n - v[1] as usize % n) as u128;
                shifted_within(Shift::RotateRight, n, &[v[0], back])
            },
        )
        .costing(|forced, n| forced.shifter?.formula(Shift::RotateRight, n)),
    ];
    let mut units = Vec::new();
    for operation in operations {
        units.push(operation.clone());
        for shifter in Shifter::all() {
            let forced = Architectures {
                shifter: Some(shifter),
                ..Architectures::default()
            };
            units.push(operation.forced(shifter, shifter.source(), forced));
        }
    }
    units
}
