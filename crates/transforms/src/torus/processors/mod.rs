//! The family of FFT processors: one trait, a file for each member, and the register of their
//! names.
//!
//! | name | what it is |
//! |---|---|
//! | `scalar`, `avx2`, `avx512` | the complex FFT of `negacyclic`, one source for all three |
//! | `ntt` | this crate's number-theoretic transform: exact products |
//! | `rustfft` | the crate of that name |
//! | `fftw` | FFTW 3, with the feature `fftw`; under the GPL |
//!
//! In WebAssembly there is `scalar` alone: a page loads every byte, and only makes keys.
//!
//! **To add one** takes a file here and a row in the table below. The file has
//! `new(PolynomialSize) -> Made`, which makes a [`Processor`], or says that this machine cannot
//! have it. A complex FFT of somebody else's need not implement that trait: `adapter` makes a
//! processor of anything that transforms `N/2` complex numbers in natural order, both ways, and
//! `rustfft` shows how. The row makes the name known to [`Fft`], hence to `--fft`, to the laws
//! (`tests/laws.rs`), to the accuracy figures and to every comparison.

#[cfg(not(target_arch = "wasm32"))]
mod adapter;
#[cfg(feature = "fftw")]
#[allow(unsafe_code)]
mod fftw;
mod native;
#[cfg(not(target_arch = "wasm32"))]
mod rustfft;

use crate::torus::{ColumnStep, Gadget, KeyIndex, KeyShape, PolynomialSize, TransformError};
use std::fmt;
use std::str::FromStr;

/// What makes a processor: `None` if the machine cannot have it, an error if the size is not for
/// it.
type Made = Option<Result<Box<dyn Processor>, TransformError>>;

/// Declares [`Fft`] and everything that goes by its names.
macro_rules! register {
    ($($variant:ident $([$condition:meta])? = $name:literal => $make:expr, $doc:literal;)*) => {
        /// An FFT processor, by name: what computes the negacyclic transforms of a
        /// [`Plan`](crate::torus::Plan).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Fft {
            $(#[doc = $doc] $(#[cfg($condition)])? $variant,)*
        }

        impl Fft {
            /// Every processor of this build, whether this machine can run it or not.
            pub const ALL: &'static [Self] = &[$($(#[cfg($condition)])? Self::$variant,)*];

            /// The name by which it is chosen.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(#[cfg($condition)])? Self::$variant => $name,)*
                }
            }

            fn make(self, size: PolynomialSize) -> Made {
                match self {
                    $($(#[cfg($condition)])? Self::$variant => $make(size),)*
                }
            }
        }
    };
}

register! {
    Scalar = "scalar" => native::scalar,
        "This crate's complex FFT in plain Rust, on any machine; no fused multiply-add.";
    Avx2 = "avx2" => native::avx2,
        "This crate's complex FFT on AVX2 with FMA: four numbers at a time.";
    Avx512 = "avx512" => native::avx512,
        "This crate's complex FFT on AVX-512 F and DQ: eight numbers at a time.";
    Ntt [not(target_arch = "wasm32")] = "ntt" => crate::torus::ntt::new,
        "The number-theoretic transform over `2^64 − 2^32 + 1`, on AVX-512 or plain Rust. Products are exact \
         modulo 2^64 where the sums that they are, taken over each 32-bit half of the torus elements, stay \
         below `2^63 − 2^33`: always if there are `t` products of polynomials of `N` coefficients, digits of \
         magnitude `d`, and `N·t·d < 2^32 − 4`; for uniform torus elements far beyond that.";
    Rustfft [not(target_arch = "wasm32")] = "rustfft" => rustfft::new,
        "The crate `rustfft`, in this crate's adapter.";
    Fftw [feature = "fftw"] = "fftw" => fftw::new,
        "FFTW 3 of the system, in this crate's adapter. Under the GPL: with the feature `fftw` only.";
}

impl Fft {
    /// The fastest processor of this crate's own on this machine.
    #[must_use]
    pub fn detect() -> Self {
        [Self::Avx512, Self::Avx2]
            .into_iter()
            .find(|fft| fft.is_available())
            .unwrap_or(Self::Scalar)
    }

    /// Every processor that this machine can run; never empty.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let all = Self::ALL.iter().copied();
        all.filter(|fft| fft.is_available()).collect()
    }

    /// Whether this machine can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        self.check().is_ok()
    }

    /// That this machine can run it.
    ///
    /// # Errors
    /// [`TransformError::UnavailableFft`] if it cannot.
    pub fn check(self) -> Result<(), TransformError> {
        // Any size will do, and the smallest is the quickest to make.
        match self.make(PolynomialSize::new(32)?) {
            Some(_) => Ok(()),
            None => Err(TransformError::UnavailableFft { fft: self }),
        }
    }

    /// The processor for a ring.
    pub(crate) fn processor(
        self,
        size: PolynomialSize,
    ) -> Result<Box<dyn Processor>, TransformError> {
        self.make(size)
            .unwrap_or(Err(TransformError::UnavailableFft { fft: self }))
    }
}

impl fmt::Display for Fft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Fft {
    type Err = TransformError;

    fn from_str(name: &str) -> Result<Self, TransformError> {
        let named = Self::ALL.iter().find(|fft| fft.name() == name);
        named.copied().ok_or(TransformError::UnknownFft)
    }
}

/// Names for a message.
pub(crate) fn names(processors: &[Fft]) -> String {
    let names: Vec<&str> = processors.iter().map(|fft| fft.name()).collect();
    names.join(", ")
}

/// A value of a complex spectrum: where it stands, and the power of `ζ = exp(iπ/N)` it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The exponent `e` of the root `ζ^e`.
    pub exponent: usize,
    /// Position of the real part in the spectrum.
    pub real: usize,
    /// Position of the imaginary part.
    pub imaginary: usize,
}

