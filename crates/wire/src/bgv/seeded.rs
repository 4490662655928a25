//! Fresh vectors of bits, their masks a seed: what files of inputs hold.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: how many rows the table has, and which [batch](super::batch) of them this is | |
//! | seed of the masks | 32 |
//! | one body for each bit: a row for each prime of the top level | 8φ a row |

use bgv::{Ciphertext, Parameters, Ring, SeededCiphertext};
use random::Seed;
use tfhe::KeyId;

use super::{Set, Share, key_id, read_rows, refused, row_bytes, scheme_id, write_rows};
use crate::ciphertexts::{Ciphertexts, InputBits};
use crate::payload::{PayloadReader, PayloadWriter};
use crate::{Header, Kind, ParameterSet, WireError};

/// Vectors of one encryption: under one seed, numbered from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededVectors {
    set: Set,
    id: KeyId,
    share: Share,
    seed: Seed,
    vectors: Vec<SeededCiphertext>,
}

impl SeededVectors {
    /// No vector yet, for these rows of values, of a key pair and a seed.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if the rows are shared out by another set's slots.
    pub fn new(
        parameters: &Parameters,
        id: bgv::KeyId,
        seed: Seed,
        share: Share,
    ) -> Result<Self, WireError> {
        share.check(parameters)?;
        Ok(Self {
            set: Set::new(parameters.clone()),
            id: key_id(id),
            share,
            seed,
            vectors: Vec::new(),
        })
    }

    /// Appends the vector of the next number.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if it has another number, seed or key.
    pub fn push(&mut self, vector: SeededCiphertext) -> Result<(), WireError> {
        let next = self.vectors.len() as u64;
        if vector.number() != next
            || *vector.seed() != self.seed
            || key_id(vector.key_id()) != self.id
        {
            return Err(unstorable("a vector of another seed, number or key"));
        }
        self.vectors.push(vector);
        Ok(())
    }

    /// Which rows of values there are: they lie in the first of the slots.
    #[must_use]
    pub fn share(&self) -> Share {
        self.share
    }

    /// How many vectors there are: one for each bit.
    #[must_use]
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// The vectors with their masks, in order.
    ///
    /// # Errors
    /// [`WireError::Malformed`] if the ring is another set's.
    pub fn expand(&self, ring: &Ring) -> Result<Vec<Ciphertext>, WireError> {
        let vectors = self.vectors.iter();
        vectors
            .map(|vector| vector.clone().expand(ring).map_err(refused))
            .collect()
    }
}

fn unstorable(reason: &str) -> WireError {
    WireError::Unstorable {
        reason: reason.to_owned(),
    }
}

/// Rows of a fresh vector's body.
fn body_rows(parameters: &Parameters) -> usize {
    parameters.primes_of(parameters.top()).len()
}

impl Ciphertexts for SeededVectors {
    type Parameters = Set;
    type Shape = (u32, u32);

    fn parameters(&self) -> &Set {
        &self.set
    }

    fn key_id(&self) -> KeyId {
        self.id
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn shape(&self) -> (u32, u32) {
        self.share.shape()
    }

    fn bytes(&self) -> usize {
        let parameters = self.set.parameters();
        Seed::LENGTH + self.len() * body_rows(parameters) * row_bytes(parameters)
    }

    fn write(&self, writer: &mut PayloadWriter) {
        writer.bytes(self.seed.as_bytes());
        self.vectors
            .iter()
            .for_each(|vector| write_rows(writer, vector.body()));
    }

    fn read(
        header: &Header,
        shape: (u32, u32),
        count: usize,
        reader: &mut PayloadReader<'_>,
    ) -> Result<Self, WireError> {
        let set = Set::find(&header.fingerprint)?;
        let parameters = set.parameters();
        let share = Share::read(shape, parameters)?;
        let each = body_rows(parameters);
        let bulk = count.checked_mul(each * row_bytes(parameters));
        reader.expect_bulk(bulk.and_then(|bulk| bulk.checked_add(Seed::LENGTH)))?;
        let seed = Seed::from_bytes(reader.array()?);
        let id = scheme_id(header.key);
        let vectors = (0..count as u64)
            .map(|number| {
                let body = read_rows(reader, parameters, each)?;
                SeededCiphertext::from_parts(parameters, id, seed, number, body).map_err(refused)
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            vectors,
            set,
            id: header.key,
            share,
            seed,
        })
    }
}

impl InputBits for SeededVectors {
    const KIND: Kind = Kind::BgvInputs;
}
