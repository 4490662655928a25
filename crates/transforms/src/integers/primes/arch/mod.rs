//! Vectors of residues modulo one prime: the contract, and one thin implementation on each witness
//! of the crate's `arch`. A [`Kernel`] is a whole call. All `unsafe` of `primes` is in this
//! directory.
//!
//! **Residues** are lazy: numbers below a *limit*, a multiple of the prime, of which a word may
//! hold some bits too many above; with AVX2, numbers between minus and plus the limit. Bounds are
//! written as multiples of `p`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use super::butterfly::{Folding, Never};
use super::field::Primes;
#[cfg(target_arch = "x86_64")]
use crate::arch::{Avx2, Avx512Ifma};
use crate::arch::{Scalar, machine};
#[cfg(target_arch = "x86_64")]
use crate::integers::primes::butterfly::{EachLayer, EachPass};
use crate::integers::primes::crt::{Coefficients, Recover};
use std::marker::PhantomData;

/// How often sums have to be reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Never: the limit is `2^10`.
    Never,
    /// Once in four layers: the limit is 16.
    EachPass,
    /// In each layer: the limit is 4.
    EachLayer,
}

/// What the vectors of an instruction set need of a prime, as plain numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Modulus {
    pub(crate) p: u64,
    /// `1/p` modulo `2^R`, `R` being [`Residues::RADIX`].
    pub(crate) inverse: u64,
    /// `2^32`, as a factor.
    pub(crate) two_32: [u64; 2],
    /// `2^52` and 1, as factors.
    pub(crate) two_52: [u64; 2],
    pub(crate) one: [u64; 2],
    /// Half the limit, as a multiple of the prime.
    pub(crate) half: u64,
}

/// A residue below `p` to multiply by, and its quotient `⌊w·2^R/p⌋`.
#[derive(Clone, Copy)]
pub(crate) struct Factor<V: Residues> {
    pub(crate) value: V::Word,
    pub(crate) quotient: V::Word,
}

/// What an instruction set offers: registers of `LANES` residues.
pub(crate) trait Residues: Copy {
    /// Words per register: 1, 4 or 8.
    const LANES: usize;
    /// Bits of a word that products take: quotients of factors have this scale, and products of
    /// residues leave `2^-RADIX` as a factor.
    const RADIX: u32;
    /// Residues below 2 that are added before the sum, with one that was collected, is collected.
    const SUMMANDS: usize;
    type Word: Copy;
    /// As many words in memory.
    type Words;
    /// A prime's constants in registers.
    type Prime: Copy;
    /// Products that were added up without reductions.
    type Sum: Copy;

    /// Runs the kernel in a function of its own, compiled for this instruction set (`vectorize!`).
    fn vectorize<K: Kernel>(self, kernel: K);
    fn prime(self, modulus: &Modulus) -> Self::Prime;

    fn vectors(self, words: &[u64]) -> &[Self::Words];
    fn vectors_mut(self, words: &mut [u64]) -> &mut [Self::Words];
    fn load(self, from: &Self::Words) -> Self::Word;
    fn store(self, into: &mut Self::Words, x: Self::Word);
    fn splat(self, x: u64) -> Self::Word;

    /// `R` vectors at equal distances.
    #[inline(always)]
    fn load_strided<const R: usize>(
        self,
        from: &[Self::Words],
        first: usize,
        stride: usize,
    ) -> [Self::Word; R] {
        assert_strided::<R>(from.len(), first, stride);
        let mut x = [self.splat(0); R];
        for r in 0..R {
            // SAFETY: the last one is within bounds.
            x[r] = self.load(unsafe { from.get_unchecked(first + r * stride) });
        }
        x
    }
    /// Stores what [`Self::load_strided`] loads.
    #[inline(always)]
    fn store_strided<const R: usize>(
        self,
        into: &mut [Self::Words],
        first: usize,
        stride: usize,
        x: [Self::Word; R],
    ) {
        assert_strided::<R>(into.len(), first, stride);
        for r in 0..R {
            // SAFETY: the last one is within bounds.
            self.store(unsafe { into.get_unchecked_mut(first + r * stride) }, x[r]);
        }
    }

