//! Sums of any number of words modulo a power of two.
//!
//! | m words of n bits | additions with carries to ripple | source |
//! |---|---|---|
//! | [`Summation::Columns`] | one, of what compressors leave | the library's own |
//! | [`Summation::Chain`] | m − 1 | the papers' pipelines |
//! | [`Summation::CarrySave`] | one, after m − 2 rows of full adders in a chain | Bomolo and others, 2021 |
//! | [`Summation::Wallace`] | one, after ≈ log₁.₅(m/2) stages of such rows | the same, for four words |
//!
//! Sums are modulo 2^`width`: full words of that width wrap around, as the papers' do; shorter words
//! are extended with zeros, so that a sum that may grow is one of a greater width.

mod carry_save;
mod chain;
mod formula;
mod wallace;

use super::add::Carries;
use super::choice::Question;
use super::columns::Columns;
use super::weighted::capacity;
use super::word::Word;
use crate::architectures::{Adder, Formula, Summation};
use crate::{Builder, Wire};
pub use carry_save::carry_save;

impl Summation {
    /// Gates and depth of so many whole words modulo 2^`width`, where a formula is known: with
    /// ripple adders, as the papers draw them.
    #[must_use]
    pub fn formula(self, width: usize, words: usize) -> Option<Formula> {
        match self {
            Self::Chain(Adder::Ripple) => Some(chain::ripple_gates(width, words)),
            Self::CarrySave(Adder::Ripple) => Some(carry_save::gates(width, words)),
            Self::Wallace(Adder::Ripple) => Some(wallace::gates(width, words)),
            _ => None,
        }
    }

    /// Where the architecture is from.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Columns => "column compression after Dadda, 1965",
            Self::Chain(_) => {
                "Bomolo, Ntumba, Mbuyi, 2021, table IV; the same, multi operands, §III"
            }
            Self::CarrySave(_) => "Bomolo, Ntumba, Mbuyi, 2021, §IV-B.3",
            Self::Wallace(_) => "Wallace, 1964; Bomolo, Ntumba, Mbuyi, 2021, §IV-B.6",
        }
    }
}

/// What is chosen from on targets of gates.
const OF_GATES: [Summation; 5] = [
    Summation::Columns,
    Summation::CarrySave(Adder::ConditionalSum),
    Summation::Wallace(Adder::ConditionalSum),
    Summation::Wallace(Adder::RippleMux),
    Summation::Chain(Adder::RippleMux),
];

/// What is chosen from where lookups are native.
const OF_LOOKUPS: [Summation; 7] = [
    Summation::Columns,
    Summation::Chain(Adder::Slices),
    Summation::Chain(Adder::Ripple),
    Summation::CarrySave(Adder::Slices),
    Summation::CarrySave(Adder::ConditionalSum),
    Summation::Wallace(Adder::Slices),
    Summation::Wallace(Adder::ConditionalSum),
];

fn chosen(b: &mut Builder, width: usize, words: &[&[Wire]]) -> Summation {
    if let Some(forced) = b.profile().architectures.summation {
        return forced;
    }
    match words.len() {
        0 | 1 => return Summation::Columns,
        2 => return Summation::Chain(Adder::chosen(b, width, Carries::Dropped)),
        _ => {}
    }
    let lengths = words.iter().map(|word| word.len().min(width));
    let longest = lengths.max().unwrap_or(0);
    let candidates: &[Summation] = match capacity(b) {
        Some(_) => &OF_LOOKUPS,
        None => &OF_GATES,
    };
    let question = Question {
        family: "sum of words",
        width,
        // Words of several lengths are taken for the longest.
        words: words.len() | longest << 16,
        candidates,
        formula: &|_| None,
        draw: &|b, summation| {
            let words: Vec<Word> = (0..words.len()).map(|_| b.inputs(longest)).collect();
            let words: Vec<&[Wire]> = words.iter().map(Vec::as_slice).collect();
            add_all_with(b, summation, width, &words)
        },
    };
    question.answer(b)
}

/// The sum of any number of words modulo 2^`width`: shorter words are extended with zeros.
pub fn add_all(b: &mut Builder, width: usize, words: &[&[Wire]]) -> Word {
    let summation = chosen(b, width, words);
    add_all_with(b, summation, width, words)
}

/// The same by an architecture of the caller's choice.
pub fn add_all_with(
    b: &mut Builder,
    summation: Summation,
    width: usize,
    words: &[&[Wire]],
) -> Word {
    let rows = || -> Vec<Word> {
        let extended = |word: &&[Wire]| {
            let mut row = word.to_vec();
            row.resize(width, Wire::FALSE);
            row
        };
        words.iter().map(extended).collect()
    };
    match summation {
        Summation::Columns => {
            let mut columns = Columns::new(width);
            for word in words {
                columns.push_word(0, word);
            }
            columns.sum(b)
        }
        Summation::Chain(adder) => chain::add(b, adder, width, rows()),
        Summation::CarrySave(adder) => carry_save::add(b, adder, width, rows()),
        Summation::Wallace(adder) => wallace::add(b, adder, width, rows()),
    }
}
