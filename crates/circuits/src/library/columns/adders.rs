//! Columns added by full adders of one AND each.
//!
//! A column of m bits (carries from below included) takes ⌊m/2⌋ adders, so that the number of ANDs
//! is fixed: Σ ⌊m_c/2⌋ over all columns but the top one, whose carries nobody reads. What is free
//! is the order: the three earliest bits first, a Wallace tree (C. S. Wallace, A suggestion for a
//! fast multiplier, 1964), so that depth grows with the logarithm of the height plus the final
//! carry. For levelled targets columns stop at two bits, and a prefix adder does the rest.

use crate::library::Word;
use crate::library::add::{self, Adder, full_adder};
use crate::{Builder, Wire};

pub(super) fn build(b: &mut Builder, mut columns: Vec<Vec<Wire>>) -> Word {
    let adder = Adder::suited_to(b);
    let height = if adder == Adder::Prefix { 2 } else { 1 };
    for column in 0..columns.len() {
        let mut bits = std::mem::take(&mut columns[column]);
        while bits.len() > height {
            // Latest first, so that the earliest are popped.
            bits.sort_by_key(|&bit| std::cmp::Reverse(b.depth(bit)));
            let (x, y) = (bits.pop().unwrap_or(Wire::FALSE), bits.pop().unwrap_or(Wire::FALSE));
            let z = bits.pop().unwrap_or(Wire::FALSE);
            let (sum, carry) = full_adder(b, x, y, z);
            bits.push(sum);
            if let Some(next) = columns.get_mut(column + 1)
                && carry != Wire::FALSE
            {
                next.push(carry);
            }
        }
        columns[column] = bits;
    }
    let row = |at: usize| -> Word {
        columns.iter().map(|bits| bits.get(at).copied().unwrap_or(Wire::FALSE)).collect()
    };
    match height {
        1 => row(0),
        _ => add::add_with(b, adder, &row(0), &row(1), Wire::FALSE).sum,
    }
}
