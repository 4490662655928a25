//! Fresh vectors of bits: what files of inputs hold.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: how many rows the table has, and which [batch](super::batch) of them this is | |
//! | seed of the masks | 32 |
//! | one body for each bit: a row for each prime of the top level | 8φ a row |
//!
//! Masks of vectors made with a public key follow from no seed. In format version 2:
//!
//! | field | bytes |
//! |---|---|
//! | metadata: the same | |
//! | both parts of each vector: a row for each prime of the top level | 8φ a row |

use bgv::{Ciphertext, Parameters, PublicKey, Ring, SeededCiphertext};
use random::Seed;
use tfhe::KeyId;

use super::{Set, Share, read_rows, refused, row_bytes, write_rows};
use crate::ciphertexts::{Ciphertexts, InputBits};
use crate::container::{FORMAT_VERSION, GIVEN_MASKS_VERSION};
use crate::payload::{PayloadReader, PayloadWriter};
use crate::{Header, Kind, ParameterSet, WireError};

/// Parts of a vector.
const PARTS: usize = 2;

/// Vectors of one encryption, with the secret key or with the public one.
#[derive(Clone, Debug, PartialEq)]
pub struct FreshVectors {
    set: Set,
    id: KeyId,
    share: Share,
    vectors: Content,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    /// Under one seed, numbered from 0: made with the secret key.
    Seeded(Seed, Vec<SeededCiphertext>),
    /// Made with the public key.
    Public(Vec<Ciphertext>),
}

impl FreshVectors {
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
        Self::empty(parameters, id, share, Content::Seeded(seed, Vec::new()))
    }

    /// The same for vectors made with the public key.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn public(
        parameters: &Parameters,
        id: bgv::KeyId,
        share: Share,
    ) -> Result<Self, WireError> {
        Self::empty(parameters, id, share, Content::Public(Vec::new()))
    }

    fn empty(
        parameters: &Parameters,
        id: bgv::KeyId,
        share: Share,
        vectors: Content,
    ) -> Result<Self, WireError> {
        share.check(parameters)?;
        Ok(Self {
            set: Set::new(parameters.clone()),
            id,
            share,
            vectors,
        })
    }

    /// Appends the vector of the next number.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if it has another number, seed or key, or if these are vectors
    /// made with the public key.
    pub fn push(&mut self, vector: SeededCiphertext) -> Result<(), WireError> {
        let id = self.id;
        match &mut self.vectors {
            Content::Seeded(seed, vectors)
                if vector.number() == vectors.len() as u64
                    && vector.seed() == seed
                    && vector.key_id() == id =>
            {
                vectors.push(vector);
                Ok(())
            }
            _ => Err(unstorable("a vector of another seed, number or key")),
        }
    }

    /// Appends a vector that was encrypted with the public key.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if it is another key's or not fresh, or if these are vectors under
    /// a seed.
    pub fn push_public(&mut self, vector: Ciphertext) -> Result<(), WireError> {
        let (id, parameters) = (self.id, self.set.parameters());
        let fresh = vector.level() == parameters.top()
            && vector.parts().len() == PARTS
            && vector.noise() == PublicKey::noise(parameters);
        match &mut self.vectors {
            Content::Public(vectors) if fresh && vector.key_id() == id => {
                vectors.push(vector);
                Ok(())
            }
            _ => Err(unstorable(
                "a vector of another key, or one that is not fresh",
            )),
        }
    }

    /// Whether they were made with the public key, and so have more noise.
    #[must_use]
    pub fn is_public(&self) -> bool {
        matches!(self.vectors, Content::Public(_))
    }

    /// Which rows of values there are: they lie in the first of the slots.
    #[must_use]
    pub fn share(&self) -> Share {
        self.share
    }

    /// How many vectors there are: one for each bit.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.vectors {
            Content::Seeded(_, vectors) => vectors.len(),
            Content::Public(vectors) => vectors.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vectors with their masks, in order.
    ///
    /// # Errors
    /// [`WireError::Malformed`] if the ring is another set's.
    pub fn expand(&self, ring: &Ring) -> Result<Vec<Ciphertext>, WireError> {
        match &self.vectors {
            Content::Seeded(_, vectors) => vectors
                .iter()
                .map(|vector| vector.clone().expand(ring).map_err(refused))
                .collect(),
            Content::Public(vectors) if ring.parameters() == self.set.parameters() => {
                Ok(vectors.clone())
            }
            Content::Public(_) => Err(WireError::malformed("vectors of another set's ring")),
        }
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

impl Ciphertexts for FreshVectors {
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
        let parts = self.len() * body_rows(parameters) * row_bytes(parameters);
        match self.vectors {
            Content::Seeded(..) => Seed::LENGTH + parts,
            Content::Public(_) => PARTS * parts,
        }
    }

    fn version(&self) -> u16 {
        match self.vectors {
            Content::Seeded(..) => FORMAT_VERSION,
            Content::Public(_) => GIVEN_MASKS_VERSION,
        }
    }

    fn write(&self, writer: &mut PayloadWriter) {
        match &self.vectors {
            Content::Seeded(seed, vectors) => {
                writer.bytes(seed.as_bytes());
                let bodies = vectors.iter().map(SeededCiphertext::body);
                bodies.for_each(|body| write_rows(writer, body));
            }
            Content::Public(vectors) => {
                let rows = vectors.iter().flat_map(Ciphertext::rows);
                rows.for_each(|row| writer.words64(&row));
            }
        }
    }

    fn read(
        header: &Header,
        shape: (u32, u32),
        count: usize,
        reader: &mut PayloadReader<'_>,
    ) -> Result<Self, WireError> {
        let set = Set::find(&header.fingerprint)?;
        let parameters = set.parameters();
        let (table, batch) = shape;
        let share = Share::read(table, batch, parameters)?;
        let each = body_rows(parameters);
        let rows = count.checked_mul(each * row_bytes(parameters));
        let id = header.key;
        let vectors = if header.version == GIVEN_MASKS_VERSION {
            reader.expect_bulk(rows.and_then(|rows| rows.checked_mul(PARTS)))?;
            let noise = PublicKey::noise(parameters);
            let vectors = (0..count).map(|_| {
                let mut parts = Vec::with_capacity(PARTS);
                for _ in 0..PARTS {
                    parts.push(read_rows(reader, parameters, each)?);
                }
                Ciphertext::from_parts(parameters, id, parameters.top(), noise, parts)
                    .map_err(refused)
            });
            Content::Public(vectors.collect::<Result<_, _>>()?)
        } else {
            reader.expect_bulk(rows.and_then(|rows| rows.checked_add(Seed::LENGTH)))?;
            let seed = Seed::from_bytes(reader.array()?);
            let vectors = (0..count as u64).map(|number| {
                let body = read_rows(reader, parameters, each)?;
                SeededCiphertext::from_parts(parameters, id, seed, number, body).map_err(refused)
            });
            Content::Seeded(seed, vectors.collect::<Result<_, _>>()?)
        };
        Ok(Self {
            vectors,
            set,
            id: header.key,
            share,
        })
    }
}

impl InputBits for FreshVectors {
    const KIND: Kind = Kind::BGV_INPUTS;
}
