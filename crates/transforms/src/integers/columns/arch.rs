//! The columns in registers: AVX-512 with IFMA for products and VBMI for digits.

use super::Columns;
use crate::arch::{Avx512Vbmi, proven};
use std::arch::x86_64::*;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Digits in a register, and the bytes that they are.
const LANES: usize = 8;
const BYTES: usize = 52;
const DIGIT: i64 = (1 << 52) - 1;
/// Registers whose columns are summed up at the same time: with the sums of both halves, as many
/// chains of additions as two units with a latency of four cycles take.
const BLOCK: usize = 4;
/// Digits of a block.
const WIDTH: usize = BLOCK * LANES;
/// Registers of the longest operand's digits.
const MOST: usize = (8 * Columns::MOST).div_ceil(BYTES);

/// Registers in memory, not all of them written.
type Memory<const N: usize> = [MaybeUninit<__m512i>; N];

impl Avx512Vbmi {
    /// `out = a·b`; see [`Columns::multiply`].
    pub(super) fn multiply_columns(self, out: &mut [u64], a: &[u64], b: &[u64]) {
        let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
        proven!(multiply(out, a, b))
    }
}

/// `out = a·b`, for `b` no longer than `a`, and `a` no longer than [`Columns::MOST`].
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
fn multiply(out: &mut [u64], a: &[u64], b: &[u64]) {
    // The digits of `a` stand among zeros, where columns of a block have no products.
    let mut a_digits: Memory<{ MOST + 2 * BLOCK }> = [MaybeUninit::uninit(); _];
    let mut b_digits: Memory<MOST> = [MaybeUninit::uninit(); _];
    let zeros = [MaybeUninit::new(_mm512_setzero_si512()); BLOCK];
    a_digits[..BLOCK].copy_from_slice(&zeros);
    let written = digits(&mut a_digits[BLOCK..BLOCK + MOST], a);
    a_digits[BLOCK + written..][..BLOCK].copy_from_slice(&zeros);
    digits(&mut b_digits, b);

    let (a_length, b_length) = (8 * written, (64 * b.len()).div_ceil(52));
    let mut carries = Carries::new();
    let blocks = bytemuck::cast_slice_mut(out).chunks_mut(BLOCK * BYTES);
    for (at, block) in blocks.enumerate() {
        let first = WIDTH * at;
        // The digits of `b` that meet one of `a` in these columns.
        let factors = (first + 1).saturating_sub(a_length)..b_length.min(first + WIDTH);
        // SAFETY: `factors` are digits of `b`, all of which are written. Against the last of
        // them, `first + 31` at most, the columns' digits of `a` begin 31 places before the first
        // digit, and against the first, `first + 1 - a_length` at least, they end 31 places behind
        // the last one: there are 32 zeros on either side.
        let sums = unsafe {
            columns(
                a_digits.as_ptr().cast::<u64>().add(WIDTH + first),
                b_digits.as_ptr().cast::<u64>(),
                factors,
            )
        };
        for (sums, bytes) in sums.into_iter().zip(block.chunks_mut(BYTES)) {
            store(bytes, carries.settle(sums));
        }
    }
}

/// The sums of both halves of products in the columns of a block.
///
/// # Safety
/// For each of the factors `j`, there is a digit at `b + j`, and there are as many as a block has
/// from `a - j` on.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
unsafe fn columns(a: *const u64, b: *const u64, factors: Range<usize>) -> [[__m512i; 2]; BLOCK] {
    let mut sums = [[_mm512_setzero_si512(); 2]; BLOCK];
    // Factors eight places apart meet the same registers of digits but one.
    let pairs = factors.len() / (2 * LANES);
    let rest = factors.start + 2 * LANES * pairs;
    for at in 0..LANES * pairs {
        let j = factors.start + at + at / LANES * LANES;
        // SAFETY: the caller's.
        unsafe {
            let [near, far] = [factor(b, j), factor(b, j + LANES)];
            let mut below = digits_at(a, j + LANES);
            for (at, sums) in sums.iter_mut().enumerate() {
                let digits = digits_at(a.add(LANES * at), j);
                add_products(sums, digits, near);
                add_products(sums, below, far);
                below = digits;
            }
        }
    }
    for j in rest..factors.end {
        for (at, sums) in sums.iter_mut().enumerate() {
            // SAFETY: the caller's.
            unsafe { add_products(sums, digits_at(a.add(LANES * at), j), factor(b, j)) };
        }
    }
    sums
}

/// # Safety
/// There is a digit at `b + j`.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn factor(b: *const u64, j: usize) -> __m512i {
    // SAFETY: the caller's.
    _mm512_set1_epi64(unsafe { *b.add(j) } as i64)
}

