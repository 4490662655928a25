//! AVX-512 with IFMA: eight words, of whose bits products take the lowest 52.

use super::{Factor, Kernel, Modulus, Residues};
use crate::arch::{Avx512Ifma, proven, vectorize};
use crate::integers::primes::crt::{Coefficients, FRACTION, Recover};
use crate::integers::primes::shape::TILE;
use std::arch::x86_64::*;

const LANES: usize = 8;
/// The bits that products take.
const MASK: u64 = (1 << 52) - 1;

impl Avx512Ifma {
    /// `out` from the coefficients, and the carry beyond it that the next ones do not know of.
    pub(super) fn recover(
        self,
        recover: &Recover,
        coefficients: Coefficients<'_>,
        out: &mut [u64],
    ) -> u64 {
        // SAFETY: the witness exists only where `detect` found the features.
        unsafe { recover_row(recover, coefficients, out) }
    }
}

/// A prime and its multiples in registers.
#[derive(Clone, Copy)]
pub(crate) struct Prime {
    p: __m512i,
    two: __m512i,
    four: __m512i,
    eight: __m512i,
    half: __m512i,
    /// `2^52 − p`.
    negative: __m512i,
    inverse: __m512i,
    two_32: [__m512i; 2],
    two_52: [__m512i; 2],
    /// `⌊2^52/p⌋`.
    reciprocal: __m512i,
    mask: __m512i,
}

impl Residues for Avx512Ifma {
    const LANES: usize = LANES;
    const RADIX: u32 = 52;
    const SUMMANDS: usize = 1 << 12;
    type Word = __m512i;
    type Words = [u64; LANES];
    type Prime = Prime;
    /// Lower and upper halves of products.
    type Sum = [__m512i; 2];

    vectorize!(Avx512Ifma -> ());

