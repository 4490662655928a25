//! A computed bit: an LWE ciphertext under the big key.
//!
//! kN mask elements and a body over the 64-bit torus; phase = body − ⟨mask, key⟩
//! = bit/32 + error. All linear algebra of the scheme happens here, for free:
//! sums of bits are sums of ciphertexts.
//!
//! A bit that came with others, as inputs and loaded words do, is a place in a row that they share; its
//! elements are extracted whenever somebody asks for them. A bit with elements of its own that was packed
//! into a row for a load remembers the place, so that the next load finds it there.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::TfheError;
use crate::parameters::{BIT_SCALE, Parameters};
use crate::row::{Place, Row};
use random::KeyId;

/// One bit under the big key, at scale 1/32: kN + 1 torus elements, 16 KiB. Bits of one
/// [`PackedInputs`](crate::PackedInputs) or of one loaded word share the memory of their elements: each
/// takes about 90 bytes in full rows.
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
pub struct LweCiphertext {
    key_id: KeyId,
    form: Form,
    /// Where the same bit was packed, the last time last.
    packed: Mutex<Vec<Place>>,
}

/// Places that a bit remembers: it may be in several arrays, and in several rows of one.
const PLACES: usize = 16;

#[derive(Clone)]
enum Form {
    /// Mask, then body.
    Own(Box<[u64]>),
    Place(Place),
}

impl Clone for LweCiphertext {
    fn clone(&self) -> Self {
        Self {
            key_id: self.key_id,
            form: self.form.clone(),
            packed: Mutex::new(self.packed()),
        }
    }
}

/// By key and elements.
impl PartialEq for LweCiphertext {
    fn eq(&self, other: &Self) -> bool {
        self.key_id == other.key_id && self.elements() == other.elements()
    }
}

impl Eq for LweCiphertext {}

/// The key only: the content is kilobytes long.
impl fmt::Debug for LweCiphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LweCiphertext")
            .field("key_id", &self.key_id)
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
        Self::of_form(key_id, Form::Own(elements))
    }

    pub(crate) fn at(key_id: KeyId, place: Place) -> Self {
        Self::of_form(key_id, Form::Place(place))
    }

    fn of_form(key_id: KeyId, form: Form) -> Self {
        Self {
            key_id,
            form,
            packed: Mutex::new(Vec::new()),
        }
    }

    /// The key it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Mask, then body: borrowed, or extracted from the row that holds the bit, which takes
    /// microseconds.
    #[must_use]
    pub fn elements(&self) -> Cow<'_, [u64]> {
        match &self.form {
            Form::Own(elements) => Cow::Borrowed(elements),
            Form::Place(place) => Cow::Owned(place.elements().into_vec()),
        }
    }

    /// The negated bit, 1 − x: exact, no noise added.
    #[must_use]
    pub fn not(&self) -> Self {
        let mut elements: Box<[u64]> = self.elements().iter().map(|x| x.wrapping_neg()).collect();
        if let Some(body) = elements.last_mut() {
            *body = body.wrapping_add(BIT_SCALE);
        }
        Self::from_elements(self.key_id, elements)
    }

    /// Where the bit is in rows, by itself or packed, the last time first.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> {
        let own = match &self.form {
            Form::Own(_) => None,
            Form::Place(place) => Some(place.clone()),
        };
        own.into_iter().chain(self.packed().into_iter().rev())
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
        if matches!(&self.form, Form::Place(place) if is(place)) {
            return true;
        }
        let packed = self.packed.lock();
        let packed = packed.unwrap_or_else(PoisonError::into_inner);
        packed.iter().rev().any(is)
    }

    /// Keeps in mind where the bit was packed, and forgets the oldest of many places.
    pub(crate) fn remember(&self, place: Place) {
        let packed = self.packed.lock();
        let mut packed = packed.unwrap_or_else(PoisonError::into_inner);
        if packed.len() == PLACES {
            packed.remove(0);
        }
        packed.push(place);
    }

    fn packed(&self) -> Vec<Place> {
        let packed = self.packed.lock();
        packed.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Refuses a ciphertext of another key or dimension.
    pub(crate) fn check(&self, parameters: &Parameters, key: KeyId) -> Result<(), TfheError> {
        let expected = parameters.big_lwe_dimension().get() + 1;
        let found = match &self.form {
            Form::Own(elements) => elements.len(),
            Form::Place(place) => place.row.size() + 1,
        };
        if found != expected {
            return Err(TfheError::WrongLength {
                what: "an LWE ciphertext",
                expected,
                found,
            });
        }
        same_key("ciphertext", key, self.key_id)
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
