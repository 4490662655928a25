//! The public face: a plan for one ring and one FFT processor, and the operations on raw slices.

use crate::torus::processors::{ByColumns, Point, Processor};
use crate::torus::{
    ColumnStep, Fft, Gadget, KeyIndex, KeyShape, PolynomialSize, Spectra, TransformError,
};

/// An FFT processor for `Z[X]/(X^N + 1)`. Immutable, shared by reference among threads. No
/// operation has a timing that depends on coefficient values, and none allocates, except that
/// somebody else's FFT takes work space, and keeps it, where more calls run at once than ever
/// before.
///
/// A **spectrum** is an opaque slice of 64-bit words, typed as `f64`: [`Plan::digit_len`] of them
/// for small signed integers, [`Plan::torus_len`] for torus elements and for products of the two.
/// Spectra of different plans do not mix.
///
/// Every method panics if a slice has not the length its documentation gives: a programmer's error.
#[derive(Debug)]
pub struct Plan {
    size: PolynomialSize,
    fft: Fft,
    processor: Box<dyn Processor>,
}

impl Plan {
    /// Bits of the widest digits that [`Plan::decompose`] gives: every signed number of as many is an `f32`.
    pub const WIDEST_DECOMPOSED: u32 = 25;

    /// A plan for one processor.
    ///
    /// # Errors
    /// [`TransformError::UnavailableFft`] where the machine cannot run it, and
    /// [`TransformError::UnsupportedSize`] where it has no transform for the ring.
    pub fn new(size: PolynomialSize, fft: Fft) -> Result<Self, TransformError> {
        let processor = fft.processor(size)?;
        Ok(Self {
            size,
            fft,
            processor,
        })
    }

    /// The ring.
    pub fn size(&self) -> PolynomialSize {
        self.size
    }

    /// The processor that was asked for.
    pub fn fft(&self) -> Fft {
        self.fft
    }

    /// Words in a spectrum of digits.
    pub fn digit_len(&self) -> usize {
        self.processor.digit_len()
    }

    /// Words in a spectrum of a torus element or a product.
    pub fn torus_len(&self) -> usize {
        self.processor.torus_len()
    }

    /// Whether products are exact modulo 2^64, for the digits and sums that the processor's
    /// documentation ([`Fft`]) permits; otherwise [`accuracy`](crate::torus::accuracy) measures by
    /// how much they are off.
    pub fn is_exact(&self) -> bool {
        self.processor.is_exact()
    }

    /// Zeroed room for `count` spectra of digits.
    pub fn digit_spectra(&self, count: usize) -> Spectra {
        Spectra::zeroed(count * self.digit_len())
    }

    /// Zeroed room for `count` spectra of torus elements or products. Zeros are the spectrum of
    /// zero.
    pub fn torus_spectra(&self, count: usize) -> Spectra {
        Spectra::zeroed(count * self.torus_len())
    }

    /// Point `number` (below `N/2`) of a spectrum, for processors whose spectra are complex values.
    pub fn point(&self, number: usize) -> Option<Point> {
        self.processor.point(number)
    }

    /// Transforms signed integers below 2^53 in magnitude (digits, small keys) to a spectrum of
    /// digits.
    pub fn forward_signed(&self, spectrum: &mut [f64], polynomial: &[i64]) {
        self.check_polynomial(polynomial.len());
        self.check_digits("spectrum", spectrum.len(), 1);
        self.processor.forward_signed(spectrum, polynomial);
    }

    /// The spectrum of digits of a constant, a signed integer below 2^53 in magnitude: no transform,
    /// as it is the constant at every point.
    pub fn forward_constant(&self, spectrum: &mut [f64], value: i64) {
        self.check_digits("spectrum", spectrum.len(), 1);
        self.processor.forward_constant(spectrum, value);
    }

    /// The constant coefficient of a product, which [`Plan::inverse_torus`] finds with all others, up
    /// to rounding: no transform, as it is the mean over all points.
    pub fn constant(&self, spectrum: &[f64]) -> u64 {
        self.check_torus("spectrum", spectrum.len(), 1);
        self.processor.constant(spectrum)
    }

    /// Transforms torus elements, each as its signed representative in `[−2^63, 2^63)`, which
    /// complex processors round to 53 bits.
    pub fn forward_torus(&self, spectrum: &mut [f64], polynomial: &[u64]) {
        self.check_polynomial(polynomial.len());
        self.check_torus("spectrum", spectrum.len(), 1);
        self.processor.forward_torus(spectrum, polynomial);
    }

    /// Transforms the digits of one level (`1 ..= levels`) of a torus polynomial's decomposition
    /// ([`Gadget::digit`] of every coefficient).
    ///
    /// `ahead`, here and below, is a part of the key that will be read soon, of any length: during
    /// the call the processor may bring it into the second-level cache, which hides the time of
    /// streaming it.
    pub fn forward_digits(
        &self,
        spectrum: &mut [f64],
        polynomial: &[u64],
        gadget: Gadget,
        level: u32,
        ahead: &[f64],
    ) {
        self.check_polynomial(polynomial.len());
        self.check_digits("spectrum", spectrum.len(), 1);
        self.processor
            .forward_digits(spectrum, polynomial, gadget, level, ahead);
    }

