//! The second part of the server's key as it is made, stored and sent: bodies and one seed.
//!
//! | | rows, each a body of N words | for P16 |
//! |---|---|---:|
//! | rotation | for each bit s of the small key and each weight g of 2^-12, 2^-34: phase −s·g·S, then s·g | 58.7 MB |
//! | automorphisms | for each step i = 1..=log2(N) and each of 11 weights g: phase −g·S(X^t), t = N/2^(i−1) + 1 | 2.0 MB |
//! | square | for each of 4 weights g: phase g·S² | 66 KB |
//!
//! Row after row is a stream of the seed.

use std::fmt;

use random::{KeyId, Seed};

use super::gadgets::{AUTOMORPHISM, MORE, SQUARE};
use crate::error::TfheError;
use crate::parameters::Parameters;

/// What makes selectors, compact: public, as the first part of the server's key.
#[derive(Clone, PartialEq)]
pub struct SeededLeveledKey {
    pub(crate) parameters: Parameters,
    pub(crate) key_id: KeyId,
    pub(crate) seed: Seed,
    pub(crate) bodies: Vec<u64>,
}

/// Name and key only: the content is megabytes long.
impl fmt::Debug for SeededLeveledKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeededLeveledKey")
            .field("parameters", &self.parameters.name())
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

impl SeededLeveledKey {
    /// A key from what a file holds.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless the bodies are as many as
    /// [`SeededLeveledKey::body_count`] says.
    pub fn from_parts(
        parameters: Parameters,
        key_id: KeyId,
        seed: Seed,
        bodies: Vec<u64>,
    ) -> Result<Self, TfheError> {
        let (expected, found) = (Self::body_count(&parameters), bodies.len());
        if expected != found {
            return Err(TfheError::WrongLength {
                what: "the key of selectors",
                expected,
                found,
            });
        }
        Ok(Self {
            parameters,
            key_id,
            seed,
            bodies,
        })
    }

    /// How many words the bodies have: what a reader checks before it allocates.
    ///
    /// ```
    /// use blindcore_tfhe::P16;
    /// use blindcore_tfhe::leveled::SeededLeveledKey;
    ///
    /// // 61 MB in a file, beside the 30 MB of the first part.
    /// assert_eq!(SeededLeveledKey::body_count(&P16) * 8 / 1_000_000, 60);
    /// ```
    #[must_use]
    pub fn body_count(parameters: &Parameters) -> usize {
        let layout = Rows::new(parameters);
        layout.all() * layout.size
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The public name of the key pair.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The masks' seed. Public.
    #[must_use]
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The bodies, row after row.
    #[must_use]
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }
}

/// Where which rows are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// Bits of the small key.
    pub(crate) n: usize,
    /// Coefficients of a polynomial, N.
    pub(crate) size: usize,
    /// Automorphisms, log2 N.
    pub(crate) steps: usize,
}

impl Rows {
    /// Rows of a bit of the small key.
    pub(crate) const OF_BIT: usize = 2 * MORE.len();
    /// Rows of an automorphism.
    pub(crate) const OF_STEP: usize = AUTOMORPHISM.levels() as usize;
    /// Rows of the square.
    pub(crate) const OF_SQUARE: usize = SQUARE.levels() as usize;

    pub(crate) fn new(parameters: &Parameters) -> Self {
        let size = parameters.polynomial_size().get();
        Self {
            n: parameters.lwe_dimension().get(),
            size,
            steps: size.ilog2() as usize,
        }
    }

    /// The first row of the automorphisms.
    pub(crate) fn automorphisms(self) -> usize {
        self.n * Self::OF_BIT
    }

    /// The first row of the square.
    pub(crate) fn square(self) -> usize {
        self.automorphisms() + self.steps * Self::OF_STEP
    }

    fn all(self) -> usize {
        self.square() + Self::OF_SQUARE
    }

    /// The exponent of automorphism `step`, 1..=log2 N: it keeps the coefficients at even multiples of
    /// 2^(step − 1) and negates those at odd ones.
    pub(crate) fn exponent(self, step: usize) -> usize {
        (self.size >> (step - 1)) + 1
    }
}
