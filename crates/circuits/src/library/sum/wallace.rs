//! Wallace's tree: rows in threes, all at once, stage by stage, until two are left for an adder.
//!
//! Of the rows in threes each becomes two ([`carry_save`](super::carry_save())), so that m rows are
//! two after s ≈ log₁.₅(m/2) stages of depth 3 ([`columns::wallace`](crate::library::columns)): ten
//! words after five, where a chain takes eight rows. Four words take two stages and the adder's,
//! the paper's three: the same gates as its carry-save adder.
//!
//! Source: C. S. Wallace, A suggestion for a fast multiplier, 1964; B. Bomolo, B. Ntumba, E. Mbuyi,
//! Performance of adder architectures on encrypted integers, 2021, §IV-B.6.

use super::formula;
use crate::architectures::{Adder, Formula};
use crate::library::add::add_with;
use crate::library::columns::wallace;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// Gates and depth with a ripple adder.
pub(super) fn gates(width: usize, words: usize) -> Formula {
    formula::of(width, words, |formula, mut rows| {
        while rows.len() > 2 {
            let groups = rows.chunks(3).flat_map(|group| match group {
                [x, y, z] => formula::carry_save(formula, [x, y, z]).to_vec(),
                rest => rest.to_vec(),
            });
            rows = groups.collect();
        }
        rows
    })
}

/// Rows of equal width.
pub(super) fn add(b: &mut Builder, adder: Adder, width: usize, rows: Vec<Word>) -> Word {
    let [sums, carries] = wallace::reduce(b, width, rows);
    add_with(b, adder, &sums, &carries, Wire::FALSE).sum
}
