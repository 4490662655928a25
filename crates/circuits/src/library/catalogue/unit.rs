//! A unit: an operation in one architecture.

use std::fmt;

use crate::architectures::{Architectures, Formula};
use crate::library::word::Word;
use crate::{Builder, Circuit, Profile};

/// What kind of work a unit does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Family {
    /// Sums of two words.
    Addition,
    /// Differences and negation.
    Subtraction,
    /// Sums of many words.
    Summation,
    /// Orders, equality, extrema, flags.
    Comparison,
    /// Gates on words, selections, fields, counts of bits.
    Bitwise,
    /// Shifts and rotations by secret amounts.
    Shift,
    /// Products.
    Multiplication,
    /// Quotients and remainders.
    Division,
    /// Entries at secret indexes.
    Table,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Addition => "addition",
            Self::Subtraction => "subtraction",
            Self::Summation => "summation",
            Self::Comparison => "comparison",
            Self::Bitwise => "bitwise",
            Self::Shift => "shift",
            Self::Multiplication => "multiplication",
            Self::Division => "division",
            Self::Table => "table",
        })
    }
}

/// The name of the architecture that leaves every choice to the library.
pub const DEFAULT: &str = "default";

/// An operation in one architecture.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What kind of work it is.
    pub family: Family,
    /// The operation: units of one operation compute the same.
    pub operation: &'static str,
    /// The architecture's name, [`DEFAULT`] where the library chooses.
    pub architecture: String,
    /// Where the architecture is from.
    pub source: &'static str,
    /// What is forced while the unit is built.
    pub forced: Architectures,
    /// Widths of the operands for words of n bits.
    pub operands: fn(usize) -> Vec<usize>,
    /// The definition: the results for words of n bits as integers; bits above a result's width do
    /// not count.
    pub clear: fn(usize, &[u128]) -> Vec<u128>,
    pub(super) build: fn(&mut Builder, &[Word]) -> Vec<Word>,
    pub(super) formula: fn(&Architectures, usize) -> Option<Formula>,
}

/// A unit as a circuit: inputs are the operands' bits in order, outputs the results', lowest first.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The circuit, not yet prepared for its target.
    pub circuit: Circuit,
    /// The widths of the operands.
    pub operands: Vec<usize>,
    /// The widths of the results.
    pub results: Vec<usize>,
}

impl Unit {
    /// An operation of which the library chooses the architecture.
    pub(super) fn new(
        family: Family,
        operation: &'static str,
        operands: fn(usize) -> Vec<usize>,
        build: fn(&mut Builder, &[Word]) -> Vec<Word>,
        clear: fn(usize, &[u128]) -> Vec<u128>,
    ) -> Self {
        Self {
            family,
            operation,
            architecture: DEFAULT.to_owned(),
            source: "the library's choice for the profile",
            forced: Architectures::default(),
            operands,
            clear,
            build,
            formula: |_, _| None,
        }
    }

    /// The operation in a forced architecture.
    pub(super) fn forced(
        &self,
        architecture: impl fmt::Display,
        source: &'static str,
        forced: Architectures,
    ) -> Self {
        Self {
            architecture: architecture.to_string(),
            source,
            forced,
            ..self.clone()
        }
    }

    /// The operation built by a function of its own.
    pub(super) fn built_by(
        &self,
        architecture: &'static str,
        source: &'static str,
        build: fn(&mut Builder, &[Word]) -> Vec<Word>,
    ) -> Self {
        Self {
            build,
            ..self.forced(architecture, source, Architectures::default())
        }
    }

    /// The unit with its costs as a formula, by what is forced and the width.
    pub(super) fn costing(self, formula: fn(&Architectures, usize) -> Option<Formula>) -> Self {
        Self { formula, ..self }
    }

    /// Whether the library chooses the architecture.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.architecture == DEFAULT
    }

    /// Operation and architecture, as in `add, kogge-stone`; the operation alone where the library
    /// chooses.
    #[must_use]
    pub fn name(&self) -> String {
        match self.is_default() {
            true => self.operation.to_owned(),
            false => format!("{}, {}", self.operation, self.architecture),
        }
    }

    /// The unit on words that are already there: of the widths that [`operands`](Self::operands)
    /// names for some n.
    pub fn build(&self, b: &mut Builder, words: &[Word]) -> Vec<Word> {
        b.with_architectures(self.forced, |b| (self.build)(b, words))
    }

    /// The unit on fresh words of n bits.
    #[must_use]
    pub fn draw(&self, profile: &Profile, n: usize) -> Drawn {
        let mut b = Builder::new(profile);
        let operands = (self.operands)(n);
        let words: Vec<Word> = operands.iter().map(|&width| b.inputs(width)).collect();
        let results = self.build(&mut b, &words);
        results.iter().flatten().for_each(|&wire| b.output(wire));
        Drawn {
            circuit: b.finish(),
            operands,
            results: results.iter().map(Vec::len).collect(),
        }
    }

    /// The cost on targets of gates and selections, for words of n bits, where a formula is known.
    #[must_use]
    pub fn formula(&self, n: usize) -> Option<Formula> {
        (self.formula)(&self.forced, n)
    }
}
