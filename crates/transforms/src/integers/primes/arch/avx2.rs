//! AVX2 with FMA: four residues as integers in double precision, between minus and plus their
//! bounds.
//!
//! A product `y·w` is `h + l` with `h` its rounded value and `l` what a fused operation finds that
//! it lacks. With `q` near `y·w/p`, the difference `h − q·p` is an integer below `2^53`, which a
//! second fused operation has exactly. For `y` below the limit, or `2^52`, `q` is wrong by less
//! than `2^52·2^-52` besides its rounding: results are below `3/2·p`. (The method of FLINT's
//! `fft_small`.)

use super::{Factor, Kernel, Modulus, Residues};
use crate::arch::{Avx2, proven, vectorize};
use std::arch::x86_64::*;

const LANES: usize = 4;
const TO_NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
/// `2^52`, whose lowest bits are those of an integer added to it, and `2^84`.
const TWO_52: f64 = 4_503_599_627_370_496.0;
const TWO_84: f64 = 19_342_813_113_834_066_795_298_816.0;

impl Avx2 {
    /// A residue and `w/p`.
    pub(super) fn factor(value: u64, p: u64) -> [u64; 2] {
        let value = value as f64;
        [value, value / p as f64].map(f64::to_bits)
    }
}

/// A prime and its reciprocal in registers.
#[derive(Clone, Copy)]
pub(crate) struct Prime {
    p: __m256d,
    reciprocal: __m256d,
}

impl Avx2 {
    #[inline(always)]
    fn number(self, x: f64) -> __m256d {
        proven!(_mm256_set1_pd(x))
    }

    /// `a·b − q·p`.
    #[inline(always)]
    fn difference(self, p: Prime, a: __m256d, b: __m256d, q: __m256d) -> __m256d {
        proven! {
            let q = _mm256_round_pd::<TO_NEAREST>(q);
            let high = _mm256_mul_pd(a, b);
            let low = _mm256_fmsub_pd(a, b, high);
            _mm256_add_pd(_mm256_fnmadd_pd(q, p.p, high), low)
        }
    }
}

impl Residues for Avx2 {
    const LANES: usize = LANES;
    const RADIX: u32 = 0;
    const SUMMANDS: usize = 3;
    type Word = __m256d;
    type Words = [u64; LANES];
    type Prime = Prime;
    /// Products are reduced as they are added.
    type Sum = __m256d;

    vectorize!(Avx2 -> ());

    #[inline(always)]
    fn prime(self, modulus: &Modulus) -> Prime {
        let p = modulus.p as f64;
        Prime {
            p: self.number(p),
            reciprocal: self.number(1.0 / p),
        }
    }

