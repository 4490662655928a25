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
//! Before either stands the length of its metadata, zero: four bytes. Packing and unpacking of secret bits takes the same steps whatever they
//! are.

use random::Seed;
use tfhe::{KeyId, Parameters, SecretKey, SeededServerKey};
use zeroize::Zeroizing;

use crate::payload::{LENGTH_BYTES, PayloadReader, PayloadWriter};
use crate::record::payload::Payload;
use crate::record::{Record, refused};
use crate::{Access, Kind, WireError};

/// Payload bytes of a secret key.
pub(crate) fn secret_payload(parameters: &Parameters) -> usize {
    LENGTH_BYTES + secret_bulk(parameters)
}

/// Payload bytes of a server key.
pub(crate) fn server_payload(parameters: &Parameters) -> usize {
    LENGTH_BYTES + server_bulk(parameters)
}

fn secret_bulk(parameters: &Parameters) -> usize {
    let small = parameters.lwe_dimension().get();
    let big = parameters.big_lwe_dimension().get();
    small.div_ceil(8) + big.div_ceil(8)
}

fn server_bulk(parameters: &Parameters) -> usize {
    let (bootstrap, key_switch) = SeededServerKey::body_counts(parameters);
    Seed::LENGTH + 8 * (bootstrap + key_switch)
}

impl Record for SecretKey {
    const KIND: Kind = Kind::SecretKey;
    const ACCESS: Access = Access::OwnerOnly;

    fn parameters(&self) -> &Parameters {
        self.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.key_id()
    }
}

impl Payload for SecretKey {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let parts = [self.small_bits(), self.big_bits()];
        let mut writer = PayloadWriter::new(&(), secret_bulk(self.parameters()))?;
        for bits in parts {
            for chunk in bits.chunks(8) {
                let byte = Zeroizing::new([chunk
                    .iter()
                    .enumerate()
                    .fold(0, |byte, (position, bit)| byte | (bit << position))]);
                writer.bytes(&*byte);
            }
        }
        Ok(writer.finish())
    }

    fn read(parameters: Parameters, key: KeyId, payload: &[u8]) -> Result<Self, WireError> {
        let ((), mut reader) = PayloadReader::new(payload)?;
        let small = parameters.lwe_dimension().get();
        let big = parameters.big_lwe_dimension().get();
        reader.expect_bulk(Some(secret_bulk(&parameters)))?;
        let mut bits = |count: usize| -> Result<Vec<u8>, WireError> {
            let packed = reader.bytes(count.div_ceil(8))?;
            let spare = count.div_ceil(8) * 8 - count;
            if packed
                .last()
                .is_some_and(|last| spare > 0 && last >> (8 - spare) != 0)
            {
                return Err(WireError::malformed("bits beyond the last one"));
            }
            Ok((0..count)
                .map(|index| packed[index / 8] >> (index % 8) & 1)
                .collect())
        };
        // The key takes the vectors over and erases them.
        let (small, big) = (bits(small)?, bits(big)?);
        SecretKey::from_parts(parameters, key, small, big).map_err(refused)
    }
}

impl Record for SeededServerKey {
    const KIND: Kind = Kind::ServerKey;
    const ACCESS: Access = Access::Shared;

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

    fn read(parameters: Parameters, key: KeyId, payload: &[u8]) -> Result<Self, WireError> {
        let ((), mut reader) = PayloadReader::new(payload)?;
        reader.expect_bulk(Some(server_bulk(&parameters)))?;
        let (bootstrap, key_switch) = SeededServerKey::body_counts(&parameters);
        let seed = Seed::from_bytes(reader.array()?);
        let bootstrap = reader.words64(bootstrap)?;
        let key_switch = reader.words64(key_switch)?;
        SeededServerKey::from_parts(parameters, key, seed, bootstrap, key_switch).map_err(refused)
    }
}
