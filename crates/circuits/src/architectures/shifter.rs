//! The shifters that there are, by name.

use std::fmt;
use std::str::FromStr;

use super::names::{UnknownArchitecture, by_name};

/// A shifter's architecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shifter {
    /// Two places masked by two bits of the amount at once where lookups are native, selections
    /// elsewhere: the library's own.
    Masks,
    /// A stage of selections for each bit of the amount (Gong, Negrut, 2020, §V-D).
    Multiplexers,
}

impl Shifter {
    /// All of them, the library's own first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![Self::Masks, Self::Multiplexers]
    }
}

impl fmt::Display for Shifter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Masks => "masks",
            Self::Multiplexers => "multiplexers",
        })
    }
}

impl FromStr for Shifter {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        by_name("shifter", Self::all(), name)
    }
}
