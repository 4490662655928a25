//! Which architecture each family of units is built in: chosen by the library, or forced.
//!
//! [`Profile::architectures`](crate::Profile) holds one optional choice for each family. Where it is
//! `None` the library takes what its model says is fastest on the profile's cores; where it is
//! `Some`, every unit of the family is built so, wherever it occurs: a multiplier's last addition
//! honours a forced adder too. Architectures are named in kebab case (`look-ahead-4`,
//! `kogge-stone`): [`Display`](std::fmt::Display) and [`FromStr`](std::str::FromStr) of their enums.

use std::fmt::Display;

use super::add::Adder;
use super::compare::Comparator;
use super::divide::Divider;
use super::multiply::Multiplier;
use super::shift::Shifter;
use super::subtract::Subtractor;
use super::sum::Summation;

/// The forced architectures of a profile; `None` leaves the choice to the library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Architectures {
    /// Sums of two words.
    pub adder: Option<Adder>,
    /// Sums of many words.
    pub summation: Option<Summation>,
    /// Differences.
    pub subtractor: Option<Subtractor>,
    /// Orders of two words.
    pub comparator: Option<Comparator>,
    /// Products.
    pub multiplier: Option<Multiplier>,
    /// Quotients and remainders.
    pub divider: Option<Divider>,
    /// Shifts by secret amounts.
    pub shifter: Option<Shifter>,
}

impl Architectures {
    /// These, and the others' where these leave the choice.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            adder: self.adder.or(other.adder),
            summation: self.summation.or(other.summation),
            subtractor: self.subtractor.or(other.subtractor),
            comparator: self.comparator.or(other.comparator),
            multiplier: self.multiplier.or(other.multiplier),
            divider: self.divider.or(other.divider),
            shifter: self.shifter.or(other.shifter),
        }
    }
}

/// What a unit costs on targets that have gates of two inputs and selections only.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Formula {
    /// ANDs and ORs.
    pub ands: usize,
    /// XORs.
    pub xors: usize,
    /// Selections.
    pub muxes: usize,
    /// Gates on the longest path, whatever they are.
    pub depth: usize,
}

impl Formula {
    /// All gates, a selection counted as one.
    #[must_use]
    pub const fn gates(&self) -> usize {
        self.ands + self.xors + self.muxes
    }
}

/// A name that no architecture of a family has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no {family} is called `{name}`; there are: {}", known.join(", "))]
#[non_exhaustive]
pub struct UnknownArchitecture {
    /// The family, as in "adder".
    pub family: &'static str,
    /// The name that was given.
    pub name: String,
    /// The names that there are.
    pub known: Vec<String>,
}

/// The architecture of a name.
pub(super) fn by_name<T: Display>(
    family: &'static str,
    all: Vec<T>,
    name: &str,
) -> Result<T, UnknownArchitecture> {
    let known: Vec<String> = all.iter().map(T::to_string).collect();
    let found = all.into_iter().zip(&known).find(|(_, own)| *own == name);
    match found {
        Some((architecture, _)) => Ok(architecture),
        None => Err(UnknownArchitecture {
            family,
            name: name.to_owned(),
            known,
        }),
    }
}
