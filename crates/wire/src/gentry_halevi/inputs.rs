//! Files of encrypted inputs.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: bits of the modulus, the variables | |
//! | one ciphertext for each bit, variable after variable | 8⌈bits/64⌉ each |

use gentry_halevi::Parameters;
use serde::{Deserialize, Serialize};
use tfhe::KeyId;
use zeroize::Zeroizing;

use super::Key;
use super::numbers::{Length, Numbers, bytes_of};
use super::parameters::most_bits;
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::Record;
use crate::record::payload::Payload;
use crate::variable::{self, Variable, Variables};
use crate::{Access, Header, Kind, ParameterSet, WireError};

/// Encrypted values of some variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    key: Key,
    variables: Vec<Variable>,
    bits: Numbers,
}

#[derive(Serialize, Deserialize)]
struct Metadata {
    length: Length,
    variables: Variables,
}

impl Inputs {
    /// Names and types for encrypted bits, numbers below the key's modulus.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] when the variables' bits are not as many as the ciphertexts, these
    /// have another length than the modulus, or a name or a type breaks a rule (see [`Variable`]).
    pub fn new(key: Key, variables: Vec<Variable>, bits: Numbers) -> Result<Inputs, WireError> {
        let total = variable::check_written(&variables)?;
        if total != bits.len() || bits.limbs() != key.limbs() {
            return Err(WireError::Unstorable {
                reason: format!(
                    "{} ciphertexts of {} limbs for variables of {total} bits and a key of {} limbs",
                    bits.len(),
                    bits.limbs(),
                    key.limbs()
                ),
            });
        }
        Ok(Inputs {
            key,
            variables,
            bits,
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

    /// The encrypted bits.
    #[must_use]
    pub fn bits(&self) -> &Numbers {
        &self.bits
    }
}

impl Record for Inputs {
    const KIND: Kind = Kind::GentryHaleviInputs;
    const ACCESS: Access = Access::Shared;
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        self.key.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.key.id()
    }
}

impl Payload for Inputs {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let metadata = Metadata {
            length: self.key.length(),
            variables: Variables {
                variables: self.variables.clone(),
            },
        };
        let bytes = bytes_of(self.bits.words());
        let mut writer = PayloadWriter::new(&metadata, bytes.len())?;
        writer.bytes(bytes);
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let parameters = Parameters::find(&header.fingerprint)?;
        let (metadata, mut reader) = PayloadReader::new::<Metadata>(payload)?;
        let length = metadata.length.check(most_bits(&parameters))?;
        let total = variable::check_read(&metadata.variables.variables)?;
        let words = total.checked_mul(length.limbs());
        reader.expect_bulk(words.and_then(|words| words.checked_mul(8)))?;
        let words = reader.words64(words.unwrap_or(0))?;
        let bits = Numbers::from_words(length.limbs(), words);
        length.hold(bits.iter())?;
        Ok(Inputs {
            key: Key::new(parameters, header.key, length),
            variables: metadata.variables.variables,
            bits,
        })
    }
}
