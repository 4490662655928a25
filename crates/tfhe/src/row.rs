//! A row: one GLWE ciphertext that holds many bits, 16 bytes each where an LWE ciphertext takes 16 KiB.
//!
//! A bit stands at a *place*: a coefficient of a row that all its bits share. What a row knows beside the
//! ciphertext saves packing it again: which coefficients are constants that anybody knows, and which hold
//! the same bit. A coefficient that it says nothing about may hold anything.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use random::KeyId;

use crate::extraction::extract_from_mask;
use crate::leveled::glwe::Glwe;
use crate::lwe::Places;
use crate::parameters::TO_HALF;

/// Bits in one ciphertext, each at scale 1/32, or each at scale 1/2.
pub(crate) struct Row {
    glwe: Glwe,
    key_id: KeyId,
    is_half: bool,
    /// The row at scale 1/32 that it is sixteen times.
    whole: Option<Arc<Row>>,
    /// The constant at each coefficient, where there is one; empty if there is none.
    known: Vec<Option<bool>>,
    /// For each coefficient the first that holds the same bit; empty if no two do.
    first: Vec<usize>,
    /// Packings that were added to one another to make it, whose errors add up.
    packings: u32,
    /// Where the bits of coefficients were packed: in rows that were made later than this one.
    packed: Mutex<HashMap<usize, Places>>,
}

/// A coefficient of a row.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) row: Arc<Row>,
    pub(crate) coefficient: usize,
}

impl Row {
    /// A row of which nothing is known.
    pub(crate) fn new(glwe: Glwe, key_id: KeyId) -> Self {
        Self {
            glwe,
            key_id,
            is_half: false,
            whole: None,
            known: Vec::new(),
            first: Vec::new(),
            packings: 0,
            packed: Mutex::default(),
        }
    }

    /// The same ciphertext, of which some coefficients are known to be constants, and some pairs to hold
    /// the same bit, the first of its coefficients first.
    pub(crate) fn with(
        mut self,
        constants: &[(usize, bool)],
        twins: &[(usize, usize)],
        packings: u32,
    ) -> Self {
        let size = self.size();
        if !constants.is_empty() {
            self.known = vec![None; size];
            for &(coefficient, value) in constants {
                self.known[coefficient] = Some(value);
            }
        }
        if !twins.is_empty() {
            self.first = (0..size).collect();
            for &(first, coefficient) in twins {
                self.first[coefficient] = first;
            }
        }
        self.packings = packings;
        self
    }

    /// The same ciphertext, of bits at scale 1/2 if that is so.
    pub(crate) fn at_scale(mut self, is_half: bool) -> Self {
        self.is_half = is_half;
        self
    }

    /// The bits of a row at scale 1/2.
    pub(crate) fn doubled(row: &Arc<Self>) -> Arc<Self> {
        if row.is_half {
            return Arc::clone(row);
        }
        let mut glwe = row.glwe.clone();
        glwe.shift_left(TO_HALF);
        Arc::new(Self {
            glwe,
            key_id: row.key_id,
            is_half: true,
            whole: Some(Arc::clone(row)),
            known: row.known.clone(),
            first: row.first.clone(),
            packings: row.packings,
            packed: Mutex::default(),
        })
    }

    /// The key that its bits belong to.
    pub(crate) fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Keeps in mind where the bit of a coefficient was packed.
    pub(crate) fn remember(&self, coefficient: usize, place: Place) {
        let packed = self.packed.lock();
        let mut packed = packed.unwrap_or_else(PoisonError::into_inner);
        packed.entry(coefficient).or_default().add(place);
    }

    /// What is to be done with the places of a coefficient, if there are any.
    pub(crate) fn with_packed(&self, coefficient: usize, look: impl FnOnce(&Places)) {
        let packed = self.packed.lock();
        let packed = packed.unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = packed.get(&coefficient) {
            look(places);
        }
    }

    /// Whether the bits are at scale 1/2.
    pub(crate) fn is_half(&self) -> bool {
        self.is_half
    }

    /// Coefficients, N.
    pub(crate) fn size(&self) -> usize {
        self.glwe.body().len()
    }

    pub(crate) fn glwe(&self) -> &Glwe {
        &self.glwe
    }

    pub(crate) fn packings(&self) -> u32 {
        self.packings
    }

    /// The constant at a coefficient, if anybody knows it.
    pub(crate) fn known(&self, coefficient: usize) -> Option<bool> {
        self.known.get(coefficient).copied().flatten()
    }

