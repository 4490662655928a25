//! Outputs on their way home.
//!
//! A computed bit is 16 KiB. It leaves in one of two forms:
//!
//! - *By itself*: under the small key, with 16 bits per element, it is n + 1 two-byte words (1.8 KB for P16).
//!   The noise added is that of the key switch and of a rounding to 2^-16.
//! - *In a row*, where several outputs are places of one: the row's mask with 16 bits per element, once, and for
//!   each bit its coefficient and a two-byte body (4 bytes a bit where all of a row leaves). The noise added is
//!   that of the rounding alone. Bodies of coefficients that are no outputs stay behind, and without them a mask
//!   says nothing of what was there.
//!
//! [`crate::noise::NoiseBudget::log2_output_failure`] says how often an output is then wrong (for P16 2^-1000 if a
//! lookup made it, and 2^-160 if it is a sum as noisy as any that is read: never).

use std::collections::HashMap;

use crate::error::TfheError;
use crate::lwe::LweCiphertext;
use crate::modulus_switch::modulus_switch;
use crate::parameters::Parameters;
use crate::row::Place;
use crate::scratch::Scratch;
use crate::server_key::ServerKey;
use random::KeyId;

/// A batch of computed bits, shrunk.
///
/// ```
/// use blindcore_tfhe::{KeyId, P16, ShrunkBits, ShrunkPlace, TOY_BLOCK};
///
/// // 1.8 KB for a bit by itself.
/// assert_eq!(2 * ShrunkBits::words_per_bit(&P16), 1_794);
/// let key = KeyId::from_bytes([1; 16]);
/// let words = vec![0; 2 * ShrunkBits::words_per_bit(&TOY_BLOCK)];
/// let bits = ShrunkBits::from_parts(TOY_BLOCK, key, words)?;
/// assert_eq!((bits.len(), bits.elements().len(), *bits.parameters()), (2, 130, TOY_BLOCK));
/// // A third bit, between them, in a row.
/// let mask = vec![0; TOY_BLOCK.polynomial_size().get()];
/// let place = ShrunkPlace { row: 0, coefficient: 7, body: 1 << 15 };
/// let bits = bits.with_rows(mask, vec![None, Some(place), None])?;
/// assert_eq!((bits.len(), bits.elements().len(), bits.places()[1]), (3, 130, Some(place)));
/// # Ok::<(), blindcore_tfhe::TfheError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ShrunkBits {
    parameters: Parameters,
    key_id: KeyId,
    /// n + 1 words for each bit by itself: mask, then body.
    elements: Vec<u16>,
    /// N words for each row.
    masks: Vec<u16>,
    /// For each bit where it is in a row; empty if all are by themselves.
    places: Vec<Option<ShrunkPlace>>,
    /// Which bits are at scale 1/2; empty if none is.
    halves: Vec<bool>,
}

/// A bit in a row that others may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShrunkPlace {
    /// The number of its mask.
    pub row: u32,
    /// The coefficient, below N.
    pub coefficient: u16,
    /// The body's element there.
    pub body: u16,
}

impl ShrunkBits {
    /// A batch from what a file holds: n + 1 words for each bit.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless the words are a whole number of bits.
    pub fn from_parts(
        parameters: Parameters,
        key_id: KeyId,
        elements: Vec<u16>,
    ) -> Result<Self, TfheError> {
        whole(
            "a batch of outputs",
            &elements,
            Self::words_per_bit(&parameters),
        )?;
        Ok(Self {
            parameters,
            key_id,
            elements,
            masks: Vec::new(),
            places: Vec::new(),
            halves: Vec::new(),
        })
    }

    /// The same bits, in order, where `places` has none, and between them those that it places in rows, of
    /// N words of mask each. Before [`with_halves`](Self::with_halves).
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless masks are whole and as many places are none as there are bits;
    /// [`TfheError::InvalidArray`] for a row or a coefficient that is not there.
    pub fn with_rows(
        mut self,
        masks: Vec<u16>,
        places: Vec<Option<ShrunkPlace>>,
    ) -> Result<Self, TfheError> {
        let size = self.parameters.polynomial_size().get();
        whole("the masks of outputs", &masks, size)?;
        let alone = places.iter().filter(|place| place.is_none()).count();
        if alone != self.len() {
            return Err(TfheError::WrongLength {
                what: "a list of places of outputs",
                expected: self.len() + places.len() - alone,
                found: places.len(),
            });
        }
        let rows = masks.len() / size;
        let is_there = |place: &ShrunkPlace| {
            (place.row as usize) < rows && usize::from(place.coefficient) < size
        };
        if !places.iter().flatten().all(is_there) {
            let reason = "an output stands in a row or at a coefficient that is not there";
            return Err(TfheError::InvalidArray { reason });
        }
        if alone < places.len() {
            self.places = places;
        }
        self.masks = masks;
        Ok(self)
    }

