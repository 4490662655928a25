//! Lines of 512 bits: the contract, and an implementation on each witness of the crate's `arch`.
//! All `unsafe` of packed rows is in this directory.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod plain;
mod scalar;

use crate::arch::machine;

/// Words that are cut and joined at a time.
pub(crate) const GROUP: usize = 64;
/// Lines of their lower halves.
pub(crate) const GROUP_LOWS: usize = 4;
/// Lines of a chunk's lower halves.
pub(super) const LOWS: usize = 32;
/// Bits of a word that are cut at a time.
pub(crate) const LEVEL: usize = 8;

/// Sixteen lower halves of words, the first one lowest, or a bit of each of 512 words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Line(pub(crate) [u64; 8]);

impl Line {
    pub(crate) const ZERO: Self = Self([0; 8]);
}

/// Bits 32 and up of a group's words, by levels of eight bits: for each bit a number with that bit
/// of each of the 64 words.
pub(crate) type Planes<const LEVELS: usize> = [[u64; LEVEL]; LEVELS];

/// What an instruction set offers.
pub(crate) trait Lines: Copy {
    /// A line in registers.
    type Bits: Copy;

    /// Runs the kernel in a function of its own, compiled for this instruction set (`vectorize!`).
    fn vectorize<K: Kernel>(self, kernel: K);

    fn load(self, from: &Line) -> Self::Bits;
    fn store(self, into: &mut Line, x: Self::Bits);
    /// The same number sixteen times.
    fn splat(self, x: u32) -> Self::Bits;
    /// Sixteen sums modulo 2^32.
    fn add(self, a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// Where the number in `a` is less than that in `b`.
    fn below(self, a: Self::Bits, b: Self::Bits) -> u16;
    /// `x` with the masks of four lines as its word of that number. (A line of masks that is stored
    /// by its parts has to wait for all of them before it can be loaded.)
    fn with_masks(self, x: Self::Bits, number: usize, masks: [u16; 4]) -> Self::Bits;
    /// `a − b` modulo 2^32 at the chosen places, `a` at others.
    fn sub_where(self, chosen: u16, a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// The bits that are in one or three of these.
    fn odd(self, a: Self::Bits, b: Self::Bits, c: Self::Bits) -> Self::Bits;
    /// The bits that are in two or three of these.
    fn most(self, a: Self::Bits, b: Self::Bits, c: Self::Bits) -> Self::Bits;
    fn or(self, a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// The bits of `a` where those of `chosen` are 1, and those of `b` elsewhere.
    fn choose(self, chosen: Self::Bits, a: Self::Bits, b: Self::Bits) -> Self::Bits;

    /// Takes words apart: into their lower halves, and what stands above these.
    #[inline(always)]
    fn cut<const LEVELS: usize>(
        self,
        words: &[u64; GROUP],
        low: &mut [Line; GROUP_LOWS],
        planes: &mut Planes<LEVELS>,
    ) {
        plain::cut(words, low, planes);
    }
    /// The inverse of that.
    #[inline(always)]
    fn join<const LEVELS: usize>(
        self,
        low: &[Line; GROUP_LOWS],
        planes: &Planes<LEVELS>,
        words: &mut [u64; GROUP],
    ) {
        plain::join(low, planes, words);
    }
}

/// A whole call. `run` must be `#[inline(always)]`, and so must everything generic that it calls:
/// only then does the code take on the target features.
pub(crate) trait Kernel {
    fn run<V: Lines>(self, v: V);
}

machine!(Kernel<K> -> (); Avx2: Avx2, Avx512: Avx512Gfni);
