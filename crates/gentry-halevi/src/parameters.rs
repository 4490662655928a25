//! Parameter sets: two numbers chosen, the dimension n and the size t of the key's coefficients,
//! and everything that follows from them.
//!
//! With the paper's aim of λ = 72 bits (which no set reaches, see the crate's notes):
//!
//! | | formula | reason |
//! |---|---|---|
//! | s | 15 = 2^p − 1 | terms of the sparse subset sum; λ / log2 λ rounded up to such a number |
//! | p | 4 | fraction bits kept in recryption: s + 1 roundings of 2^-(p+1) stay below 1/2 |
//! | S | max(2^(2λ/(s+1)), ⌈n/s⌉) | elements in each big set: S^⌈s/2⌉ ≥ 2^λ against meeting in the middle, and n/s against lattices |
//! | log2 R | ⌈nt / s(S−1)⌉ | the s geometric progressions together span the nt bits of d |
//! | c | ⌈2√S⌉ | ciphertexts that encode one index as a pair; c(c−1)/2 ≥ S, and a little more storage than the least halves recryption's products |
//! | noise | max(s, ⌈2λ/(log2 n − 2)⌉), at most n/2 | expected ±1s in a noise polynomial: more than 2^λ choices of half of them |
//!
//! (Gentry and Halevi, "Implementing Gentry's Fully-Homomorphic Encryption Scheme", Eurocrypt 2011,
//! §10 and its table of challenges, which fix t = 380.)

use crate::Error;

/// What the paper aims at: 72 bits of security.
const AIM: usize = 72;
/// Terms of the sparse subset sum.
const SUBSET: usize = 15;
/// Fraction bits kept in recryption.
const PRECISION: usize = 4;

/// What is chosen; everything else follows. Turned into [`Parameters`] by [`Parameters::new`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterLiteral {
    /// What the set is called. One that begins with `BROKEN_` or `TOY_` says what it protects:
    /// nothing.
    pub name: &'static str,
    /// n: a power of two, 32 to 32768.
    pub dimension: usize,
    /// t: bits of each coefficient of the secret polynomial, 380 to 1024.
    pub coefficient_bits: usize,
}

/// A valid parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    name: &'static str,
    dimension: usize,
    coefficient_bits: usize,
    set_size: usize,
    log_ratio: usize,
    columns: usize,
    noise: usize,
}

impl Parameters {
    /// The paper's toy challenge. Solved in practice: 30 core-days of LLL by the estimate of 2011,
    /// done in 24 days on one processor in 2015.
    pub const BROKEN_512: Self = Self::unchecked("BROKEN_512", 512, 380);
    /// The paper's small challenge, whose modulus fits 786,432 bits. Within reach of LLL: 45
    /// core-years at most by the estimate of 2011, and less with what was found since.
    pub const BROKEN_2048: Self = Self::unchecked("BROKEN_2048", 2048, 380);
    /// The paper's medium challenge. Falls to LLL, too, by about 2^72 cycles as estimated in 2011.
    pub const BROKEN_8192: Self = Self::unchecked("BROKEN_8192", 8192, 380);
    /// For tests: seconds for everything.
    pub const TOY_32: Self = Self::unchecked("TOY_32", 32, 400);
    /// For tests.
    pub const TOY_64: Self = Self::unchecked("TOY_64", 64, 400);
    /// For tests.
    pub const TOY_128: Self = Self::unchecked("TOY_128", 128, 400);

    /// Every named set, by growing dimension.
    pub const SETS: [Self; 6] = [
        Self::TOY_32,
        Self::TOY_64,
        Self::TOY_128,
        Self::BROKEN_512,
        Self::BROKEN_2048,
        Self::BROKEN_8192,
    ];

    /// Checks a literal and derives the rest.
    ///
    /// # Errors
    /// [`Error::InvalidParameters`] for a dimension or a size outside the ranges of
    /// [`ParameterLiteral`].
    pub const fn new(literal: ParameterLiteral) -> Result<Self, Error> {
        let ParameterLiteral {
            name,
            dimension,
            coefficient_bits,
        } = literal;
        let reason = if !dimension.is_power_of_two() || dimension < 32 || dimension > 32768 {
            "the dimension is no power of two from 32 to 32768"
        } else if coefficient_bits < 380 || coefficient_bits > 1024 {
            // Fewer leave no room for an AND of two refreshed bits.
            "coefficients have 380 to 1024 bits"
        } else {
            return Ok(Self::unchecked(name, dimension, coefficient_bits));
        };
        Err(Error::InvalidParameters { name, reason })
    }

