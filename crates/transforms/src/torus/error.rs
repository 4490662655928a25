//! The one error type of the torus: what a plan or a gadget refuses at construction.

use crate::torus::Fft;

/// Why a transform could not be set up. Nothing after construction can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransformError {
    /// The number of coefficients is not a power of two within the supported range.
    #[error(
        "a polynomial of {coefficients} coefficients has no transform here: a power of two from 32 to 65536 has"
    )]
    UnsupportedSize {
        /// What was asked for.
        coefficients: usize,
    },
    /// The machine lacks the instructions, or the build the library.
    #[error("this machine cannot run the FFT processor {fft}; it has {}", crate::torus::processors::names(&Fft::available()))]
    UnavailableFft {
        /// What was asked for.
        fft: Fft,
    },
    /// No FFT processor has this name.
    #[error(
        "there is no such FFT processor; this machine has {}",
        crate::torus::processors::names(&Fft::available())
    )]
    UnknownFft,
    /// The gadget has no levels, no base, or more bits than 64-bit floating point decomposes
    /// exactly.
    #[error(
        "a gadget of {levels} levels of {base_log} bits: there must be at least one of each, and at most 52 bits in all"
    )]
    UnsupportedGadget {
        /// Bits per digit.
        base_log: u32,
        /// Number of digits.
        levels: u32,
    },
}