    /// The same batch, of which some bits are at scale 1/2.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless there is one for each bit.
    pub fn with_halves(mut self, halves: Vec<bool>) -> Result<Self, TfheError> {
        if halves.len() != self.len() {
            return Err(TfheError::WrongLength {
                what: "a map of outputs at scale 1/2",
                expected: self.len(),
                found: halves.len(),
            });
        }
        self.halves = match halves.contains(&true) {
            true => halves,
            false => Vec::new(),
        };
        Ok(self)
    }

    /// Whether a bit is at scale 1/2.
    #[must_use]
    pub fn is_half(&self, index: usize) -> bool {
        self.halves.get(index) == Some(&true)
    }

    /// Whether any bit is.
    #[must_use]
    pub fn has_halves(&self) -> bool {
        !self.halves.is_empty()
    }

    /// Words of one bit by itself: n + 1.
    #[must_use]
    pub fn words_per_bit(parameters: &Parameters) -> usize {
        parameters.lwe_dimension().get() + 1
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The key they are encrypted under.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// All words of the bits that are by themselves, bit after bit.
    #[must_use]
    pub fn elements(&self) -> &[u16] {
        &self.elements
    }

    /// N words for each row, row after row.
    #[must_use]
    pub fn masks(&self) -> &[u16] {
        &self.masks
    }

    /// For each bit where it is in a row, `None` if it is by itself; empty if all are.
    #[must_use]
    pub fn places(&self) -> &[Option<ShrunkPlace>] {
        &self.places
    }

    /// Number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.places.len() {
            0 => self.elements.len() / Self::words_per_bit(&self.parameters),
            bits => bits,
        }
    }

    /// Whether there are no bits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Refuses a part of something.
fn whole(what: &'static str, words: &[u16], unit: usize) -> Result<(), TfheError> {
    let found = words.len();
    let expected = found.div_ceil(unit) * unit;
    match found == expected {
        true => Ok(()),
        false => Err(TfheError::WrongLength {
            what,
            expected,
            found,
        }),
    }
}

/// Words that a place is counted as: a file describes it by six at most, and its body is one.
const PLACE_WORDS: usize = 7;

impl ServerKey {
    /// Shrinks computed bits of either scale for transport to the owner of the key: in rows those of
    /// which there are so many in one that it is shorter.
    ///
    /// # Errors
    /// As [`ServerKey::lookup_many`].
    pub fn shrink(
        &self,
        scratch: &mut Scratch,
        bits: &[&LweCiphertext],
    ) -> Result<ShrunkBits, TfheError> {
        self.check_scratch(scratch)?;
        for bit in bits {
            bit.check(self.parameters(), self.key_id())?;
        }
        let words = ShrunkBits::words_per_bit(self.parameters());
        let (masks, places) = rows(bits, words);
        let alone = bits
            .iter()
            .zip(&places)
            .filter(|(_, place)| place.is_none());
        let alone: Vec<&LweCiphertext> = alone.map(|(bit, _)| *bit).collect();
        let mut elements = vec![0; alone.len() * words];
        for (bit, shrunk) in alone.into_iter().zip(elements.chunks_mut(words)) {
            self.key_switch
                .switch(&bit.elements(), &mut scratch.key_switch, &mut scratch.small);
            modulus_switch(&scratch.small, self.parameters().block_bits(), 16, shrunk);
        }
        let halves = bits.iter().map(|bit| bit.is_half()).collect();
        ShrunkBits::from_parts(*self.parameters(), self.key_id(), elements)?
            .with_rows(masks, places)?
            .with_halves(halves)
    }
}

/// The masks of rows that hold enough of some bits, rounded, in the order of their first bits; and where
/// each bit is, if in one of these.
pub(crate) fn rows(bits: &[&LweCiphertext], words: usize) -> (Vec<u16>, Vec<Option<ShrunkPlace>>) {
    let identity = |place: &Place| std::sync::Arc::as_ptr(&place.row);
    let mut counts: HashMap<_, usize> = HashMap::new();
    for place in bits.iter().filter_map(|bit| bit.own_place()) {
        *counts.entry(identity(place)).or_default() += 1;
    }
    let mut numbers: HashMap<_, u32> = HashMap::new();
    let mut masks: Vec<u16> = Vec::new();
    let mut place = |bit: &&LweCiphertext| {
        let place = bit.own_place()?;
        let (glwe, identity) = (place.row.glwe(), identity(place));
        let alone = counts[&identity] * words.saturating_sub(PLACE_WORDS);
        if alone <= place.row.size() {
            return None;
        }
        let next = numbers.len() as u32;
        let row = *numbers.entry(identity).or_insert_with(|| {
            masks.extend(glwe.mask().iter().copied().map(rounded));
            next
        });
        Some(ShrunkPlace {
            row,
            coefficient: place.coefficient as u16,
            body: rounded(glwe.body()[place.coefficient]),
        })
    };
    let places = bits.iter().map(&mut place).collect();
    (masks, places)
}

/// An element of the torus by its 16 highest bits.
fn rounded(element: u64) -> u16 {
    (element.wrapping_add(1 << 47) >> 48) as u16
}
