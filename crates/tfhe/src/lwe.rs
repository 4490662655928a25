//! A computed bit: an LWE ciphertext under the big key.
//!
//! kN mask elements and a body over the 64-bit torus; phase = body − ⟨mask, key⟩
//! = bit/32 + error. All linear algebra of the scheme happens here, for free:
//! sums of bits are sums of ciphertexts. A *half* is a bit at scale 1/2, where the sum of bits is
//! their XOR: no lookup reads it but a parity.
//!
//! A bit that came with others, as inputs and loaded words do, is a place in a row that they share; its
//! elements are extracted whenever somebody asks for them. A bit that was packed into a row for a load
//! remembers the place, so that the next load finds it there: by itself, or in the row that it is in, so that
//! a place takes 16 bytes.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::TfheError;
use crate::parameters::{BIT_SCALE, HALF_SCALE, Parameters, TO_HALF};
use crate::row::{Place, Row};
use random::KeyId;

/// One bit under the big key, at scale 1/32 unless it [is a half](Self::is_half): kN + 1 torus elements, 16 KiB. Bits of one
/// [`PackedInputs`](crate::PackedInputs) or of one loaded word share the memory of their elements: each
/// takes 32 bytes in full rows.
///
/// ```
/// use blindcore_tfhe::{KeyId, LweCiphertext, TOY_BLOCK, TfheError};
///
/// let key = KeyId::from_bytes([1; 16]);
/// // A known bit: no mask, and 1/32 of the torus as its body.
/// let one = LweCiphertext::trivial(&TOY_BLOCK, key, true);
/// let size = TOY_BLOCK.big_lwe_dimension().get() + 1;
/// assert_eq!((one.elements().len(), one.elements()[size - 1]), (size, 1 << 59));
/// assert_eq!(one.not(), LweCiphertext::trivial(&TOY_BLOCK, one.key_id(), false));
/// // What comes from elsewhere is counted.
/// let short = LweCiphertext::from_parts(&TOY_BLOCK, key, vec![0; 10]);
/// assert!(matches!(short, Err(TfheError::WrongLength { expected, found: 10, .. }) if expected == size));
/// ```
#[derive(Clone)]
pub struct LweCiphertext(Form);

/// Places that a bit remembers: it may be in several arrays, and in several rows of one.
const PLACES: usize = 16;

#[derive(Clone)]
enum Form {
    Own(Box<Own>),
    Place(Place),
}

/// A bit by itself.
struct Own {
    key_id: KeyId,
    /// Whether it is at scale 1/2.
    is_half: bool,
    /// Mask, then body.
    elements: Box<[u64]>,
    packed: Mutex<Places>,
}

/// Where a bit was packed, the last time last.
#[derive(Clone, Default)]
pub(crate) struct Places(Vec<Place>);

impl Places {
    /// Keeps one more in mind, and forgets the oldest of many.
    pub(crate) fn add(&mut self, place: Place) {
        if self.0.len() == PLACES {
            self.0.remove(0);
        }
        self.0.push(place);
    }

    /// The last one first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Place> {
        self.0.iter().rev()
    }
}

impl Clone for Own {
    fn clone(&self) -> Self {
        let packed = self.packed.lock();
        let packed = packed.unwrap_or_else(PoisonError::into_inner).clone();
        Self {
            elements: self.elements.clone(),
            packed: Mutex::new(packed),
            ..*self
        }
    }
}

/// By key and elements.
impl PartialEq for LweCiphertext {
    fn eq(&self, other: &Self) -> bool {
        let [one, other_] = [self, other].map(|bit| (bit.key_id(), bit.is_half()));
        one == other_ && self.elements() == other.elements()
    }
}

impl Eq for LweCiphertext {}

/// The key only: the content is kilobytes long.
impl fmt::Debug for LweCiphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LweCiphertext")
            .field("key_id", &self.key_id())
            .finish_non_exhaustive()
    }
}

impl LweCiphertext {
    /// A ciphertext from its elements, mask first, body last.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless there are kN + 1.
    pub fn from_parts(
        parameters: &Parameters,
        key_id: KeyId,
        elements: Vec<u64>,
    ) -> Result<Self, TfheError> {
        let expected = parameters.big_lwe_dimension().get() + 1;
        if elements.len() != expected {
            let found = elements.len();
            return Err(TfheError::WrongLength {
                what: "an LWE ciphertext",
                expected,
                found,
            });
        }
        Ok(Self::from_elements(key_id, elements.into_boxed_slice()))
    }

    /// The same for a bit at scale 1/2.
    ///
    /// # Errors
    /// As [`LweCiphertext::from_parts`].
    pub fn half_from_parts(
        parameters: &Parameters,
        key_id: KeyId,
        elements: Vec<u64>,
    ) -> Result<Self, TfheError> {
        let mut bit = Self::from_parts(parameters, key_id, elements)?;
        if let Form::Own(own) = &mut bit.0 {
            own.is_half = true;
        }
        Ok(bit)
    }

    /// A known bit in the form of a ciphertext, without noise and without
    /// secrecy: anybody can read it.
    #[must_use]
    pub fn trivial(parameters: &Parameters, key_id: KeyId, bit: bool) -> Self {
        let mut elements = vec![0; parameters.big_lwe_dimension().get() + 1];
        if let Some(body) = elements.last_mut() {
            *body = u64::from(bit) * BIT_SCALE;
        }
        Self::from_elements(key_id, elements.into_boxed_slice())
    }

    pub(crate) fn from_elements(key_id: KeyId, elements: Box<[u64]>) -> Self {
        Self::own(key_id, elements, false)
    }

