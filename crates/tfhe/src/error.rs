//! What can be wrong with keys, ciphertexts and requests.

use random::KeyId;

/// Every way an operation of this crate can be refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TfheError {
    /// A parameter literal that no scheme can use.
    #[error("parameter set {name} is invalid: {reason}")]
    InvalidParameters {
        /// The literal's name.
        name: &'static str,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// Two things made under different keys were combined.
    #[error("this {what} belongs to key {found}, not to key {expected}")]
    WrongKey {
        /// What was given.
        what: &'static str,
        /// The key that was to use it.
        expected: KeyId,
        /// The key it was made under.
        found: KeyId,
    },
    /// Two things of different parameter sets were combined.
    #[error("this {what} was made for parameter set {found}, not for {expected}")]
    WrongParameters {
        /// What was given.
        what: &'static str,
        /// The set that was to use it.
        expected: &'static str,
        /// The set it was made for.
        found: &'static str,
    },
    /// A part has the wrong number of elements.
    #[error("{what} must have {expected} elements, but has {found}")]
    WrongLength {
        /// Which part.
        what: &'static str,
        /// How many elements its parameters call for.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A bit at scale 1/2 where one at scale 1/32 is read.
    #[error("a bit at scale 1/2 cannot be looked up: only its parity can")]
    WrongScale,
    /// A load from something that is no array.
    #[error("there is no array to load from: {reason}")]
    InvalidArray {
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// A secret key holds something other than bits, or breaks its block structure.
    #[error("the secret key is not a key of its parameter set: {reason}")]
    NotASecretKey {
        /// Which rule it breaks. Says nothing about the key's bits.
        reason: &'static str,
    },
    /// A phase that is no bit: the ciphertext was damaged, or computed wrongly.
    #[error("output bit {index} decrypts to neither 0 nor 1")]
    NotABit {
        /// Which bit of the batch.
        index: usize,
    },
    /// Work buffers made for other parameters, or for another FFT processor.
    #[error("these work buffers were made for {found}, not for {expected}")]
    WrongScratch {
        /// The server key's set or processor.
        expected: &'static str,
        /// The buffers' one.
        found: &'static str,
    },
    /// A key or a selector in the transform domain of another FFT processor.
    #[error("a {what} was made for the FFT processor {found}, not for {expected}")]
    WrongProcessor {
        /// What was given.
        what: &'static str,
        /// The key's processor.
        expected: &'static str,
        /// Its own.
        found: &'static str,
    },
    /// The transform that the parameters call for cannot be made.
    #[error("the parameters call for a transform that cannot be made: {reason}")]
    NoTransform {
        /// Why not.
        reason: transforms::torus::TransformError,
    },
}