    #[inline(always)]
    fn prime(self, modulus: &Modulus) -> Prime {
        let p = modulus.p;
        Prime {
            p: self.splat(p),
            two: self.splat(2 * p),
            four: self.splat(4 * p),
            eight: self.splat(8 * p),
            half: self.splat(modulus.half),
            negative: self.splat((1 << 52) - p),
            inverse: self.splat(modulus.inverse),
            two_32: [self.splat(modulus.two_32[0]), self.splat(modulus.two_32[1])],
            two_52: [self.splat(modulus.two_52[0]), self.splat(modulus.two_52[1])],
            reciprocal: self.splat(modulus.one[1]),
            mask: self.splat(MASK),
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
    fn load(self, from: &[u64; LANES]) -> __m512i {
        proven!(_mm512_loadu_epi64(from.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, into: &mut [u64; LANES], x: __m512i) {
        proven!(_mm512_storeu_epi64(into.as_mut_ptr().cast(), x))
    }
    #[inline(always)]
    fn splat(self, x: u64) -> __m512i {
        proven!(_mm512_set1_epi64(x as i64))
    }

    #[inline(always)]
    fn add(self, x: __m512i, y: __m512i) -> __m512i {
        proven!(_mm512_add_epi64(x, y))
    }
    #[inline(always)]
    fn sub<const BIAS: u64>(self, p: Prime, x: __m512i, y: __m512i) -> __m512i {
        let bias = match BIAS {
            0 => self.splat(0),
            2 => p.two,
            4 => p.four,
            _ => p.eight,
        };
        proven!(_mm512_sub_epi64(_mm512_add_epi64(x, bias), y))
    }
    #[inline(always)]
    fn mul(self, p: Prime, y: __m512i, factor: Factor<Self>) -> __m512i {
        self.mul_add(p, self.splat(0), y, factor)
    }
    #[inline(always)]
    fn mul_add(self, p: Prime, x: __m512i, y: __m512i, factor: Factor<Self>) -> __m512i {
        proven! {
            let quotient = _mm512_madd52hi_epu64(self.splat(0), y, factor.quotient);
            let product = _mm512_madd52lo_epu64(x, y, factor.value);
            _mm512_madd52lo_epu64(product, quotient, p.negative)
        }
    }
    #[inline(always)]
    fn fold(self, p: Prime, x: __m512i) -> __m512i {
        let x = proven!(_mm512_and_si512(x, p.mask));
        proven!(_mm512_min_epu64(x, _mm512_sub_epi64(x, p.half)))
    }
    #[inline(always)]
    fn clean(self, x: __m512i) -> __m512i {
        proven!(_mm512_and_si512(x, self.splat(MASK)))
    }
    #[inline(always)]
    fn canonical(self, p: Prime, x: __m512i) -> __m512i {
        proven!(_mm512_min_epu64(x, _mm512_sub_epi64(x, p.p)))
    }
    #[inline(always)]
    fn collect(self, p: Prime, x: __m512i) -> __m512i {
        self.read(p, x)
    }
    #[inline(always)]
    fn read(self, p: Prime, x: __m512i) -> __m512i {
        let [value, quotient] = p.two_32;
        let (low, high) = proven! {
            (_mm512_and_si512(x, self.splat(0xffff_ffff)), _mm512_srli_epi64::<32>(x))
        };
        self.mul_add(p, low, high, Factor { value, quotient })
    }
    #[inline(always)]
    fn product(self, p: Prime, a: __m512i, b: __m512i) -> __m512i {
        // Montgomery: a·b and m·p have the same lower half. With a below half the limit the upper
        // half of a·b is too, and p more than that below the limit.
        let a = self.fold(p, a);
        proven! {
            let zero = self.splat(0);
            let low = _mm512_madd52lo_epu64(zero, a, b);
            let high = _mm512_madd52hi_epu64(p.p, a, b);
            let m = _mm512_madd52lo_epu64(zero, low, p.inverse);
            let x = _mm512_sub_epi64(high, _mm512_madd52hi_epu64(zero, m, p.p));
            _mm512_min_epu64(x, _mm512_sub_epi64(x, p.half))
        }
    }

    #[inline(always)]
    fn reduce(self, p: Prime, x: __m512i) -> __m512i {
        proven! {
            let quotient = _mm512_madd52hi_epu64(self.splat(0), x, p.reciprocal);
            _mm512_madd52lo_epu64(x, quotient, p.negative)
        }
    }
    #[inline(always)]
    fn enter(self, x: __m512i) -> __m512i {
        x
    }
    #[inline(always)]
    fn leave(self, x: __m512i) -> __m512i {
        x
    }
    #[inline(always)]
    fn no_products(self) -> [__m512i; 2] {
        [self.splat(0); 2]
    }
    #[inline(always)]
    fn accumulate(
        self,
        _: Prime,
        [low, high]: [__m512i; 2],
        a: __m512i,
        b: __m512i,
    ) -> [__m512i; 2] {
        proven! {
            [_mm512_madd52lo_epu64(low, a, b), _mm512_madd52hi_epu64(high, a, b)]
        }
    }
    #[inline(always)]
    fn settle(self, p: Prime, [low, high]: [__m512i; 2]) -> __m512i {
        // The upper sum is below 15·2^48, and what is carried into it below 15.
        let [value, quotient] = p.two_52;
        let high = proven!(_mm512_add_epi64(high, _mm512_srli_epi64::<52>(low)));
        let low = self.clean(self.reduce(p, low));
        let sum = self.clean(self.mul_add(p, low, high, Factor { value, quotient }));
        proven!(_mm512_min_epu64(sum, _mm512_sub_epi64(sum, p.two)))
    }
    #[inline(always)]
    fn where_above(self, x: __m512i, bound: __m512i, value: __m512i) -> __m512i {
        proven!(_mm512_maskz_mov_epi64(
            _mm512_cmpgt_epu64_mask(x, bound),
            value
        ))
    }
    #[inline(always)]
    fn add_fraction(self, sum: __m512i, x: __m512i, inverse: f64) -> __m512i {
        proven! {
            let sum = _mm512_castsi512_pd(sum);
            let x = _mm512_cvtepu64_pd(x);
            _mm512_castpd_si512(_mm512_fmadd_pd(x, _mm512_set1_pd(inverse), sum))
        }
    }
    #[inline(always)]
    fn nearest(self, sum: __m512i) -> __m512i {
        proven!(_mm512_cvtpd_epu64(_mm512_castsi512_pd(sum)))
    }

    #[inline(always)]
    fn parity(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_and_si512(_mm512_xor_si512(a, b), self.splat(1)))
    }

    #[inline(always)]
    fn interleave(self, rows: [__m512i; 8]) -> [__m512i; 8] {
        let mut columns = rows;
        for odd in 0..2 {
            let mut pairs = [rows[0]; 4];
            for i in 0..4 {
                let (a, b) = (rows[2 * i], rows[2 * i + 1]);
                pairs[i] = if odd == 0 {
                    proven!(_mm512_unpacklo_epi64(a, b))
                } else {
                    proven!(_mm512_unpackhi_epi64(a, b))
                };
            }
            let [a, b, c, d] = pairs;
            proven! {
                let (even_low, even_high) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d));
                let (odd_low, odd_high) = (_mm512_shuffle_i64x2::<0xdd>(a, b), _mm512_shuffle_i64x2::<0xdd>(c, d));
                columns[odd] = _mm512_shuffle_i64x2::<0x88>(even_low, even_high);
                columns[4 + odd] = _mm512_shuffle_i64x2::<0xdd>(even_low, even_high);
                columns[2 + odd] = _mm512_shuffle_i64x2::<0x88>(odd_low, odd_high);
                columns[6 + odd] = _mm512_shuffle_i64x2::<0xdd>(odd_low, odd_high);
            }
        }
        columns
    }
    #[inline(always)]
    fn separate(self, words: [__m512i; 8]) -> [__m512i; 8] {
        self.interleave(words)
    }
}

/// What recovery needs in words of 52 bits.
struct Words {
    inverses: [__m512i; 3],
    cofactors: [[__m512i; 2]; 3],
    /// `2^156 − P`.
    negative: [__m512i; 3],
    offset: [__m512i; 3],
    rounding: __m512i,
    mask: __m512i,
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn splat(x: u64) -> __m512i {
    _mm512_set1_epi64(x as i64)
}

/// Three limbs as three words of 52 bits.
fn words([a, b, c]: [u64; 3]) -> [u64; 3] {
    [
        a & MASK,
        (a >> 52 | b << 12) & MASK,
        (b >> 40 | c << 24) & MASK,
    ]
}

impl Words {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn new(recover: &Recover) -> Self {
        let negative = {
            let [a, b, c] = words(recover.multiples[1]);
            [(1 << 52) - a, MASK - b, MASK - c]
        };
        Self {
            inverses: recover.inverses.map(|x| splat(x >> 12)),
            cofactors: recover
                .cofactors
                .map(|x| [splat(x as u64 & MASK), splat((x >> 52) as u64)]),
            negative: negative.map(|x| splat(x)),
            offset: words(recover.offset).map(|x| splat(x)),
            rounding: splat(recover.rounding),
            mask: splat(MASK),
        }
    }

