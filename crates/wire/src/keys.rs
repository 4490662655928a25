//! Files of keys.
//!
//! | secret key | bytes |
//! |---|---|
//! | bits of the small key, eight to a byte, least significant first | ⌈n/8⌉ |
//! | bits of the big key, likewise | ⌈kN/8⌉ |
//!
//! | server key | bytes |
//! |---|---|
//! | seed of the masks | 32 |
//! | bodies of the bootstrapping key | 8 each |
//! | bodies of the key-switching key | 8 each |
//!
//! | selector key | bytes |
//! |---|---|
//! | seed of the masks | 32 |
//! | bodies of rotation, automorphisms and square, row after row | 8 each |
//!
//! A selector key is the second part of a server key, in a file of its own: it is twice as large, and
//! only runs that make selectors read it. Its seed is another one than the server key's.
//!
//! Before each stands the length of its metadata, zero: four bytes. Reading and writing of secret
//! keys is the feature `secret`; everybody knows how long they are, so as to refuse wrong ones.

use random::Seed;
use tfhe::leveled::SeededLeveledKey;
use tfhe::{KeyId, Parameters, SeededServerKey};
use zeroize::Zeroizing;

use crate::payload::{LENGTH_BYTES, PayloadReader, PayloadWriter};
use crate::record::payload::Payload;
use crate::record::{Record, refused};
use crate::{Header, Kind, WireError};

/// Payload bytes of a secret key.
pub(crate) fn secret_payload(parameters: &Parameters) -> usize {
    LENGTH_BYTES + secret_bulk(parameters)
}

/// Payload bytes of a server key.
pub(crate) fn server_payload(parameters: &Parameters) -> usize {
    LENGTH_BYTES + server_bulk(parameters)
}

/// Payload bytes of a selector key.
pub(crate) fn selector_payload(parameters: &Parameters) -> usize {
    LENGTH_BYTES + selector_bulk(parameters)
}

pub(crate) fn secret_bulk(parameters: &Parameters) -> usize {
    let small = parameters.lwe_dimension().get();
    let big = parameters.big_lwe_dimension().get();
    small.div_ceil(8) + big.div_ceil(8)
}

fn server_bulk(parameters: &Parameters) -> usize {
    let (bootstrap, key_switch) = SeededServerKey::body_counts(parameters);
    Seed::LENGTH + 8 * (bootstrap + key_switch)
}

fn selector_bulk(parameters: &Parameters) -> usize {
    Seed::LENGTH + 8 * SeededLeveledKey::body_count(parameters)
}

impl Record for SeededServerKey {
    const KIND: Kind = Kind::SERVER_KEY;
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        self.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.key_id()
    }
}

impl Payload for SeededServerKey {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let mut writer = PayloadWriter::new(&(), server_bulk(self.parameters()))?;
        writer.bytes(self.seed().as_bytes());
        writer.words64(self.bootstrap_bodies());
        writer.words64(self.key_switch_bodies());
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let (parameters, key) = (header.fingerprint.parameters()?, header.key);
        let ((), mut reader) = PayloadReader::new(payload)?;
        reader.expect_bulk(Some(server_bulk(&parameters)))?;
        let (bootstrap, key_switch) = SeededServerKey::body_counts(&parameters);
        let seed = Seed::from_bytes(reader.array()?);
        let bootstrap = reader.words64(bootstrap)?;
        let key_switch = reader.words64(key_switch)?;
        SeededServerKey::from_parts(parameters, key, seed, bootstrap, key_switch).map_err(refused)
    }
}

impl Record for SeededLeveledKey {
    const KIND: Kind = Kind::SELECTOR_KEY;
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        self.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.key_id()
    }
}

impl Payload for SeededLeveledKey {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let mut writer = PayloadWriter::new(&(), selector_bulk(self.parameters()))?;
        writer.bytes(self.seed().as_bytes());
        writer.words64(self.bodies());
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let (parameters, key) = (header.fingerprint.parameters()?, header.key);
        let ((), mut reader) = PayloadReader::new(payload)?;
        reader.expect_bulk(Some(selector_bulk(&parameters)))?;
        let seed = Seed::from_bytes(reader.array()?);
        let bodies = reader.words64(SeededLeveledKey::body_count(&parameters))?;
        SeededLeveledKey::from_parts(parameters, key, seed, bodies).map_err(refused)
    }
}
