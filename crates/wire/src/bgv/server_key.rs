//! Files of server keys.
//!
//! | field | bytes |
//! |---|---|
//! | length of the metadata, zero | 4 |
//! | seed of the masks | 32 |
//! | bodies of relinearisation: for each digit a row for each of its primes | 8φ a row |
//!
//! Circuits work slot by slot, so that there are no keys for rotations.

use std::num::NonZeroUsize;
use std::sync::Arc;

use bgv::{EvaluationKey, Parameters, Ring};
use random::Seed;
use tfhe::KeyId;
use zeroize::Zeroizing;

use super::{Set, read_rows, refused, row_bytes, write_rows};
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::Record;
use crate::record::payload::Payload;
use crate::{Header, Kind, ParameterSet, WireError};

/// An evaluation key without its masks and the tables that computing with it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerKey {
    set: Set,
    id: KeyId,
    seed: Seed,
    /// By digit its rows.
    bodies: Vec<Vec<Vec<u64>>>,
}

/// Bytes after the metadata.
pub(super) fn bulk(parameters: &Parameters) -> usize {
    let rows: usize = EvaluationKey::layout(parameters).iter().map(Vec::len).sum();
    Seed::LENGTH + rows * row_bytes(parameters)
}

impl ServerKey {
    /// The file of a key, without its rotations.
    #[must_use]
    pub fn of(key: &EvaluationKey) -> Self {
        Self {
            set: Set::new(key.ring().parameters().clone()),
            id: key.key_id(),
            seed: *key.seed(),
            bodies: key.relinearisation().map(<[_]>::to_vec).collect(),
        }
    }

    /// Bytes of the file of a key of these parameters.
    #[must_use]
    pub fn file_bytes(parameters: &Parameters) -> u64 {
        (crate::container::HEADER_BYTES + crate::payload::LENGTH_BYTES + bulk(parameters)) as u64
    }

    /// The key, with masks and tables made on `threads` threads.
    ///
    /// # Errors
    /// [`WireError::Malformed`] if the scheme refuses it.
    pub fn open(self, threads: NonZeroUsize) -> Result<EvaluationKey, WireError> {
        let ring: Arc<Ring> = Ring::new(self.set.parameters()).map_err(refused)?;
        let id = self.id;
        EvaluationKey::from_parts(&ring, id, self.seed, self.bodies, Vec::new(), threads)
            .map_err(refused)
    }
}

impl Record for ServerKey {
    const KIND: Kind = Kind::BGV_SERVER_KEY;
    type Parameters = Set;

    fn parameters(&self) -> &Set {
        &self.set
    }

    fn key_id(&self) -> KeyId {
        self.id
    }
}

impl Payload for ServerKey {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let mut writer = PayloadWriter::new(&(), bulk(self.set.parameters()))?;
        writer.bytes(self.seed.as_bytes());
        self.bodies
            .iter()
            .for_each(|rows| write_rows(&mut writer, rows));
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let set = Set::find(&header.fingerprint)?;
        let parameters = set.parameters();
        let ((), mut reader) = PayloadReader::new(payload)?;
        reader.expect_bulk(Some(bulk(parameters)))?;
        let seed = Seed::from_bytes(reader.array()?);
        let layout = EvaluationKey::layout(parameters);
        let bodies = layout
            .iter()
            .map(|chosen| read_rows(&mut reader, parameters, chosen.len()))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            bodies,
            set,
            id: header.key,
            seed,
        })
    }
}
