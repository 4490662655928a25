//! AVX-512: a line as one register, masks as they come from comparisons, bytes where VBMI moves them
//! and eight by eight bits transposed by an instruction of GFNI.

use super::{GROUP, GROUP_LOWS, Kernel, Line, Lines, Planes};
use crate::arch::{Avx512Gfni, proven, vectorize};
use std::arch::x86_64::*;

/// What the instruction for affine maps is given beside bytes of a matrix: byte `i` is `2^i`. Byte
/// `i` of the result then has bit `i` of each byte of the matrix, that of the last one lowest.
const UNITS: i64 = 0x8040_2010_0804_0201_u64 as i64;

/// The bytes of a register for numbers of bytes.
const fn bytes(mut of: [u8; 64], kind: u8) -> [u8; 64] {
    let mut at = 0;
    while at < 64 {
        let byte = at as u8;
        of[at] = match kind {
            // The lowest bytes of sixteen numbers of 32 bits, then the next ones; of eight numbers
            // the last one first.
            0 => 4 * ((byte % 16) ^ 7) + byte / 16,
            // Byte `i` of word `j` to byte `j` of word `i`.
            1 => 8 * (byte % 8) + byte / 8,
            // The same, and each word's bytes the other way round.
            2 => 8 * (7 - byte % 8) + byte / 8,
            // The number of the word.
            _ => byte / 8,
        };
        at += 1;
    }
    of
}

const GATHERED: [u8; 64] = bytes([0; 64], 0);
const TURNED: [u8; 64] = bytes([0; 64], 1);
const REVERSED: [u8; 64] = bytes([0; 64], 2);
const WORDS: [u8; 64] = bytes([0; 64], 3);

#[inline(always)]
fn table(_: Avx512Gfni, bytes: &[u8; 64]) -> __m512i {
    proven!(_mm512_loadu_si512(bytes.as_ptr().cast()))
}

#[inline(always)]
fn transposed(_: Avx512Gfni, matrices: __m512i) -> __m512i {
    proven!(_mm512_gf2p8affine_epi64_epi8::<0>(
        _mm512_set1_epi64(UNITS),
        matrices
    ))
}

impl Lines for Avx512Gfni {
    type Bits = __m512i;

    vectorize!(Avx512Gfni -> ());

