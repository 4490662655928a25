//! What parallel-prefix adders have in common: columns that generate or propagate a carry, joined
//! into groups that reach column 0.
//!
//! A column generates (`g = xy`) or propagates (`p = x ⊕ y`) a carry; a group and the one below it
//! join to `(g₁ + p₁g₀, p₁p₀)`, where "+" may be an OR or an XOR, as both terms are never 1
//! together: an XOR where XORs are free. Adders differ in the order of joins alone:
//! [`sklansky`](super::sklansky), [`kogge_stone`](super::kogge_stone),
//! [`brent_kung`](super::brent_kung). Once a group reaches column 0, its g is the carry out of its
//! last column. A carry in belongs to column 0: its g becomes the majority of three bits.

use super::ripple::full_adder;
use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::{Builder, Wire};

/// How two terms of a join are added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Plus {
    /// By an OR, and the carry in joins as a column of its own: `g + p·c`.
    Or,
    /// By an XOR, and the carry in is in the majority of column 0: levelled schemes pay one level.
    Xor,
}

/// Columns, and for each the group that ends in it.
pub(super) struct Groups {
    plus: Plus,
    carry_in: Wire,
    columns: Vec<Wire>,
    generate: Vec<Wire>,
    propagate: Vec<Wire>,
}

impl Groups {
    /// Groups of one column each.
    pub(super) fn new(b: &mut Builder, plus: Plus, x: &[Wire], y: &[Wire], carry_in: Wire) -> Self {
        let columns: Vec<Wire> = x.iter().zip(y).map(|(&x, &y)| b.xor(x, y)).collect();
        let mut generate: Vec<Wire> = x.iter().zip(y).map(|(&x, &y)| b.and(x, y)).collect();
        if let (Some(first), Some(&x), Some(&y)) = (generate.first_mut(), x.first(), y.first()) {
            *first = match (plus, carry_in.as_constant()) {
                (Plus::Or, None) => {
                    let passed = b.and(columns[0], carry_in);
                    b.or(*first, passed)
                }
                _ => full_adder(b, x, y, carry_in).1,
            };
        }
        Self {
            plus,
            carry_in,
            propagate: columns.clone(),
            columns,
            generate,
        }
    }

    /// The number of columns.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// The group that ends in `at` takes in that which ends in `below`, right beneath it.
    pub(super) fn join(&mut self, b: &mut Builder, at: usize, below: usize) {
        let passed = b.and(self.propagate[at], self.generate[below]);
        self.generate[at] = match self.plus {
            Plus::Or => b.or(self.generate[at], passed),
            Plus::Xor => b.xor(self.generate[at], passed),
        };
        self.propagate[at] = b.and(self.propagate[at], self.propagate[below]);
    }

    /// The sum, once all groups reach column 0.
    pub(super) fn finish(self, b: &mut Builder) -> Added {
        let n = self.len();
        let carry_into = |at: usize| match at {
            0 => self.carry_in,
            _ => self.generate[at - 1],
        };
        let sum = self.columns.iter().enumerate();
        let sum = sum.map(|(at, &p)| b.xor(p, carry_into(at))).collect();
        let carry = carry_into(n);
        Added {
            sum,
            carry,
            overflow: b.xor(carry, carry_into(n.saturating_sub(1))),
        }
    }
}

/// Columns whose carry somebody reads.
pub(super) fn carried(n: usize, carries: Carries) -> usize {
    match carries {
        Carries::Dropped => n.saturating_sub(1),
        Carries::InAndOut => n,
    }
}

/// The gates around the joins: columns, carry in, sums, overflow; joins cost two gates each for
/// g, of which `joins` are asked for, and one for p, of which `joint`.
pub(super) fn gates(plus: Plus, n: usize, carries: Carries, joins: usize, joint: usize) -> Formula {
    let ends = usize::from(carries == Carries::InAndOut && n > 0);
    let mut formula = Formula {
        ands: carried(n, carries) + joins + joint,
        // p of each column, sums above the lowest; with carries the lowest, and overflow.
        xors: (2 * n).saturating_sub(1) + 2 * ends,
        ..Formula::default()
    };
    match plus {
        Plus::Or => formula.ands += joins + 2 * ends,
        // The majority has one AND, as the column's own g; and three XORs.
        Plus::Xor => formula.xors += joins + 3 * ends,
    }
    formula
}

/// When g of column 0 is there.
pub(super) fn first(carries: Carries) -> usize {
    match carries {
        Carries::Dropped => 1,
        // An XOR, an AND and an XOR; or p, an AND and an OR.
        Carries::InAndOut => 3,
    }
}
