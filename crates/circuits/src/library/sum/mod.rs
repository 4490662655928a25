//! Sums of any number of words modulo a power of two.
//!
//! The default ([`Summation::Columns`]) puts all operands into one set of columns
//! ([`columns`](super::columns)), compresses them and lets carries ripple once.

use std::fmt;
use std::str::FromStr;

use super::Word;
use super::architectures::{UnknownArchitecture, by_name};
use super::columns::Columns;
use crate::{Builder, Wire};

/// How many words are added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Summation {
    /// All bits in columns, which compressors (lookups) or full adders (gates) reduce.
    Columns,
}

impl Summation {
    /// All architectures.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![Self::Columns]
    }
}

impl fmt::Display for Summation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Columns => "columns",
        })
    }
}

impl FromStr for Summation {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        by_name("summation", Self::all(), name)
    }
}

/// The sum of any number of words modulo 2^`width`: shorter words are extended with zeros.
pub fn add_all(b: &mut Builder, width: usize, words: &[&[Wire]]) -> Word {
    let summation = b.profile().architectures.summation;
    add_all_with(b, summation.unwrap_or(Summation::Columns), width, words)
}

/// The same by an architecture of the caller's choice.
pub fn add_all_with(
    b: &mut Builder,
    summation: Summation,
    width: usize,
    words: &[&[Wire]],
) -> Word {
    match summation {
        Summation::Columns => {
            let mut columns = Columns::new(width);
            for word in words {
                columns.push_word(0, word);
            }
            columns.sum(b)
        }
    }
}