    #[inline(always)]
    fn vectors(self, words: &[u64]) -> &[[u64; LANES]] {
        words.as_chunks().0
    }
    #[inline(always)]
    fn vectors_mut(self, words: &mut [u64]) -> &mut [[u64; LANES]] {
        words.as_chunks_mut().0
    }
    #[inline(always)]
    fn load(self, from: &[u64; LANES]) -> __m256d {
        proven!(_mm256_loadu_pd(from.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, into: &mut [u64; LANES], x: __m256d) {
        proven!(_mm256_storeu_pd(into.as_mut_ptr().cast(), x))
    }
    #[inline(always)]
    fn splat(self, x: u64) -> __m256d {
        self.number(f64::from_bits(x))
    }

    #[inline(always)]
    fn add(self, x: __m256d, y: __m256d) -> __m256d {
        proven!(_mm256_add_pd(x, y))
    }
    #[inline(always)]
    fn sub<const BIAS: u64>(self, _: Prime, x: __m256d, y: __m256d) -> __m256d {
        proven!(_mm256_sub_pd(x, y))
    }
    #[inline(always)]
    fn mul(self, p: Prime, y: __m256d, factor: Factor<Self>) -> __m256d {
        let q = proven!(_mm256_mul_pd(y, factor.quotient));
        self.difference(p, y, factor.value, q)
    }
    #[inline(always)]
    fn mul_add(self, p: Prime, x: __m256d, y: __m256d, factor: Factor<Self>) -> __m256d {
        self.add(x, self.mul(p, y, factor))
    }
    #[inline(always)]
    fn fold(self, p: Prime, x: __m256d) -> __m256d {
        proven! {
            let q = _mm256_round_pd::<TO_NEAREST>(_mm256_mul_pd(x, p.reciprocal));
            _mm256_fnmadd_pd(q, p.p, x)
        }
    }
    #[inline(always)]
    fn clean(self, x: __m256d) -> __m256d {
        x
    }
    #[inline(always)]
    fn canonical(self, p: Prime, x: __m256d) -> __m256d {
        // Above −p/2 and below p: one addition where it is negative.
        let x = self.fold(p, x);
        self.leave(proven! {
            _mm256_add_pd(x, _mm256_and_pd(p.p, _mm256_cmp_pd::<_CMP_LT_OQ>(x, _mm256_setzero_pd())))
        })
    }
    #[inline(always)]
    fn collect(self, p: Prime, x: __m256d) -> __m256d {
        self.fold(p, x)
    }
    #[inline(always)]
    fn read(self, p: Prime, x: __m256d) -> __m256d {
        // Each half becomes the mantissa of a number with a known exponent.
        proven! {
            let x = _mm256_castpd_si256(x);
            let low = _mm256_blend_epi32::<0b1010_1010>(x, _mm256_castpd_si256(self.number(TWO_52)));
            let high = _mm256_or_si256(_mm256_srli_epi64::<32>(x), _mm256_castpd_si256(self.number(TWO_84)));
            let high = _mm256_sub_pd(_mm256_castsi256_pd(high), self.number(TWO_84));
            let low = _mm256_sub_pd(_mm256_castsi256_pd(low), self.number(TWO_52));
            _mm256_add_pd(self.fold(p, high), low)
        }
    }
    #[inline(always)]
    fn product(self, p: Prime, a: __m256d, b: __m256d) -> __m256d {
        // With one factor below p/2, the quotient is below 2^51.
        let a = self.fold(p, a);
        let q = proven!(_mm256_mul_pd(_mm256_mul_pd(a, b), p.reciprocal));
        self.difference(p, a, b, q)
    }

    #[inline(always)]
    fn reduce(self, p: Prime, x: __m256d) -> __m256d {
        self.fold(p, x)
    }
    #[inline(always)]
    fn enter(self, x: __m256d) -> __m256d {
        proven! {
            _mm256_sub_pd(_mm256_or_pd(x, self.number(TWO_52)), self.number(TWO_52))
        }
    }
    #[inline(always)]
    fn leave(self, x: __m256d) -> __m256d {
        proven! {
            _mm256_xor_pd(_mm256_add_pd(x, self.number(TWO_52)), self.number(TWO_52))
        }
    }
    #[inline(always)]
    fn no_products(self) -> __m256d {
        self.number(0.0)
    }
    #[inline(always)]
    fn accumulate(self, p: Prime, sum: __m256d, a: __m256d, b: __m256d) -> __m256d {
        let q = proven!(_mm256_mul_pd(_mm256_mul_pd(a, b), p.reciprocal));
        self.add(self.fold(p, sum), self.difference(p, a, b, q))
    }
    #[inline(always)]
    fn settle(self, _: Prime, sum: __m256d) -> __m256d {
        sum
    }
    #[inline(always)]
    fn where_above(self, x: __m256d, bound: __m256d, value: __m256d) -> __m256d {
        proven!(_mm256_and_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(x, bound), value))
    }
    #[inline(always)]
    fn add_fraction(self, sum: __m256d, x: __m256d, inverse: f64) -> __m256d {
        proven!(_mm256_fmadd_pd(x, self.number(inverse), sum))
    }
    #[inline(always)]
    fn nearest(self, sum: __m256d) -> __m256d {
        proven!(_mm256_round_pd::<TO_NEAREST>(sum))
    }

    #[inline(always)]
    fn parity(self, a: __m256d, b: __m256d) -> __m256d {
        proven!(_mm256_and_pd(_mm256_xor_pd(a, b), self.splat(1)))
    }

    #[inline(always)]
    fn interleave(self, rows: [__m256d; 8]) -> [__m256d; 8] {
        let [a0, a1, a2, a3, b0, b1, b2, b3] = rows;
        let [a0, a1, a2, a3] = self.transpose([a0, a1, a2, a3]);
        let [b0, b1, b2, b3] = self.transpose([b0, b1, b2, b3]);
        [a0, b0, a1, b1, a2, b2, a3, b3]
    }
    #[inline(always)]
    fn separate(self, words: [__m256d; 8]) -> [__m256d; 8] {
        let [a0, b0, a1, b1, a2, b2, a3, b3] = words;
        let (a, b) = (
            self.transpose([a0, a1, a2, a3]),
            self.transpose([b0, b1, b2, b3]),
        );
        [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]
    }
}

impl Avx2 {
    #[inline(always)]
    fn transpose(self, [a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
        proven! {
            let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
            let (ab_odd, cd_odd) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(ab, cd),
                _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
                _mm256_permute2f128_pd::<0x31>(ab, cd),
                _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
            ]
        }
    }
}
