//! Numbers of equal length, one after the other: what keys and ciphertexts of this scheme are.
//!
//! In files of inputs and of outputs, a ciphertext takes 8⌈bits/64⌉ bytes for a modulus of that
//! many bits, and the metadata say how many bits these are.

use gentry_halevi::Parameters;
use tfhe::KeyId;

use super::Key;
use super::parameters::most_bits;
use crate::ciphertexts::{Ciphertexts, InputBits, OutputBits};
use crate::payload::{PayloadReader, PayloadWriter};
use crate::{Header, Kind, ParameterSet, WireError};

// Numbers are taken from mapped files as they lie there.
const _: () = assert!(
    cfg!(target_endian = "little"),
    "files of the Gentry–Halevi scheme are read on little-endian machines only"
);

/// Ciphertexts of one key, each of as many words of 64 bits as its modulus, least significant
/// first.
#[derive(Clone, PartialEq, Debug)]
pub struct Numbers {
    key: Key,
    words: Vec<u64>,
}

impl Numbers {
    /// No number yet.
    #[must_use]
    pub fn new(key: Key) -> Numbers {
        Numbers {
            key,
            words: Vec::new(),
        }
    }

    /// Appends a number.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if it has another length than the key's modulus.
    pub fn push(&mut self, number: &[u64]) -> Result<(), WireError> {
        let limbs = self.key.limbs();
        if number.len() != limbs {
            return Err(WireError::Unstorable {
                reason: format!("a number of {} limbs among those of {limbs}", number.len()),
            });
        }
        self.words.extend_from_slice(number);
        Ok(())
    }

    /// The key pair.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len() / self.key.limbs()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The numbers in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.words.chunks_exact(self.key.limbs())
    }
}

impl Ciphertexts for Numbers {
    type Parameters = Parameters;
    type Shape = Length;

    fn parameters(&self) -> &Parameters {
        self.key.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.key.id()
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn shape(&self) -> Length {
        self.key.length()
    }

    fn bytes(&self) -> usize {
        8 * self.words.len()
    }

    fn write(&self, writer: &mut PayloadWriter) {
        writer.bytes(bytes_of(&self.words));
    }

    fn read(
        header: &Header,
        shape: Length,
        count: usize,
        reader: &mut PayloadReader<'_>,
    ) -> Result<Self, WireError> {
        let parameters = Parameters::find(&header.fingerprint)?;
        let length = shape.check(most_bits(&parameters))?;
        let words = count.checked_mul(length.limbs());
        reader.expect_bulk(words.and_then(|words| words.checked_mul(8)))?;
        let words = reader.words64(words.unwrap_or(0))?;
        let key = Key::new(parameters, header.key, length);
        let numbers = Numbers { key, words };
        length.hold(numbers.iter())?;
        Ok(numbers)
    }
}

impl InputBits for Numbers {
    const KIND: Kind = Kind::GENTRY_HALEVI_INPUTS;
}

impl OutputBits for Numbers {
    const KIND: Kind = Kind::GENTRY_HALEVI_OUTPUTS;
}

/// The bytes of words as files have them.
pub(super) fn bytes_of(words: &[u64]) -> &[u8] {
    bytemuck::cast_slice(words)
}

/// The identity of a key pair: the low 128 bits of its root, as the scheme has it.
pub(super) fn key_id(root: &[u64]) -> KeyId {
    let low = bytes_of(root);
    KeyId::from_bytes(std::array::from_fn(|at| low.get(at).copied().unwrap_or(0)))
}

/// The length of a key's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Length {
    /// Bits of the modulus.
    pub(super) bits: u32,
}

impl Length {
    /// Limbs of a number below the modulus.
    pub(super) fn limbs(self) -> usize {
        self.bits.div_ceil(64) as usize
    }

    /// The length of a modulus, whose top limb must not be zero.
    pub(super) fn of(modulus: &[u64]) -> Result<Length, WireError> {
        let spare = modulus.last().map_or(0, |top| top.leading_zeros());
        let bits = modulus.len().checked_mul(64).map(|bits| bits as u64);
        let bits = bits.and_then(|bits| u32::try_from(bits.checked_sub(u64::from(spare))?).ok());
        match bits {
            Some(bits) if spare < 64 => Ok(Length { bits }),
            _ => Err(WireError::malformed("a modulus whose highest limb is zero")),
        }
    }

    /// Refuses moduli that no key of the dimension has.
    pub(super) fn check(self, most: u32) -> Result<Length, WireError> {
        if (1..=most).contains(&self.bits) {
            return Ok(self);
        }
        Err(WireError::malformed(format!(
            "a modulus of {} bits, where its parameters have at most {most}",
            self.bits
        )))
    }

    /// Refuses numbers that no modulus of this length exceeds.
    pub(super) fn hold<'a>(
        self,
        mut numbers: impl Iterator<Item = &'a [u64]>,
    ) -> Result<(), WireError> {
        let spare = self.limbs() as u32 * 64 - self.bits;
        let top = |number: &[u64]| {
            number
                .last()
                .is_some_and(|&top| top.leading_zeros() < spare)
        };
        match numbers.any(top) {
            true => Err(WireError::malformed("a number as large as the modulus")),
            false => Ok(()),
        }
    }
}
