//! Rows for whoever keeps ciphertexts: bits that share one take 16 bytes each where an LWE ciphertext takes
//! 16 KB.

use std::sync::Arc;

use random::KeyId;

use crate::error::TfheError;
use crate::leveled::glwe::Glwe;
use crate::lwe::LweCiphertext;
use crate::parameters::Parameters;
use crate::row::{Place, Row};

/// A ciphertext of N bits, each a coefficient, all at one scale.
///
/// ```
/// use blindcore_tfhe::{KeyId, SharedRow, TOY_BLOCK};
///
/// let size = TOY_BLOCK.polynomial_size().get();
/// let key = KeyId::from_bytes([1; 16]);
/// let row = SharedRow::from_parts(&TOY_BLOCK, key, vec![5; 2 * size], true)?;
/// let bit = row.bit(3)?;
/// assert!(bit.is_half() && row.is_half());
/// let (again, coefficient) = bit.shared_row().unwrap();
/// assert_eq!((again.identity(), coefficient), (row.identity(), 3));
/// assert_eq!(again.elements().count(), 2 * size);
/// # Ok::<(), blindcore_tfhe::TfheError>(())
/// ```
#[derive(Clone)]
pub struct SharedRow(Arc<Row>);

/// Its scale only: the content is kilobytes long.
impl std::fmt::Debug for SharedRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedRow")
            .field("is_half", &self.is_half())
            .finish_non_exhaustive()
    }
}

impl SharedRow {
    /// A row from its mask and its body, N elements each, under a key.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] for another number of elements.
    pub fn from_parts(
        parameters: &Parameters,
        key_id: KeyId,
        elements: Vec<u64>,
        is_half: bool,
    ) -> Result<Self, TfheError> {
        let (size, found) = (parameters.polynomial_size().get(), elements.len());
        if found != 2 * size {
            return Err(TfheError::WrongLength {
                what: "a row",
                expected: 2 * size,
                found,
            });
        }
        let (mask, body) = elements.split_at(size);
        let row = Row::new(Glwe::of(mask, body), key_id).at_scale(is_half);
        Ok(Self(Arc::new(row)))
    }

    /// Mask, then body.
    pub fn elements(&self) -> impl Iterator<Item = u64> + '_ {
        let glwe = self.0.glwe();
        glwe.mask().iter().chain(glwe.body()).copied()
    }

    /// Whether its bits are at scale 1/2.
    #[must_use]
    pub fn is_half(&self) -> bool {
        self.0.is_half()
    }

    /// Equal for bits of the same row, as long as one of them lives.
    #[must_use]
    pub fn identity(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// The bit at a coefficient.
    ///
    /// # Errors
    /// [`TfheError::InvalidArray`] for a coefficient that the row does not have.
    pub fn bit(&self, coefficient: usize) -> Result<LweCiphertext, TfheError> {
        if coefficient >= self.0.size() {
            let reason = "a bit stands behind the end of its row";
            return Err(TfheError::InvalidArray { reason });
        }
        let row = Arc::clone(&self.0);
        Ok(LweCiphertext::at(Place { row, coefficient }))
    }
}

impl LweCiphertext {
    /// The row and the coefficient that the bit is, if it has no elements of its own.
    #[must_use]
    pub fn shared_row(&self) -> Option<(SharedRow, usize)> {
        let place = self.own_place()?;
        Some((SharedRow(Arc::clone(&place.row)), place.coefficient))
    }
}
