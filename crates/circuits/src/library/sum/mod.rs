//! Sums of any number of words modulo a power of two.
//!
//! | m words of n bits | additions with carries to ripple | source |
//! |---|---|---|
//! | [`Summation::Columns`] | one, of what compressors leave | the library's own |
//! | [`Summation::Chain`] | m − 1 | the papers' pipelines |
//! | [`Summation::CarrySave`] | one, after m − 2 rows of full adders in a chain | Bomolo and others, 2021 |
//! | [`Summation::Wallace`] | one, after ≈ log₁.₅(m/2) stages of such rows | the same, for four words |
//!
//! Sums are modulo 2^`width`: full words of that width wrap around, as the papers' do; shorter
//! words are extended with zeros, so that a sum that may grow is one of a greater width.

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

/// A summation, apart from its name.
struct Row {
    source: &'static str,
    /// Gates and depth of the sum of `words` whole words of a width, where a formula is known.
    gates: Option<Costs>,
    /// Adds words of a width.
    add: Add,
}

type Costs = fn(usize, usize) -> Formula;
type Add = Box<dyn Fn(&mut Builder, usize, Vec<Word>) -> Word>;

/// The table.
fn row(summation: Summation) -> Row {
    // The papers draw ripple adders.
    let drawn = |adder, gates: Costs| (adder == Adder::Ripple).then_some(gates);
    match summation {
        Summation::Columns => Row {
            source: "column compression after Dadda, 1965",
            gates: None,
            add: Box::new(in_columns),
        },
        Summation::Chain(adder) => Row {
            source: "Bomolo, Ntumba, Mbuyi, 2021, table IV; the same, multi operands, §III",
            gates: drawn(adder, chain::ripple_gates),
            add: Box::new(move |b, width, words| chain::add(b, adder, width, words)),
        },
        Summation::CarrySave(adder) => Row {
            source: "Bomolo, Ntumba, Mbuyi, 2021, §IV-B.3",
            gates: drawn(adder, carry_save::gates),
            add: Box::new(move |b, width, words| carry_save::add(b, adder, width, words)),
        },
        Summation::Wallace(adder) => Row {
            source: "Wallace, 1964; Bomolo, Ntumba, Mbuyi, 2021, §IV-B.6",
            gates: drawn(adder, wallace::gates),
            add: Box::new(move |b, width, words| wallace::add(b, adder, width, words)),
        },
    }
}

impl Summation {
    /// Where the architecture is from.
    #[must_use]
    pub(in crate::library) fn source(self) -> &'static str {
        row(self).source
    }

    /// Gates and depth of the sum of `words` whole words modulo 2^`width`, where a formula is
    /// known: with ripple adders, as the papers draw them.
    #[must_use]
    pub(in crate::library) fn formula(self, width: usize, words: usize) -> Option<Formula> {
        row(self).gates.map(|gates| gates(width, words))
    }
}

fn in_columns(b: &mut Builder, width: usize, words: Vec<Word>) -> Word {
    let mut columns = Columns::new(width);
    for word in &words {
        columns.push_word(0, word);
    }
    columns.sum(b)
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

/// The same of whole words in columns, whatever else there is.
pub(crate) fn add_in_columns(b: &mut Builder, width: usize, words: Vec<Word>) -> Word {
    in_columns(b, width, words)
}

/// The same by an architecture of the caller's choice.
pub(in crate::library) fn add_all_with(
    b: &mut Builder,
    summation: Summation,
    width: usize,
    words: &[&[Wire]],
) -> Word {
    let extended = |word: &&[Wire]| {
        let mut extended = word.to_vec();
        extended.resize(width, Wire::FALSE);
        extended
    };
    let words = words.iter().map(extended).collect();
    (row(summation).add)(b, width, words)
}
