//! Files of secret keys: the feature `secret`.
//!
//! | field | bytes |
//! |---|---|
//! | length of the metadata, zero | 4 |
//! | coefficients in the order of the ring's basis, each plus one | φ |

use bgv::Ring;
use random::{LockedBuffer, SecretBuffer};
use std::sync::Arc;
use tfhe::KeyId;
use zeroize::Zeroizing;

use super::{Set, refused};
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::Record;
use crate::record::payload::Payload;
use crate::{Header, Kind, ParameterSet, WireError};

/// A secret key without the tables that computing with it takes. Erased when dropped.
pub struct SecretKey {
    set: Set,
    id: KeyId,
    coefficients: LockedBuffer<i8>,
}

impl SecretKey {
    /// The file of a key.
    #[must_use]
    pub fn of(key: &bgv::SecretKey) -> Self {
        Self {
            set: Set::new(key.parameters().clone()),
            id: key.key_id(),
            coefficients: LockedBuffer::of(key.coefficients()),
        }
    }

    /// The key, with tables made for it.
    ///
    /// # Errors
    /// [`WireError::Malformed`] if the scheme refuses it.
    pub fn open(&self) -> Result<bgv::SecretKey, WireError> {
        let ring: Arc<Ring> = Ring::new(self.set.parameters()).map_err(refused)?;
        let coefficients = SecretBuffer::new(self.coefficients.expose().to_vec());
        bgv::SecretKey::from_parts(&ring, self.id, coefficients).map_err(refused)
    }
}

impl Record for SecretKey {
    const KIND: Kind = Kind::BGV_SECRET_KEY;
    type Parameters = Set;

    fn parameters(&self) -> &Set {
        &self.set
    }

    fn key_id(&self) -> KeyId {
        self.id
    }
}

impl Payload for SecretKey {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let coefficients = self.coefficients.expose();
        let mut writer = PayloadWriter::new(&(), coefficients.len())?;
        for coefficient in coefficients {
            writer.bytes(&[coefficient.wrapping_add(1) as u8]);
        }
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let set = Set::find(&header.fingerprint)?;
        let ((), mut reader) = PayloadReader::new(payload)?;
        let degree = set.parameters().degree();
        reader.expect_bulk(Some(degree))?;
        let bytes = reader.bytes(degree)?;
        // All are looked at, so that the time does not depend on where a wrong one is.
        if bytes.iter().fold(false, |wrong, byte| wrong | (*byte > 2)) {
            return Err(WireError::malformed(
                "a coefficient of the secret that is not −1, 0 or 1",
            ));
        }
        let coefficients = bytes.iter().map(|byte| (*byte as i8).wrapping_sub(1));
        Ok(Self {
            coefficients: LockedBuffer::taking(coefficients.collect()),
            set,
            id: header.key,
        })
    }
}
