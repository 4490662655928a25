//! The server's key as it is made, stored and sent: bodies and one seed.
//!
//! Two keys in one. The *bootstrapping key* encrypts each bit s of the small key
//! as a GGSW ciphertext under the big key S: for each level j with weight g a
//! row with the phase −s·g·S (the one that meets mask digits) and a row with the
//! phase s·g. The *key-switching key* encrypts the big key under the small one,
//! seen as n/M polynomials of degree M (the structure keeps it at 1 MB, and a
//! key switch at 3 % of a lookup): for each polynomial z of S cut into pieces
//! of M, and each level, a row with phase z·g.
//!
//! Every mask is a stream of one public seed, so only bodies are kept: for P16
//! n·2·l·N words = 29.4 MB, and 131 KB.
//!
//! Row r of bit i at level j is stream (i·l + j)·2 + r, and row number the same;
//! the rows of the key switch follow, piece by piece, level by level.

use random::Seed;

use crate::blind_rotation::RotationShape;
use crate::error::TfheError;
use crate::parameters::{BIT_SCALE, ParameterLiteral, Parameters};
use crate::seeded::Seeded;
use random::KeyId;

/// The server's key of the lookups, compact: see [`Seeded`].
pub type SeededServerKey = Seeded<ParameterLiteral, u64>;

impl SeededServerKey {
    /// A key from what a file holds.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless the bodies are as many as
    /// [`SeededServerKey::body_counts`] says.
    pub fn from_parts(
        parameters: Parameters,
        key_id: KeyId,
        seed: Seed,
        bootstrap: Vec<u64>,
        key_switch: Vec<u64>,
    ) -> Result<Self, TfheError> {
        let (expected_bootstrap, expected_switch) = Self::body_counts(&parameters);
        for (what, expected, found) in [
            ("the bootstrapping key", expected_bootstrap, bootstrap.len()),
            ("the key-switching key", expected_switch, key_switch.len()),
        ] {
            if expected != found {
                return Err(TfheError::WrongLength {
                    what,
                    expected,
                    found,
                });
            }
        }
        Ok(Self {
            parameters,
            key_id,
            seed,
            bootstrap,
            key_switch,
        })
    }

    /// How many words the bodies of the bootstrapping and of the key-switching
    /// key have: what a reader checks before it allocates.
    #[must_use]
    pub fn body_counts(parameters: &Parameters) -> (usize, usize) {
        let layout = Layout::new(parameters);
        (layout.bootstrap_words(), layout.key_switch_words())
    }
}

/// Shapes of both keys, computed once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Bits of the small key.
    pub(crate) n: usize,
    /// Coefficients of a big polynomial.
    pub(crate) size: usize,
    /// Levels of the bootstrapping key.
    pub(crate) levels: usize,
    /// Levels of the key-switching key.
    pub(crate) levels_k: usize,
    /// Coefficients of a small polynomial, M.
    pub(crate) m: usize,
    /// Small polynomials in the big key.
    pub(crate) pieces: usize,
    /// Small polynomials in the small key.
    pub(crate) parts: usize,
}

impl Layout {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let n = parameters.lwe_dimension().get();
        let m = parameters.key_switch_polynomial_size().get();
        Self {
            n,
            size: parameters.polynomial_size().get(),
            levels: parameters.bootstrap_decomposition().levels.get(),
            levels_k: parameters.key_switch_decomposition().levels.get(),
            m,
            pieces: parameters.big_lwe_dimension().get() / m,
            parts: n / m,
        }
    }

    pub(crate) fn bootstrap_words(&self) -> usize {
        self.n * self.levels * 2 * self.size
    }

    pub(crate) fn key_switch_words(&self) -> usize {
        self.pieces * self.levels_k * self.m
    }

    /// How many streams of the seed masks take.
    pub(crate) fn streams(&self) -> u64 {
        self.key_switch_stream(self.pieces, 0)
    }

    /// Stream of the masks of a key-switching row.
    pub(crate) fn key_switch_stream(&self, piece: usize, level: usize) -> u64 {
        ((self.n * self.levels * 2) + piece * self.levels_k + level) as u64
    }
}

/// The rotation of a lookup.
pub(crate) fn rotation_shape(parameters: &Parameters) -> RotationShape {
    RotationShape {
        n: parameters.lwe_dimension().get(),
        size: parameters.polynomial_size().get(),
        block_bits: parameters.block_bits(),
        gadget: parameters.bootstrap_decomposition(),
        amplitude: BIT_SCALE / 2,
    }
}
