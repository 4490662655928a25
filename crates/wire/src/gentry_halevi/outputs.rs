//! Files of outputs.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: bits of the modulus, the variables | |
//! | which bits are secret, eight to a byte, least significant first | ⌈bits/8⌉ |
//! | values of the known bits, likewise, 0 where secret | ⌈bits/8⌉ |
//! | a ciphertext for each secret bit | 8⌈bits of the modulus/64⌉ each |

use gentry_halevi::Parameters;
use serde::{Deserialize, Serialize};
use tfhe::KeyId;
use zeroize::Zeroizing;

use super::Key;
use super::numbers::{Length, Numbers, bytes_of};
use super::parameters::most_bits;
use crate::outputs::{OutputBit, maps_length, merge, read_maps, secrets, write_maps};
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::Record;
use crate::record::payload::Payload;
use crate::variable::{self, Variable, Variables};
use crate::{Access, Header, Kind, ParameterSet, WireError};

/// Values of some variables after a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs {
    key: Key,
    variables: Vec<Variable>,
    bits: Vec<OutputBit>,
    secret: Numbers,
}

#[derive(Serialize, Deserialize)]
struct Metadata {
    length: Length,
    variables: Variables,
}

impl Outputs {
    /// Names and types for bits. `secret` holds the secret ones in order.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] when the numbers of bits do not agree, ciphertexts have another
    /// length than the modulus, or a name or a type breaks a rule (see [`Variable`]).
    pub fn new(
        key: Key,
        variables: Vec<Variable>,
        bits: Vec<OutputBit>,
        secret: Numbers,
    ) -> Result<Outputs, WireError> {
        let total = variable::check_written(&variables)?;
        let secrets = secrets(&bits);
        if total != bits.len() || secrets != secret.len() || secret.limbs() != key.limbs() {
            return Err(WireError::Unstorable {
                reason: format!(
                    "{} bits with {} ciphertexts of {} limbs for variables of {total} bits, {secrets} \
                     of them secret, and a key of {} limbs",
                    bits.len(),
                    secret.len(),
                    secret.limbs(),
                    key.limbs()
                ),
            });
        }
        Ok(Outputs {
            key,
            variables,
            bits,
            secret,
        })
    }

    /// The key pair.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The variables, in the order of their bits.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// All bits, variable after variable.
    #[must_use]
    pub fn bits(&self) -> &[OutputBit] {
        &self.bits
    }

    /// The ciphertexts of the secret bits, in order.
    #[must_use]
    pub fn secret(&self) -> &Numbers {
        &self.secret
    }

    /// All bits' values, given those of the secret ones in order; `None` when they are too few.
    #[must_use]
    pub fn merge(&self, decrypted: &[bool]) -> Option<Vec<bool>> {
        merge(&self.bits, decrypted)
    }
}

impl Record for Outputs {
    const KIND: Kind = Kind::GentryHaleviOutputs;
    const ACCESS: Access = Access::Shared;
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        self.key.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.key.id()
    }
}

impl Payload for Outputs {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let metadata = Metadata {
            length: self.key.length(),
            variables: Variables {
                variables: self.variables.clone(),
            },
        };
        let bytes = bytes_of(self.secret.words());
        let mut writer = PayloadWriter::new(&metadata, maps_length(self.bits.len()) + bytes.len())?;
        write_maps(&mut writer, &self.bits);
        writer.bytes(bytes);
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let parameters = Parameters::find(&header.fingerprint)?;
        let (metadata, mut reader) = PayloadReader::new::<Metadata>(payload)?;
        let length = metadata.length.check(most_bits(&parameters))?;
        let total = variable::check_read(&metadata.variables.variables)?;
        let bits = read_maps(&mut reader, total)?;
        let words = secrets(&bits).checked_mul(length.limbs());
        reader.expect_bulk(words.and_then(|words| words.checked_mul(8)))?;
        let words = reader.words64(words.unwrap_or(0))?;
        let secret = Numbers::from_words(length.limbs(), words);
        length.hold(secret.iter())?;
        Ok(Outputs {
            key: Key::new(parameters, header.key, length),
            variables: metadata.variables.variables,
            bits,
            secret,
        })
    }
}