    /// `x + y`.
    fn add(self, x: Self::Word, y: Self::Word) -> Self::Word;
    /// `x + bias·p − y`, with `bias` 0, 2, 4 or 8 and `y` at most `x + bias`.
    fn sub<const BIAS: u64>(self, p: Self::Prime, x: Self::Word, y: Self::Word) -> Self::Word;
    /// `y·factor`, below 2.
    fn mul(self, p: Self::Prime, y: Self::Word, factor: Factor<Self>) -> Self::Word;
    /// `x + y·factor`.
    fn mul_add(
        self,
        p: Self::Prime,
        x: Self::Word,
        y: Self::Word,
        factor: Factor<Self>,
    ) -> Self::Word;
    /// From below the limit to below half of it, without bits too many.
    fn fold(self, p: Self::Prime, x: Self::Word) -> Self::Word;
    /// Without bits too many.
    fn clean(self, x: Self::Word) -> Self::Word;
    /// From below 2 to below 1, without bits too many.
    fn canonical(self, p: Self::Prime, x: Self::Word) -> Self::Word;
    /// Below 2, from a plain sum of [`Self::SUMMANDS`] residues below 2 and one that was collected.
    fn collect(self, p: Self::Prime, x: Self::Word) -> Self::Word;
    /// The residue, below 2, of a number of 64 bits.
    fn read(self, p: Self::Prime, x: Self::Word) -> Self::Word;
    /// From below the limit to below 2.
    fn reduce(self, p: Self::Prime, x: Self::Word) -> Self::Word;
    /// Integers below `2^52`, and canonical residues as integers.
    fn enter(self, x: Self::Word) -> Self::Word;
    fn leave(self, x: Self::Word) -> Self::Word;
    fn no_products(self) -> Self::Sum;
    /// One of at most 15 products of canonical residues with integers below `2^50`.
    fn accumulate(self, p: Self::Prime, sum: Self::Sum, a: Self::Word, b: Self::Word) -> Self::Sum;
    /// The residue of the sum, below 2 and without bits too many.
    fn settle(self, p: Self::Prime, sum: Self::Sum) -> Self::Word;
    /// `value` where an integer below `2^52` is above the bound, and 0 elsewhere.
    fn where_above(self, x: Self::Word, bound: Self::Word, value: Self::Word) -> Self::Word;
    /// `sum + x·inverse` in double precision, of integers below `2^52` and a number's bits.
    fn add_fraction(self, sum: Self::Word, x: Self::Word, inverse: f64) -> Self::Word;
    /// The integer nearest to such a sum below `2^51`.
    fn nearest(self, sum: Self::Word) -> Self::Word;
    /// 1 in words of memory that differ in their lowest bits, and 0 in others.
    fn parity(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `a·b·2^-RADIX`, below half the limit and without bits too many, of numbers below the limit.
    fn product(self, p: Self::Prime, a: Self::Word, b: Self::Word) -> Self::Word;

    /// From eight rows, one for each interleaved transform, with a word for each of `LANES`
    /// vectors, to the words of those vectors in memory's order.
    fn interleave(self, rows: [Self::Word; 8]) -> [Self::Word; 8];
    /// The inverse of that.
    fn separate(self, words: [Self::Word; 8]) -> [Self::Word; 8];
}

/// One check in place of as many as there are vectors.
#[inline(always)]
fn assert_strided<const R: usize>(length: usize, first: usize, stride: usize) {
    let last = stride.checked_mul(R - 1).and_then(|x| x.checked_add(first));
    assert!(
        last.is_some_and(|last| last < length),
        "{R} vectors from {first} on, {stride} apart, of {length}"
    );
}

/// A whole call. `run` must be `#[inline(always)]`, and so must everything generic that it calls:
/// only then does the code take on the target features. For the same reason no closure holds a
/// vector.
pub(crate) trait Kernel {
    fn run<V: Residues>(self, v: V);
}

/// A kernel whose sums are folded as often as registers and primes ask for
/// ([`Machine::dispatch_folding`]).
pub(crate) trait FoldingKernel {
    fn run<V: Residues, F: Folding>(self, v: V);
}

/// The same with that answered.
struct Folded<K, F>(K, PhantomData<F>);

impl<K: FoldingKernel, F: Folding> Kernel for Folded<K, F> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        self.0.run::<V, F>(v);
    }
}

