//! Files of outputs.
//!
//! A bit of an output is either known to whoever ran the program, or a ciphertext.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: the variables | |
//! | which bits are secret, eight to a byte, least significant first | ⌈bits/8⌉ |
//! | values of the known bits, likewise, 0 where secret | ⌈bits/8⌉ |
//! | the secret bits, shrunk: n + 1 words of 16 bits each | 2(n + 1) each |

use tfhe::{KeyId, Parameters, ShrunkBits};
use zeroize::Zeroizing;

use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::payload::Payload;
use crate::record::{Record, refused};
use crate::variable::{self, Variable, Variables};
use crate::{Access, Header, Kind, WireError};

/// One bit of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputBit {
    /// Known to everybody.
    Clear(bool),
    /// The next of the ciphertexts.
    Secret,
}

/// Values of some variables after a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs {
    variables: Vec<Variable>,
    bits: Vec<OutputBit>,
    secret: ShrunkBits,
}

impl Outputs {
    /// Names and types for bits. `secret` holds the secret ones in order.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] when the numbers of bits do not agree, or a name or a type breaks a
    /// rule (see [`Variable`]).
    pub fn new(
        variables: Vec<Variable>,
        bits: Vec<OutputBit>,
        secret: ShrunkBits,
    ) -> Result<Outputs, WireError> {
        let total = variable::check_written(&variables)?;
        let secrets = secrets(&bits);
        if total != bits.len() || secrets != secret.len() {
            return Err(WireError::Unstorable {
                reason: format!(
                    "{} bits with {} ciphertexts for variables of {total} bits, {secrets} of them secret",
                    bits.len(),
                    secret.len()
                ),
            });
        }
        Ok(Outputs {
            variables,
            bits,
            secret,
        })
    }

    /// The variables, in the order of their bits.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// All bits, variable after variable.
    pub fn bits(&self) -> &[OutputBit] {
        &self.bits
    }

    /// The ciphertexts of the secret bits, in order.
    pub fn secret(&self) -> &ShrunkBits {
        &self.secret
    }

    /// All bits' values, given those of the secret ones in order; `None` when they are too few.
    pub fn merge(&self, decrypted: &[bool]) -> Option<Vec<bool>> {
        merge(&self.bits, decrypted)
    }
}

impl Record for Outputs {
    const KIND: Kind = Kind::Outputs;
    const ACCESS: Access = Access::Shared;
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        self.secret.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.secret.key_id()
    }
}

impl Payload for Outputs {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let metadata = Variables {
            variables: self.variables.clone(),
        };
        let words = self.secret.elements();
        let bulk = maps_length(self.bits.len()) + 2 * words.len();
        let mut writer = PayloadWriter::new(&metadata, bulk)?;
        write_maps(&mut writer, &self.bits);
        writer.words16(words);
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let (parameters, key) = (header.fingerprint.parameters()?, header.key);
        let (metadata, mut reader) = PayloadReader::new::<Variables>(payload)?;
        let total = variable::check_read(&metadata.variables)?;
        let bits = read_maps(&mut reader, total)?;
        let secrets = secrets(&bits);
        let words = secrets.checked_mul(ShrunkBits::words_per_bit(&parameters));
        reader.expect_bulk(words.and_then(|words| words.checked_mul(2)))?;
        let elements = reader.words16(words.unwrap_or(0))?;
        let secret = ShrunkBits::from_parts(parameters, key, elements).map_err(refused)?;
        Ok(Outputs {
            variables: metadata.variables,
            bits,
            secret,
        })
    }
}

/// All bits' values, given those of the secret ones in order.
pub(crate) fn merge(bits: &[OutputBit], decrypted: &[bool]) -> Option<Vec<bool>> {
    let mut decrypted = decrypted.iter().copied();
    bits.iter()
        .map(|bit| match bit {
            OutputBit::Clear(value) => Some(*value),
            OutputBit::Secret => decrypted.next(),
        })
        .collect()
}

/// Bytes of the maps that tell secret bits from known ones.
pub(crate) fn maps_length(bits: usize) -> usize {
    2 * bits.div_ceil(8)
}

/// Writes which bits are secret, and the values of the others.
pub(crate) fn write_maps(writer: &mut PayloadWriter, bits: &[OutputBit]) {
    writer.bytes(&packed(bits, |bit| bit == OutputBit::Secret));
    writer.bytes(&packed(bits, |bit| bit == OutputBit::Clear(true)));
}

/// Reads what [`write_maps`] wrote for so many bits.
pub(crate) fn read_maps(
    reader: &mut PayloadReader<'_>,
    total: usize,
) -> Result<Vec<OutputBit>, WireError> {
    let map = total.div_ceil(8);
    let (secret, value) = (reader.bytes(map)?, reader.bytes(map)?);
    let bits: Vec<OutputBit> = (0..total)
        .map(|index| {
            let at = |bytes: &[u8]| bytes[index / 8] >> (index % 8) & 1 == 1;
            if at(secret) {
                OutputBit::Secret
            } else {
                OutputBit::Clear(at(value))
            }
        })
        .collect();
    // One file for one value: what the maps say twice or beyond the last bit must be zero.
    if packed(&bits, |bit| bit == OutputBit::Secret) != secret
        || packed(&bits, |bit| bit == OutputBit::Clear(true)) != value
    {
        return Err(WireError::malformed(
            "the maps of clear and secret bits disagree",
        ));
    }
    Ok(bits)
}

/// How many bits are secret.
pub(crate) fn secrets(bits: &[OutputBit]) -> usize {
    bits.iter().filter(|bit| **bit == OutputBit::Secret).count()
}

fn packed(bits: &[OutputBit], is_set: impl Fn(OutputBit) -> bool) -> Vec<u8> {
    bits.chunks(8)
        .map(|chunk| {
            chunk.iter().enumerate().fold(0, |byte, (position, bit)| {
                byte | (u8::from(is_set(*bit)) << position)
            })
        })
        .collect()
}
