//! Files of public keys.
//!
//! | field | bytes |
//! |---|---|
//! | length of the metadata, zero | 4 |
//! | seed of the mask | 32 |
//! | body: a row for each prime of the top level and each special one | 8φ a row |

use std::sync::Arc;

use bgv::{Parameters, Ring};
use random::Seed;
use tfhe::KeyId;
use zeroize::Zeroizing;

use super::{Set, read_rows, refused, row_bytes, write_rows};
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::Record;
use crate::record::payload::Payload;
use crate::{Header, Kind, ParameterSet, WireError};

/// A public key without its mask and the tables that encrypting takes.
#[derive(Clone, Debug, PartialEq)]
pub struct PublicKey {
    set: Set,
    id: KeyId,
    seed: Seed,
    body: Vec<Vec<u64>>,
}

fn rows(parameters: &Parameters) -> usize {
    bgv::PublicKey::rows_of(parameters).len()
}

/// Bytes after the metadata.
pub(super) fn bulk(parameters: &Parameters) -> usize {
    Seed::LENGTH + rows(parameters) * row_bytes(parameters)
}

impl PublicKey {
    /// The file of a key.
    #[must_use]
    pub fn of(key: &bgv::PublicKey) -> Self {
        Self {
            set: Set::new(key.ring().parameters().clone()),
            id: key.key_id(),
            seed: *key.seed(),
            body: key.body().to_vec(),
        }
    }

    /// Bytes of the file of a key of these parameters.
    #[must_use]
    pub fn file_bytes(parameters: &Parameters) -> u64 {
        (crate::container::HEADER_BYTES + crate::payload::LENGTH_BYTES + bulk(parameters)) as u64
    }

    /// The key, with its mask and tables made.
    ///
    /// # Errors
    /// [`WireError::Malformed`] if the scheme refuses it.
    pub fn open(self) -> Result<bgv::PublicKey, WireError> {
        let ring: Arc<Ring> = Ring::new(self.set.parameters()).map_err(refused)?;
        bgv::PublicKey::from_parts(&ring, self.id, self.seed, self.body).map_err(refused)
    }
}

impl Record for PublicKey {
    const KIND: Kind = Kind::BGV_PUBLIC_KEY;
    type Parameters = Set;

    fn parameters(&self) -> &Set {
        &self.set
    }

    fn key_id(&self) -> KeyId {
        self.id
    }
}

impl Payload for PublicKey {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let mut writer = PayloadWriter::new(&(), bulk(self.set.parameters()))?;
        writer.bytes(self.seed.as_bytes());
        write_rows(&mut writer, &self.body);
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let set = Set::find(&header.fingerprint)?;
        let parameters = set.parameters();
        let ((), mut reader) = PayloadReader::new(payload)?;
        reader.expect_bulk(Some(bulk(parameters)))?;
        let seed = Seed::from_bytes(reader.array()?);
        let body = read_rows(&mut reader, parameters, rows(parameters))?;
        Ok(Self {
            body,
            set,
            id: header.key,
            seed,
        })
    }
}
