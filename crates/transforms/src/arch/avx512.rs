//! AVX-512 (F and DQ): eight lanes, integer conversions in hardware.

use super::{Avx512, Kernel, Pair, Simd, proven, vectorize};
use std::arch::x86_64::*;

const LANES: usize = 8;

impl Simd for Avx512 {
    memory!(LANES);
    type Float = __m512d;
    type Word = __m512i;

    vectorize!(Avx512 -> K::Output);

    #[inline(always)]
    fn load(self, from: &Self::Floats) -> Self::Float {
        proven!(_mm512_loadu_pd(from.as_ptr()))
    }
    #[inline(always)]
    fn store(self, into: &mut Self::Floats, x: Self::Float) {
        proven!(_mm512_storeu_pd(into.as_mut_ptr(), x))
    }
    #[inline(always)]
    fn load_singles(self, from: &Self::Singles) -> Self::Float {
        proven!(_mm512_cvtps_pd(_mm256_loadu_ps(from.as_ptr())))
    }
    #[inline(always)]
    fn store_singles(self, into: &mut Self::Singles, x: Self::Float) {
        proven!(_mm256_storeu_ps(into.as_mut_ptr(), _mm512_cvtpd_ps(x)))
    }
    #[inline(always)]
    fn splat(self, x: f64) -> Self::Float {
        proven!(_mm512_set1_pd(x))
    }
    #[inline(always)]
    fn add(self, a: Self::Float, b: Self::Float) -> Self::Float {
        proven!(_mm512_add_pd(a, b))
    }
    #[inline(always)]
    fn sub(self, a: Self::Float, b: Self::Float) -> Self::Float {
        proven!(_mm512_sub_pd(a, b))
    }
    #[inline(always)]
    fn mul(self, a: Self::Float, b: Self::Float) -> Self::Float {
        proven!(_mm512_mul_pd(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float {
        proven!(_mm512_fmadd_pd(a, b, c))
    }
    #[inline(always)]
    fn mul_sub(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float {
        proven!(_mm512_fmsub_pd(a, b, c))
    }
    #[inline(always)]
    fn neg_mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float {
        proven!(_mm512_fnmadd_pd(a, b, c))
    }
    #[inline(always)]
    fn exchange<const DISTANCE: usize>(self, a: Self::Float, b: Self::Float) -> [Self::Float; 2] {
        match DISTANCE {
            1 => proven!([_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)]),
            2 => proven! {
                let low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
                let high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
                [_mm512_permutex2var_pd(a, low, b), _mm512_permutex2var_pd(a, high, b)]
            },
            _ => proven! {
                [_mm512_shuffle_f64x2::<0x44>(a, b), _mm512_shuffle_f64x2::<0xee>(a, b)]
            },
        }
    }

    #[inline(always)]
    fn load_words(self, from: &Self::Words) -> Self::Word {
        proven!(_mm512_loadu_epi64(from.as_ptr().cast()))
    }
    #[inline(always)]
    fn store_words(self, into: &mut Self::Words, x: Self::Word) {
        proven!(_mm512_storeu_epi64(into.as_mut_ptr().cast(), x))
    }
    #[inline(always)]
    fn add_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        proven!(_mm512_add_epi64(a, b))
    }
    #[inline(always)]
    fn sub_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        proven!(_mm512_sub_epi64(a, b))
    }
    #[inline(always)]
    fn and_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        proven!(_mm512_and_si512(a, b))
    }
    #[inline(always)]
    fn or_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        proven!(_mm512_or_si512(a, b))
    }
    #[inline(always)]
    fn splat_words(self, x: u64) -> Self::Word {
        proven!(_mm512_set1_epi64(x as i64))
    }
    #[inline(always)]
    fn shl(self, x: Self::Word, count: u32) -> Self::Word {
        proven!(_mm512_sll_epi64(x, _mm_cvtsi64_si128(i64::from(count))))
    }
    #[inline(always)]
    fn sar(self, x: Self::Word, count: u32) -> Self::Word {
        proven!(_mm512_sra_epi64(x, _mm_cvtsi64_si128(i64::from(count))))
    }
    #[inline(always)]
    fn shl_each(self, x: Self::Word, counts: Self::Word) -> Self::Word {
        proven!(_mm512_sllv_epi64(x, counts))
    }

    #[inline(always)]
    fn shorts(self, bytes: &[u8]) -> Self::Word {
        let bytes: &[u8; 2 * LANES] = &bytes.as_chunks().0[0];
        proven!(_mm512_cvtepi16_epi64(_mm_loadu_si128(
            bytes.as_ptr().cast()
        )))
    }
    #[inline(always)]
    fn spread(self, bytes: &[u8], index: Self::Word) -> Self::Word {
        let bytes: &[u8; 8 * LANES] = &bytes.as_chunks().0[0];
        proven!(_mm512_permutexvar_epi32(
            index,
            _mm512_loadu_epi64(bytes.as_ptr().cast())
        ))
    }
    #[inline(always)]
    fn bits(self, x: Self::Float) -> Self::Word {
        proven!(_mm512_castpd_si512(x))
    }
    #[inline(always)]
    fn float(self, x: Self::Word) -> Self::Float {
        proven!(_mm512_cvtepi64_pd(x))
    }
    #[inline(always)]
    fn round(self, x: Self::Float) -> Self::Word {
        // 2^63 is out of range, and what it converts to then, −2^63, is equal to it modulo 2^64.
        proven!(_mm512_cvtpd_epi64(x))
    }

    #[inline(always)]
    fn prefetch(self, data: &[f64]) {
        for line in data.chunks(8) {
            proven!(_mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()));
        }
    }
}
