//! Vectors of bits that were computed: what files of outputs hold.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: how many rows the table has, and which [batch](super::batch) of them this is; for each vector its level and the estimate of its noise | |
//! | the maps of all outputs | |
//! | both parts of each vector: a row for each prime of its level | 8φ a row |

use bgv::{Ciphertext, Level, Noise, Parameters};
use serde::{Deserialize, Serialize};
use tfhe::KeyId;

use super::{Set, Share, read_rows, refused, row_bytes};
use crate::ciphertexts::{Ciphertexts, OutputBits};
use crate::payload::{PayloadReader, PayloadWriter};
use crate::{Header, Kind, ParameterSet, WireError};

/// Parts of a vector.
const PARTS: usize = 2;

/// Vectors of one key pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    set: Set,
    id: KeyId,
    share: Share,
    vectors: Vec<Ciphertext>,
}

/// What metadata say of vectors.
#[derive(Serialize, Deserialize)]
pub struct Shape {
    share: (u32, u32),
    /// For each its level in units, and its noise.
    vectors: Vec<(u16, [f64; Noise::TERMS])>,
}

impl Vectors {
    /// No vector yet, for these rows of values, of a key pair.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if the rows are shared out by another set's slots.
    pub fn new(parameters: &Parameters, id: bgv::KeyId, share: Share) -> Result<Self, WireError> {
        share.check(parameters)?;
        Ok(Self {
            set: Set::new(parameters.clone()),
            id,
            share,
            vectors: Vec::new(),
        })
    }

    /// Appends a vector.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if it is another key's, or has three parts.
    pub fn push(&mut self, vector: Ciphertext) -> Result<(), WireError> {
        if vector.key_id() != self.id || vector.part_count() != PARTS {
            return Err(WireError::Unstorable {
                reason: "a vector of another key, or a product that is not relinearised".to_owned(),
            });
        }
        self.vectors.push(vector);
        Ok(())
    }

    /// Which rows of values there are: they lie in the first of the slots.
    #[must_use]
    pub fn share(&self) -> Share {
        self.share
    }

    /// The vectors in order.
    #[must_use]
    pub fn vectors(&self) -> &[Ciphertext] {
        &self.vectors
    }
}

/// Rows of both parts of a vector of a level, if there is such a level.
fn rows_of(parameters: &Parameters, units: u16) -> Result<usize, WireError> {
    let level = Level::from_number(units);
    if (Level::LEAST..=parameters.top()).contains(&level) {
        return Ok(PARTS * parameters.primes_of(level).len());
    }
    Err(WireError::malformed(format!(
        "a vector at {level} of a chain from {} to {}",
        Level::LEAST,
        parameters.top()
    )))
}

impl Ciphertexts for Vectors {
    type Parameters = Set;
    type Shape = Shape;

    fn parameters(&self) -> &Set {
        &self.set
    }

    fn key_id(&self) -> KeyId {
        self.id
    }

    fn count(&self) -> usize {
        self.vectors.len()
    }

    fn shape(&self) -> Shape {
        let vectors = self.vectors.iter();
        Shape {
            share: self.share.shape(),
            vectors: vectors
                .map(|vector| (vector.level().number(), vector.noise().terms()))
                .collect(),
        }
    }

    fn bytes(&self) -> usize {
        let vectors = self.vectors.iter();
        vectors
            .map(|vector| self.set.parameters().ciphertext_file_size(vector.level()))
            .sum()
    }

    fn write(&self, writer: &mut PayloadWriter) {
        let rows = self.vectors.iter().flat_map(Ciphertext::rows);
        rows.for_each(|row| writer.words64(&row));
    }

    fn read(
        header: &Header,
        shape: Shape,
        count: usize,
        reader: &mut PayloadReader<'_>,
    ) -> Result<Self, WireError> {
        let set = Set::find(&header.fingerprint)?;
        let parameters = set.parameters();
        let (table, batch) = shape.share;
        let share = Share::read(table, batch, parameters)?;
        if shape.vectors.len() != count {
            return Err(WireError::malformed(format!(
                "{} vectors for {count} secret bits",
                shape.vectors.len()
            )));
        }
        let rows = shape.vectors.iter();
        let rows: Vec<usize> = rows
            .map(|(units, _)| rows_of(parameters, *units))
            .collect::<Result<_, _>>()?;
        let total = rows
            .iter()
            .try_fold(0usize, |sum, &own| sum.checked_add(own));
        reader.expect_bulk(total.and_then(|rows| rows.checked_mul(row_bytes(parameters))))?;
        let id = header.key;
        let vectors = shape
            .vectors
            .iter()
            .zip(rows)
            .map(|((units, noise), rows)| {
                let noise = Noise::from_terms(*noise).map_err(refused)?;
                let mut parts = Vec::with_capacity(PARTS);
                for _ in 0..PARTS {
                    parts.push(read_rows(reader, parameters, rows / PARTS)?);
                }
                let level = Level::from_number(*units);
                Ciphertext::from_parts(parameters, id, level, noise, parts).map_err(refused)
            });
        Ok(Self {
            vectors: vectors.collect::<Result<_, _>>()?,
            set: set.clone(),
            id: header.key,
            share,
        })
    }
}

impl OutputBits for Vectors {
    const KIND: Kind = Kind::BGV_OUTPUTS;
}
