//! Fresh ciphertexts of half the size: the mask as a seed.

use random::Seed;

use crate::ciphertext::Rows;
use crate::ring::Ring;
use crate::sampling::uniform;
use crate::{Ciphertext, Error, KeyId, Noise, Parameters};

/// An encryption with the secret key, whose second part follows from a public seed and a number.
///
/// Ciphertexts of one file share a seed and are numbered in order; under one key, no pair of seed
/// and number is ever used twice.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededCiphertext {
    key_id: KeyId,
    seed: Seed,
    number: u64,
    body: Rows,
}

/// Streams of one ciphertext: rows of a chain.
const ROWS: u64 = 1 << 10;
/// What tells streams of ciphertexts from those of keys, which are below 2^63: a seed that serves
/// both gives different masks.
const CIPHERTEXTS: u64 = 1 << 63;

impl SeededCiphertext {
    /// Takes a ciphertext read from a file: one row for each prime of the top level.
    ///
    /// # Errors
    /// [`Error::WrongLength`], also for a number of 2^53 or more; [`Error::NotReduced`].
    pub fn from_parts(
        parameters: &Parameters,
        key_id: KeyId,
        seed: Seed,
        number: u64,
        body: Vec<Vec<u64>>,
    ) -> Result<Self, Error> {
        check_number(number)?;
        let chosen = parameters.primes_of(parameters.top());
        parameters.check_rows("seeded ciphertext", &chosen, &body)?;
        Ok(Self {
            key_id,
            seed,
            number,
            body,
        })
    }

    #[cfg(feature = "secret")]
    pub(crate) fn new(key_id: KeyId, seed: Seed, number: u64, body: Rows) -> Self {
        Self {
            key_id,
            seed,
            number,
            body,
        }
    }

    /// The mask modulo the prime of a row.
    pub(crate) fn mask(seed: &Seed, number: u64, row: usize, q: u64, length: usize) -> Vec<u64> {
        uniform(seed, CIPHERTEXTS | (number * ROWS + row as u64), q, length)
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The seed of the mask.
    #[must_use]
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// Which ciphertext of the seed it is.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The rows of its first part, for a file.
    #[must_use]
    pub fn body(&self) -> &[Vec<u64>] {
        &self.body
    }

    /// The ciphertext.
    ///
    /// # Errors
    /// [`Error::WrongLength`] or [`Error::NotReduced`] if it was made for other parameters.
    pub fn expand(self, ring: &Ring) -> Result<Ciphertext, Error> {
        let parameters = ring.parameters();
        let chosen = parameters.primes_of(parameters.top());
        parameters.check_rows("seeded ciphertext", &chosen, &self.body)?;
        let masks = chosen.iter().enumerate().map(|(row, &prime)| {
            let q = parameters.primes()[prime];
            let mask = Self::mask(&self.seed, self.number, row, q, ring.degree());
            ring.plan(prime).pack(&mask)
        });
        let mask = masks.collect();
        let body = ring.pack(&chosen, &self.body);
        Ok(Ciphertext::encryption(
            self.key_id,
            parameters.top(),
            Noise::fresh(parameters),
            vec![body, mask],
        ))
    }
}

pub(crate) fn check_number(number: u64) -> Result<(), Error> {
    const MOST: u64 = 1 << 53;
    if number < MOST {
        Ok(())
    } else {
        Err(Error::WrongLength {
            what: "ciphertexts of a seed",
            expected: usize::try_from(MOST).unwrap_or(usize::MAX),
            found: usize::try_from(number).unwrap_or(usize::MAX),
        })
    }
}