    pub(crate) fn half_from_elements(key_id: KeyId, elements: Box<[u64]>) -> Self {
        Self::own(key_id, elements, true)
    }

    fn own(key_id: KeyId, elements: Box<[u64]>, is_half: bool) -> Self {
        Self(Form::Own(Box::new(Own {
            key_id,
            is_half,
            elements,
            packed: Mutex::default(),
        })))
    }

    pub(crate) fn at(place: Place) -> Self {
        Self(Form::Place(place))
    }

    /// The key it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        match &self.0 {
            Form::Own(own) => own.key_id,
            Form::Place(place) => place.row.key_id(),
        }
    }

    /// Whether it is a bit at scale 1/2, of which the sum is the XOR.
    #[must_use]
    pub fn is_half(&self) -> bool {
        match &self.0 {
            Form::Own(own) => own.is_half,
            Form::Place(place) => place.row.is_half(),
        }
    }

    /// The elements at scale 1/2, whatever the bit's own is.
    pub(crate) fn elements_at_half(&self) -> Cow<'_, [u64]> {
        let mut elements = self.elements();
        if !self.is_half() {
            elements.to_mut().iter_mut().for_each(|x| *x <<= TO_HALF);
        }
        elements
    }

    /// The elements at one scale or the other; a half has none at scale 1/32.
    pub(crate) fn elements_at(&self, half: bool) -> Cow<'_, [u64]> {
        match half {
            true => self.elements_at_half(),
            false => self.elements(),
        }
    }

    /// Mask, then body: borrowed, or extracted from the row that holds the bit, which takes
    /// microseconds.
    #[must_use]
    pub fn elements(&self) -> Cow<'_, [u64]> {
        match &self.0 {
            Form::Own(own) => Cow::Borrowed(&own.elements),
            Form::Place(place) => Cow::Owned(place.elements().into_vec()),
        }
    }

    /// The negated bit, 1 − x, at its own scale: exact, no noise added.
    #[must_use]
    pub fn not(&self) -> Self {
        let mut elements: Box<[u64]> = self.elements().iter().map(|x| x.wrapping_neg()).collect();
        let one = if self.is_half() {
            HALF_SCALE
        } else {
            BIT_SCALE
        };
        if let Some(body) = elements.last_mut() {
            *body = body.wrapping_add(one);
        }
        Self::own(self.key_id(), elements, self.is_half())
    }

    /// The coefficient that the bit is, if it has no elements of its own.
    pub(crate) fn own_place(&self) -> Option<&Place> {
        match &self.0 {
            Form::Own(_) => None,
            Form::Place(place) => Some(place),
        }
    }

    /// Where the bit is in rows, by itself or packed, the last time first.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> {
        let own = self.own_place().cloned();
        let mut packed = Vec::new();
        self.with_packed(|places| packed.extend(places.iter().cloned()));
        own.into_iter().chain(packed)
    }

    /// Whether a row has the bit at some coefficient.
    pub(crate) fn is_at(&self, row: &Arc<Row>, coefficient: usize) -> bool {
        self.is_where(|place| place.is(row, coefficient))
    }

    /// Whether some row has the bit at some coefficient.
    pub(crate) fn has_coefficient(&self, coefficient: usize) -> bool {
        self.is_where(|place| place.coefficient == coefficient)
    }

    fn is_where(&self, is: impl Fn(&Place) -> bool) -> bool {
        // Without a lock for what never moves.
        if self.own_place().is_some_and(&is) {
            return true;
        }
        let mut found = false;
        self.with_packed(|places| found = places.iter().any(is));
        found
    }

    /// Keeps in mind where the bit was packed.
    pub(crate) fn remember(&self, place: Place) {
        match &self.0 {
            Form::Own(own) => {
                let packed = own.packed.lock();
                packed.unwrap_or_else(PoisonError::into_inner).add(place);
            }
            Form::Place(at) => at.row.remember(at.coefficient, place),
        }
    }

    /// What is to be done with the places that the bit remembers.
    fn with_packed(&self, look: impl FnOnce(&Places)) {
        match &self.0 {
            Form::Own(own) => {
                let packed = own.packed.lock();
                look(&packed.unwrap_or_else(PoisonError::into_inner));
            }
            Form::Place(at) => at.row.with_packed(at.coefficient, look),
        }
    }

    /// Whether it is a ciphertext under this key, of this set's dimension.
    #[must_use]
    pub fn is_of(&self, parameters: &Parameters, key: KeyId) -> bool {
        self.check(parameters, key).is_ok()
    }

    /// Refuses a ciphertext of another key or dimension.
    pub(crate) fn check(&self, parameters: &Parameters, key: KeyId) -> Result<(), TfheError> {
        let expected = parameters.big_lwe_dimension().get() + 1;
        let found = match &self.0 {
            Form::Own(own) => own.elements.len(),
            Form::Place(place) => place.row.size() + 1,
        };
        if found != expected {
            return Err(TfheError::WrongLength {
                what: "an LWE ciphertext",
                expected,
                found,
            });
        }
        same_key("ciphertext", key, self.key_id())
    }

    /// The same, and a half, for what reads bits at scale 1/32 only.
    pub(crate) fn check_whole(&self, parameters: &Parameters, key: KeyId) -> Result<(), TfheError> {
        self.check(parameters, key)?;
        match self.is_half() {
            true => Err(TfheError::WrongScale),
            false => Ok(()),
        }
    }
}

/// Refuses things of another key.
pub(crate) fn same_key(what: &'static str, expected: KeyId, found: KeyId) -> Result<(), TfheError> {
    if expected == found {
        return Ok(());
    }
    Err(TfheError::WrongKey {
        what,
        expected,
        found,
    })
}
