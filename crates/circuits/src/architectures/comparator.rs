//! The comparators that there are, by name.

use std::fmt;
use std::str::FromStr;

use super::adder::Adder;
use super::names::{UnknownArchitecture, by_name};

/// A comparator's architecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Comparator {
    /// A tree: of states, as far as the profile's cores pay for it (lookups), or of selections
    /// (gates).
    Tree,
    /// The last borrow of a ripple subtractor.
    Borrow,
    /// The carry out of `x + ¬y + 1` by an adder.
    Carry(Adder),
}

impl Comparator {
    /// All architectures: of the adders those whose carry is a circuit of its own.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let adders = Adder::all().into_iter().filter(|adder| {
            // The look-ahead in large blocks and selected carries compute a carry as a ripple
            // adder does.
            !matches!(adder, Adder::BlockLookahead(block) if block.get() > 8)
                && !matches!(adder, Adder::CarrySelect | Adder::CarrySelectWhole)
        });
        let adders = adders.map(Self::Carry);
        [Self::Tree, Self::Borrow]
            .into_iter()
            .chain(adders)
            .collect()
    }
}

impl fmt::Display for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tree => f.write_str("tree"),
            Self::Borrow => f.write_str("borrow"),
            Self::Carry(adder) => adder.fmt(f),
        }
    }
}

impl FromStr for Comparator {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        match name.parse() {
            Ok(adder) => Ok(Self::Carry(adder)),
            Err(_) => by_name("comparator", Self::all(), name),
        }
    }
}