    /// Inverse transform of a product; each coefficient is rounded to the nearest integer and
    /// reduced modulo 2^64 (exactly, for magnitudes below 2^115). The spectrum is used as work
    /// space and destroyed.
    pub fn inverse_torus(&self, polynomial: &mut [u64], spectrum: &mut [f64]) {
        self.check_polynomial(polynomial.len());
        self.check_torus("spectrum", spectrum.len(), 1);
        self.processor.inverse_torus(polynomial, spectrum);
    }

    /// As [`Plan::inverse_torus`], but adds the result to the polynomial, modulo 2^64.
    pub fn inverse_torus_add(&self, polynomial: &mut [u64], spectrum: &mut [f64], ahead: &[f64]) {
        self.check_polynomial(polynomial.len());
        self.check_torus("spectrum", spectrum.len(), 1);
        self.processor
            .inverse_torus_add(polynomial, spectrum, ahead);
    }

    /// `sum += torus·digits`, polynomial by polynomial; any number of spectra, as many in each.
    pub fn multiply_add(&self, sum: &mut [f64], torus: &[f64], digits: &[f64]) {
        let count = sum.len() / self.torus_len();
        self.check_torus("sum", sum.len(), count);
        self.check_torus("torus", torus.len(), count);
        self.check_digits("digits", digits.len(), count);
        self.processor.multiply_add(sum, torus, digits);
    }

    /// Writes one spectrum of a torus element to its place in a key.
    ///
    /// # Panics
    /// Also if the index lies outside the shape.
    pub fn place(&self, key: &mut [f64], shape: KeyShape, index: KeyIndex, spectrum: &[f64]) {
        self.check_torus("key", key.len(), shape.spectra());
        self.check_torus("spectrum", spectrum.len(), 1);
        let inside = index.element < shape.elements
            && index.row < shape.rows
            && index.column < shape.columns;
        assert!(inside, "{index:?} lies outside {shape:?}");
        self.processor.place(key, shape, index, spectrum);
    }

    /// Product of vectors of spectra by a key of one element, for a batch of ciphertexts:
    /// `out[b][column] = Σ_row digits[b][row] · key[row][column]`, overwriting `out`.
    ///
    /// `digits` holds `batch × rows` spectra and `out` `batch × columns`; the batch is what their
    /// lengths say. The key is read once for the whole batch.
    ///
    /// # Panics
    /// Also if the shape has not exactly one element.
    pub fn multiply(&self, out: &mut [f64], digits: &[f64], key: &[f64], shape: KeyShape) {
        assert!(
            shape.elements == 1,
            "{} elements: a plain product has one",
            shape.elements
        );
        self.check_product(out, digits, key, shape);
        self.processor.multiply(out, digits, key, shape);
    }

    /// The block step of blind rotation, for a batch of ciphertexts:
    /// `out[b][column] = Σ_e (X^exponents[b][e] − 1) · Σ_row digits[b][row] · key[e][row][column]`,
    /// overwriting `out`. With one element it is the step of a classical binary key (CMUX).
    ///
    /// `digits` holds `batch × rows` spectra, `out` `batch × columns` and `exponents` `batch ×
    /// elements` numbers, read modulo `2N`. The key is read once for the whole batch. The memory
    /// addresses read depend on the exponents, which are public in a bootstrap.
    pub fn rotate_block(
        &self,
        out: &mut [f64],
        digits: &[f64],
        key: &[f64],
        shape: KeyShape,
        exponents: &[u32],
        ahead: &[f64],
    ) {
        self.check_block(out, digits, key, shape, exponents);
        self.processor
            .rotate_block(out, digits, key, shape, exponents, ahead);
    }

    /// As [`Plan::rotate_block`], but adds the result to `out`: the step by a key whose rows stand in
    /// several arrays, which has one sum and so one inverse transform for each column.
    pub fn rotate_block_add(
        &self,
        out: &mut [f64],
        digits: &[f64],
        key: &[f64],
        shape: KeyShape,
        exponents: &[u32],
        ahead: &[f64],
    ) {
        self.check_block(out, digits, key, shape, exponents);
        self.processor
            .rotate_block_add(out, digits, key, shape, exponents, ahead);
    }

    /// Whether [`Plan::rotate_block_in_place`] works for keys of this shape.
    pub fn works_in_place(&self, shape: KeyShape) -> bool {
        self.processor.in_place(shape).is_some()
    }

    /// [`Plan::rotate_block`] in place: the digits' spectra become those of the products, a third
    /// less memory passing through the caches.
    ///
    /// # Panics
    /// Also if [`Plan::works_in_place`] is false for the shape.
    pub fn rotate_block_in_place(
        &self,
        spectra: &mut [f64],
        key: &[f64],
        shape: KeyShape,
        exponents: &[u32],
        ahead: &[f64],
    ) {
        let batch = exponents.len() / shape.elements.max(1);
        assert!(
            exponents.len() == batch * shape.elements,
            "{} exponents for {} elements",
            exponents.len(),
            shape.elements
        );
        self.check_digits("spectra", spectra.len(), batch * shape.rows);
        self.check_torus("spectra", spectra.len(), batch * shape.columns);
        self.check_torus("key", key.len(), shape.spectra());
        let processor = self.processor.in_place(shape);
        assert!(
            processor.is_some(),
            "{} does not multiply in place by {shape:?}",
            self.fft
        );
        if let Some(processor) = processor {
            processor.rotate_block(spectra, key, shape, exponents, ahead);
        }
    }

