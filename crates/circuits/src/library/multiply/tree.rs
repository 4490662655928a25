//! Multiplication by a tree: all partial products at once, columns of full adders, one last
//! addition.
//!
//! The rows of [`rows`](super::rows) go through [Wallace's](crate::library::columns::wallace) or
//! [Dadda's](crate::library::columns::dadda) stages, about log₁.₅(n/2) of them one after the other,
//! and an adder of the caller's choice takes the two rows that remain. Where an operand is added to
//! the product it is one more row, before the tree.

use super::rows::Row;
use crate::library::Word;
use crate::library::add::{Adder, add_with};
use crate::library::columns::{dadda, wallace};
use crate::{Builder, Wire};

/// Whose tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tree {
    Wallace,
    Dadda,
}

/// Adds rows modulo 2^`width`.
pub(super) fn add_rows(
    b: &mut Builder,
    tree: Tree,
    adder: Adder,
    width: usize,
    rows: &[Row],
) -> Word {
    let [x, y] = match tree {
        Tree::Wallace => {
            let padded = rows.iter().map(|row| row.padded(width)).collect();
            wallace::reduce(b, width, padded)
        }
        Tree::Dadda => {
            let mut columns = vec![Vec::with_capacity(rows.len()); width];
            for row in rows {
                let bits = row.bits.iter().zip(columns.iter_mut().skip(row.start));
                bits.filter(|&(&bit, _)| bit != Wire::FALSE)
                    .for_each(|(&bit, column)| column.push(bit));
            }
            dadda::reduce(b, columns)
        }
    };
    // The lowest columns have one bit each, and the adder begins above them.
    let alone = |at: &usize| x[*at] == Wire::FALSE || y[*at] == Wire::FALSE;
    let done = (0..width).take_while(alone).count();
    let mut sum: Word = (0..done).map(|at| b.or(x[at], y[at])).collect();
    sum.extend(add_with(b, adder, &x[done..], &y[done..], Wire::FALSE).sum);
    sum
}
