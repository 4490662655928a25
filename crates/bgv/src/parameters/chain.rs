//! The chain of moduli.
//!
//! Big primes of β bits and two small ones a, b of 2β/3 give moduli in steps of β/3 bits: n big primes are 3n
//! units, n − 1 and a are 3n − 1, n − 2 and both a and b are 3n − 2. So one level of a circuit can cost 13 to
//! 16 bits while transforms run on primes of 40 to 50: a third of the residues that a prime for each level
//! would take.

use std::fmt;

/// A place in the chain of moduli: bits of the modulus in units of a third of a big prime.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u16);

impl Level {
    /// The lowest: one small prime.
    pub const LEAST: Self = Self(2);
    /// The highest that a chain may begin with.
    pub const MOST: Self = Self(300);

    /// Takes a level read from a file.
    #[must_use]
    pub const fn from_units(units: u16) -> Self {
        Self(units)
    }

    /// Bits of the modulus in units of a third of a big prime.
    #[must_use]
    pub const fn units(self) -> u16 {
        self.0
    }

    /// The next lower level, if there is one.
    pub(crate) fn lower(self) -> Option<Self> {
        (self > Self::LEAST).then(|| Self(self.0 - 1))
    }

    /// How many small primes it has.
    pub(crate) fn smalls(self) -> usize {
        usize::from((3 - self.0 % 3) % 3)
    }

    /// How many big primes it has.
    pub(crate) fn bigs(self) -> usize {
        (usize::from(self.0) + self.smalls()) / 3 - self.smalls()
    }

    /// The most big primes that it or a level below it has.
    pub(crate) fn bigs_below(self) -> usize {
        usize::from(self.0 / 3)
    }

    /// Which small primes it has.
    pub(crate) fn shape(self) -> Shape {
        match self.smalls() {
            0 => Shape::Big,
            1 => Shape::OneSmall,
            _ => Shape::TwoSmall,
        }
    }

    /// The highest level of a shape that is not above this one.
    pub(crate) fn below_of(self, shape: Shape) -> Option<Self> {
        (Self::LEAST.0..=self.0)
            .rev()
            .map(Self)
            .find(|level| level.shape() == shape)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {}", self.0)
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Level({})", self.0)
    }
}

/// Which small primes a level has. Keys for key switching exist for each shape, so that no key's modulus is
/// longer than the chain's top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// None.
    Big,
    /// The first.
    OneSmall,
    /// Both.
    TwoSmall,
}

impl Shape {
    pub(crate) const ALL: [Self; 3] = [Self::Big, Self::OneSmall, Self::TwoSmall];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_has_its_units() {
        for units in 2..=300 {
            let level = Level(units);
            assert_eq!(3 * level.bigs() + 2 * level.smalls(), usize::from(units));
            assert!(level.bigs() <= level.bigs_below().max(level.bigs()));
            assert!((2..=units).all(|below| Level(below).bigs() <= level.bigs_below()));
        }
    }

    #[test]
    fn shapes_repeat_by_three() {
        assert_eq!(Level(9).below_of(Shape::Big), Some(Level(9)));
        assert_eq!(Level(9).below_of(Shape::OneSmall), Some(Level(8)));
        assert_eq!(Level(9).below_of(Shape::TwoSmall), Some(Level(7)));
        assert_eq!(Level(2).below_of(Shape::TwoSmall), None);
        assert_eq!(Level(2).lower(), None);
        assert_eq!(Level(3).lower(), Some(Level(2)));
    }
}