machine!(Kernel<K> -> (); Avx2: Avx2, Avx512: Avx512Ifma);

impl Machine {
    /// The name of what runs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scalar(_) => "scalar",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2fma",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Ifma(_) => "avx512ifma",
        }
    }

    /// Bits of a product's radix (see [`Residues::RADIX`]).
    pub(crate) fn radix(self) -> u32 {
        match self {
            Self::Scalar(_) => Scalar::RADIX,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Avx2::RADIX,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Ifma(_) => Avx512Ifma::RADIX,
        }
    }

    /// A residue and its quotient, as [`Factor`]s have them.
    pub(crate) fn factor(self, value: u64, p: u64) -> [u64; 2] {
        #[cfg(target_arch = "x86_64")]
        if let Self::Avx2(_) = self {
            return Avx2::factor(value, p);
        }
        [
            value,
            ((u128::from(value) << self.radix()) / u128::from(p)) as u64,
        ]
    }

    pub(crate) fn modulus(self, primes: Primes, p: u64) -> Modulus {
        // Newton's iteration doubles the bits of the inverse that are right: p is its own modulo 8.
        let inverse = (0..5).fold(p, |x, _| {
            x.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(x)))
        });
        let half = match self.reduction(primes) {
            Reduction::Never => 1 << 9,
            Reduction::EachPass => 8,
            Reduction::EachLayer => 2,
        };
        Modulus {
            p,
            inverse: inverse & u64::MAX.checked_shr(64 - self.radix()).unwrap_or(0),
            two_32: self.factor((1 << 32) % p, p),
            two_52: self.factor((1 << 52) % p, p),
            one: self.factor(1, p),
            half: half * p,
        }
    }

    pub(crate) fn reduction(self, primes: Primes) -> Reduction {
        match (self.radix(), primes) {
            (64, _) => Reduction::Never,
            (_, Primes::Narrow) => Reduction::EachPass,
            (_, Primes::Wide) => Reduction::EachLayer,
        }
    }

    /// Only pairs that [`Self::reduction`] gives are compiled: each is a copy of the kernel's code.
    #[inline]
    pub(crate) fn dispatch_folding<K: FoldingKernel>(self, reduction: Reduction, kernel: K) {
        match (self, reduction) {
            (Self::Scalar(v), _) => v.vectorize(Folded::<_, Never>(kernel, PhantomData)),
            #[cfg(target_arch = "x86_64")]
            (Self::Avx2(v), Reduction::EachLayer) => {
                v.vectorize(Folded::<_, EachLayer>(kernel, PhantomData))
            }
            #[cfg(target_arch = "x86_64")]
            (Self::Avx2(v), _) => v.vectorize(Folded::<_, EachPass>(kernel, PhantomData)),
            #[cfg(target_arch = "x86_64")]
            (Self::Avx512Ifma(v), Reduction::EachLayer) => {
                v.vectorize(Folded::<_, EachLayer>(kernel, PhantomData))
            }
            #[cfg(target_arch = "x86_64")]
            (Self::Avx512Ifma(v), _) => v.vectorize(Folded::<_, EachPass>(kernel, PhantomData)),
        }
    }

    /// Recovers integers from residues (see `crt`).
    #[inline]
    pub(in crate::integers::primes) fn recover(
        self,
        recover: &Recover,
        coefficients: Coefficients<'_>,
        out: &mut [u64],
    ) -> u64 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Ifma(v) if !coefficients.is_empty() => {
                v.recover(recover, coefficients, out)
            }
            _ => scalar::recover(recover, coefficients, out),
        }
    }
}
