//! Words added one after the other: m − 1 additions, each with its own carries.
//!
//! m − 1 times the adder's gates ([`Adder::formula`]). The additions overlap: a column can be added
//! as soon as the columns below it were, so that a ripple adder's chain is m + n columns deep, not
//! m·n; a look-ahead adder's carries come late for all columns alike, and a chain of them is m − 1
//! times as deep but for the first and last gates.
//!
//! Source: B. Bomolo, B. Ntumba, E. Mbuyi, Performance of adder architectures on encrypted
//! integers, 2021, table IV (ripple and look-ahead pipelines of four words), and Improved
//! bootstrapping by FFT on encrypted multi operands homomorphic addition, 2021, §III (ten words).

use super::formula::{self, Row};
use crate::architectures::{Adder, Formula};
use crate::library::add::add_with;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// Gates and depth of a chain of ripple adders.
pub(super) fn ripple_gates(width: usize, words: usize) -> Formula {
    formula::of(width, words, |formula, rows| {
        let mut rows = rows.into_iter().rev().collect::<Vec<Row>>();
        while rows.len() > 2 {
            if let (Some(sum), Some(row)) = (rows.pop(), rows.pop()) {
                rows.push(formula::ripple(formula, &sum, &row));
            }
        }
        rows.reverse();
        rows
    })
}

/// Rows of equal width.
pub(super) fn add(b: &mut Builder, adder: Adder, width: usize, rows: Vec<Word>) -> Word {
    let sum = rows
        .into_iter()
        .reduce(|sum, row| add_with(b, adder, &sum, &row, Wire::FALSE).sum);
    sum.unwrap_or_else(|| vec![Wire::FALSE; width])
}
