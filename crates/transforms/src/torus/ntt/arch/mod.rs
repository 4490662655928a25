//! Integer vectors for the number-theoretic transform: the contract, and one thin implementation on
//! each witness of the crate's `arch`. A [`Kernel`] is a whole call. All `unsafe` of the `ntt` is
//! in this directory.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

#[cfg(target_arch = "x86_64")]
use crate::arch::Avx512;
use crate::arch::{Scalar, machine};
use crate::torus::gadget::Scales;

/// What an instruction set offers: registers of `LANES` words of 64 bits. Sums and differences
/// wrap.
pub(crate) trait Lanes: Copy {
    /// Words per register: 1 or 8.
    const LANES: usize;
    type Word: Copy;
    /// As many words in memory.
    type Words;

    /// Runs the kernel in a function of its own, compiled for this instruction set (`vectorize!`).
    fn vectorize<K: Kernel>(self, kernel: K);

    fn vectors(self, words: &[u64]) -> &[Self::Words];
    fn vectors_mut(self, words: &mut [u64]) -> &mut [Self::Words];

    fn load(self, from: &Self::Words) -> Self::Word;
    fn store(self, into: &mut Self::Words, x: Self::Word);
    fn splat(self, x: u64) -> Self::Word;
    /// The same 32 bits in the lower half of every lane; the upper halves are unspecified.
    fn splat_low(self, x: i32) -> Self::Word;

    fn add(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn sub(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn xor(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Shift to the left.
    fn shl<const BITS: u32>(self, x: Self::Word) -> Self::Word;
    /// Shift to the right of an unsigned number.
    fn shr<const BITS: u32>(self, x: Self::Word) -> Self::Word;
    /// Shift to the right of a signed number.
    fn sar<const BITS: u32>(self, x: Self::Word) -> Self::Word;
    /// The lower half, as an unsigned number.
    fn low(self, x: Self::Word) -> Self::Word;
    /// The upper half moved to the lower; what the upper half becomes is unspecified.
    fn high(self, x: Self::Word) -> Self::Word;
    /// The lower half of the first, and above it the lower half of the second.
    fn join(self, low: Self::Word, high: Self::Word) -> Self::Word;
    /// Product of the lower halves as signed numbers.
    fn mul(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Product of the lower halves as unsigned numbers.
    fn mul_unsigned(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `a + b`, plus `2^32 − 1` if that carries out of 64 bits: the sum modulo `p`, provided that
    /// the second addition does not carry.
    fn add_modular(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `x`, or the prime in place of 0.
    fn nonzero(self, x: Self::Word) -> Self::Word;
    /// The lesser, as unsigned numbers.
    fn min(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// As many digits of 24 bits of a number of 64-bit limbs, the first of them number `at`, a
    /// multiple of `LANES`; zeros beyond the last limb.
    fn digits_24(self, limbs: &[u64], at: usize) -> Self::Word;
    /// The gadget digits of torus elements, signed (`Gadget::digit`).
    fn digit(self, torus: Self::Word, scales: Scales) -> Self::Word;

    /// Transposes a square of `LANES` registers.
    fn transpose(self, rows: &mut [Self::Word; 8]);

    /// Asks for the cache lines of `data` in the second-level cache.
    fn prefetch(self, data: &[u64]);
}

/// A whole call. `run` must be `#[inline(always)]`, and so must everything generic that it calls:
/// only then does the code take on the target features. For the same reason no closure holds a
/// vector.
pub(crate) trait Kernel {
    fn run<V: Lanes>(self, lanes: V);
}

machine!(Kernel<K> -> (); Avx512: Avx512);

impl Machine {
    pub(crate) fn lanes(self) -> usize {
        match self {
            Self::Scalar(_) => Scalar::LANES,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Avx512::LANES,
        }
    }
}

/// The words that a spectrum, typed as `f64`, consists of.
pub(crate) fn words(spectrum: &[f64]) -> &[u64] {
    bytemuck::cast_slice(spectrum)
}

/// As [`words`], to write to.
pub(crate) fn words_mut(spectrum: &mut [f64]) -> &mut [u64] {
    bytemuck::cast_slice_mut(spectrum)
}
