//! The subtractors that there are, by name.

use std::fmt;
use std::str::FromStr;

use super::adder::Adder;
use super::names::{UnknownArchitecture, by_name};

/// A subtractor's architecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subtractor {
    /// A chain of borrows.
    Borrow,
    /// `x + ¬y + 1` by an adder.
    Complement(Adder),
}

impl Subtractor {
    /// All architectures: the chain of borrows, and every adder.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let adders = Adder::all().into_iter().map(Self::Complement);
        [Self::Borrow].into_iter().chain(adders).collect()
    }
}

/// What precedes the adder's name.
const COMPLEMENT: &str = "complement-";

impl fmt::Display for Subtractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Borrow => f.write_str("borrow"),
            Self::Complement(adder) => write!(f, "{COMPLEMENT}{adder}"),
        }
    }
}

impl FromStr for Subtractor {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        match name.strip_prefix(COMPLEMENT).map(str::parse) {
            Some(Ok(adder)) => Ok(Self::Complement(adder)),
            _ => by_name("subtractor", Self::all(), name),
        }
    }
}
