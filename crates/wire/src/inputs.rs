//! Files of encrypted inputs.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: the variables | |
//! | seed of the masks | 32 |
//! | one body for each bit, variable after variable | 8 each |

use random::Seed;
use tfhe::{KeyId, PackedInputs, Parameters};
use zeroize::Zeroizing;

use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::Record;
use crate::record::payload::Payload;
use crate::variable::{self, Variable, Variables};
use crate::{Access, Header, Kind, WireError};

/// Encrypted values of some variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    variables: Vec<Variable>,
    bits: PackedInputs,
}

impl Inputs {
    /// Names and types for encrypted bits.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] when the variables' bits are not as many as the ciphertexts, or a
    /// name or a type breaks a rule (see [`Variable`]).
    pub fn new(variables: Vec<Variable>, bits: PackedInputs) -> Result<Inputs, WireError> {
        let total = variable::check_written(&variables)?;
        if total != bits.len() {
            return Err(WireError::Unstorable {
                reason: format!("{} ciphertexts for variables of {total} bits", bits.len()),
            });
        }
        Ok(Inputs { variables, bits })
    }

    /// The variables, in the order of their bits.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The encrypted bits.
    pub fn bits(&self) -> &PackedInputs {
        &self.bits
    }
}

impl Record for Inputs {
    const KIND: Kind = Kind::Inputs;
    const ACCESS: Access = Access::Shared;
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        self.bits.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.bits.key_id()
    }
}

impl Payload for Inputs {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let metadata = Variables {
            variables: self.variables.clone(),
        };
        let bodies = self.bits.bodies();
        let mut writer = PayloadWriter::new(&metadata, Seed::LENGTH + 8 * bodies.len())?;
        writer.bytes(self.bits.seed().as_bytes());
        writer.words64(bodies);
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let (parameters, key) = (header.fingerprint.parameters()?, header.key);
        let (metadata, mut reader) = PayloadReader::new::<Variables>(payload)?;
        let bits = variable::check_read(&metadata.variables)?;
        let bytes = bits
            .checked_mul(8)
            .and_then(|bytes| bytes.checked_add(Seed::LENGTH));
        reader.expect_bulk(bytes)?;
        let seed = Seed::from_bytes(reader.array()?);
        let bodies = reader.words64(bits)?;
        let bits = PackedInputs::from_parts(parameters, key, seed, bodies);
        Ok(Inputs {
            variables: metadata.variables,
            bits,
        })
    }
}