    /// Whether two coefficients hold the same bit.
    pub(crate) fn same(&self, one: usize, other: usize) -> bool {
        let first = |coefficient| self.first.get(coefficient).copied();
        one == other || first(one).is_some_and(|one| first(other) == Some(one))
    }
}

impl Place {
    /// The LWE ciphertext of the coefficient, mask first.
    pub(crate) fn elements(&self) -> Box<[u64]> {
        let glwe = self.row.glwe();
        extract_from_mask(glwe.mask(), glwe.body(), self.coefficient)
    }

    /// Whether this is where a row has the bit of some coefficient, or one that it is sixteen times.
    pub(crate) fn is(&self, row: &Arc<Row>, coefficient: usize) -> bool {
        let is_own = |row| Arc::ptr_eq(&self.row, row);
        (is_own(row) || row.whole.as_ref().is_some_and(is_own))
            && self.row.same(self.coefficient, coefficient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::{double_reversed, extract};
    use crate::{KeyId, LweCiphertext, PackedInputs, TOY_BLOCK};
    use random::Seed;

    fn new(size: usize) -> Row {
        Row::new(Glwe::zero(size), KeyId::from_bytes([1; 16]))
    }

    /// Places are the ciphertexts that their coefficients are, and share one row.
    #[test]
    fn inputs_are_places() {
        let size = TOY_BLOCK.polynomial_size().get();
        let bodies: Vec<u64> = (0..size as u64 + 3).map(|i| i << 50).collect();
        let (key, seed) = (KeyId::from_bytes([1; 16]), Seed::from_bytes([2; 32]));
        let bits = PackedInputs::from_parts(TOY_BLOCK, key, seed, bodies).unpack();
        let mut doubled = vec![0; 2 * size];
        for (number, bit) in bits.iter().enumerate() {
            let place = bit.places().next().unwrap();
            let glwe = place.row.glwe();
            double_reversed(glwe.mask(), &mut doubled);
            let expected = extract(&doubled, glwe.body(), number % size);
            assert_eq!(*bit.elements(), *expected);
            assert_eq!(bit.check(&TOY_BLOCK, key), Ok(()));
            let own = LweCiphertext::from_elements(key, expected);
            assert_eq!((bit, bit), (&own, &bit.clone()));
            let first = &bits[number / size * size];
            assert!(first.is_at(&place.row, 0) && bit.is_at(&place.row, number % size));
            assert!(!own.is_at(&place.row, number % size));
            // Nobody knows what the coefficients behind the last bit hold.
            assert!((0..size).all(|coefficient| place.row.known(coefficient).is_none()));
        }
        assert_ne!(bits[0], bits[1]);
    }

    #[test]
    fn rows_know_constants_and_twins() {
        let row = new(8).with(&[(3, true), (4, false)], &[(1, 5), (1, 6)], 2);
        let known: Vec<_> = (0..9).map(|coefficient| row.known(coefficient)).collect();
        let nothing = [None; 3];
        assert_eq!(known[..3], nothing);
        assert_eq!(known[3..5], [Some(true), Some(false)]);
        assert_eq!(known[6..], nothing);
        assert!(row.same(5, 6) && row.same(1, 6) && row.same(7, 7) && !row.same(0, 1));
        assert!(!row.same(9, 10));
        assert_eq!(row.packings(), 2);
        assert!(new(8).same(2, 2));
        assert!(!new(8).same(2, 3));
    }

    /// Sixteen places are kept, of clones as well.
    #[test]
    fn bits_remember_places() {
        let own = LweCiphertext::trivial(&TOY_BLOCK, KeyId::from_bytes([1; 16]), true);
        let row = Arc::new(new(8));
        let placed = LweCiphertext::at(Place {
            row,
            coefficient: 3,
        });
        assert_eq!(size_of_val(&own), 16);
        for bit in [own, placed] {
            remembers(&bit);
        }
    }

    fn remembers(bit: &LweCiphertext) {
        let own = usize::from(bit.own_place().is_some());
        let rows: Vec<_> = (0..17).map(|_| Arc::new(new(8))).collect();
        for (coefficient, row) in rows.iter().enumerate() {
            let row = Arc::clone(row);
            bit.remember(Place { row, coefficient });
        }
        for (coefficient, row) in rows.iter().enumerate() {
            assert_eq!(bit.clone().is_at(row, coefficient), coefficient > 0);
        }
        assert_eq!(bit.places().nth(own).unwrap().coefficient, 16);
        assert!(bit.has_coefficient(1) && !bit.has_coefficient(0));
        assert_eq!(bit.not().places().count(), 0);
    }
}
