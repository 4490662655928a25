//! The one error type of the crate: what a plan or a gadget refuses at construction.

use crate::Isa;

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
    /// The processor, or the build, lacks the instruction set.
    #[error("this machine does not offer {isa}")]
    UnavailableIsa {
        /// What was asked for.
        isa: Isa,
    },
    /// The gadget has no levels, no base, or more bits than 64-bit floating point decomposes exactly.
    #[error(
        "a gadget of {levels} levels of {base_log} bits: both must be at least 1, and their product at most 52"
    )]
    UnsupportedGadget {
        /// Bits per digit.
        base_log: u32,
        /// Number of digits.
        levels: u32,
    },
}
