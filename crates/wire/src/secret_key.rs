//! Files of secret keys: the feature `secret`. [`crate::keys`] says how they look.
//!
//! Packing and unpacking of secret bits takes the same steps whatever they are.

use tfhe::{KeyId, Parameters, SecretKey};
use zeroize::Zeroizing;

use crate::keys::secret_bulk;
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::payload::Payload;
use crate::record::{Record, refused};
use crate::{Header, Kind, WireError};

impl Record for SecretKey {
    const KIND: Kind = Kind::SECRET_KEY;
    type Parameters = Parameters;

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

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let (parameters, key) = (header.fingerprint.parameters()?, header.key);
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