/// # Safety
/// There are digits for a register from `a - j` on.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn digits_at(a: *const u64, j: usize) -> __m512i {
    // SAFETY: the caller's.
    unsafe { _mm512_loadu_epi64(a.sub(j).cast()) }
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn add_products([low, high]: &mut [__m512i; 2], digits: __m512i, factor: __m512i) {
    *low = _mm512_madd52lo_epu64(*low, digits, factor);
    *high = _mm512_madd52hi_epu64(*high, digits, factor);
}

/// What goes from the columns of one register to those of the next.
struct Carries {
    /// The sums of upper halves, and what is above the columns' digits.
    high: __m512i,
    above: __m512i,
    /// One, if the last digit became too large by what came from the one below.
    one: u32,
}

impl Carries {
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn new() -> Self {
        let zero = _mm512_setzero_si512();
        Self {
            high: zero,
            above: zero,
            one: 0,
        }
    }

    /// The digits of the next columns.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn settle(&mut self, [low, high]: [__m512i; 2]) -> __m512i {
        let (digit, unit) = (_mm512_set1_epi64(DIGIT), _mm512_set1_epi64(1));
        let sum = _mm512_add_epi64(low, _mm512_alignr_epi64::<7>(high, self.high));
        let above = _mm512_srli_epi64::<52>(sum);
        let below = _mm512_and_si512(sum, digit);
        let sum = _mm512_add_epi64(below, _mm512_alignr_epi64::<7>(above, self.above));
        (self.high, self.above) = (high, above);
        // Ones run through lanes of ones as they do through the bits of an addition.
        let generated = u32::from(_mm512_cmpgt_epu64_mask(sum, digit)) << 1 | self.one;
        let propagated = u32::from(_mm512_cmpeq_epi64_mask(sum, digit));
        let run = generated + propagated;
        self.one = run >> 8;
        let sum = _mm512_mask_add_epi64(sum, (run ^ propagated) as u8, sum, unit);
        _mm512_and_si512(sum, digit)
    }
}

/// Writes the digits of a number, with zeros to a whole register; the registers written.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn digits(into: &mut [MaybeUninit<__m512i>], number: &[u64]) -> usize {
    // Digit d begins in the middle of byte 6.5·d where d is odd.
    let index = _mm512_loadu_bytes(const { &gather() });
    let shift = _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0);
    let pieces = bytemuck::cast_slice::<_, u8>(number).chunks(BYTES);
    let written = pieces.len();
    for (into, bytes) in into[..written].iter_mut().zip(pieces) {
        // SAFETY: only bytes that are there are loaded.
        let bytes = unsafe { _mm512_maskz_loadu_epi8(lowest(bytes.len()), bytes.as_ptr().cast()) };
        let words = _mm512_permutexvar_epi8(index, bytes);
        let digits = _mm512_and_si512(_mm512_srlv_epi64(words, shift), _mm512_set1_epi64(DIGIT));
        into.write(digits);
    }
    written
}

/// Writes the lowest bytes of eight digits.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn store(bytes: &mut [u8], digits: __m512i) {
    let shift = _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0);
    let digits = _mm512_sllv_epi64(digits, shift);
    let (even, odd) = const { spread() };
    let even = _mm512_maskz_permutexvar_epi8(even.1, _mm512_loadu_bytes(&even.0), digits);
    let odd = _mm512_maskz_permutexvar_epi8(odd.1, _mm512_loadu_bytes(&odd.0), digits);
    let packed = _mm512_or_si512(even, odd);
    // SAFETY: only bytes that are there are stored.
    unsafe { _mm512_mask_storeu_epi8(bytes.as_mut_ptr().cast(), lowest(bytes.len()), packed) };
}

#[target_feature(enable = "avx512f")]
#[inline]
fn _mm512_loadu_bytes(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are there.
    unsafe { _mm512_loadu_epi64(bytes.as_ptr().cast()) }
}

/// A mask of that many bytes, up to 63.
fn lowest(bytes: usize) -> u64 {
    (1 << bytes) - 1
}

/// For each byte of eight words, the byte of a number that it comes from.
const fn gather() -> [u8; 64] {
    let mut index = [0; 64];
    let mut at = 0;
    while at < 64 {
        index[at] = (13 * (at / 8) / 2 + at % 8) as u8;
        at += 1;
    }
    index
}

/// For each byte of a number, the byte of digits in even places that it comes from, and which bytes
/// have one; the same of digits in odd places, which are shifted by four bits.
const fn spread() -> (([u8; 64], u64), ([u8; 64], u64)) {
    let mut even = ([0; 64], 0);
    let mut odd = ([0; 64], 0);
    let mut at = 0;
    while at < BYTES {
        let (pair, byte) = (at / 13, at % 13);
        if byte < 7 {
            even.0[at] = (16 * pair + byte) as u8;
            even.1 |= 1 << at;
        }
        if byte >= 6 {
            odd.0[at] = (16 * pair + 8 + byte - 6) as u8;
            odd.1 |= 1 << at;
        }
        at += 1;
    }
    (even, odd)
}
