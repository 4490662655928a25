//! The adders that there are, by name.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use crate::library::architectures::{UnknownArchitecture, by_name};

/// An adder's architecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Adder {
    /// Several columns in one lookup, and carries ahead of the chain if that is faster on the
    /// profile's cores; a ripple adder where there are no lookups.
    Slices,
    /// A chain of full adders of one AND each.
    Ripple,
    /// Carry look-ahead in blocks of so many columns. A last block of fewer columns takes what is
    /// left.
    BlockLookahead(NonZeroUsize),
    /// Parallel prefix of least depth, with fan-out.
    Sklansky,
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
        let mut all = vec![Self::Slices, Self::Ripple];
        all.extend(BLOCKS.map(Self::BlockLookahead));
        all.extend([Self::Sklansky]);
        all
    }

    /// Where the architecture is from.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Slices => "multi-value bootstrapping (Carpov, Izabachène, Mollimard, 2019)",
            Self::Ripple => "Xu, Chen, Wu, Feng, 2016, §3.1",
            Self::BlockLookahead(_) => "Bomolo, Ntumba, Mbuyi, 2021, §III-B",
            Self::Sklansky => "Sklansky, 1960",
        }
    }
}

impl fmt::Display for Adder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Slices => "slices",
            Self::Ripple => "ripple",
            Self::BlockLookahead(block) => return write!(f, "look-ahead-{block}"),
            Self::Sklansky => "sklansky",
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
