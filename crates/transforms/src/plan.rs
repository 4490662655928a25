//! The public face: a plan for one ring and one instruction set, and the operations on raw slices.

use crate::arch::{Isa, Kernel, Processor, Simd, as_words};
use crate::negacyclic::{
    Add, Digits, Forward, Integers, Inverse, Multiply, MultiplyAdd, Operands, Overwrite, Place,
    RotateBlock,
};
use crate::twiddles::{self, Twiddles};
use crate::{Gadget, PolynomialSize, Spectra, TransformError};

/// Shape of a key in the transform domain: `elements` matrices of `rows × columns` spectra that are used
/// together (a block of a block-binary key; one element for anything else).
///
/// In memory the key is ordered by vector of points, then element, row, column, then the real lanes and
/// the imaginary lanes: exactly as [`Plan::rotate_block`] and [`Plan::multiply`] read it.
/// [`Plan::place`] writes it.
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
    /// Number of spectra in a key of this shape.
    pub const fn spectra(self) -> usize {
        self.elements * self.rows * self.columns
    }
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

/// Constants and kernels for `Z[X]/(X^N + 1)` on one instruction set. Immutable, shared by reference
/// among threads; no operation allocates, and none has a timing that depends on coefficient values.
///
/// A **spectrum** is a slice of `N` numbers: `N/2` complex values at the roots `ζ^(4k+1)`,
/// `ζ = exp(iπ/N)`, as vectors of `W` real parts followed by `W` imaginary parts. The order of the points
/// ([`Plan::exponent`]) depends on the plan; spectra of different plans do not mix.
///
/// Every method panics if a slice has not the length its documentation gives: a programmer's error.
#[derive(Debug)]
pub struct Plan {
    size: PolynomialSize,
    isa: Isa,
    processor: Processor,
    twiddles: Twiddles,
}

impl Plan {
    /// A plan for one instruction set. For sizes below 128 that of AVX-512, which works on groups of 64
    /// points, uses the AVX2 kernels.
    pub fn new(size: PolynomialSize, isa: Isa) -> Result<Self, TransformError> {
        let asked = Processor::new(isa)?;
        let fits = asked.lanes() * asked.lanes() <= size.points();
        let processor = if fits {
            asked
        } else {
            Processor::new(Isa::Avx2)?
        };
        let twiddles = Twiddles::new(size, processor.lanes());
        Ok(Self {
            size,
            isa,
            processor,
            twiddles,
        })
    }

    /// The ring.
    pub fn size(&self) -> PolynomialSize {
        self.size
    }

    /// The instruction set that was asked for.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Numbers (`f64`) in one spectrum: as many as the polynomial has coefficients.
    pub fn spectrum_len(&self) -> usize {
        self.size.coefficients()
    }

    /// Zeroed room for `count` spectra.
    pub fn spectra(&self, count: usize) -> Spectra {
        Spectra::zeroed(count * self.spectrum_len())
    }

    /// The exponent `e = 4k + 1` such that point `position` (below `N/2`) is the value at `ζ^e`. Its real
    /// part stands at `position + W·(position / W)`, its imaginary part `W` further ([`Plan::lanes`]).
    pub fn exponent(&self, position: usize) -> usize {
        twiddles::exponent(self.size, self.processor.lanes(), position)
    }

    /// Points per vector, `W`.
    pub fn lanes(&self) -> usize {
        self.processor.lanes()
    }

    /// Transforms signed integers (digits, small keys; exact up to 2^53).
    pub fn forward_signed(&self, spectrum: &mut [f64], polynomial: &[i64]) {
        self.forward(spectrum, as_words(polynomial), Integers);
    }

    /// Transforms torus elements, each as its signed representative in `[−2^63, 2^63)` rounded to 53 bits.
    pub fn forward_torus(&self, spectrum: &mut [f64], polynomial: &[u64]) {
        self.forward(spectrum, polynomial, Integers);
    }

    /// Transforms the digits of one level (`1 ..= levels`) of a torus polynomial's decomposition
    /// ([`Gadget::digit`] of every coefficient).
    pub fn forward_digits(
        &self,
        spectrum: &mut [f64],
        polynomial: &[u64],
        gadget: Gadget,
        level: u32,
    ) {
        let scales = gadget.scales(level);
        if level == 1 {
            self.forward(spectrum, polynomial, Digits::<true>(scales));
        } else {
            self.forward(spectrum, polynomial, Digits::<false>(scales));
        }
    }

