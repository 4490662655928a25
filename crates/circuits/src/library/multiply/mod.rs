//! Multiplication, with an addend for little or nothing.
//!
//! | [`Multiplier`] | ANDs for n × n → 2n bits | depth | for |
//! |---|---|---|---|
//! | [`Columns`](Multiplier::Columns) | n² and n² − n full adders, or lookups of digits | ≈ 2n | whatever the target |
//! | [`PencilAndPaper`](Multiplier::PencilAndPaper) | n² and ≈ n² full adders | ≈ 2n | the papers' comparison |
//! | [`CarrySave`](Multiplier::CarrySave) | n² and n − 1 adders of n bits | ≈ 2n·log₂n | the papers' comparison |
//! | [`Wallace`](Multiplier::Wallace), [`Dadda`](Multiplier::Dadda) | n² and ≈ n² full adders | ≈ 3·log₁.₅n + 2·log₂n | many cores |
//!
//! The first is the library's own and the default. An operand that is wholly clear makes it a sum
//! of shifted copies ([`by_constant`]).

pub(super) mod by_constant;
mod carry_save;
mod gathered;
mod pencil_and_paper;
mod rows;
mod squaring;
mod tree;

use super::add::add_with;
use super::bitwise;
use super::choice::Question;
use super::columns::Columns;
use super::word::{Signedness, Word, clear_value};
use crate::architectures::{Adder, Formula, Multiplier};
use crate::{Builder, Wire};
pub use by_constant::{copies_for, multiply_by};
pub use squaring::square;
use tree::Tree;

/// Cores from which on a tree of full adders may be faster than the library's own columns.
const MANY: usize = 9;

/// What is to be computed: `x·y`, `x·y + addend` or `addend − x·y` modulo 2^`width`.
struct Problem<'a> {
    signedness: Signedness,
    x: &'a [Wire],
    y: &'a [Wire],
    width: usize,
    addend: Option<&'a [Wire]>,
    negative: bool,
}

/// The low n bits of `x·y`.
pub fn multiply(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    chosen(b, &Problem::low(x, y))
}

/// The low n bits of `x·y` by a multiplier of the caller's choice.
pub fn multiply_with(b: &mut Builder, multiplier: Multiplier, x: &[Wire], y: &[Wire]) -> Word {
    let adder = multiplier.drawn_with(b);
    build(b, multiplier, adder, &Problem::low(x, y))
}

/// The low n bits of `x·y + addend`.
pub fn multiply_add(b: &mut Builder, x: &[Wire], y: &[Wire], addend: &[Wire]) -> Word {
    chosen(b, &Problem::low(x, y).and_addend(addend))
}

/// The low n bits of `minuend − x·y`.
pub fn multiply_subtract(b: &mut Builder, x: &[Wire], y: &[Wire], minuend: &[Wire]) -> Word {
    let mut problem = Problem::low(x, y).and_addend(minuend);
    problem.negative = true;
    chosen(b, &problem)
}

/// All 2n bits of `x·y`.
pub fn multiply_long(b: &mut Builder, signedness: Signedness, x: &[Wire], y: &[Wire]) -> Word {
    chosen(b, &Problem::long(signedness, x, y))
}

/// All 2n bits of `x·y` by a multiplier of the caller's choice.
pub fn multiply_long_with(
    b: &mut Builder,
    multiplier: Multiplier,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
) -> Word {
    let adder = multiplier.drawn_with(b);
    build(b, multiplier, adder, &Problem::long(signedness, x, y))
}

/// The low 2n bits of `x·y + addend`, where the addend has 2n bits.
pub fn multiply_add_long(
    b: &mut Builder,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
    addend: &[Wire],
) -> Word {
    chosen(b, &Problem::long(signedness, x, y).and_addend(addend))
}

impl<'a> Problem<'a> {
    fn low(x: &'a [Wire], y: &'a [Wire]) -> Self {
        Self {
            width: x.len(),
            ..Self::long(Signedness::Unsigned, x, y)
        }
    }

    fn long(signedness: Signedness, x: &'a [Wire], y: &'a [Wire]) -> Self {
        assert_eq!(x.len(), y.len(), "operands of different widths");
        Self {
            signedness,
            x,
            y,
            width: 2 * x.len(),
            addend: None,
            negative: false,
        }
    }

    /// The library's own, or for many cores the tree of fewest levels if that is faster.
    fn suited(&self, b: &mut Builder) -> Multiplier {
        let profile = b.profile();
        let clear = clear_value(self.x).is_some() || clear_value(self.y).is_some();
        if profile.levels.is_some() || profile.cores < MANY || clear || self.x == self.y {
            return Multiplier::Columns;
        }
        let (n, signedness) = (self.x.len(), self.signedness);
        let (family, long) = match (self.width > n, signedness) {
            (false, _) => ("product", false),
            (true, Signedness::Unsigned) => ("long unsigned product", true),
            (true, Signedness::Signed) => ("long signed product", true),
        };
        let question = Question {
            family,
            width: n,
            words: 2,
            candidates: &[Multiplier::Columns, Multiplier::Dadda],
            formula: &|_| None,
            draw: &|b, multiplier| {
                let (x, y) = (b.inputs(n), b.inputs(n));
                match long {
                    true => multiply_long_with(b, multiplier, signedness, &x, &y),
                    false => multiply_with(b, multiplier, &x, &y),
                }
            },
        };
        question.answer(b)
    }

