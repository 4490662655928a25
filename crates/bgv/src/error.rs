//! What can be wrong with parameters, keys, ciphertexts and requests.

use crate::{KeyId, Level, Security};

/// Every way an operation of this crate can be refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A parameter literal that the scheme cannot use.
    #[error("parameters of index {index} are invalid: {reason}")]
    InvalidParameters {
        /// The literal's index.
        index: u32,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// The key's modulus is too long for the security that was asked for.
    #[error(
        "a modulus of {found:.1} bits exceeds the {most} bits that ring degree {degree} allows for {security}"
    )]
    Insecure {
        /// The ring's degree.
        degree: usize,
        /// log2 of the largest modulus of a key.
        found: f64,
        /// What is allowed.
        most: u32,
        /// What was asked for.
        security: Security,
    },
    /// No ring of the table evaluates circuits of this depth.
    #[error(
        "a circuit of multiplicative depth {depth} is too deep: {most} levels are the most for {security} with {slots} slots and {terms} terms before a product"
    )]
    TooDeep {
        /// What was asked for.
        depth: u32,
        /// The most that any ring of the table does under the same demand.
        most: u32,
        /// The slots that were asked for at least.
        slots: usize,
        /// The terms that are added before a product.
        terms: u32,
        /// The security that was asked for.
        security: Security,
    },
    /// Two things made under different keys were combined.
    #[error("this belongs to key {found}, not to key {expected}")]
    ForeignKey {
        /// The key that was to use it.
        expected: KeyId,
        /// The key it was made under.
        found: KeyId,
    },
    /// A part has the wrong number of words, rows, digits or parts.
    #[error("{what}: {expected} expected, {found} found")]
    WrongLength {
        /// Which part.
        what: &'static str,
        /// What its parameters call for.
        expected: usize,
        /// What it has.
        found: usize,
    },
    /// A residue that is not below its modulus.
    #[error("{what} has a residue that is not below its modulus")]
    NotReduced {
        /// Which part.
        what: &'static str,
    },
    /// An estimate of noise that no ciphertext can have.
    #[error("these are no variances of a ciphertext's noise")]
    InvalidNoise,
    /// There is no such level, or it is above the ciphertext's own.
    #[error("{level} is outside of {least} … {most}")]
    LevelOutOfRange {
        /// What was asked for.
        level: Level,
        /// The lowest possible.
        least: Level,
        /// The highest possible.
        most: Level,
    },
    /// A ciphertext has two parts where three are needed, or three where two are.
    #[error("{operation} takes ciphertexts of {expected} parts, not {found}")]
    WrongParts {
        /// What was to be done.
        operation: &'static str,
        /// Parts it takes.
        expected: usize,
        /// Parts there are.
        found: usize,
    },
    /// More bits than slots.
    #[error("{bits} bits do not fit {slots} slots")]
    TooManyBits {
        /// Bits that were to be packed.
        bits: usize,
        /// Slots that a ciphertext has.
        slots: usize,
    },
    /// The result could not be decrypted any more.
    #[error(
        "noise exhausted in {operation}: it would have {noise:.1} bits, and {level} holds {most:.1}"
    )]
    NoiseExhausted {
        /// What was to be done.
        operation: &'static str,
        /// log2 of the bound on its noise that would result.
        noise: f64,
        /// log2 of the largest bound that decrypts with the promised probability.
        most: f64,
        /// The level of the result.
        level: Level,
    },
    /// The evaluation key has no key for this automorphism.
    #[error("the evaluation key has no rotation by the exponent {exponent}")]
    MissingRotation {
        /// The automorphism's exponent.
        exponent: u32,
    },
    /// An automorphism's exponent must be prime to the index.
    #[error("{exponent} is no automorphism of index {index}")]
    NotAnAutomorphism {
        /// What was asked for.
        exponent: u32,
        /// The ring's index.
        index: u32,
    },
    /// What was decrypted is no vector of bits: too much noise, or not made under this key.
    #[error(
        "the decrypted plaintext is no vector of bits: noise overflowed, or the key is another"
    )]
    NotBits,
    /// The caller's watch asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The ring, its primes or a transform was refused.
    #[error("ring: {0}")]
    Ring(#[from] transforms::cyclotomic::CyclotomicError),
    /// The operating system gave no threads.
    #[error(transparent)]
    NoThreads(#[from] work::NoThreads),
}

impl From<work::Interrupted> for Error {
    fn from(_: work::Interrupted) -> Self {
        Self::Interrupted
    }
}