    /// The named set of [`SETS`](Self::SETS) that is called so.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::SETS.into_iter().find(|set| set.name == name)
    }

    const fn unchecked(name: &'static str, dimension: usize, coefficient_bits: usize) -> Self {
        let against_meeting = 1 << (2 * AIM).div_ceil(SUBSET + 1);
        let against_lattices = dimension.div_ceil(SUBSET);
        let set_size = if against_meeting > against_lattices {
            against_meeting
        } else {
            against_lattices
        };
        let mut columns = (4 * set_size).isqrt();
        if columns * columns < 4 * set_size {
            columns += 1;
        }
        let log_dimension = dimension.ilog2() as usize;
        let mut noise = (2 * AIM).div_ceil(log_dimension - 2);
        if noise < SUBSET {
            noise = SUBSET;
        }
        if noise > dimension / 2 {
            noise = dimension / 2;
        }
        Self {
            name,
            dimension,
            coefficient_bits,
            set_size,
            log_ratio: (dimension * coefficient_bits).div_ceil(SUBSET * (set_size - 1)),
            columns,
            noise,
        }
    }

    /// What the set is called.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// n, the degree of the ring's polynomial x^n + 1.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.dimension
    }

    /// log2 n.
    #[must_use]
    pub const fn log_dimension(&self) -> u32 {
        self.dimension.ilog2()
    }

    /// t, bits of each coefficient of the secret polynomial.
    #[must_use]
    pub const fn coefficient_bits(&self) -> usize {
        self.coefficient_bits
    }

    /// s, terms of the sparse subset sum.
    #[must_use]
    pub const fn subset(&self) -> usize {
        SUBSET
    }

    /// p, fraction bits that recryption keeps.
    #[must_use]
    pub const fn precision(&self) -> usize {
        PRECISION
    }

    /// S, elements of each big set.
    #[must_use]
    pub const fn set_size(&self) -> usize {
        self.set_size
    }

    /// log2 R, where R is the ratio of each big set's geometric progression.
    #[must_use]
    pub const fn log_ratio(&self) -> usize {
        self.log_ratio
    }

    /// c, ciphertexts in the public key for each big set.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// Expected number of ±1 in a noise polynomial.
    #[must_use]
    pub const fn noise(&self) -> usize {
        self.noise
    }

    /// Bits that a modulus may have at most; key generation draws again beyond.
    ///
    /// n(t + (log2 n − 3)/2): 786,432 = 12,288 limbs at dimension 2048, what the paper's multiplier
    /// takes. log2 d is n(t + log2(n)/2 − 2.209) on average with a deviation of 1.85·√(n/2) bits
    /// (see [`expected_modulus_bits`](Self::expected_modulus_bits)), so the limit is 0.7·n bits
    /// above the mean: three deviations at n = 32, and twenty-four at 2048.
    #[must_use]
    pub const fn largest_modulus_bits(&self) -> usize {
        let log = self.log_dimension() as usize;
        self.dimension * self.coefficient_bits + self.dimension * (log - 3) / 2
    }

    /// The mean of log2 d and its standard deviation, in bits.
    ///
    /// d is the product of |v(ρ)|² over the n/2 pairs of conjugate roots ρ of x^n + 1, and |v(ρ)|²
    /// is close to exponentially distributed with mean n·4^t/12. The logarithm of such a variable
    /// lies γ·log2(e) = 0.833 bits below that of its mean and deviates by π·log2(e)/√6 = 1.85 bits.
    #[must_use]
    pub fn expected_modulus_bits(&self) -> (f64, f64) {
        let n = self.dimension as f64;
        let mean = self.coefficient_bits as f64 + n.log2() / 2.0 - 2.209;
        (n * mean, 1.85 * (n / 2.0).sqrt())
    }

    /// Limbs-long parts of a public key: d, r, the x_i, and s·c ciphertexts.
    #[must_use]
    pub const fn public_parts(&self) -> usize {
        2 + SUBSET + SUBSET * self.columns
    }

    /// Rows of pairs (a, b), a < b, that hold the indices below S: recryption multiplies by this
    /// many ciphertexts of each block.
    #[must_use]
    pub const fn rows(&self) -> usize {
        let (mut rows, mut covered) = (0, 0);
        while covered < self.set_size {
            covered += self.columns - 1 - rows;
            rows += 1;
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_table() {
        type Row = (usize, usize, usize, usize, usize, usize);
        let row = |set: &Parameters| -> Row {
            (
                set.set_size(),
                set.log_ratio(),
                set.columns(),
                set.subset() * set.columns(),
                set.noise(),
                set.rows(),
            )
        };
        assert_eq!(row(&Parameters::BROKEN_512), (512, 26, 46, 690, 21, 14));
        assert_eq!(row(&Parameters::BROKEN_2048), (512, 102, 46, 690, 16, 14));
        assert_eq!(row(&Parameters::BROKEN_8192), (547, 381, 47, 705, 15, 14));
    }

    #[test]
    fn the_paper_s_multiplier_takes_the_small_challenge() {
        assert_eq!(Parameters::BROKEN_2048.largest_modulus_bits(), 786_432);
        let (mean, deviation) = Parameters::BROKEN_2048.expected_modulus_bits();
        assert!((mean - 784_980.0).abs() < 1.0, "{mean}");
        assert!((deviation - 59.2).abs() < 0.1, "{deviation}");
    }

    #[test]
    fn every_pair_of_a_set_exists() {
        for set in Parameters::SETS {
            assert!(set.columns() * (set.columns() - 1) / 2 >= set.set_size());
            assert_eq!(Parameters::by_name(set.name()), Some(set));
            let literal = ParameterLiteral {
                name: set.name(),
                dimension: set.dimension(),
                coefficient_bits: set.coefficient_bits(),
            };
            assert_eq!(Parameters::new(literal), Ok(set));
        }
    }

    #[test]
    fn what_the_scheme_cannot_use_is_refused() {
        let refused = |dimension, coefficient_bits| {
            Parameters::new(ParameterLiteral {
                name: "bad",
                dimension,
                coefficient_bits,
            })
        };
        for dimension in [0, 16, 33, 65536] {
            assert_eq!(
                refused(dimension, 400),
                Err(Error::InvalidParameters {
                    name: "bad",
                    reason: "the dimension is no power of two from 32 to 32768"
                })
            );
        }
        for bits in [0, 379, 1025] {
            assert_eq!(
                refused(64, bits),
                Err(Error::InvalidParameters {
                    name: "bad",
                    reason: "coefficients have 380 to 1024 bits"
                })
            );
        }
    }
}
