//! Named sets.

use super::{Level, ParameterLiteral, Parameters, Security};
use crate::Error;

impl ParameterLiteral {
    /// 8 slots of degree 32, for tests.
    pub const TOY_51: Self = Self::toy(51, 10);
    /// 16 slots of degree 128, for tests.
    pub const TOY_255: Self = Self::toy(255, 16);

    /// Every named set.
    pub const SETS: [(&'static str, Self); 2] =
        [("TOY_51", Self::TOY_51), ("TOY_255", Self::TOY_255)];

    /// The named set of [`SETS`](Self::SETS) that is called so.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let found = Self::SETS.iter().find(|set| set.0 == name);
        found.map(|set| set.1)
    }

    const fn toy(index: u32, top: u16) -> Self {
        Self {
            index,
            big_bits: 45,
            small_bits: 36,
            top: Level::from_number(top),
            specials: 1,
            special_bits: 45,
            digit: 1,
            security: Security::Toy,
        }
    }
}

impl Parameters {
    /// The set of this name.
    ///
    /// # Errors
    /// [`Error::InvalidParameters`] if there is none.
    pub fn named(name: &str) -> Result<Self, Error> {
        let literal = ParameterLiteral::by_name(name).ok_or(Error::InvalidParameters {
            index: 0,
            reason: "no set has that name",
        })?;
        Self::new(literal)
    }
}
