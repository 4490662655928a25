//! Files of public keys: what is needed to encrypt for a key's owner.
//!
//! | field | bytes |
//! |---|---|
//! | length of the metadata, zero | 4 |
//! | seed of the mask | 32 |
//! | body | 8N |

use random::Seed;
use tfhe::{KeyId, Parameters, PublicKey};
use zeroize::Zeroizing;

use crate::payload::{LENGTH_BYTES, PayloadReader, PayloadWriter};
use crate::record::payload::Payload;
use crate::record::{Record, refused};
use crate::{Header, Kind, WireError};

/// Payload bytes.
pub(crate) fn payload(parameters: &Parameters) -> usize {
    LENGTH_BYTES + bulk(parameters)
}

fn bulk(parameters: &Parameters) -> usize {
    Seed::LENGTH + 8 * PublicKey::body_count(parameters)
}

impl Record for PublicKey {
    const KIND: Kind = Kind::PUBLIC_KEY;
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        self.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.key_id()
    }
}

impl Payload for PublicKey {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let mut writer = PayloadWriter::new(&(), bulk(self.parameters()))?;
        writer.bytes(self.seed().as_bytes());
        writer.words64(self.body());
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let parameters = header.fingerprint.parameters()?;
        let ((), mut reader) = PayloadReader::new(payload)?;
        reader.expect_bulk(Some(bulk(&parameters)))?;
        let seed = Seed::from_bytes(reader.array()?);
        let body = reader.words64(PublicKey::body_count(&parameters))?;
        PublicKey::from_parts(parameters, header.key, seed, body).map_err(refused)
    }
}
