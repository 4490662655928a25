//! The adders that there are, by name.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use super::names::{UnknownArchitecture, by_name};

/// An adder's architecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Adder {
    /// Several columns in one lookup, and carries ahead of the chain if that is faster on the
    /// profile's cores; a ripple adder where there are no lookups.
    Slices,
    /// A chain of full adders of one AND each.
    Ripple,
    /// A chain of full adders of two ANDs each.
    RippleTwoAnd,
    /// A chain of selections: the carry passes where two bits differ.
    RippleMux,
    /// Carry look-ahead in blocks of a fixed number of columns. A last block of fewer columns takes
    /// what is left.
    BlockLookahead(NonZeroUsize),
    /// Carry look-ahead in groups of four columns, groups of four groups, and so on.
    LookAheadGroups,
    /// Blocks of ⌈√n⌉ columns, all but the lowest added for both carries.
    CarrySelect,
    /// The whole word added for both carries, selected by the carry in.
    CarrySelectWhole,
    /// Parallel prefix of least depth with the fewest joins.
    Sklansky,
    /// The same by selections.
    ConditionalSum,
    /// Parallel prefix by a scan.
    KoggeStone,
    /// Parallel prefix up and down a tree.
    BrentKung,
}

/// The block sizes of the papers.
const BLOCKS: [NonZeroUsize; 4] = [
    NonZeroUsize::new(4).unwrap(),
    NonZeroUsize::new(8).unwrap(),
    NonZeroUsize::new(16).unwrap(),
    NonZeroUsize::new(32).unwrap(),
];

impl Adder {
    /// All architectures, of the look-ahead in blocks the papers' four sizes.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::Slices,
            Self::Ripple,
            Self::RippleTwoAnd,
            Self::RippleMux,
        ];
        all.extend(BLOCKS.map(Self::BlockLookahead));
        all.extend([
            Self::LookAheadGroups,
            Self::CarrySelect,
            Self::CarrySelectWhole,
            Self::Sklansky,
            Self::ConditionalSum,
            Self::KoggeStone,
            Self::BrentKung,
        ]);
        all
    }
}

impl fmt::Display for Adder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Slices => "slices",
            Self::Ripple => "ripple",
            Self::RippleTwoAnd => "ripple-two-and",
            Self::RippleMux => "ripple-mux",
            Self::BlockLookahead(block) => return write!(f, "look-ahead-{block}"),
            Self::LookAheadGroups => "look-ahead-groups",
            Self::CarrySelect => "carry-select",
            Self::CarrySelectWhole => "carry-select-whole",
            Self::Sklansky => "sklansky",
            Self::ConditionalSum => "conditional-sum",
            Self::KoggeStone => "kogge-stone",
            Self::BrentKung => "brent-kung",
        })
    }
}

impl FromStr for Adder {
    type Err = UnknownArchitecture;

    /// Any block size is understood, not only those of [`Adder::all`].
    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        let block = name
            .strip_prefix("look-ahead-")
            .and_then(|block| block.parse().ok());
        match block {
            Some(block) => Ok(Self::BlockLookahead(block)),
            None => by_name("adder", Self::all(), name),
        }
    }
}
