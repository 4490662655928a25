//! How much noise a ciphertext carries, estimated.
//!
//! The noise of a ciphertext is the integer polynomial t = c₀ + c₁s + … that decryption finds before it takes
//! it modulo 2: the plaintext and twice an error. Its size here is the standard deviation of one coordinate
//! of its canonical embedding, in which products are products of coordinates.
//!
//! Write t = Σ aₖ sᵏ with aₖ that do not depend on the secret s. A coordinate of s is nearly a complex normal
//! variable of variance S = 2φ/3, so E|s|^2k = k!·Sᵏ: powers of the secret are larger than the powers of its
//! size, and that is why an estimate which multiplies deviations falls short after a product. Kept are the
//! five numbers wₖ = Sᵏ·E|aₖ|², of which
//!
//! - the variance is Σ k!·wₖ,
//! - sums add (independent operands; a ciphertext added to itself has twice the deviation, not √2 times),
//! - products multiply as polynomials in s, exactly,
//! - a change of the modulus by a factor scales, and adds its rounding: a polynomial with coefficients uniform
//!   in (−1, 1] to every part, of variance φ/3 each, hence φ/3·Sᵏ to wₖ for k = 0, 1.
//!
//! (The average-case analysis of A. Costache, L. Nürnberger, R. Player, CT-RSA 2023, with the dependence on
//! the secret as in B. Biasion, C. Marcolla, R. Murru, eprint 2023/600.)
//!
//! A coefficient in the normal basis is the trace of t with the dual basis. Of an element whose coordinates
//! have variance v² it has the variance v²·2ᵏ/m, k being the number of primes of the index m: along each prime p
//! the Gram matrix of the basis is pI − J (J all ones), and its inverse (I + J)/p has diagonal 2/p. The
//! coefficient is a sum of φ coordinates and so nearly normal; decryption is right while all stay below half
//! the modulus.

mod forecast;
pub(crate) mod policy;
mod tail;

use crate::Error;
use crate::parameters::Parameters;

pub use forecast::Forecast;
pub(crate) use tail::{bound_for, log2_leaves};

/// Terms kept: powers of the secret up to the fourth, the degree of a product of products. Higher ones are
/// counted with the fourth, by their variance.
const TERMS: usize = 5;
const FACTORIALS: [f64; 2 * TERMS - 1] = [1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40320.0];

/// The error's deviation per coefficient of `Z[x]/(x^m − 1)`.
pub(crate) const ERROR: f64 = 3.2;

/// An estimate of a ciphertext's noise. See the module's notes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise([f64; TERMS]);

impl Noise {
    /// How many numbers an estimate consists of.
    pub const TERMS: usize = TERMS;

    /// Takes an estimate read from a file: what [`terms`](Self::terms) gave.
    ///
    /// # Errors
    /// [`Error::InvalidNoise`] unless all are finite and none is negative.
    pub fn from_terms(terms: [f64; Self::TERMS]) -> Result<Self, Error> {
        if terms.iter().all(|term| term.is_finite() && *term >= 0.0) {
            Ok(Self(terms))
        } else {
            Err(Error::InvalidNoise)
        }
    }

    /// The numbers to write to a file: the share of the k-th power of the secret in the variance, without its
    /// factor k!.
    #[must_use]
    pub fn terms(&self) -> [f64; Self::TERMS] {
        self.0
    }

    /// log2 of the standard deviation of a coordinate of the canonical embedding.
    #[must_use]
    pub fn log2_deviation(&self) -> f64 {
        0.5 * self.variance().log2()
    }

    fn variance(&self) -> f64 {
        let weighted = self.0.iter().zip(FACTORIALS);
        weighted.map(|(term, factorial)| term * factorial).sum()
    }

    /// Variance that does not depend on the secret.
    pub(crate) fn of_variance(variance: f64) -> Self {
        let mut terms = [0.0; TERMS];
        terms[0] = variance;
        Self(terms)
    }

    /// What rounding adds to a ciphertext of so many parts.
    pub(crate) fn of_rounding(parameters: &Parameters, parts: usize) -> Self {
        let degree = parameters.degree() as f64;
        let mut terms = [0.0; TERMS];
        for (k, term) in terms.iter_mut().take(parts).enumerate() {
            *term = degree / 3.0 * secret_variance(parameters).powi(k as i32);
        }
        Self(terms)
    }

    /// What an encryption with the secret key has: the message and twice an error.
    pub(crate) fn fresh(parameters: &Parameters) -> Self {
        Self::of_variance(message_variance(parameters) + 4.0 * error_variance(parameters))
    }

    /// What an encryption with the public key has, which is divided by a factor 2^`log2_divisor` after noise
    /// was added: message, 2(e₀ + e·u + e₁·s) and the rounding.
    pub(crate) fn fresh_public(parameters: &Parameters, log2_divisor: f64) -> Self {
        let secret = secret_variance(parameters);
        let error = 4.0 * error_variance(parameters);
        let mut terms = [0.0; TERMS];
        terms[0] = error * (1.0 + secret);
        terms[1] = error * secret;
        let rounding = Self::of_rounding(parameters, 2);
        Self(terms).scaled(-log2_divisor).plus(&rounding)
    }

    /// Of the sum of independent ciphertexts.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut terms = self.0;
        for (term, other) in terms.iter_mut().zip(other.0) {
            *term += other;
        }
        Self(terms)
    }

    /// Of the product of independent ciphertexts.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut terms = [0.0; TERMS];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                let kept = (i + j).min(TERMS - 1);
                terms[kept] += a * b * FACTORIALS[i + j] / FACTORIALS[kept];
            }
        }
        Self(terms)
    }

    /// With the deviation multiplied by 2^`log2`.
    pub(crate) fn scaled(&self, log2: f64) -> Self {
        let factor = (2.0 * log2).exp2();
        Self(self.0.map(|term| term * factor))
    }
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