/// Transforms of one ring `Z[X]/(X^N + 1)` and products in their domain.
///
/// A **spectrum** is an opaque slice of 64-bit words, typed as `f64`. There are two kinds, which
/// may differ in length and in format: those of *digits* (small signed integers) and those
/// of *torus elements*, which products by digits are too. A key holds spectra of torus elements, in
/// an order of the processor's own.
///
/// [`Plan`](crate::torus::Plan) is the face that callers see: it checks every length (the ones
/// stated there), so that implementations need not; what they do on others is unspecified, but they
/// neither write out of bounds nor read there. No operation has a timing that depends on
/// coefficient values, and none allocates, but for work space that is kept for the next call.
///
/// Where an operation takes `ahead`, it is the part of the key that will be read soon: a processor
/// may bring it into the second-level cache, evenly over the call, or ignore it.
pub trait Processor: fmt::Debug + Send + Sync {
    /// Words in a spectrum of digits.
    fn digit_len(&self) -> usize;

    /// Words in a spectrum of a torus element or a product.
    fn torus_len(&self) -> usize;

    /// Point `number` (below `N/2`), if spectra are complex values at the roots of `X^N + 1`.
    fn point(&self, number: usize) -> Option<Point> {
        let _ = number;
        None
    }

    /// Whether products are exact modulo 2^64, for digits and shapes that its documentation
    /// permits.
    fn is_exact(&self) -> bool {
        false
    }

    /// Transforms signed integers to a spectrum of digits.
    fn forward_signed(&self, spectrum: &mut [f64], polynomial: &[i64]);

    /// The spectrum of digits of a constant.
    fn forward_constant(&self, spectrum: &mut [f64], value: i64);

    /// The constant coefficient of [`Processor::inverse_torus`].
    fn constant(&self, spectrum: &[f64]) -> u64;

    /// Transforms torus elements to a spectrum of that kind.
    fn forward_torus(&self, spectrum: &mut [f64], polynomial: &[u64]);

    /// Transforms the digits of one level of a decomposition ([`Gadget::digit`] of every
    /// coefficient).
    fn forward_digits(
        &self,
        spectrum: &mut [f64],
        polynomial: &[u64],
        gadget: Gadget,
        level: u32,
        ahead: &[f64],
    );

    /// From a spectrum of a torus element, which is destroyed, to the nearest torus elements.
    fn inverse_torus(&self, polynomial: &mut [u64], spectrum: &mut [f64]);

    /// As [`Processor::inverse_torus`], but adds the result, modulo 2^64.
    fn inverse_torus_add(&self, polynomial: &mut [u64], spectrum: &mut [f64], ahead: &[f64]);

    /// `sum += torus·digits`, spectrum by spectrum.
    fn multiply_add(&self, sum: &mut [f64], torus: &[f64], digits: &[f64]);

    /// Writes a spectrum of a torus element to its place in a key.
    fn place(&self, key: &mut [f64], shape: KeyShape, index: KeyIndex, spectrum: &[f64]);

    /// `out[b][column] = Σ_row digits[b][row] · key[row][column]`, for a shape of one element.
    fn multiply(&self, out: &mut [f64], digits: &[f64], key: &[f64], shape: KeyShape);

    /// `out[b][column] = Σ_e (X^exponents[b][e] − 1) · Σ_row digits[b][row] · key[e][row][column]`;
    /// exponents count modulo `2N`.
    fn rotate_block(
        &self,
        out: &mut [f64],
        digits: &[f64],
        key: &[f64],
        shape: KeyShape,
        exponents: &[u32],
        ahead: &[f64],
    );

    /// As [`Processor::rotate_block`], but adds the result.
    fn rotate_block_add(
        &self,
        out: &mut [f64],
        digits: &[f64],
        key: &[f64],
        shape: KeyShape,
        exponents: &[u32],
        ahead: &[f64],
    );

    /// The block step in place for keys of this shape, where the processor can do that: a third
    /// less memory then passes through the caches.
    fn in_place(&self, shape: KeyShape) -> Option<&dyn InPlace> {
        let _ = shape;
        None
    }

    /// The block step by columns, where the processor can do that.
    fn by_columns(&self) -> Option<&dyn ByColumns> {
        None
    }
}

/// The block step by columns, so that each of two threads may have one: for processors that transform
/// digits that are given as such, and whose keys have all that belongs to a column together.
pub trait ByColumns {
    /// Whether it can for keys of this shape.
    fn suits(&self, shape: KeyShape) -> bool;

    /// For one ciphertext: digits, where they are given, add a product to what is there; else that takes
    /// the digits' place.
    fn rotate_column(&self, out: &mut [f64], digits: Option<&[f64]>, step: ColumnStep<'_>);

    /// The digits of one level of a decomposition, at most 25 bits wide.
    fn decompose(&self, digits: &mut [f32], polynomial: &[u64], gadget: Gadget, level: u32);

    /// [`Processor::forward_digits`] of digits.
    fn forward_decomposed(&self, spectrum: &mut [f64], digits: &[f32], ahead: &[f64]);
}

/// [`Processor::rotate_block`] in place: digits become products, spectrum by spectrum. For shapes
/// of as many rows as columns, and processors whose two kinds of spectra have one length.
pub trait InPlace {
    /// `spectra[b][column] = Σ_e (X^exponents[b][e] − 1) · Σ_row spectra[b][row] ·
    /// key[e][row][column]`.
    fn rotate_block(
        &self,
        spectra: &mut [f64],
        key: &[f64],
        shape: KeyShape,
        exponents: &[u32],
        ahead: &[f64],
    );
}
