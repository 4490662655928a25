//! Shifts and rotations by secret amounts.

use super::integers::low;
use super::{Family, Unit};
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

/// Every shift.
pub(super) fn units() -> Vec<Unit> {
    vec![
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
            |b, w| vec![library::shift(b, Shift::Left, &w[0], &w[1], Wire::FALSE).0],
            |n, v| vec![shifted(Shift::Left, n, &[v[0], v[1], 0])[0]],
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
    ]
}
