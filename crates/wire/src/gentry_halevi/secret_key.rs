//! Files of secret keys: the feature `secret`.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: bits of the modulus | |
//! | modulus d, root r, secret w | 8⌈bits/64⌉ each |
//!
//! Modulus and root are public: with them the file encrypts as well as it decrypts.

use gentry_halevi::Parameters;
use random::LockedBuffer;
use serde::{Deserialize, Serialize};
use tfhe::KeyId;
use zeroize::Zeroizing;

use super::Key;
use super::numbers::{Length, bytes_of};
use super::parameters::most_bits;
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::Record;
use crate::record::payload::Payload;
use crate::{Header, Kind, ParameterSet, WireError};

/// The numbers of a secret key. Erased when dropped; no `Debug`, no `Clone`.
pub struct SecretKey {
    key: Key,
    /// Modulus, root, secret.
    words: LockedBuffer<u64>,
}

#[derive(Serialize, Deserialize)]
struct Metadata {
    length: Length,
}

impl SecretKey {
    /// The key with this modulus, root and secret.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if their lengths differ or the parameters have no such modulus.
    pub fn new(
        parameters: &Parameters,
        modulus: &[u64],
        root: &[u64],
        secret: &[u64],
    ) -> Result<SecretKey, WireError> {
        let key = Key::of(parameters, modulus, root)?;
        if secret.len() != key.limbs() {
            return Err(WireError::Unstorable {
                reason: "a secret of another length than the modulus".to_owned(),
            });
        }
        let mut words = LockedBuffer::zeroed(3 * key.limbs());
        let places = words.expose_mut().chunks_exact_mut(key.limbs());
        for (place, part) in places.zip([modulus, root, secret]) {
            place.copy_from_slice(part);
        }
        Ok(SecretKey { key, words })
    }

    /// Whose it is.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    fn part(&self, index: usize) -> &[u64] {
        let limbs = self.key.limbs();
        let start = index * limbs;
        self.words.expose().get(start..start + limbs).unwrap_or(&[])
    }

    /// The modulus.
    #[must_use]
    pub fn modulus(&self) -> &[u64] {
        self.part(0)
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> &[u64] {
        self.part(1)
    }

    /// The secret.
    #[must_use]
    pub fn secret(&self) -> &[u64] {
        self.part(2)
    }
}

impl Record for SecretKey {
    const KIND: Kind = Kind::GENTRY_HALEVI_SECRET_KEY;
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        self.key.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.key.id()
    }
}

impl Payload for SecretKey {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let metadata = Metadata {
            length: self.key.length(),
        };
        let bytes = bytes_of(self.words.expose());
        let mut writer = PayloadWriter::new(&metadata, bytes.len())?;
        writer.bytes(bytes);
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let parameters = Parameters::find(&header.fingerprint)?;
        let (metadata, mut reader) = PayloadReader::new::<Metadata>(payload)?;
        let length = metadata.length.check(most_bits(&parameters))?;
        let count = 3 * length.limbs();
        reader.expect_bulk(count.checked_mul(8))?;
        let words = LockedBuffer::taking(reader.words64(count)?);
        let key = Key::new(parameters, header.key, length);
        let key = SecretKey { key, words };
        length.hold([key.modulus(), key.root(), key.secret()].into_iter())?;
        key.key.check(key.modulus(), key.root())?;
        Ok(key)
    }
}
