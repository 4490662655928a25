//! Columns added by full adders of one AND each.
//!
//! * Sequential targets: from the lowest column up, the three earliest bits first. A column of m
//!   bits, carries from below included, takes ⌊m/2⌋ adders: Σ ⌊m_c/2⌋ ANDs over all columns but
//!   the top one, whose carries nobody reads. No order needs fewer.
//! * Levelled targets: [Dadda's](super::dadda) stages, one level each, and a parallel-prefix adder
//!   for the last two rows.

use super::dadda;
use crate::library::Word;
use crate::library::add::{self, full_adder};
use crate::{Builder, Wire};

pub(super) fn build(b: &mut Builder, columns: Vec<Vec<Wire>>) -> Word {
    if b.profile().levels.is_none() {
        return ripple(b, columns);
    }
    let [x, y] = dadda::reduce(b, columns);
    add::add(b, &x, &y)
}

fn ripple(b: &mut Builder, mut columns: Vec<Vec<Wire>>) -> Word {
    let mut sum = Word::with_capacity(columns.len());
    for column in 0..columns.len() {
        let mut bits = std::mem::take(&mut columns[column]);
        while bits.len() > 1 {
            let (bit, carry) = add_earliest(b, &mut bits, 3);
            bits.push(bit);
            push_carry(columns.get_mut(column + 1), carry);
        }
        sum.push(bits.pop().unwrap_or(Wire::FALSE));
    }
    sum
}

/// Adds up to `count` of the earliest bits.
fn add_earliest(b: &mut Builder, bits: &mut Vec<Wire>, count: usize) -> (Wire, Wire) {
    // Latest first, so that the earliest are popped.
    bits.sort_by_key(|&bit| std::cmp::Reverse(b.depth(bit)));
    let mut next = |wanted: bool| if wanted { bits.pop() } else { None }.unwrap_or(Wire::FALSE);
    let (x, y, z) = (next(count > 0), next(count > 1), next(count > 2));
    full_adder(b, x, y, z)
}

fn push_carry(column: Option<&mut Vec<Wire>>, carry: Wire) {
    if let Some(column) = column
        && carry != Wire::FALSE
    {
        column.push(carry);
    }
}