    fn forward<'a, T>(&'a self, output: &'a mut [f64], input: &'a [u64], source: T)
    where
        Forward<'a, T>: Kernel<Output = ()>,
    {
        self.check("spectrum", output.len(), 1);
        self.check("polynomial", input.len(), 1);
        let twiddles = &self.twiddles;
        self.processor.dispatch(Forward {
            twiddles,
            source,
            input,
            output,
        });
    }

    /// Inverse transform; each coefficient is rounded to the nearest integer and reduced modulo 2^64
    /// (exactly, for magnitudes below 2^115). The spectrum is used as work space and destroyed.
    pub fn inverse_torus(&self, polynomial: &mut [u64], spectrum: &mut [f64]) {
        self.check("polynomial", polynomial.len(), 1);
        self.check("spectrum", spectrum.len(), 1);
        let twiddles = &self.twiddles;
        self.processor.dispatch(Inverse {
            twiddles,
            sink: Overwrite,
            spectrum,
            output: polynomial,
        });
    }

    /// As [`Plan::inverse_torus`], but adds the result to the polynomial, modulo 2^64.
    pub fn inverse_torus_add(&self, polynomial: &mut [u64], spectrum: &mut [f64]) {
        self.check("polynomial", polynomial.len(), 1);
        self.check("spectrum", spectrum.len(), 1);
        let twiddles = &self.twiddles;
        self.processor.dispatch(Inverse {
            twiddles,
            sink: Add,
            spectrum,
            output: polynomial,
        });
    }

    /// `sum += a·b`, polynomial by polynomial; any number of spectra, as many in each.
    pub fn multiply_add(&self, sum: &mut [f64], a: &[f64], b: &[f64]) {
        let count = sum.len() / self.spectrum_len();
        self.check("sum", sum.len(), count);
        self.check("a", a.len(), count);
        self.check("b", b.len(), count);
        self.processor.dispatch(MultiplyAdd { sum, a, b });
    }

    /// Writes one spectrum to its place in a key.
    ///
    /// # Panics
    /// Also if the index lies outside the shape.
    pub fn place(&self, key: &mut [f64], shape: KeyShape, index: KeyIndex, spectrum: &[f64]) {
        self.check("key", key.len(), shape.spectra());
        self.check("spectrum", spectrum.len(), 1);
        let KeyIndex {
            element,
            row,
            column,
        } = index;
        let inside = element < shape.elements && row < shape.rows && column < shape.columns;
        assert!(inside, "{index:?} lies outside {shape:?}");
        let offset = (element * shape.rows + row) * shape.columns + column;
        self.processor.dispatch(Place {
            key,
            spectrum,
            offset,
            stride: shape.spectra(),
        });
    }

    /// Product of vectors of spectra by a key of one element, for a batch of ciphertexts:
    /// `out[b][column] = Σ_row digits[b][row] · key[row][column]`, overwriting `out`.
    ///
    /// `digits` holds `batch × rows` spectra and `out` `batch × columns`; the batch is what their lengths
    /// say. The key is read once for the whole batch.
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
        self.processor.dispatch(Multiply(Operands {
            out,
            digits,
            key,
            shape,
        }));
    }

    /// The block step of blind rotation, for a batch of ciphertexts:
    /// `out[b][column] = Σ_e (X^exponents[b][e] − 1) · Σ_row digits[b][row] · key[e][row][column]`,
    /// overwriting `out`. With one element it is the step of a classical binary key (CMUX).
    ///
    /// `digits` holds `batch × rows` spectra, `out` `batch × columns` and `exponents`
    /// `batch × elements` numbers, read modulo `2N`. The key is read once for the whole batch. The memory
    /// addresses read depend on the exponents, which are public in a bootstrap.
    pub fn rotate_block(
        &self,
        out: &mut [f64],
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
        let operands = Operands {
            out,
            digits,
            key,
            shape,
        };
        let twiddles = &self.twiddles;
        self.processor.dispatch(RotateBlock {
            twiddles,
            exponents,
            operands,
        });
    }

    /// Asks the processor to bring a part of a key into its second-level cache. Called with slices of the
    /// next block while the transforms of this one run, it hides the time of streaming the key.
    pub fn prefetch(&self, key: &[f64]) {
        struct Prefetch<'a>(&'a [f64]);
        impl Kernel for Prefetch<'_> {
            type Output = ();
            #[inline(always)]
            fn run<S: Simd>(self, simd: S) {
                simd.prefetch(self.0);
            }
        }
        self.processor.dispatch(Prefetch(key));
    }

    fn check_product(&self, out: &[f64], digits: &[f64], key: &[f64], shape: KeyShape) -> usize {
        assert!(shape.spectra() > 0, "{shape:?} is empty");
        let batch = digits.len() / (shape.rows * self.spectrum_len());
        self.check("digits", digits.len(), batch * shape.rows);
        self.check("out", out.len(), batch * shape.columns);
        self.check("key", key.len(), shape.spectra());
        batch
    }

    fn check(&self, what: &str, len: usize, count: usize) {
        let n = self.spectrum_len();
        assert!(
            len == count * n,
            "{what} has {len} numbers: {count} times {n} are expected"
        );
    }
}