    fn and_addend(mut self, addend: &'a [Wire]) -> Self {
        assert_eq!(
            addend.len(),
            self.width,
            "an addend of another width than the product"
        );
        self.addend = Some(addend);
        self
    }
}

fn chosen(b: &mut Builder, problem: &Problem<'_>) -> Word {
    let forced = b.profile().architectures.multiplier;
    let multiplier = forced.unwrap_or_else(|| problem.suited(b));
    let adder = multiplier.drawn_with(b);
    build(b, multiplier, adder, problem)
}

fn build(b: &mut Builder, multiplier: Multiplier, adder: Adder, problem: &Problem<'_>) -> Word {
    let &Problem {
        signedness,
        x,
        y,
        width,
        addend,
        negative,
    } = problem;
    if multiplier == Multiplier::Columns {
        let mut columns = Columns::new(width);
        if let Some(addend) = addend {
            columns.push_word(0, addend);
        }
        gathered::gather(b, &mut columns, signedness, x, y, negative);
        return columns.sum(b);
    }
    let tree = match multiplier {
        Multiplier::Wallace => Some(Tree::Wallace),
        Multiplier::Dadda => Some(Tree::Dadda),
        _ => None,
    };
    // A tree takes an addend as one more row; `a − p = ¬(¬a + p)`.
    if let Some(tree) = tree {
        let mut all = rows::rows(b, signedness, x, y, width);
        let bits = addend.map(|addend| match negative {
            true => bitwise::not(addend),
            false => addend.to_vec(),
        });
        all.extend(bits.map(|bits| rows::Row { start: 0, bits }));
        let sum = tree::add_rows(b, tree, adder, width, &all);
        return if negative { bitwise::not(&sum) } else { sum };
    }
    let product = match multiplier {
        Multiplier::CarrySave => {
            let mut product = carry_save::multiply(b, adder, signedness, x, y);
            product.truncate(width);
            product
        }
        _ => {
            let rows = rows::rows(b, signedness, x, y, width);
            pencil_and_paper::add_rows(b, adder, x.len(), width, rows)
        }
    };
    match (addend, negative) {
        (None, _) => product,
        (Some(addend), false) => add_with(b, adder, addend, &product, Wire::FALSE).sum,
        (Some(minuend), true) => {
            add_with(b, adder, minuend, &bitwise::not(&product), Wire::TRUE).sum
        }
    }
}

impl Multiplier {
    /// Where the architecture is from.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Columns => "Dadda, 1965; quarter squares where lookups are native",
            Self::PencilAndPaper => "Xu, Chen, Wu, Feng, 2016, §3.3",
            Self::CarrySave => "Gong, Negrut, 2020, §V-E",
            Self::Wallace => "Wallace, 1964",
            Self::Dadda => "Dadda, 1965",
        }
    }

    /// Gates and depth of the lowest n bits of a product with the adder that the source draws, where
    /// they are a formula.
    #[must_use]
    pub fn formula_low(self, n: usize) -> Option<Formula> {
        match self {
            Self::Columns | Self::CarrySave => None,
            Self::PencilAndPaper => Some(pencil_and_paper::gates(n)),
            Self::Wallace => Some(tree::gates(Tree::Wallace, Signedness::Unsigned, n, n)),
            Self::Dadda => Some(tree::gates(Tree::Dadda, Signedness::Unsigned, n, n)),
        }
    }

    /// The same for all 2n bits.
    #[must_use]
    pub fn formula_long(self, signedness: Signedness, n: usize) -> Option<Formula> {
        match self {
            Self::Columns | Self::PencilAndPaper => None,
            Self::CarrySave => Some(carry_save::gates(signedness, n)),
            Self::Wallace => Some(tree::gates(Tree::Wallace, signedness, n, 2 * n)),
            Self::Dadda => Some(tree::gates(Tree::Dadda, signedness, n, 2 * n)),
        }
    }

    /// The adder inside: the forced one, otherwise the one that the source draws.
    fn drawn_with(self, b: &Builder) -> Adder {
        b.profile().architectures.adder.unwrap_or(match self {
            Self::Columns | Self::PencilAndPaper => Adder::Ripple,
            Self::CarrySave => Adder::KoggeStone,
            Self::Wallace | Self::Dadda => Adder::Sklansky,
        })
    }
}
