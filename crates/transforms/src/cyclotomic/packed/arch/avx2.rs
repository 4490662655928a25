//! AVX2: a line as two registers.

use super::{Kernel, Line, Lines};
use crate::arch::{Avx2, proven, vectorize};
use std::arch::x86_64::*;

type Halves = [__m256i; 2];

/// Comparisons are those of signed numbers.
#[inline(always)]
fn signed(_: Avx2, x: __m256i) -> __m256i {
    proven!(_mm256_xor_si256(x, _mm256_set1_epi32(i32::MIN)))
}

/// Where numbers are less than others, in the lowest eight bits.
#[inline(always)]
fn less(v: Avx2, a: __m256i, b: __m256i) -> u16 {
    let (a, b) = (signed(v, a), signed(v, b));
    proven!(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a))) as u16)
}

/// `x` where the lowest eight bits of a mask are 1, and 0 elsewhere.
#[inline(always)]
fn kept(_: Avx2, chosen: u16, x: __m256i) -> __m256i {
    proven! {
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let own = _mm256_and_si256(_mm256_set1_epi32(chosen.into()), bits);
        _mm256_and_si256(_mm256_cmpeq_epi32(own, bits), x)
    }
}

impl Lines for Avx2 {
    type Bits = Halves;

    vectorize!(Avx2 -> ());

    #[inline(always)]
    fn load(self, from: &Line) -> Halves {
        let [low, high] = [&from.0[..4], &from.0[4..]];
        proven! {
            [_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())]
        }
    }
    #[inline(always)]
    fn store(self, into: &mut Line, x: Halves) {
        let (low, high) = into.0.split_at_mut(4);
        proven! {
            _mm256_storeu_si256(low.as_mut_ptr().cast(), x[0]);
            _mm256_storeu_si256(high.as_mut_ptr().cast(), x[1]);
        }
    }
    #[inline(always)]
    fn splat(self, x: u32) -> Halves {
        proven!([_mm256_set1_epi32(x as i32); 2])
    }
    #[inline(always)]
    fn add(self, a: Halves, b: Halves) -> Halves {
        proven!([_mm256_add_epi32(a[0], b[0]), _mm256_add_epi32(a[1], b[1])])
    }
    #[inline(always)]
    fn below(self, a: Halves, b: Halves) -> u16 {
        less(self, a[0], b[0]) | less(self, a[1], b[1]) << 8
    }
    #[inline(always)]
    fn with_masks(self, x: Halves, number: usize, masks: [u16; 4]) -> Halves {
        let [a, b, c, d] = masks.map(u64::from);
        let word = (a | b << 16 | c << 32 | d << 48) as i64;
        proven! {
            let (word, number) = (_mm256_set1_epi64x(word), _mm256_set1_epi64x(number as i64));
            let low = _mm256_cmpeq_epi64(number, _mm256_setr_epi64x(0, 1, 2, 3));
            let high = _mm256_cmpeq_epi64(number, _mm256_setr_epi64x(4, 5, 6, 7));
            [_mm256_blendv_epi8(x[0], word, low), _mm256_blendv_epi8(x[1], word, high)]
        }
    }
    #[inline(always)]
    fn sub_where(self, chosen: u16, a: Halves, b: Halves) -> Halves {
        let b = [kept(self, chosen, b[0]), kept(self, chosen >> 8, b[1])];
        proven!([_mm256_sub_epi32(a[0], b[0]), _mm256_sub_epi32(a[1], b[1])])
    }
    #[inline(always)]
    fn odd(self, a: Halves, b: Halves, c: Halves) -> Halves {
        let mut x = a;
        for i in 0..2 {
            x[i] = proven!(_mm256_xor_si256(_mm256_xor_si256(a[i], b[i]), c[i]));
        }
        x
    }
    #[inline(always)]
    fn most(self, a: Halves, b: Halves, c: Halves) -> Halves {
        let mut x = a;
        for i in 0..2 {
            x[i] = proven! {
                let either = _mm256_and_si256(_mm256_or_si256(a[i], b[i]), c[i]);
                _mm256_or_si256(_mm256_and_si256(a[i], b[i]), either)
            };
        }
        x
    }
    #[inline(always)]
    fn or(self, a: Halves, b: Halves) -> Halves {
        proven!([_mm256_or_si256(a[0], b[0]), _mm256_or_si256(a[1], b[1])])
    }
    #[inline(always)]
    fn choose(self, chosen: Halves, a: Halves, b: Halves) -> Halves {
        let mut x = a;
        for i in 0..2 {
            x[i] = proven! {
                let a = _mm256_and_si256(chosen[i], a[i]);
                _mm256_or_si256(a, _mm256_andnot_si256(chosen[i], b[i]))
            };
        }
        x
    }
}
