//! How long a modulus may be.
//!
//! Secrets are uniform ternary and errors have deviation 3.2, so ring-LWE of degree φ and modulus
//! Q·P is estimated as LWE of that dimension: the smallest of primal uSVP, primal BDD and dual
//! hybrid by the lattice estimator (commit 27a581b, cost model MATZOV), and of dual hybrid with all
//! its parameters free (`scripts/parameters/attacks`). `scripts/parameters/rings.csv` has the
//! estimates, `scripts/parameters/rings.py` computes them.

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

/// Degree, most bits of modulus at 128 bits of security, most at 80, by degree.
const BOUNDS: [(usize, u32, u32); 8] = [
    (4096, 106, 169),
    (8190, 213, 341),
    (8192, 213, 341),
    (12_000, 313, 500),
    (14_112, 368, 589),
    (16_384, 430, 691),
    (32_768, 868, 1400),
    (65_536, 1746, 2825),
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

    /// The longest modulus, in bits, of a key for a ring of this degree; `None` for a toy and below
    /// the smallest degree that was estimated, 4,096.
    ///
    /// Bits by degree grow with the degree, so that between two estimated degrees the proportion at
    /// the smaller one is on the safe side, by at most 1%.
    #[must_use]
    pub fn most_bits(self, degree: usize) -> Option<u32> {
        let row = BOUNDS.iter().rev().find(|row| row.0 <= degree)?;
        let bits = match self {
            Self::Toy => return None,
            Self::Weak80 => row.2,
            Self::Bits128 => row.1,
        };
        Some((u64::from(bits) * degree as u64 / row.0 as u64) as u32)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What `scripts/parameters/rings.py --record` wrote.
    const RECORD: &str = include_str!("../../../../scripts/parameters/rings.csv");

    #[test]
    fn bounds_are_those_that_were_estimated() {
        let mut estimated = Vec::new();
        for line in RECORD.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let degree: usize = fields[0].parse().unwrap();
            let security = match fields[1] {
                "128" => Security::Bits128,
                "80" => Security::Weak80,
                other => panic!("{other} bits"),
            };
            assert_eq!(security.most_bits(degree), fields[2].parse().ok(), "{line}");
            // Three attacks by the estimator, one by us; then what that one's parameters are.
            for attack in &fields[3..7] {
                assert!(
                    attack.parse::<f64>().unwrap() >= security.bits().into(),
                    "{line}"
                );
            }
            estimated.push((degree, security));
        }
        for (degree, ..) in BOUNDS {
            for security in [Security::Weak80, Security::Bits128] {
                assert!(estimated.contains(&(degree, security)), "{degree}");
            }
        }
    }

    #[test]
    fn bits_grow_with_the_degree_and_faster_than_it() {
        assert!(BOUNDS.is_sorted_by_key(|row| row.0));
        for security in [Security::Weak80, Security::Bits128] {
            let bits = |degree: usize| security.most_bits(degree).unwrap();
            assert!((4096..=1 << 17).step_by(2).is_sorted_by_key(bits));
            for pair in [4096, 8192, 16_384, 32_768, 65_536].windows(2) {
                assert!(bits(pair[0]) * (pair[1] / pair[0]) as u32 <= bits(pair[1]));
            }
            assert_eq!(security.most_bits(4095), None);
            assert_eq!(Security::Toy.most_bits(8192), None);
        }
    }
}
