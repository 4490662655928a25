//! How much noise a ciphertext carries, estimated.
//!
//! The noise of a ciphertext is the integer polynomial t = c₀ + c₁s + … that decryption finds
//! before it takes it modulo 2: the plaintext and twice an error. Its size here is the standard
//! deviation of one coordinate of its canonical embedding, in which products are products of
//! coordinates.
//!
//! Write t = Σ aₖ sᵏ with aₖ that do not depend on the secret s. A coordinate of s is nearly a
//! complex normal variable of variance S = 2φ/3, so E|s|^2k = k!·Sᵏ: powers of the secret are
//! larger than the powers of its size, and that is why an estimate which multiplies deviations
//! falls short after a product. Kept are the five numbers wₖ = Sᵏ·E|aₖ|², of which
//!
//! - the variance is Σ k!·wₖ,
//! - sums add, with what operands have in common counted by its origin (`origins`: a ciphertext
//!   added to itself has twice the deviation, not √2 times),
//! - products multiply as polynomials in s, exactly,
//! - a change of the modulus by a factor scales, and adds its rounding: a polynomial with
//!   coefficients uniform in an interval of length 2 to every part, of variance φ/3 each, hence
//!   φ/3·Sᵏ to wₖ for k = 0, 1.
//!
//! (The average-case analysis of A. Costache, L. Nürnberger, R. Player, CT-RSA 2023, with the
//! dependence on the secret as in B. Biasion, C. Marcolla, R. Murru, eprint 2023/600.)
//!
//! # What is relied on
//!
//! That variance is right on average and for independent operands, and circuits are neither: a
//! product of two values that share an operand has coordinates with heavier tails, and where a
//! coordinate of s is large, one product makes it larger for the next. One coordinate that grows
//! faster than the modulus shrinks ruins the ciphertext: with levels sized by the variance alone,
//! circuits whose operands repeat fail after four products.
//!
//! So beside the variance a bound B is kept that no coordinate exceeds, whatever operands have in
//! common, in two terms: the variance of what is normal, rounding and errors, where |s|² is ln φ +
//! 3 times its mean (keys with a larger coordinate, one draw of forty, are not used); and an
//! amplitude r of everything else: products, messages at their largest, the means of roundings.
//! Sums add both, the variance with what they have in common by its origin; products multiply
//! bounds; and B = `CUT`·σ + r. This is what decides where moduli are switched, and what a level
//! must hold.
//!
//! B holds for all ciphertexts of a circuit unless, for one of them, the normal part of a
//! coordinate exceeds `CUT` = 7.25 of its deviations: then sums and products of bounds are bounds,
//! by the triangle inequality, and nothing else is asked of the circuit. A complex normal variable
//! exceeds c deviations with probability e^(−c²). Where |s|² is x times its mean, terms are shorter
//! and the exponent is c²·(ln φ + 3)/x; over the φ/2 coordinates of all keys that are used, φ/2·∫
//! e^(−x)·e^(−c²·(ln φ + 3)/x) dx up to x = ln φ + 3 is at most 2^-82.6. So it is for a ciphertext,
//! and 2^-64.7 for circuits of 80,000 sums and products, of three ciphertexts each (two operands
//! that are switched to a common level, and the result). Errors of the evaluation key are the same
//! in every key switching: they are counted as large as a coordinate of one is with probability
//! 2^-73 (`worst_error`).
//!
//! Fewer deviations are not enough. A rounding that exceeds its share is squared by the next
//! product, and brought down by the rounding that is added there; but the chain has steps of 8 to
//! 10 bits, so that a level may add nearly none. With 2.25 deviations, and levels as sums of two
//! before each product take them, an excess of a half at first grows through eight products, which
//! has the probability 2^-16 at the worst coordinate of a key. `scripts/parameters/bgv_noise.py`
//! computes all this for the sets that are chosen.
//!
//! A coefficient in the normal basis is the trace of t with the dual basis. Of an element whose
//! coordinates have variance v² it has the variance v²·2ᵏ/m, k being the number of primes of the
//! index m: along each prime p the Gram matrix of the basis is pI − J (J all ones), and its inverse
//! (I + J)/p has diagonal 2/p. The coefficient is a sum of φ coordinates and so nearly normal;
//! decryption is right while all stay below half the modulus.

mod forecast;
mod origins;
pub(crate) mod policy;
mod tail;

use crate::Error;
use crate::parameters::{Level, Parameters};

pub use forecast::Forecast;
use origins::Share;
pub(crate) use origins::{Origin, Traced};
pub(crate) use tail::{bound_for, log2_leaves};