    /// Three limbs of eight coefficients.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn limbs(&self, residues: [__m512i; 3]) -> [__m512i; 3] {
        let mut fraction = self.rounding;
        let [mut a, mut b, mut c] = self.offset;
        for i in 0..3 {
            let (x, [low, high]) = (residues[i], self.cofactors[i]);
            fraction = _mm512_madd52hi_epu64(fraction, x, self.inverses[i]);
            a = _mm512_madd52lo_epu64(a, x, low);
            b = _mm512_madd52hi_epu64(b, x, low);
            b = _mm512_madd52lo_epu64(b, x, high);
            c = _mm512_madd52hi_epu64(c, x, high);
        }
        let kappa = _mm512_srli_epi64::<FRACTION>(fraction);
        let [low, middle, high] = self.negative;
        a = _mm512_madd52lo_epu64(a, kappa, low);
        b = _mm512_madd52hi_epu64(b, kappa, low);
        b = _mm512_madd52lo_epu64(b, kappa, middle);
        c = _mm512_madd52hi_epu64(c, kappa, middle);
        c = _mm512_madd52lo_epu64(c, kappa, high);
        b = _mm512_add_epi64(b, _mm512_srli_epi64::<52>(a));
        c = _mm512_add_epi64(c, _mm512_srli_epi64::<52>(b));
        let (a, b, c) = (
            _mm512_and_si512(a, self.mask),
            _mm512_and_si512(b, self.mask),
            _mm512_and_si512(c, self.mask),
        );
        [
            _mm512_or_si512(a, _mm512_slli_epi64::<52>(b)),
            _mm512_or_si512(_mm512_srli_epi64::<12>(b), _mm512_slli_epi64::<40>(c)),
            _mm512_srli_epi64::<24>(c),
        ]
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn recover_row(recover: &Recover, coefficients: Coefficients<'_>, out: &mut [u64]) -> u64 {
    let words = Words::new(recover);
    let [one, two] = coefficients.before;
    // Only what stands above the first limb matters of the coefficients before.
    let mut middle_before = _mm512_set_epi64(one[1] as i64, 0, 0, 0, 0, 0, 0, 0);
    let mut high_before = _mm512_set_epi64(one[2] as i64, two[2] as i64, 0, 0, 0, 0, 0, 0);
    let (ones, unit) = (splat(u64::MAX), splat(1));
    let (mut middle_carry, mut carry) = (0u32, 0u32);
    for (tile, out) in out.chunks_mut(TILE).enumerate() {
        let place = coefficients.place(tile);
        let mut residues = [splat(0); 3];
        for i in 0..3 {
            if let Some(Some(from)) = coefficients.data[i]
                .get(place..)
                .map(|x| x.first_chunk::<TILE>())
            {
                // SAFETY: eight words are there.
                residues[i] = unsafe { _mm512_loadu_epi64(from.as_ptr().cast()) };
            }
        }
        let [low, middle, high] = words.limbs(residues);
        // Limbs below the top of one coefficient are added to those of the next two.
        let shifted = _mm512_alignr_epi64::<7>(middle, middle_before);
        let twice = _mm512_alignr_epi64::<6>(high, high_before);
        (middle_before, high_before) = (middle, high);
        let sum = _mm512_add_epi64(low, shifted);
        let carries = u32::from(_mm512_cmplt_epu64_mask(sum, shifted)) << 1 | middle_carry;
        middle_carry = carries >> 8;
        // The uppermost limbs are far below 2^64: their sum with a carry does not carry.
        let small = _mm512_mask_add_epi64(twice, carries as u8, twice, unit);
        let sum = _mm512_add_epi64(sum, small);
        let generated = u32::from(_mm512_cmplt_epu64_mask(sum, small)) << 1 | carry;
        let propagated = u32::from(_mm512_cmpeq_epi64_mask(sum, ones));
        // Carries run through lanes of ones as they do through the bits of an addition.
        let run = generated + propagated;
        carry = run >> 8;
        let sum = _mm512_mask_add_epi64(sum, (run ^ propagated) as u8, sum, unit);
        match out.first_chunk_mut::<TILE>() {
            // SAFETY: eight words are there.
            Some(out) => unsafe { _mm512_storeu_epi64(out.as_mut_ptr().cast(), sum) },
            None => {
                let mut limbs = [0u64; TILE];
                // SAFETY: eight words are there.
                unsafe { _mm512_storeu_epi64(limbs.as_mut_ptr().cast(), sum) };
                out.copy_from_slice(&limbs[..out.len()]);
            }
        }
    }
    u64::from(middle_carry + carry)
}
