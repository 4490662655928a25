//! What can be wrong with parameters, keys, ciphertexts and requests.

use crate::KeyId;

/// Every way an operation of this crate can be refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A parameter literal that the scheme cannot use.
    #[error("parameter set {name} is invalid: {reason}")]
    InvalidParameters {
        /// The literal's name.
        name: &'static str,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// Two things made under different keys were combined.
    #[error("this ciphertext belongs to key {found}, not to key {expected}")]
    WrongKey {
        /// The key that was to use it.
        expected: KeyId,
        /// The key it was made under.
        found: KeyId,
    },
    /// A part has the wrong number of limbs.
    #[error("{what} must have {expected} limbs, but has {found}")]
    WrongLength {
        /// Which part.
        what: &'static str,
        /// Limbs that its parameters call for.
        expected: usize,
        /// Limbs that it has.
        found: usize,
    },
    /// A residue that is not below the modulus.
    #[error("{what} is not below the key's modulus")]
    NotReduced {
        /// Which part.
        what: &'static str,
    },
    /// Limbs that are no key of their parameter set.
    #[error("these limbs are no key of their parameter set: {reason}")]
    NotAKey {
        /// Which rule they break. Says nothing about a secret.
        reason: &'static str,
    },
    /// An estimate of noise that no ciphertext can have.
    #[error("a noise of 2^{log2_norm} and degree {degree} is no estimate of a ciphertext's noise")]
    InvalidNoise {
        /// The logarithm that was given.
        log2_norm: f64,
        /// The degree that was given.
        degree: u32,
    },
    /// The result could not be refreshed, and soon not be decrypted: refresh operands first.
    #[error(
        "noise exhausted in {operation}: {margin:.0} bits would be left, and {needed:.0} are needed; refresh its operands first"
    )]
    NoiseExhausted {
        /// What was to be done.
        operation: &'static str,
        /// Bits between the noise and what decrypts wrongly.
        margin: f64,
        /// Bits that must remain.
        needed: f64,
    },
    /// The caller's watch asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A product was refused or failed its check.
    #[error("arithmetic: {0}")]
    Arithmetic(#[from] bignum::Error),
    /// The operating system gave no threads.
    #[error(transparent)]
    NoThreads(#[from] work::NoThreads),
}

impl From<work::Interrupted> for Error {
    fn from(_: work::Interrupted) -> Self {
        Self::Interrupted
    }
}
