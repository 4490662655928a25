//! Carry-save addition: three rows become two, a row of sums and a row of carries, without any
//! carry passing from column to column.
//!
//! A row of full adders of one AND each, at depth 3 whatever the width; m words take m − 2 rows in
//! a chain, then an adder for the two rows that are left (a ripple adder in the paper). The lowest
//! column of a carry row is empty, and nobody reads the highest column's carries: m ≥ 3 words of n
//! bits modulo 2ⁿ take, with a ripple adder, (m − 1)(n − 1) − 1 ANDs, 29 for three words of 16
//! bits, 44 for four; XORs and depth as [`formula`](super::formula) counts them.
//!
//! Source: B. Bomolo, B. Ntumba, E. Mbuyi, Performance of adder architectures on encrypted
//! integers, 2021, §IV-B.3 and table II.

use super::formula::{self, Row};
use crate::architectures::{Adder, Formula};
use crate::library::add::{add_with, full_adder};
use crate::library::word::Word;
use crate::{Builder, Wire};

/// Three words as two, whose sum is theirs modulo 2ⁿ: sums, and carries with the lowest bit clear.
pub fn carry_save(b: &mut Builder, x: &[Wire], y: &[Wire], z: &[Wire]) -> [Word; 2] {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    assert_eq!(x.len(), z.len(), "operands of different widths");
    let (mut sums, mut carries) = (Word::with_capacity(x.len()), vec![Wire::FALSE]);
    for ((&x, &y), &z) in x.iter().zip(y).zip(z) {
        let (sum, carry) = full_adder(b, x, y, z);
        sums.push(sum);
        carries.push(carry);
    }
    carries.truncate(x.len());
    [sums, carries]
}

/// Gates and depth with a ripple adder.
pub(super) fn gates(width: usize, words: usize) -> Formula {
    formula::of(width, words, |formula, rows| {
        let mut rows = rows.into_iter();
        let mut two: Vec<Row> = rows.by_ref().take(2).collect();
        for row in rows {
            two = formula::carry_save(formula, [&two[0], &two[1], &row]).into();
        }
        two
    })
}

/// Rows of equal width.
pub(super) fn add(b: &mut Builder, adder: Adder, width: usize, rows: Vec<Word>) -> Word {
    let mut rows = rows.into_iter();
    let mut next = || rows.next();
    let empty = vec![Wire::FALSE; width];
    let (mut sums, mut carries) = (next().unwrap_or(empty.clone()), next().unwrap_or(empty));
    for row in rows {
        [sums, carries] = carry_save(b, &sums, &carries, &row);
    }
    add_with(b, adder, &sums, &carries, Wire::FALSE).sum
}
