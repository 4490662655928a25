//! Multiplication by a tree: all partial products at once, columns of full adders, one last
//! addition.
//!
//! The rows of [`rows`](super::rows) go through [Wallace's](crate::library::columns::wallace) or
//! [Dadda's](crate::library::columns::dadda) stages, about log₁.₅(n/2) of them one after the other,
//! and an adder of the caller's choice takes the two rows that remain. Where an operand is added to
//! the product it is one more row, before the tree.

use super::rows::Row;
use crate::architectures::{Adder, Formula};
use crate::library::add::add_with;
use crate::library::columns::estimate::{Arrival, Estimate, FullAdders};
use crate::library::columns::{dadda, wallace};
use crate::library::word::{Signedness, Word};
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
    let padded = rows.iter().map(|row| row.padded(width)).collect();
    let [x, y] = reduce(b, tree, width, padded);
    let done = alone::<Builder>(&x, &y);
    let mut sum: Word = (0..done).map(|at| b.or(x[at], y[at])).collect();
    sum.extend(add_with(b, adder, &x[done..], &y[done..], Wire::FALSE).sum);
    sum
}

/// Two rows with the sum of all.
fn reduce<A: FullAdders>(
    adders: &mut A,
    tree: Tree,
    width: usize,
    rows: Vec<Vec<A::Bit>>,
) -> [Vec<A::Bit>; 2] {
    match tree {
        Tree::Wallace => wallace::reduce(adders, width, rows),
        Tree::Dadda => {
            let column = |at: usize| -> Vec<A::Bit> {
                let bits = rows.iter().map(|row| row[at]);
                bits.filter(|&bit| bit != A::ZERO).collect()
            };
            dadda::reduce(adders, (0..width).map(column).collect())
        }
    }
}

/// The lowest columns that have one bit each: the last adder begins above them.
fn alone<A: FullAdders>(x: &[A::Bit], y: &[A::Bit]) -> usize {
    let pairs = x.iter().zip(y);
    pairs
        .take_while(|&(&x, &y)| x == A::ZERO || y == A::ZERO)
        .count()
}

/// A product of n × n bits of `width` bits, n or 2n, with Sklansky's adder: the recurrences of the
/// tree and of the adder, evaluated.
pub(super) fn gates(tree: Tree, signedness: Signedness, n: usize, width: usize) -> Formula {
    let product = Arrival::After { ands: 1, gates: 1 };
    let zero = Arrival::Clear(false);
    let mut products = 0;
    let rows = (0..n.min(width)).map(|start| {
        let mut row = vec![zero; start];
        row.extend(std::iter::repeat_n(product, n.min(width - start)));
        products += row.len() - start;
        let ends = start == 0 || start + 1 == n;
        if signedness == Signedness::Signed && n > 1 && ends {
            row.push(Arrival::Clear(true));
        }
        row.resize(width, zero);
        row
    });
    let rows = rows.collect();
    let mut estimate = Estimate::default();
    let [x, y] = reduce(&mut estimate, tree, width, rows);
    let done = alone::<Estimate>(&x, &y);
    estimate.add_rows(&x[done..], &y[done..]);
    let added = estimate.formula;
    Formula {
        ands: added.ands + products,
        depth: added.depth.max(usize::from(products > 0)),
        ..added
    }
}
