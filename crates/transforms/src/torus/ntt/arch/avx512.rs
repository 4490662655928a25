//! AVX-512 (F and DQ): eight lanes. Every operation of the contract is one instruction but
//! `add_modular` (three), `nonzero` (two), `digit` (seven), `transpose` (24) and `prefetch` (one a
//! line).

use super::{Kernel, Lanes};
use crate::arch::{Avx512, proven, vectorize};
use crate::torus::gadget::Scales;
use crate::torus::ntt::field::{EPSILON, P};
use std::arch::x86_64::*;

impl Lanes for Avx512 {
    const LANES: usize = 8;
    type Word = __m512i;
    type Words = [u64; 8];

    vectorize!(Avx512 -> ());

    #[inline(always)]
    fn vectors(self, words: &[u64]) -> &[Self::Words] {
        words.as_chunks().0
    }
    #[inline(always)]
    fn vectors_mut(self, words: &mut [u64]) -> &mut [Self::Words] {
        words.as_chunks_mut().0
    }

    #[inline(always)]
    fn load(self, from: &Self::Words) -> __m512i {
        proven!(_mm512_loadu_epi64(from.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, into: &mut Self::Words, x: __m512i) {
        proven!(_mm512_storeu_epi64(into.as_mut_ptr().cast(), x))
    }
    #[inline(always)]
    fn splat(self, x: u64) -> __m512i {
        proven!(_mm512_set1_epi64(x as i64))
    }
    #[inline(always)]
    fn splat_low(self, x: i32) -> __m512i {
        proven!(_mm512_set1_epi32(x))
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_add_epi64(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_sub_epi64(a, b))
    }
    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_xor_si512(a, b))
    }
    #[inline(always)]
    fn shl<const BITS: u32>(self, x: __m512i) -> __m512i {
        proven!(_mm512_slli_epi64::<BITS>(x))
    }
    #[inline(always)]
    fn shr<const BITS: u32>(self, x: __m512i) -> __m512i {
        proven!(_mm512_srli_epi64::<BITS>(x))
    }
    #[inline(always)]
    fn sar<const BITS: u32>(self, x: __m512i) -> __m512i {
        proven!(_mm512_srai_epi64::<BITS>(x))
    }
    #[inline(always)]
    fn low(self, x: __m512i) -> __m512i {
        proven!(_mm512_and_si512(x, self.splat(EPSILON)))
    }
    #[inline(always)]
    fn high(self, x: __m512i) -> __m512i {
        // A shuffle, since shifts have one port, which the multiplications need too.
        proven!(_mm512_shuffle_epi32::<0b11_11_01_01>(x))
    }
    #[inline(always)]
    fn join(self, low: __m512i, high: __m512i) -> __m512i {
        proven!(_mm512_mask_shuffle_epi32::<0b10_10_00_00>(
            low, 0xaaaa, high
        ))
    }
    #[inline(always)]
    fn mul(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_mul_epi32(a, b))
    }
    #[inline(always)]
    fn mul_unsigned(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_mul_epu32(a, b))
    }
    #[inline(always)]
    fn add_modular(self, a: __m512i, b: __m512i) -> __m512i {
        proven! {
            let sum = _mm512_add_epi64(a, b);
            let carry = _mm512_cmplt_epu64_mask(sum, a);
            _mm512_mask_add_epi64(sum, carry, sum, self.splat(EPSILON))
        }
    }
    #[inline(always)]
    fn nonzero(self, x: __m512i) -> __m512i {
        proven! {
            let zero = _mm512_testn_epi64_mask(x, x);
            _mm512_mask_mov_epi64(x, zero, self.splat(P))
        }
    }
    #[inline(always)]
    fn min(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_min_epu64(a, b))
    }
    #[inline(always)]
    fn digits_24(self, limbs: &[u64], at: usize) -> __m512i {
        // Eight digits are three limbs; two of the digits lie across a border, and a shift by 64 is
        // zero.
        let three = limbs.get(at / 8 * 3..).unwrap_or(&[]);
        let present = (1u8 << three.len().min(3)) - 1;
        // SAFETY: the witness exists only where `detect` found the features; the load touches the
        // limbs that are there and no others.
        unsafe {
            let limbs = _mm512_maskz_loadu_epi64(present, three.as_ptr().cast());
            let lower = _mm512_set_epi64(2, 2, 1, 1, 1, 0, 0, 0);
            let upper = _mm512_set_epi64(3, 3, 2, 3, 3, 1, 3, 3);
            let right = _mm512_set_epi64(40, 16, 56, 32, 8, 48, 24, 0);
            let left = _mm512_set_epi64(64, 64, 8, 64, 64, 16, 64, 64);
            let low = _mm512_srlv_epi64(_mm512_permutexvar_epi64(lower, limbs), right);
            let high = _mm512_sllv_epi64(_mm512_permutexvar_epi64(upper, limbs), left);
            _mm512_and_si512(_mm512_or_si512(low, high), self.splat(0xff_ffff))
        }
    }
    #[inline(always)]
    fn digit(self, torus: __m512i, scales: Scales) -> __m512i {
        // 1.5·2^52: adding it rounds |x| ≤ 2^51 to an integer, ties to even; scaling by powers of
        // two is exact.
        proven! {
            let rounder = _mm512_set1_pd(6_755_399_441_055_744.0);
            let x = _mm512_cvtepi64_pd(torus);
            let fine = _mm512_fmadd_pd(x, _mm512_set1_pd(scales.fine), rounder);
            let fine = _mm512_sub_pd(fine, rounder);
            let coarse = _mm512_fmadd_pd(x, _mm512_set1_pd(scales.coarse), rounder);
            let coarse = _mm512_sub_pd(coarse, rounder);
            _mm512_cvtpd_epi64(_mm512_fnmadd_pd(coarse, _mm512_set1_pd(scales.base), fine))
        }
    }

    #[inline(always)]
    fn transpose(self, rows: &mut [__m512i; 8]) {
        // Exchanges bit 2, then 1, then 0 of the number of the row with that of the lane.
        proven! {
            for i in 0..4 {
                let (a, b) = (rows[i], rows[i + 4]);
                rows[i] = _mm512_shuffle_i64x2::<0x44>(a, b);
                rows[i + 4] = _mm512_shuffle_i64x2::<0xee>(a, b);
            }
            let low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
            let high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
            for i in [0, 1, 4, 5] {
                let (a, b) = (rows[i], rows[i + 2]);
                rows[i] = _mm512_permutex2var_epi64(a, low, b);
                rows[i + 2] = _mm512_permutex2var_epi64(a, high, b);
            }
            for i in [0, 2, 4, 6] {
                let (a, b) = (rows[i], rows[i + 1]);
                rows[i] = _mm512_unpacklo_epi64(a, b);
                rows[i + 1] = _mm512_unpackhi_epi64(a, b);
            }
        }
    }

    #[inline(always)]
    fn prefetch(self, data: &[u64]) {
        for line in data.chunks(8) {
            proven!(_mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()));
        }
    }
}