    #[inline(always)]
    fn load(self, from: &Line) -> __m512i {
        proven!(_mm512_loadu_si512(from.0.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, into: &mut Line, x: __m512i) {
        proven!(_mm512_storeu_si512(into.0.as_mut_ptr().cast(), x))
    }
    #[inline(always)]
    fn splat(self, x: u32) -> __m512i {
        proven!(_mm512_set1_epi32(x as i32))
    }
    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_add_epi32(a, b))
    }
    #[inline(always)]
    fn below(self, a: __m512i, b: __m512i) -> u16 {
        proven!(_mm512_cmplt_epu32_mask(a, b))
    }
    #[inline(always)]
    fn with_masks(self, x: __m512i, number: usize, masks: [u16; 4]) -> __m512i {
        let [a, b, c, d] = masks.map(u32::from);
        proven! {
            let low = _mm512_kunpackw(b, a);
            let high = _mm512_kunpackw(d, c);
            let word = _mm512_kunpackd(high.into(), low.into());
            _mm512_mask_set1_epi64(x, 1 << number, word as i64)
        }
    }
    #[inline(always)]
    fn sub_where(self, chosen: u16, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_mask_sub_epi32(a, chosen, a, b))
    }
    #[inline(always)]
    fn odd(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        proven!(_mm512_ternarylogic_epi64::<0x96>(a, b, c))
    }
    #[inline(always)]
    fn most(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        proven!(_mm512_ternarylogic_epi64::<0xe8>(a, b, c))
    }
    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_or_si512(a, b))
    }
    #[inline(always)]
    fn choose(self, chosen: __m512i, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_ternarylogic_epi64::<0xca>(chosen, a, b))
    }

    #[inline(always)]
    fn cut<const LEVELS: usize>(
        self,
        words: &[u64; GROUP],
        low: &mut [Line; GROUP_LOWS],
        planes: &mut Planes<LEVELS>,
    ) {
        // Of each sixteen words: four times sixteen bytes, level by level.
        let mut gathered = [self.splat(0); 4];
        for k in 0..4 {
            let words = &words[16 * k..][..16];
            let (first, second) = words.split_at(8);
            let (lower, upper) = proven! {
                let first = _mm512_loadu_si512(first.as_ptr().cast());
                let second = _mm512_loadu_si512(second.as_ptr().cast());
                let even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
                let odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
                let upper = _mm512_permutex2var_epi32(first, odd, second);
                (
                    _mm512_permutex2var_epi32(first, even, second),
                    _mm512_permutexvar_epi8(table(self, &GATHERED), upper),
                )
            };
            self.store(&mut low[k], lower);
            gathered[k] = upper;
        }
        let [a, b, c, d] = gathered;
        for (level, planes) in planes.iter_mut().enumerate() {
            let bytes = proven! {
                match level {
                    0 => _mm512_shuffle_i64x2::<0x88>(
                        _mm512_shuffle_i64x2::<0x44>(a, b),
                        _mm512_shuffle_i64x2::<0x44>(c, d),
                    ),
                    1 => _mm512_shuffle_i64x2::<0xdd>(
                        _mm512_shuffle_i64x2::<0x44>(a, b),
                        _mm512_shuffle_i64x2::<0x44>(c, d),
                    ),
                    _ => _mm512_shuffle_i64x2::<0x88>(
                        _mm512_shuffle_i64x2::<0xee>(a, b),
                        _mm512_shuffle_i64x2::<0xee>(c, d),
                    ),
                }
            };
            let turned = transposed(self, bytes);
            proven! {
                let turned = _mm512_permutexvar_epi8(table(self, &TURNED), turned);
                _mm512_storeu_si512(planes.as_mut_ptr().cast(), turned)
            }
        }
    }

    #[inline(always)]
    fn join<const LEVELS: usize>(
        self,
        low: &[Line; GROUP_LOWS],
        planes: &Planes<LEVELS>,
        words: &mut [u64; GROUP],
    ) {
        let mut bytes = [self.splat(0); LEVELS];
        for (bytes, planes) in bytes.iter_mut().zip(planes) {
            let turned = proven! {
                let planes = _mm512_loadu_si512(planes.as_ptr().cast());
                _mm512_permutexvar_epi8(table(self, &REVERSED), planes)
            };
            *bytes = transposed(self, turned);
        }
        // Two levels at once as numbers of 16 bits: of each sixteen words the first eight, and the
        // others.
        let mut pairs = [self.splat(0); 2];
        if LEVELS > 1 {
            pairs = proven! {
                [_mm512_unpacklo_epi8(bytes[0], bytes[1]), _mm512_unpackhi_epi8(bytes[0], bytes[1])]
            };
        }
        for k in 0..8 {
            let lower = &low[k / 2].0[4 * (k % 2)..][..4];
            let words = &mut words[8 * k..][..8];
            proven! {
                let lower = _mm256_loadu_si256(lower.as_ptr().cast());
                let mut x = _mm512_cvtepu32_epi64(lower);
                let place = table(self, &WORDS);
                let byte = _mm512_add_epi8(place, _mm512_set1_epi8(8 * k as i8));
                if LEVELS == 1 {
                    x = _mm512_mask_permutexvar_epi8(x, 0x1010_1010_1010_1010, byte, bytes[0]);
                }
                if LEVELS > 1 {
                    let pair = _mm512_and_si512(place, _mm512_set1_epi16(7));
                    let pair = _mm512_add_epi16(pair, _mm512_set1_epi16(8 * (k / 2) as i16));
                    x = _mm512_mask_permutexvar_epi16(x, 0x4444_4444, pair, pairs[k % 2]);
                }
                if LEVELS > 2 {
                    x = _mm512_mask_permutexvar_epi8(x, 0x4040_4040_4040_4040, byte, bytes[2]);
                }
                _mm512_storeu_si512(words.as_mut_ptr().cast(), x)
            }
        }
    }
}
