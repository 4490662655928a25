//! Files of outputs, of any scheme.
//!
//! A bit of an output is either known to the party that ran the program, or a ciphertext.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: what the scheme says of its ciphertexts, the variables | |
//! | which bits are secret, eight to a byte, least significant first | ⌈bits/8⌉ |
//! | values of the known bits, likewise, 0 where secret | ⌈bits/8⌉ |
//! | the secret bits' ciphertexts; of TFHE as [`shrunk`](crate::shrunk) has them | |

use tfhe::{KeyId, ShrunkBits};
use zeroize::Zeroizing;

use crate::ciphertexts::{Metadata, OutputBits};
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::Record;
use crate::record::payload::Payload;
use crate::variable::{self, Variable, Variables};
use crate::{Header, Kind, ParameterSet, WireError};

/// One bit of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputBit {
    /// Known to everybody.
    Clear(bool),
    /// The next of the ciphertexts.
    Secret,
}

/// Values of some variables after a run; the secret ones of TFHE unless another scheme is named.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs<C = ShrunkBits> {
    variables: Vec<Variable>,
    bits: Vec<OutputBit>,
    secret: C,
}

impl<C: OutputBits> Outputs<C> {
    /// Names and types for bits. `secret` holds the secret ones in order.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] when the numbers of bits do not agree, or a name or a type breaks
    /// a rule (see [`Variable`]).
    pub fn new(
        variables: Vec<Variable>,
        bits: Vec<OutputBit>,
        secret: C,
    ) -> Result<Self, WireError> {
        let total = variable::check_written(&variables)?;
        let (secrets, count) = (secrets(&bits), secret.count());
        if total != bits.len() || secrets != count {
            return Err(WireError::Unstorable {
                reason: format!(
                    "{} bits with {count} ciphertexts for variables of {total} bits, {secrets} of \
                     them secret",
                    bits.len(),
                ),
            });
        }
        Ok(Outputs {
            variables,
            bits,
            secret,
        })
    }
}

impl<C> Outputs<C> {
    /// The variables, in the order of their bits.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// All bits, variable after variable.
    pub fn bits(&self) -> &[OutputBit] {
        &self.bits
    }

    /// The ciphertexts of the secret bits, in order.
    pub fn secret(&self) -> &C {
        &self.secret
    }

    /// All bits' values, given those of the secret ones in order; `None` when they are too few.
    pub fn merge(&self, decrypted: &[bool]) -> Option<Vec<bool>> {
        let mut decrypted = decrypted.iter().copied();
        self.bits
            .iter()
            .map(|bit| match bit {
                OutputBit::Clear(value) => Some(*value),
                OutputBit::Secret => decrypted.next(),
            })
            .collect()
    }
}

impl<C: OutputBits> Record for Outputs<C> {
    const KIND: Kind = C::KIND;
    type Parameters = C::Parameters;

    fn parameters(&self) -> &C::Parameters {
        self.secret.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.secret.key_id()
    }
}

impl<C: OutputBits> Payload for Outputs<C> {
    fn version(&self) -> u16 {
        self.secret.version()
    }

    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let metadata = Metadata {
            shape: self.secret.shape(),
            variables: Variables {
                variables: self.variables.clone(),
            },
        };
        let bulk = maps_length(self.bits.len()) + self.secret.bytes();
        let mut writer = PayloadWriter::new(&metadata, bulk)?;
        write_maps(&mut writer, &self.bits);
        self.secret.write(&mut writer);
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        C::Parameters::find(&header.fingerprint)?;
        let (metadata, mut reader) = PayloadReader::new::<Metadata<C::Shape>>(payload)?;
        let variables = metadata.variables.variables;
        let total = variable::check_read(&variables)?;
        let bits = read_maps(&mut reader, total)?;
        let secret = C::read(header, metadata.shape, secrets(&bits), &mut reader)?;
        Ok(Outputs {
            variables,
            bits,
            secret,
        })
    }
}

/// Bytes of the maps that tell secret bits from known ones.
fn maps_length(bits: usize) -> usize {
    2 * bits.div_ceil(8)
}

/// Writes which bits are secret, and the values of the others.
fn write_maps(writer: &mut PayloadWriter, bits: &[OutputBit]) {
    writer.bytes(&packed(bits, |bit| bit == OutputBit::Secret));
    writer.bytes(&packed(bits, |bit| bit == OutputBit::Clear(true)));
}

/// Reads what [`write_maps`] wrote for `total` bits.
fn read_maps(reader: &mut PayloadReader<'_>, total: usize) -> Result<Vec<OutputBit>, WireError> {
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
fn secrets(bits: &[OutputBit]) -> usize {
    bits.iter().filter(|bit| **bit == OutputBit::Secret).count()
}

/// Bits, eight to a byte, least significant first.
pub(crate) fn packed<B: Copy>(bits: &[B], is_set: impl Fn(B) -> bool) -> Vec<u8> {
    bits.chunks(8)
        .map(|chunk| {
            chunk.iter().enumerate().fold(0, |byte, (position, bit)| {
                byte | (u8::from(is_set(*bit)) << position)
            })
        })
        .collect()
}
