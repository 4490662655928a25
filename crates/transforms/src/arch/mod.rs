//! Instruction sets: what this machine has (`witness`), and vectors of floating-point numbers and
//! words on them.
//!
//! Every algorithm is written once, generic over the vectors of its family: [`Simd`] here, for what
//! computes in `f64`, and a trait of the same kind in the `arch` of `torus::ntt` and of
//! `integers::primes`. A value of such a type is a witness, zero-sized: only its `detect` makes
//! one, so holding one is the proof that every method is sound. A [`Kernel`] is a whole call (a
//! forward transform, a block product); [`Machine::dispatch`] picks the instruction set once per
//! call and enters a `#[target_feature]` function into which everything else is inlined.
//!
//! All `unsafe` of the crate is in these three directories, in the `arch` of `integers::columns` and
//! of `cyclotomic::packed`, and in the binding to FFTW.

/// What every implementation of [`Simd`] says of memory in the same words: registers of `$lanes`
/// numbers are arrays of as many there. (Generic code cannot say it: an array's length may not be
/// an associated constant.)
macro_rules! memory {
    ($lanes:expr) => {
        const LANES: usize = $lanes;
        type Floats = [f64; $lanes];
        type Words = [u64; $lanes];
        type Singles = [f32; $lanes];

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
        #[inline(always)]
        fn singles(self, singles: &[f32]) -> &[Self::Singles] {
            singles.as_chunks().0
        }
        #[inline(always)]
        fn singles_mut(self, singles: &mut [f32]) -> &mut [Self::Singles] {
            singles.as_chunks_mut().0
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod instruction_set;
mod pages;
mod scalar;
mod witness;

pub use instruction_set::InstructionSet;
pub(crate) use pages::{HUGE_PAGE, prefer_huge};
#[cfg(target_arch = "x86_64")]
pub(crate) use witness::{Avx2, Avx512, Avx512Gfni, Avx512Ifma, Avx512Vbmi, proven};
pub(crate) use witness::{Scalar, machine, vectorize};

/// Signed integers as the words that represent them modulo 2^64.
pub(crate) fn as_words(signed: &[i64]) -> &[u64] {
    bytemuck::cast_slice(signed)
}

/// A complex vector in memory: the real lanes, then the imaginary ones.
pub(crate) type Pair<S> = [<S as Simd>::Floats; 2];

/// What an instruction set offers to the algorithms. `Float` and `Word` are registers of `LANES`
/// 64-bit numbers; `Floats`, `Words` and `Singles` (of 32 bits) are arrays of as many in memory, of any
/// alignment.
pub(crate) trait Simd: Copy {
    /// Numbers per register: 4 or 8.
    const LANES: usize;
    type Float: Copy;
    type Word: Copy;
    type Floats;
    type Words;
    type Singles;

    /// Runs the kernel in a function of its own, compiled for this instruction set (`vectorize!`).
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output;

    fn pairs(self, floats: &[f64]) -> &[Pair<Self>];
    fn pairs_mut(self, floats: &mut [f64]) -> &mut [Pair<Self>];
    fn words(self, words: &[u64]) -> &[Self::Words];
    fn words_mut(self, words: &mut [u64]) -> &mut [Self::Words];
    fn singles(self, singles: &[f32]) -> &[Self::Singles];
    fn singles_mut(self, singles: &mut [f32]) -> &mut [Self::Singles];

    fn load(self, from: &Self::Floats) -> Self::Float;
    fn store(self, into: &mut Self::Floats, x: Self::Float);
    fn load_singles(self, from: &Self::Singles) -> Self::Float;
    /// Each number rounded to the nearest `f32`.
    fn store_singles(self, into: &mut Self::Singles, x: Self::Float);
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
    /// Exchanges one bit of the lane number with the choice between `a` and `b`: the first result
    /// has the lanes with `lane & DISTANCE == 0`, those of `b` moved up by `DISTANCE`; the second
    /// the others, those of `a` moved down. For every `DISTANCE` in turn, on rows as far apart, it
    /// transposes a square.
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
    /// For every half of every word, the 32 bits that are number `index` (the half at its place
    /// there, below `2·LANES`) of the first `8·LANES` bytes, lowest byte first.
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

/// A whole call, generic over the instruction set it runs on. `run` must be `#[inline(always)]`,
/// and so must everything generic that it calls: only then does the code take on the target
/// features.
pub(crate) trait Kernel {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

machine!(Kernel<K> -> K::Output; Avx2: Avx2, Avx512: Avx512);

impl Machine {
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
}
