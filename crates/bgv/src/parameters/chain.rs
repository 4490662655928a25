//! The chain of moduli.
//!
//! Big primes of β bits and four small ones of 4β/5 bits give moduli in steps of β/5 bits: with n
//! big primes, exchanging k of them for k small ones takes off k fifths. A level of a circuit costs
//! 16 to 21 bits, two steps, while transforms run on primes of 40 to 50 bits: less than half of the
//! residues that a prime for each level would take. The steps are finer than a level, so that noise
//! does not overshoot its optimum.
//!
//! The lowest moduli have too few primes to exchange: in fifths of β there are 4, 5, 8, 9, 10, and
//! from 12 on all. A [`Level`] counts those that there are.

use std::fmt;

/// Steps of the chain in a big prime; one fewer are its small primes.
const STEPS: usize = 5;
/// How many small primes a chain has.
pub(crate) const SMALLS: usize = STEPS - 1;
/// Fifths of a big prime in the lowest moduli.
const LOWEST: [usize; 5] = [4, 5, 8, 9, 10];

/// A place in the chain of moduli, counted from the smallest modulus, which is 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u16);

impl Level {
    /// The lowest: one small prime.
    pub const LEAST: Self = Self(1);
    /// The highest that a chain may begin with.
    pub const MOST: Self = Self(500);

    /// The level of this number; read from a file, say.
    #[must_use]
    pub const fn from_number(number: u16) -> Self {
        Self(number)
    }

    /// How many moduli of the chain are not above it.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The next lower level, if there is one.
    pub(crate) fn lower(self) -> Option<Self> {
        (self > Self::LEAST).then(|| Self(self.0 - 1))
    }

    /// Bits of its modulus in fifths of a big prime.
    fn fifths(self) -> usize {
        let number = usize::from(self.0.max(1));
        let lowest = LOWEST.get(number - 1);
        lowest.copied().unwrap_or(number + 6)
    }

    /// How many small primes it has.
    pub(crate) fn smalls(self) -> usize {
        (STEPS - self.fifths() % STEPS) % STEPS
    }

    /// How many big primes it has.
    pub(crate) fn bigs(self) -> usize {
        (self.fifths() + self.smalls()) / STEPS - self.smalls()
    }

    /// The most big primes that it or a level below it has.
    pub(crate) fn bigs_below(self) -> usize {
        self.fifths() / STEPS
    }

    /// Which small primes it has.
    pub(crate) fn shape(self) -> Shape {
        Shape(self.smalls())
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

/// How many small primes a level has. Keys for key switching exist for each shape, so that no key's
/// modulus is longer than the chain's top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape(usize);

impl Shape {
    /// Every one.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..=SMALLS).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_all_sums_of_bigs_and_smalls_in_order() {
        let mut fifths = Vec::new();
        for number in 1..=500 {
            let level = Level(number);
            fifths.push(level.fifths());
            assert_eq!(
                STEPS * level.bigs() + SMALLS * level.smalls(),
                level.fifths()
            );
            assert!((1..=number).all(|below| Level(below).bigs() <= level.bigs_below()));
        }
        let reached = (0..=SMALLS).flat_map(|smalls| (0..102).map(move |bigs| (bigs, smalls)));
        let mut expected: Vec<usize> = reached
            .map(|(bigs, smalls)| STEPS * bigs + SMALLS * smalls)
            .filter(|&fifths| 0 < fifths && fifths <= 506)
            .collect();
        expected.sort_unstable();
        assert_eq!(fifths, expected);
    }

    #[test]
    fn shapes_repeat_by_five() {
        for smalls in 0..5 {
            let top = Level(40).below_of(Shape(smalls)).unwrap();
            assert_eq!(top.smalls(), smalls);
            assert!(top > Level(35));
        }
        assert_eq!(Level(2).below_of(Shape(2)), None);
        assert_eq!(Level(1).lower(), None);
        assert_eq!(Level(3).lower(), Some(Level(2)));
    }
}
