//! The architectures of each family of units by name, and which of them are forced.
//!
//! This is plain data that a [`Profile`](crate::Profile) holds: what the names stand for is in the
//! [`library`](crate::library), which has a table of each family.
//!
//! [`Profile::architectures`](crate::Profile) holds one optional choice for each family. Where it
//! is `None` the library takes what its model says is fastest on the profile's cores; where it is
//! `Some`, every unit of the family is built so, wherever it occurs: a multiplier's last addition
//! honours a forced adder too. Architectures are named in kebab case (`look-ahead-4`,
//! `kogge-stone`): [`Display`](std::fmt::Display) and [`FromStr`](std::str::FromStr) of their
//! enums.

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
///
/// ```
/// use blindcore_circuits::library::{
///     self, Adder, Architectures, Comparator, Divider, Multiplier, Shifter, Subtractor, Summation,
///     UnknownArchitecture,
/// };
/// use blindcore_circuits::{Builder, Profile, passes};
///
/// let forced = Architectures {
///     adder: Some(Adder::KoggeStone),
///     subtractor: Some("complement-ripple".parse::<Subtractor>()?),
///     multiplier: Some(Multiplier::Wallace),
///     ..Architectures::default()
/// };
/// // What one leaves open another may say.
/// let forced = forced.or(Architectures {
///     adder: Some(Adder::Ripple),
///     summation: Some(Summation::CarrySave(Adder::Ripple)),
///     comparator: Some(Comparator::Tree),
///     divider: Some(Divider::GrowingWidth),
///     shifter: Some(Shifter::Multiplexers),
///     ..Architectures::default()
/// });
/// assert_eq!(forced.adder.unwrap().to_string(), "kogge-stone");
///
/// let profile = Profile::gate_simulation();
/// let depth = |profile: &Profile| {
///     let mut build = Builder::new(profile);
///     let (x, y) = (build.inputs(32), build.inputs(32));
///     library::add(&mut build, &x, &y).into_iter().for_each(|bit| build.output(bit));
///     passes::multiplicative_depth(&build.finish()).depth
/// };
/// // One core takes the fewest gates, Kogge and Stone the fewest levels.
/// assert!(depth(&profile.clone().with_architectures(forced)) < depth(&profile));
///
/// let unknown: UnknownArchitecture = "kogge".parse::<Adder>().unwrap_err();
/// assert_eq!((unknown.family, unknown.name.as_str()), ("adder", "kogge"));
/// # Ok::<(), UnknownArchitecture>(())
/// ```
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