    /// Whether the block step can be done column by column, of two: then the first column of a key is its
    /// first half.
    pub fn works_by_columns(&self, shape: KeyShape) -> bool {
        (self.processor.by_columns()).is_some_and(|processor| processor.suits(shape))
    }

    /// One column of [`Plan::rotate_block_in_place`], for one ciphertext: of its `rows` spectra the one
    /// with the column's number becomes that of the product.
    ///
    /// # Panics
    /// Also if [`Plan::works_by_columns`] or [`Plan::works_in_place`] is false for the shape.
    pub fn rotate_column_in_place(&self, spectra: &mut [f64], step: ColumnStep<'_>) {
        assert!(self.works_in_place(step.shape), "{:?}", step.shape);
        self.rotate_column(spectra, None, step);
    }

    /// One column of [`Plan::rotate_block_add`], for one ciphertext; the other columns of `out` stay as
    /// they are.
    ///
    /// # Panics
    /// Also if [`Plan::works_by_columns`] is false for the shape.
    pub fn rotate_column_add(&self, out: &mut [f64], digits: &[f64], step: ColumnStep<'_>) {
        self.check_digits("digits", digits.len(), step.shape.rows);
        self.rotate_column(out, Some(digits), step);
    }

    fn rotate_column(&self, out: &mut [f64], digits: Option<&[f64]>, step: ColumnStep<'_>) {
        let KeyShape {
            elements,
            rows,
            columns,
        } = step.shape;
        assert!(step.column < columns, "column {}", step.column);
        assert!(
            step.exponents.len() == elements,
            "{} exponents",
            step.exponents.len()
        );
        self.check_torus("out", out.len(), columns);
        self.check_torus("key", step.key.len(), elements * rows);
        assert!(self.works_by_columns(step.shape), "{:?}", step.shape);
        self.by_columns().rotate_column(out, digits, step);
    }

    /// The digits that [`Plan::forward_digits`] transforms, for another thread to transform.
    ///
    /// # Panics
    /// Also if a digit is wider than [`Plan::WIDEST_DECOMPOSED`], or if [`Plan::works_by_columns`] is
    /// false for every shape.
    pub fn decompose(&self, digits: &mut [f32], polynomial: &[u64], gadget: Gadget, level: u32) {
        self.check_polynomial(polynomial.len());
        self.check_polynomial(digits.len());
        assert!(gadget.widest() <= Self::WIDEST_DECOMPOSED, "{gadget:?}");
        (self.by_columns()).decompose(digits, polynomial, gadget, level);
    }

    /// [`Plan::forward_digits`] of what [`Plan::decompose`] gave.
    ///
    /// # Panics
    /// Also if [`Plan::works_by_columns`] is false for every shape.
    pub fn forward_decomposed(&self, spectrum: &mut [f64], digits: &[f32], ahead: &[f64]) {
        self.check_polynomial(digits.len());
        self.check_digits("spectrum", spectrum.len(), 1);
        (self.by_columns()).forward_decomposed(spectrum, digits, ahead);
    }

    #[expect(clippy::panic, reason = "a programmer's error, as documented")]
    fn by_columns(&self) -> &dyn ByColumns {
        match self.processor.by_columns() {
            Some(processor) => processor,
            None => panic!("{} does not work by columns", self.fft),
        }
    }

    fn check_block(
        &self,
        out: &[f64],
        digits: &[f64],
        key: &[f64],
        shape: KeyShape,
        exponents: &[u32],
    ) {
        let batch = self.check_product(out, digits, key, shape);
        assert!(
            exponents.len() == batch * shape.elements,
            "{} exponents for a batch of {batch} and {} elements",
            exponents.len(),
            shape.elements
        );
    }

    fn check_product(&self, out: &[f64], digits: &[f64], key: &[f64], shape: KeyShape) -> usize {
        assert!(shape.spectra() > 0, "{shape:?} is empty");
        let batch = digits.len() / (shape.rows * self.digit_len());
        self.check_digits("digits", digits.len(), batch * shape.rows);
        self.check_torus("out", out.len(), batch * shape.columns);
        self.check_torus("key", key.len(), shape.spectra());
        batch
    }

    fn check_polynomial(&self, len: usize) {
        check("polynomial", len, 1, self.size.coefficients());
    }

    fn check_digits(&self, what: &str, len: usize, count: usize) {
        check(what, len, count, self.digit_len());
    }

    fn check_torus(&self, what: &str, len: usize, count: usize) {
        check(what, len, count, self.torus_len());
    }
}

fn check(what: &str, len: usize, count: usize, each: usize) {
    assert!(
        len == count * each,
        "{what} has {len} numbers: {count} times {each} are expected"
    );
}
