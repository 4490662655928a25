//! The architectures of each family of units by name, and which of them are forced.
//!
//! This is plain data that a [`Profile`](crate::Profile) holds: what the names stand for is in the
//! [`library`](crate::library), which has a table of each family.
//!
//! [`Profile::architectures`](crate::Profile) holds one optional choice for each family. Where it is
//! `None` the library takes what its model says is fastest on the profile's cores; where it is
//! `Some`, every unit of the family is built so, wherever it occurs: a multiplier's last addition
//! honours a forced adder too. Architectures are named in kebab case (`look-ahead-4`,
//! `kogge-stone`): [`Display`](std::fmt::Display) and [`FromStr`](std::str::FromStr) of their enums.

mod adder;
mod comparator;
mod divider;
mod formula;
mod multiplier;
mod names;
mod shifter;
mod subtractor;
mod summation;

pub use adder::Adder;
pub use comparator::Comparator;
pub use divider::Divider;
pub use formula::Formula;
pub use multiplier::Multiplier;
pub use names::UnknownArchitecture;
pub use shifter::Shifter;
pub use subtractor::Subtractor;
pub use summation::Summation;

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
