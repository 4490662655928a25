//! The multipliers that there are, by name.

use std::fmt;
use std::str::FromStr;

use super::names::{UnknownArchitecture, by_name};

/// A multiplier's architecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Multiplier {
    /// All partial products in columns that are added once, by compressors of lookups where they
    /// are native, by full adders elsewhere.
    Columns,
    /// Rows added in a tree of two-operand additions, lowest bits kept (Xu and others,
    /// 2016, §3.3).
    PencilAndPaper,
    /// A row added to a register that shifts right, n times (Gong, Negrut, 2020, §V-E).
    CarrySave,
    /// Rows in threes, then a two-operand addition.
    Wallace,
    /// As few adders as the next height allows, then a two-operand addition.
    Dadda,
    /// Half as many rows, each chosen by three bits of the second factor: where choices by
    /// selectors cost next to nothing.
    Booth,
}

impl Multiplier {
    /// All of them, the library's own first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![
            Self::Columns,
            Self::PencilAndPaper,
            Self::CarrySave,
            Self::Wallace,
            Self::Dadda,
            Self::Booth,
        ]
    }
}

impl fmt::Display for Multiplier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Columns => "columns",
            Self::PencilAndPaper => "pencil-and-paper",
            Self::CarrySave => "carry-save",
            Self::Wallace => "wallace",
            Self::Dadda => "dadda",
            Self::Booth => "booth",
        })
    }
}

impl FromStr for Multiplier {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        by_name("multiplier", Self::all(), name)
    }
}