/// Terms kept: powers of the secret up to the fourth, the degree of a product of products. Higher
/// ones are counted with the fourth, by their variance.
const TERMS: usize = 5;
const FACTORIALS: [f64; 2 * TERMS - 1] = [1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40320.0];

/// The error's deviation per coefficient of `Z[x]/(x^m − 1)`.
pub(crate) const ERROR: f64 = 3.2;

/// Deviations of normal terms that a bound counts: none has more. See the module's notes.
pub(crate) const CUT: f64 = 7.25;

/// An estimate of a ciphertext's noise. See the module's notes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Shares of the powers of the secret in the variance, without their factors k!.
    terms: [f64; TERMS],
    /// The variance of what is normal, where the secret is large.
    normal: f64,
    /// The amplitude of everything else there.
    rest: f64,
}

impl Noise {
    /// How many numbers an estimate consists of.
    pub const TERMS: usize = TERMS + 2;

    /// Takes an estimate read from a file: what [`terms`](Self::terms) gave.
    ///
    /// # Errors
    /// [`Error::InvalidNoise`] unless all are finite and none is negative.
    pub fn from_terms(numbers: [f64; Self::TERMS]) -> Result<Self, Error> {
        if !numbers
            .iter()
            .all(|number| number.is_finite() && *number >= 0.0)
        {
            return Err(Error::InvalidNoise);
        }
        let [terms @ .., normal, rest] = numbers;
        Ok(Self {
            terms,
            normal,
            rest,
        })
    }

    /// The numbers to write to a file: the share of each power of the secret in the variance, and
    /// the variance and the amplitude of the bound.
    #[must_use]
    pub fn terms(&self) -> [f64; Self::TERMS] {
        let [a, b, c, d, e] = self.terms;
        [a, b, c, d, e, self.normal, self.rest]
    }

    /// log2 of the standard deviation of a coordinate of the canonical embedding: what is measured,
    /// where operands were independent.
    #[must_use]
    pub fn log2_deviation(&self) -> f64 {
        let weighted = self.terms.iter().zip(FACTORIALS);
        let variance: f64 = weighted.map(|(term, factorial)| term * factorial).sum();
        0.5 * variance.log2()
    }

    /// log2 of the bound on a coordinate, whatever operands have in common: what
    /// [`Parameters::most_noise`] limits.
    #[must_use]
    pub fn log2_bound(&self) -> f64 {
        self.bound().log2()
    }

    fn bound(&self) -> f64 {
        CUT * self.normal.sqrt() + self.rest
    }

    /// Variance that does not depend on the secret.
    pub(crate) fn of_variance(variance: f64) -> Self {
        let mut terms = [0.0; TERMS];
        terms[0] = variance;
        Self {
            terms,
            normal: variance,
            rest: 0.0,
        }
    }

    /// What key switching at a level adds, before the division by the special primes is rounded:
    /// digits times errors of the key.
    fn of_switching(parameters: &Parameters, from: Level) -> Self {
        let variance = parameters.switching_variance(from);
        Self {
            normal: variance * worst_error(parameters.degree()),
            ..Self::of_variance(variance)
        }
    }

    /// Normal polynomials of these variances as parts of a ciphertext.
    fn of_parts(parameters: &Parameters, variances: &[f64]) -> Self {
        let mut terms = [0.0; TERMS];
        let mut normal = 0.0;
        for (k, (term, variance)) in terms.iter_mut().zip(variances).enumerate() {
            *term = variance * secret_variance(parameters).powi(k as i32);
            normal += variance * worst_secret(parameters.degree()).powi(k as i32);
        }
        Self {
            terms,
            normal,
            rest: 0.0,
        }
    }

    /// What rounding adds to a ciphertext of `parts` parts. Errors of all coefficients have the
    /// same mean, which is half of the number 1 and the same in every rounding.
    pub(crate) fn of_rounding(parameters: &Parameters, parts: usize) -> Self {
        let third = parameters.degree() as f64 / 3.0;
        let parts = parts.min(3);
        let secret = worst_secret(parameters.degree()).sqrt();
        let means = (0..parts as i32).map(|power| 0.5 * secret.powi(power));
        Self {
            rest: means.sum(),
            ..Self::of_parts(parameters, &[third; 3][..parts])
        }
    }

    /// What an encryption with the secret key has: twice an error, and the message.
    pub(crate) fn fresh(parameters: &Parameters) -> Self {
        Self::of_variance(4.0 * error_variance(parameters)).plus_message(parameters)
    }

