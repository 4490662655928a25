//! Instruction sets: the vector contract, one thin implementation each, and the choice among them.
//!
//! The algorithms in `negacyclic` are written once, generic over [`Simd`]. A value of a `Simd` type is
//! a zero-sized witness that the processor has the instructions; only `detect` makes one, so holding
//! one is the proof that every method is sound. A [`Kernel`] is a whole call (a forward transform, a
//! block product); [`Machine::dispatch`] picks the instruction set once per call and enters a
//! `#[target_feature]` function into which everything else is inlined.
//!
//! All `unsafe` of the crate is in this directory, in the one of the same name under `ntt`, and in the
//! binding to FFTW.

/// What every implementation of [`Simd`] says of memory in the same words: registers of `$lanes`
/// numbers are arrays of as many there. (Generic code cannot say it: an array's length may not be
/// an associated constant.)
macro_rules! memory {
    ($lanes:expr) => {
        const LANES: usize = $lanes;
        type Floats = [f64; $lanes];
        type Words = [u64; $lanes];

        #[inline(always)]
        fn pairs(self, floats: &[f64]) -> &[Pair<Self>] {
            floats.as_chunks().0.as_chunks().0
        }
        #[inline(always)]
        fn pairs_mut(self, floats: &mut [f64]) -> &mut [Pair<Self>] {
            floats.as_chunks_mut().0.as_chunks_mut().0
        }
        #[inline(always)]
        fn words(self, words: &[u64]) -> &[Self::Words] {
            words.as_chunks().0
        }
        #[inline(always)]
        fn words_mut(self, words: &mut [u64]) -> &mut [Self::Words] {
            words.as_chunks_mut().0
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod pages;
mod scalar;

pub(crate) use pages::{HUGE_PAGE, prefer_huge};

/// An instruction set with kernels of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Isa {
    /// Plain Rust on any machine; no fused multiply-add.
    Scalar,
    /// AVX2 with FMA: four lanes.
    Avx2,
    /// AVX-512 F and DQ: eight lanes.
    Avx512,
}

/// Signed integers as the words that represent them modulo 2^64.
pub(crate) fn as_words(signed: &[i64]) -> &[u64] {
    bytemuck::cast_slice(signed)
}

/// A complex vector in memory: the real lanes, then the imaginary ones.
pub(crate) type Pair<S> = [<S as Simd>::Floats; 2];

/// What an instruction set offers to the algorithms. `Float` and `Word` are registers of `LANES`
/// 64-bit numbers; `Floats` and `Words` are arrays of as many in memory, of any alignment.
pub(crate) trait Simd: Copy {
    /// Numbers per register: 4 or 8.
    const LANES: usize;
    type Float: Copy;
    type Word: Copy;
    type Floats;
    type Words;

    /// Enters a function compiled for this instruction set and runs the kernel in it. Within a kernel it sets a part
    /// apart: what a compiler does to one function takes more than twice as long for twice the function.
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output;

    fn pairs(self, floats: &[f64]) -> &[Pair<Self>];
    fn pairs_mut(self, floats: &mut [f64]) -> &mut [Pair<Self>];
    fn words(self, words: &[u64]) -> &[Self::Words];
    fn words_mut(self, words: &mut [u64]) -> &mut [Self::Words];

    fn load(self, from: &Self::Floats) -> Self::Float;
    fn store(self, into: &mut Self::Floats, x: Self::Float);
    fn splat(self, x: f64) -> Self::Float;
    fn add(self, a: Self::Float, b: Self::Float) -> Self::Float;
    fn sub(self, a: Self::Float, b: Self::Float) -> Self::Float;
    fn mul(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a·b + c`, fused where the instruction set can.
    fn mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;
    /// `a·b − c`.
    fn mul_sub(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;
    /// `c − a·b`.
    fn neg_mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;
    /// Exchanges one bit of the lane number with the bit that tells `a` from `b`: the first result has
    /// the lanes with `lane & DISTANCE == 0`, those of `b` moved up by `DISTANCE`; the second the others,
    /// those of `a` moved down. For every `DISTANCE` in turn, on rows as far apart, it transposes a square.
    fn exchange<const DISTANCE: usize>(self, a: Self::Float, b: Self::Float) -> [Self::Float; 2];

    fn load_words(self, from: &Self::Words) -> Self::Word;
    fn store_words(self, into: &mut Self::Words, x: Self::Word);
    fn add_words(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn sub_words(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn and_words(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn or_words(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn splat_words(self, x: u64) -> Self::Word;
    /// Every word shifted left by `count`, below 64.
    fn shl(self, x: Self::Word, count: u32) -> Self::Word;
    /// Every word shifted right by `count`, below 64, its highest bit filling the place.
    fn sar(self, x: Self::Word, count: u32) -> Self::Word;
    /// Every word shifted left by a count of its own, below 64.
    fn shl_each(self, x: Self::Word, counts: Self::Word) -> Self::Word;
    /// For every half of every word, the 32 bits that are number `index` (the half at its place there, below
    /// `2·LANES`) of the first `8·LANES` bytes, lowest byte first.
    fn spread(self, bytes: &[u8], index: Self::Word) -> Self::Word;
    /// The signed numbers of 16 bits in the first bytes, two for each lane.
    fn shorts(self, bytes: &[u8]) -> Self::Word;
    /// The representation of each number.
    fn bits(self, x: Self::Float) -> Self::Word;
    /// Each word, read as a signed integer, rounded to the nearest `f64`.
    fn float(self, x: Self::Word) -> Self::Float;
    /// The integer nearest to each number, modulo 2^64. Requires `|x| ≤ 2^63`.
    fn round(self, x: Self::Float) -> Self::Word;

    /// Asks for the cache lines of `data` in the second-level cache.
    fn prefetch(self, data: &[f64]);
}

/// A whole call, generic over the instruction set it runs on. `run` must be `#[inline(always)]`, and so
/// must everything generic that it calls: only then does the code take on the target features.
pub(crate) trait Kernel {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// The instruction set of a processor, as the witness that detection made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Machine {
    Scalar(scalar::Scalar),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
}

impl Machine {
    /// `None` if the processor, or the build, lacks the instruction set.
    pub(crate) fn new(isa: Isa) -> Option<Self> {
        match isa {
            Isa::Scalar => Some(Self::Scalar(scalar::Scalar)),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::Avx2::detect().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => avx512::Avx512::detect().map(Self::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 | Isa::Avx512 => None,
        }
    }

    pub(crate) fn lanes(self) -> usize {
        struct Lanes;
        impl Kernel for Lanes {
            type Output = usize;
            #[inline(always)]
            fn run<S: Simd>(self, _: S) -> usize {
                S::LANES
            }
        }
        self.dispatch(Lanes)
    }

    #[inline]
    pub(crate) fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Self::Scalar(simd) => simd.vectorize(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => simd.vectorize(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => simd.vectorize(kernel),
        }
    }
}
