//! The instruction sets that transforms have kernels for, by name.

#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512};
use std::fmt;

/// An instruction set that kernels are written for. What it takes in detail is the kernel's
/// business: one that needs more than the machine has of it runs the next lower set's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum InstructionSet {
    /// Plain Rust, on any machine.
    Scalar,
    /// AVX2 with FMA: registers of four words.
    Avx2,
    /// AVX-512 F and DQ: registers of eight words.
    Avx512,
}

impl InstructionSet {
    /// Every one, slowest first.
    pub(crate) const ALL: [Self; 3] = [Self::Scalar, Self::Avx2, Self::Avx512];

    /// Every one that this machine has, slowest first.
    pub fn available() -> Vec<Self> {
        Self::ALL
            .into_iter()
            .filter(|set| match set {
                Self::Scalar => true,
                #[cfg(target_arch = "x86_64")]
                Self::Avx2 => Avx2::detect().is_some(),
                #[cfg(target_arch = "x86_64")]
                Self::Avx512 => Avx512::detect().is_some(),
                #[cfg(not(target_arch = "x86_64"))]
                _ => false,
            })
            .collect()
    }

    /// The fastest one of this machine.
    pub fn detect() -> Self {
        Self::available().pop().unwrap_or(Self::Scalar)
    }

    /// The name, as command lines and records have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
