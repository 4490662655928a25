//! The multipliers that there are, each in one row: where it is from, what it costs and how it is
//! drawn.
//!
//! | [`Multiplier`] | ANDs for n × n → 2n bits | depth | for |
//! |---|---|---|---|
//! | [`Columns`](Multiplier::Columns) | n² and n² − n full adders, or lookups of digits | ≈ 2n | whatever the target |
//! | [`PencilAndPaper`](Multiplier::PencilAndPaper) | n² and ≈ n² full adders | ≈ 2n | the papers' comparison |
//! | [`CarrySave`](Multiplier::CarrySave) | n² and n − 1 adders of n bits | ≈ 2n·log₂n | the papers' comparison |
//! | [`Wallace`](Multiplier::Wallace), [`Dadda`](Multiplier::Dadda) | n² and ≈ n² full adders | ≈ 3·log₁.₅n + 2·log₂n | many cores |
//! | [`Booth`](Multiplier::Booth) | six selections for each of ≈ n²/2 bits, and as many full adders | ≈ 2n | selectors |

use super::problem::Problem;
use super::tree::{self, Tree};
use super::{booth, carry_save, gathered, pencil_and_paper, rows};
use crate::architectures::{Adder, Formula, Multiplier};
use crate::library::add::add_with;
use crate::library::bitwise;
use crate::library::columns::Columns;
use crate::library::word::{Signedness, Word};
use crate::{Builder, Wire};

/// A multiplier, apart from its name.
struct Row {
    source: &'static str,
    /// The adder inside that the source draws.
    adder: Adder,
    /// Gates and depth of the lowest n bits with that adder, where they are a formula.
    low: fn(usize) -> Option<Formula>,
    /// The same for all 2n bits.
    long: fn(Signedness, usize) -> Option<Formula>,
    /// Multiplies with an adder inside.
    multiply: fn(&mut Builder, Adder, &Problem<'_>) -> Word,
}

/// The table.
fn row(multiplier: Multiplier) -> Row {
    match multiplier {
        Multiplier::Columns => Row {
            source: "Dadda, 1965; quarter squares where lookups are native",
            adder: Adder::Ripple,
            low: |_| None,
            long: |_, _| None,
            multiply: in_columns,
        },
        Multiplier::PencilAndPaper => Row {
            source: "Xu, Chen, Wu, Feng, 2016, §3.3",
            adder: Adder::Ripple,
            low: |n| Some(pencil_and_paper::gates(n)),
            long: |_, _| None,
            multiply: |b, adder, problem| {
                let &Problem { x, y, width, .. } = problem;
                let rows = rows::rows(b, problem.signedness, x, y, width);
                let product = pencil_and_paper::add_rows(b, adder, x.len(), width, rows);
                with_addend(b, adder, problem, product)
            },
        },
        Multiplier::CarrySave => Row {
            source: "Gong, Negrut, 2020, §V-E",
            adder: Adder::KoggeStone,
            low: |_| None,
            long: |signedness, n| Some(carry_save::gates(signedness, n)),
            multiply: |b, adder, problem| {
                let &Problem { x, y, .. } = problem;
                let mut product = carry_save::multiply(b, adder, problem.signedness, x, y);
                product.truncate(problem.width);
                with_addend(b, adder, problem, product)
            },
        },
        Multiplier::Wallace => Row {
            source: "Wallace, 1964",
            adder: Adder::Sklansky,
            low: |n| Some(tree::gates(Tree::Wallace, Signedness::Unsigned, n, n)),
            long: |signedness, n| Some(tree::gates(Tree::Wallace, signedness, n, 2 * n)),
            multiply: |b, adder, problem| by_tree(b, Tree::Wallace, adder, problem),
        },
        Multiplier::Dadda => Row {
            source: "Dadda, 1965",
            adder: Adder::Sklansky,
            low: |n| Some(tree::gates(Tree::Dadda, Signedness::Unsigned, n, n)),
            long: |signedness, n| Some(tree::gates(Tree::Dadda, signedness, n, 2 * n)),
            multiply: |b, adder, problem| by_tree(b, Tree::Dadda, adder, problem),
        },
        Multiplier::Booth => Row {
            source: "Booth, 1951; MacSorley, 1961",
            adder: Adder::Ripple,
            low: |_| None,
            long: |_, _| None,
            multiply: |b, _, problem| booth::multiply(b, problem),
        },
    }
}

impl Multiplier {
    /// Where the architecture is from.
    #[must_use]
    pub(in crate::library) fn source(self) -> &'static str {
        row(self).source
    }

    /// Gates and depth of the lowest n bits of a product with the adder that the source draws,
    /// where they are a formula.
    #[must_use]
    pub(in crate::library) fn formula_low(self, n: usize) -> Option<Formula> {
        (row(self).low)(n)
    }

    /// The same for all 2n bits.
    #[must_use]
    pub(in crate::library) fn formula_long(
        self,
        signedness: Signedness,
        n: usize,
    ) -> Option<Formula> {
        (row(self).long)(signedness, n)
    }
}

/// What a problem asks for by one multiplier. The adder inside is the forced one, otherwise the one
/// that the source draws.
pub(super) fn build(b: &mut Builder, multiplier: Multiplier, problem: &Problem<'_>) -> Word {
    let Row {
        adder, multiply, ..
    } = row(multiplier);
    let adder = b.profile().architectures.adder.unwrap_or(adder);
    multiply(b, adder, problem)
}

/// The library's own, which chooses its adders itself.
fn in_columns(b: &mut Builder, _: Adder, problem: &Problem<'_>) -> Word {
    let &Problem { x, y, .. } = problem;
    let mut columns = Columns::new(problem.width);
    if let Some(addend) = problem.addend {
        columns.push_word(0, addend);
    }
    gathered::gather(b, &mut columns, problem.signedness, x, y, problem.negative);
    columns.sum(b)
}

/// A tree takes an addend as one more row; `a − p = ¬(¬a + p)`.
fn by_tree(b: &mut Builder, tree: Tree, adder: Adder, problem: &Problem<'_>) -> Word {
    let &Problem {
        x,
        y,
        width,
        negative,
        ..
    } = problem;
    let mut all = rows::rows(b, problem.signedness, x, y, width);
    let bits = problem.addend.map(|addend| match negative {
        true => bitwise::not(addend),
        false => addend.to_vec(),
    });
    all.extend(bits.map(|bits| rows::Row { start: 0, bits }));
    let sum = tree::add_rows(b, tree, adder, width, &all);
    if negative { bitwise::not(&sum) } else { sum }
}

/// A product and the addend beside it.
fn with_addend(b: &mut Builder, adder: Adder, problem: &Problem<'_>, product: Word) -> Word {
    match (problem.addend, problem.negative) {
        (None, _) => product,
        (Some(addend), false) => add_with(b, adder, addend, &product, Wire::FALSE).sum,
        (Some(minuend), true) => {
            add_with(b, adder, minuend, &bitwise::not(&product), Wire::TRUE).sum
        }
    }
}