    /// What an encryption with the public key has, which is divided by the special primes after
    /// noise was added: message, 2(e₀ + e·u + e₁·s) and the rounding.
    pub(crate) fn fresh_public(parameters: &Parameters) -> Self {
        let log2_divisor = parameters.log2_product(&parameters.special_primes());
        let error = 4.0 * error_variance(parameters);
        // u is as large as s may be.
        let first = error * (1.0 + worst_secret(parameters.degree()));
        let errors = Self::of_parts(parameters, &[first, error]);
        let rounding = Self::of_rounding(parameters, 2);
        errors
            .scaled(-log2_divisor)
            .plus_independent(&rounding)
            .plus_message(parameters)
    }

    /// The sum with a message, the same wherever it is added, of which nothing is known.
    fn plus_message(self, parameters: &Parameters) -> Self {
        self.plus_known(message_variance(parameters), worst_message(parameters))
    }

    /// The sum with what is no random variable: its mean square, and the largest coordinate.
    fn plus_known(mut self, variance: f64, largest: f64) -> Self {
        self.terms[0] += variance;
        self.rest += largest;
        self
    }

    /// Of a sum whose terms have no origin in common.
    pub(crate) fn plus_independent(&self, other: &Self) -> Self {
        let mut terms = self.terms;
        for (term, other) in terms.iter_mut().zip(other.terms) {
            *term += other;
        }
        Self {
            terms,
            normal: self.normal + other.normal,
            rest: self.rest + other.rest,
        }
    }

    /// Of a sum whose terms have these covariances.
    fn plus_sharing(&self, other: &Self, common: &Share) -> Self {
        let mut sum = self.plus_independent(other);
        for (term, common) in sum.terms.iter_mut().zip(common.terms) {
            *term += 2.0 * common;
        }
        sum.normal += 2.0 * common.normal;
        sum
    }

    /// Of the sum of `count` ciphertexts like this one, no two of which have an origin in common.
    pub(crate) fn summed(&self, count: u32) -> Self {
        let count = f64::from(count.max(1));
        Self {
            terms: self.terms.map(|term| term * count),
            normal: self.normal * count,
            rest: self.rest * count,
        }
    }

    /// Of the product of ciphertexts: the variance for independent ones, the bound for any.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut terms = [0.0; TERMS];
        for (i, a) in self.terms.iter().enumerate() {
            for (j, b) in other.terms.iter().enumerate() {
                let kept = (i + j).min(TERMS - 1);
                terms[kept] += a * b * FACTORIALS[i + j] / FACTORIALS[kept];
            }
        }
        Self {
            terms,
            normal: 0.0,
            rest: self.bound() * other.bound(),
        }
    }

    /// With the deviation multiplied by 2^`log2`.
    pub(crate) fn scaled(&self, log2: f64) -> Self {
        let factor = log2.exp2();
        Self {
            terms: self.terms.map(|term| term * factor * factor),
            normal: self.normal * factor * factor,
            rest: self.rest * factor,
        }
    }
}

/// |s|² where a bound is kept: S·(ln φ + 3). The largest of φ/2 exponential variables of mean S is S·ln(φ/2) or so;
/// key generation draws secrets until it is not above.
pub(crate) fn worst_secret(degree: usize) -> f64 {
    let degree = degree as f64;
    2.0 * degree / 3.0 * (degree.ln() + 3.0)
}

/// |e|² over its mean where a bound is kept, e a coordinate of an error of the evaluation key. An exponential variable
/// is larger with probability e^-52/φ; there are φ/2 of them for each of five shapes of modulus,
/// and digits share the noise of one.
pub(crate) fn worst_error(degree: usize) -> f64 {
    (degree as f64).ln() + 52.0
}

/// The largest coordinate that a plaintext may have. It is a sum of some of the sums η of a power
/// of the root of unity over 1, 2, 4, …, one for each slot: at most (1 + Σ|η|)/2, and Σ|η|² is less
/// than m.
fn worst_message(parameters: &Parameters) -> f64 {
    let squares = f64::from(parameters.index().m());
    0.5 * (1.0 + (squares * parameters.slots() as f64).sqrt())
}

/// S = 2φ/3: what a coordinate of a uniform ternary polynomial has.
pub(crate) fn secret_variance(parameters: &Parameters) -> f64 {
    2.0 * parameters.degree() as f64 / 3.0
}

/// What a coordinate of an error has: m coefficients of deviation σ, taken at a root of unity.
pub(crate) fn error_variance(parameters: &Parameters) -> f64 {
    f64::from(parameters.index().m()) * ERROR * ERROR
}

/// What a coordinate of a plaintext has whose coefficients are fair bits.
pub(crate) fn message_variance(parameters: &Parameters) -> f64 {
    parameters.degree() as f64 / 4.0
}
