//! Columns added by full adders of one AND each.
//!
//! * Sequential targets: from the lowest column up, the three earliest bits first. A column of m
//!   bits, carries from below included, takes ⌊m/2⌋ adders: Σ ⌊m_c/2⌋ ANDs over all columns but
//!   the top one, whose carries nobody reads. No order needs fewer.
//! * Levelled targets: L. Dadda's stages (Some schemes for parallel multipliers, Alta Frequenza,
//!   1965) to heights …, 13, 9, 6, 4, 3, 2, one level each, and a parallel-prefix adder for the last
//!   two rows.

use crate::library::Word;
use crate::library::add::{self, full_adder};
use crate::{Builder, Wire};

pub(super) fn build(b: &mut Builder, mut columns: Vec<Vec<Wire>>) -> Word {
    if b.profile().levels.is_none() {
        return ripple(b, columns);
    }
    let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
    for height in stages(tallest).into_iter().rev() {
        columns = stage(b, columns, height);
    }
    let row = |at: usize| -> Word {
        columns
            .iter()
            .map(|bits| bits.get(at).copied().unwrap_or(Wire::FALSE))
            .collect()
    };
    add::add(b, &row(0), &row(1))
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

/// Dadda's heights below that of the tallest column, from 2 up: each is two thirds of the next.
fn stages(tallest: usize) -> Vec<usize> {
    std::iter::successors(Some(2), |&height| Some(height * 3 / 2))
        .take_while(|&height| height < tallest)
        .collect()
}

/// Lowers all columns to a height by adders that do not wait for each other.
fn stage(b: &mut Builder, columns: Vec<Vec<Wire>>, height: usize) -> Vec<Vec<Wire>> {
    let mut result: Vec<Vec<Wire>> = vec![Vec::new(); columns.len()];
    for (column, mut bits) in columns.into_iter().enumerate() {
        // Carries of this stage are already in the result.
        while bits.len() + result[column].len() > height && bits.len() > 1 {
            let excess = bits.len() + result[column].len() - height;
            let (bit, carry) = add_earliest(b, &mut bits, if excess == 1 { 2 } else { 3 });
            result[column].push(bit);
            push_carry(result.get_mut(column + 1), carry);
        }
        result[column].append(&mut bits);
    }
    result
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
