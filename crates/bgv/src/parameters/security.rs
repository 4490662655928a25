//! How long a modulus may be.
//!
//! Secrets are uniform ternary and errors have deviation 3.2, so ring-LWE of degree φ and modulus Q·P is
//! estimated as LWE of that dimension: the smallest of primal uSVP, primal BDD and dual hybrid by the lattice
//! estimator (commit 27a581b, cost model MATZOV). docs/bgv.md has the estimates.

use std::fmt;

/// What a parameter set promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Security {
    /// Nothing: for tests.
    Toy,
    /// 80 bits, for comparison with what was published at 80. Weak by today's measure.
    Weak80,
    /// 128 bits.
    Bits128,
}

/// Degree, most bits of modulus at 128 bits of security, most at 80.
const BOUNDS: [(usize, Option<u32>, Option<u32>); 6] = [
    (4096, Some(106), Some(169)),
    (8190, Some(214), Some(342)),
    (8192, Some(214), Some(342)),
    (16_384, Some(430), Some(691)),
    (32_768, Some(868), Some(1400)),
    (65_536, Some(1746), Some(2825)),
];

impl Security {
    /// Bits of security that were estimated, 0 for a toy.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Toy => 0,
            Self::Weak80 => 80,
            Self::Bits128 => 128,
        }
    }

    /// The longest modulus of a key for a ring of this degree; `None` if there is none on record.
    #[must_use]
    pub fn most_bits(self, degree: usize) -> Option<u32> {
        let row = BOUNDS.iter().find(|row| row.0 == degree)?;
        match self {
            Self::Toy => None,
            Self::Weak80 => row.2,
            Self::Bits128 => row.1,
        }
    }

    /// What names of sets begin with.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Toy => "TOY_",
            Self::Weak80 => "WEAK_80_",
            Self::Bits128 => "",
        }
    }
}

impl fmt::Display for Security {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Toy => f.write_str("no security"),
            _ => write!(f, "{} bits of security", self.bits()),
        }
    }
}
