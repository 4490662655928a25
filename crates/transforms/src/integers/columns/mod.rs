//! Products of short integers by columns: the schoolbook's sums, eight columns to a register.
//!
//! The numbers are written in digits of 52 bits, which is what IFMA multiplies. Eight digits are 52
//! bytes, so that a register of them is made from, and stored to, any multiple of 52 bytes by one
//! permutation of bytes and one shift. Of each product of digits `aᵢ·bⱼ` the lower half is added
//! to column `i + j` and the upper half to a sum of its own, which belongs to column `i + j + 1`.
//! Nothing is carried before a column is whole: sums of `t` halves are below `t·2^52`, so that 64
//! bits hold those of [`Columns::MOST`] limbs with room to spare.
//!
//! For `n` limbs by `m`, `2·(64/52)²/8 = 0.38` instructions for each of the `n·m` products of
//! limbs. Gueron and Krasnov, Accelerating big integer arithmetic using Intel IFMA extensions
//! (2016), have the digits; carries through lanes of ones are those of
//! [`primes`](super::primes)'s assembly.
//!
//! Timing depends on the lengths only.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod arch;

#[cfg(target_arch = "x86_64")]
use crate::arch::Avx512Vbmi;

/// The proof that this machine computes products by columns.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    #[cfg(target_arch = "x86_64")]
    machine: Avx512Vbmi,
    #[cfg(not(target_arch = "x86_64"))]
    never: std::convert::Infallible,
}

impl Columns {
    /// Limbs of the longest operand.
    pub const MOST: usize = 256;

    /// `None` if this machine lacks IFMA or VBMI of AVX-512.
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        return Avx512Vbmi::detect().map(|machine| Self { machine });
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// `out = a·b`.
    ///
    /// # Panics
    /// If an operand is longer than [`Self::MOST`], or `out` is not as long as both together.
    pub fn multiply(self, out: &mut [u64], a: &[u64], b: &[u64]) {
        assert_eq!(out.len(), a.len() + b.len(), "limbs of a product");
        assert!(a.len().max(b.len()) <= Self::MOST, "operands by columns");
        #[cfg(target_arch = "x86_64")]
        self.machine.multiply_columns(out, a, b);
        #[cfg(not(target_arch = "x86_64"))]
        match self.never {}
    }
}

#[cfg(test)]
mod tests;
