//! The shape of a key in the transform domain.

/// Shape of a key in the transform domain: `elements` matrices of `rows × columns` spectra that are
/// used together (a block of a block-binary key; one element for anything else).
///
/// In memory each processor orders the key as its
/// [`Plan::rotate_block`](crate::torus::Plan::rotate_block) and
/// [`Plan::multiply`](crate::torus::Plan::multiply) read it;
/// [`Plan::place`](crate::torus::Plan::place) writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyShape {
    /// Matrices used together.
    pub elements: usize,
    /// Spectra that multiply a matrix: `(k + 1)·l` digits of a GLWE ciphertext.
    pub rows: usize,
    /// Spectra that result: `k + 1` for a GLWE ciphertext.
    pub columns: usize,
}

impl KeyShape {
    /// The block of a block-binary key of blocks of four, decomposed in one level.
    pub const BLOCK: Self = Self {
        elements: 4,
        rows: 2,
        columns: 2,
    };

    /// Number of spectra in a key of this shape.
    pub const fn spectra(self) -> usize {
        self.elements * self.rows * self.columns
    }
}

/// One column of the block step of blind rotation: see
/// [`Plan::rotate_column_in_place`](crate::torus::Plan::rotate_column_in_place).
#[derive(Debug, Clone, Copy)]
pub struct ColumnStep<'a> {
    /// Which one.
    pub column: usize,
    /// That column of a key.
    pub key: &'a [f64],
    /// The shape of the key.
    pub shape: KeyShape,
    /// By element of the key: the exponent, read modulo `2N`.
    pub exponents: &'a [u32],
    /// What will be read soon.
    pub ahead: &'a [f64],
}

/// Which of a key's spectra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyIndex {
    /// Which matrix.
    pub element: usize,
    /// Which input.
    pub row: usize,
    /// Which output.
    pub column: usize,
}

impl KeyIndex {
    /// The number of the spectrum in the order element, row, column.
    pub const fn number(self, shape: KeyShape) -> usize {
        (self.element * shape.rows + self.row) * shape.columns + self.column
    }
}
