//! AVX2 with FMA: four lanes; conversions between 64-bit integers and `f64` in two halves.

use super::{Avx2, Kernel, Pair, Simd, proven, vectorize};
use std::arch::x86_64::*;

const LANES: usize = 4;
/// `1.5·2^52`: adding it rounds to an integer, which then stands in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
const TWO_32: f64 = 4_294_967_296.0;

impl Simd for Avx2 {
    memory!(LANES);
    type Float = __m256d;
    type Word = __m256i;

    vectorize!(Avx2 -> K::Output);

    #[inline(always)]
    fn load(self, from: &Self::Floats) -> Self::Float {
        proven!(_mm256_loadu_pd(from.as_ptr()))
    }
    #[inline(always)]
    fn store(self, into: &mut Self::Floats, x: Self::Float) {
        proven!(_mm256_storeu_pd(into.as_mut_ptr(), x))
    }
    #[inline(always)]
    fn load_singles(self, from: &Self::Singles) -> Self::Float {
        proven!(_mm256_cvtps_pd(_mm_loadu_ps(from.as_ptr())))
    }
    #[inline(always)]
    fn store_singles(self, into: &mut Self::Singles, x: Self::Float) {
        proven!(_mm_storeu_ps(into.as_mut_ptr(), _mm256_cvtpd_ps(x)))
    }
    #[inline(always)]
    fn splat(self, x: f64) -> Self::Float {
        proven!(_mm256_set1_pd(x))
    }
    #[inline(always)]
    fn add(self, a: Self::Float, b: Self::Float) -> Self::Float {
        proven!(_mm256_add_pd(a, b))
    }
    #[inline(always)]
    fn sub(self, a: Self::Float, b: Self::Float) -> Self::Float {
        proven!(_mm256_sub_pd(a, b))
    }
    #[inline(always)]
    fn mul(self, a: Self::Float, b: Self::Float) -> Self::Float {
        proven!(_mm256_mul_pd(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float {
        proven!(_mm256_fmadd_pd(a, b, c))
    }
    #[inline(always)]
    fn mul_sub(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float {
        proven!(_mm256_fmsub_pd(a, b, c))
    }
    #[inline(always)]
    fn neg_mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float {
        proven!(_mm256_fnmadd_pd(a, b, c))
    }
    #[inline(always)]
    fn exchange<const DISTANCE: usize>(self, a: Self::Float, b: Self::Float) -> [Self::Float; 2] {
        if DISTANCE == 1 {
            proven!([_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)])
        } else {
            proven!([
                _mm256_permute2f128_pd::<0x20>(a, b),
                _mm256_permute2f128_pd::<0x31>(a, b)
            ])
        }
    }

    #[inline(always)]
    fn load_words(self, from: &Self::Words) -> Self::Word {
        proven!(_mm256_loadu_si256(from.as_ptr().cast()))
    }
    #[inline(always)]
    fn store_words(self, into: &mut Self::Words, x: Self::Word) {
        proven!(_mm256_storeu_si256(into.as_mut_ptr().cast(), x))
    }
    #[inline(always)]
    fn add_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        proven!(_mm256_add_epi64(a, b))
    }
    #[inline(always)]
    fn sub_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        proven!(_mm256_sub_epi64(a, b))
    }
    #[inline(always)]
    fn and_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        proven!(_mm256_and_si256(a, b))
    }
    #[inline(always)]
    fn or_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        proven!(_mm256_or_si256(a, b))
    }
    #[inline(always)]
    fn splat_words(self, x: u64) -> Self::Word {
        proven!(_mm256_set1_epi64x(x as i64))
    }
    #[inline(always)]
    fn shl(self, x: Self::Word, count: u32) -> Self::Word {
        proven!(_mm256_sll_epi64(x, _mm_cvtsi64_si128(i64::from(count))))
    }
    #[inline(always)]
    fn sar(self, x: Self::Word, count: u32) -> Self::Word {
        // There is no such instruction: the sign goes through a shift of zeros as a bit that is
        // subtracted again.
        proven! {
            let sign = _mm256_set1_epi64x((1u64 << 63 >> count) as i64);
            let x = _mm256_srl_epi64(x, _mm_cvtsi64_si128(i64::from(count)));
            _mm256_sub_epi64(_mm256_xor_si256(x, sign), sign)
        }
    }
    #[inline(always)]
    fn shl_each(self, x: Self::Word, counts: Self::Word) -> Self::Word {
        proven!(_mm256_sllv_epi64(x, counts))
    }

    #[inline(always)]
    fn shorts(self, bytes: &[u8]) -> Self::Word {
        let bytes: &[u8; 2 * LANES] = &bytes.as_chunks().0[0];
        proven!(_mm256_cvtepi16_epi64(_mm_loadl_epi64(
            bytes.as_ptr().cast()
        )))
    }
    #[inline(always)]
    fn spread(self, bytes: &[u8], index: Self::Word) -> Self::Word {
        let bytes: &[u8; 8 * LANES] = &bytes.as_chunks().0[0];
        proven!(_mm256_permutevar8x32_epi32(
            _mm256_loadu_si256(bytes.as_ptr().cast()),
            index
        ))
    }
    #[inline(always)]
    fn bits(self, x: Self::Float) -> Self::Word {
        proven!(_mm256_castpd_si256(x))
    }
    #[inline(always)]
    fn float(self, x: Self::Word) -> Self::Float {
        // Each half becomes the mantissa of a number with a known exponent: 2^52 + low, and 2^84 +
        // (high + 2^31)·2^32. The difference of the offsets is exact; only the last sum rounds.
        const LOW: f64 = 4_503_599_627_370_496.0;
        const HIGH: f64 = 19_342_813_113_834_066_795_298_816.0;
        const OFFSET: f64 = HIGH + LOW + 9_223_372_036_854_775_808.0;
        proven! {
            let low = _mm256_blend_epi32::<0b1010_1010>(x, _mm256_castpd_si256(self.splat(LOW)));
            let sign = _mm256_set1_epi64x(HIGH.to_bits() as i64 ^ (1 << 31));
            let high = _mm256_xor_si256(_mm256_srli_epi64::<32>(x), sign);
            let high = self.sub(_mm256_castsi256_pd(high), self.splat(OFFSET));
            self.add(high, _mm256_castsi256_pd(low))
        }
    }
    #[inline(always)]
    fn round(self, x: Self::Float) -> Self::Word {
        let rounder = self.splat(ROUNDER);
        let high = self.mul_add(x, self.splat(1.0 / TWO_32), rounder);
        let low = self.neg_mul_add(self.sub(high, rounder), self.splat(TWO_32), x);
        let low = self.add(low, rounder);
        proven! {
            let high = _mm256_slli_epi64::<32>(_mm256_castpd_si256(high));
            let low = _mm256_sub_epi64(_mm256_castpd_si256(low), _mm256_castpd_si256(rounder));
            _mm256_add_epi64(high, low)
        }
    }

    #[inline(always)]
    fn prefetch(self, data: &[f64]) {
        for line in data.chunks(8) {
            proven!(_mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()));
        }
    }
}
