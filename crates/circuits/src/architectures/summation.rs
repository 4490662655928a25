//! The summations that there are, by name.

use std::fmt;
use std::str::FromStr;

use super::adder::Adder;
use super::names::{UnknownArchitecture, by_name};

/// How many words are added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Summation {
    /// All bits in columns, which compressors (lookups) or full adders (gates) reduce.
    Columns,
    /// One word after the other, by an adder.
    Chain(Adder),
    /// Three rows become two, one word after the other; an adder adds the last two.
    CarrySave(Adder),
    /// All rows in threes at once, stage by stage; an adder adds the last two.
    Wallace(Adder),
}

/// Adders of the chains that are listed.
const CHAINED: [Adder; 6] = [
    Adder::Slices,
    Adder::Ripple,
    Adder::RippleMux,
    Adder::LookAheadGroups,
    Adder::KoggeStone,
    Adder::ConditionalSum,
];
/// Adders of the last two rows that are listed: the papers' first.
const FINAL: [Adder; 4] = [
    Adder::Ripple,
    Adder::Slices,
    Adder::RippleMux,
    Adder::ConditionalSum,
];

impl Summation {
    /// All architectures: of the adders that could be part of them those that the papers use or
    /// that are best for some target; any other can be named.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let look_ahead = Adder::all()
            .into_iter()
            .filter(|adder| matches!(adder, Adder::BlockLookahead(_)));
        let mut all = vec![Self::Columns];
        all.extend(CHAINED.into_iter().chain(look_ahead).map(Self::Chain));
        all.extend(FINAL.map(Self::CarrySave));
        all.extend(FINAL.map(Self::Wallace));
        all
    }
}

/// What precedes an adder's name; the paper's ripple adder for the last rows goes without.
const CHAIN: &str = "chain-";
const CARRY_SAVE: &str = "carry-save";
const WALLACE: &str = "wallace";

impl fmt::Display for Summation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Columns => f.write_str("columns"),
            Self::Chain(adder) => write!(f, "{CHAIN}{adder}"),
            Self::CarrySave(Adder::Ripple) => f.write_str(CARRY_SAVE),
            Self::CarrySave(adder) => write!(f, "{CARRY_SAVE}-{adder}"),
            Self::Wallace(Adder::Ripple) => f.write_str(WALLACE),
            Self::Wallace(adder) => write!(f, "{WALLACE}-{adder}"),
        }
    }
}

impl FromStr for Summation {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        let adder = |prefix: &str| name.strip_prefix(prefix)?.strip_prefix('-')?.parse().ok();
        if let Some(adder) = name
            .strip_prefix(CHAIN)
            .and_then(|adder| adder.parse().ok())
        {
            return Ok(Self::Chain(adder));
        }
        match (adder(CARRY_SAVE), adder(WALLACE)) {
            (Some(adder), _) => Ok(Self::CarrySave(adder)),
            (_, Some(adder)) => Ok(Self::Wallace(adder)),
            _ => by_name("summation", Self::all(), name),
        }
    }
}
