//! The dividers that there are, by name.

use std::fmt;
use std::str::FromStr;

use super::names::{UnknownArchitecture, by_name};

/// A divider's architecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Divider {
    /// Non-restoring, with remainders as wide as the bits read so far: the library's own.
    GrowingWidth,
    /// Non-restoring, the divisor XORed with the remainder's sign (Gong, Negrut, 2020, §V-F).
    AddOrSubtract,
    /// Non-restoring, the divisor or its precomputed negative selected (Xu and others, 2016,
    /// §3.4).
    Precomputed,
}

impl Divider {
    /// All of them, the library's own first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![Self::GrowingWidth, Self::AddOrSubtract, Self::Precomputed]
    }
}

impl fmt::Display for Divider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GrowingWidth => "growing-width",
            Self::AddOrSubtract => "add-or-subtract",
            Self::Precomputed => "precomputed",
        })
    }
}

impl FromStr for Divider {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        by_name("divider", Self::all(), name)
    }
}
