//! Numbers of equal length, one after the other: what keys and ciphertexts of this scheme are.

use tfhe::KeyId;

use crate::WireError;

// Numbers are taken from mapped files as they lie there.
const _: () = assert!(
    cfg!(target_endian = "little"),
    "files of the Gentry–Halevi scheme are read on little-endian machines only"
);

/// Numbers of `limbs` words of 64 bits each, least significant first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbers {
    limbs: usize,
    words: Vec<u64>,
}

impl Numbers {
    /// No number yet, of so many limbs each.
    #[must_use]
    pub fn new(limbs: usize) -> Numbers {
        Numbers {
            limbs,
            words: Vec::new(),
        }
    }

    pub(super) fn from_words(limbs: usize, words: Vec<u64>) -> Numbers {
        Numbers { limbs, words }
    }

    /// Appends a number.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if it has another length.
    pub fn push(&mut self, number: &[u64]) -> Result<(), WireError> {
        if number.len() != self.limbs {
            return Err(WireError::Unstorable {
                reason: format!(
                    "a number of {} limbs among numbers of {}",
                    number.len(),
                    self.limbs
                ),
            });
        }
        self.words.extend_from_slice(number);
        Ok(())
    }

    /// Words of each number.
    #[must_use]
    pub fn limbs(&self) -> usize {
        self.limbs
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len().checked_div(self.limbs).unwrap_or(0)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The numbers in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        // Where numbers have no limbs there are no words to be cut up.
        self.words.chunks_exact(self.limbs.max(1))
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }
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
pub(super) struct Length {
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
