//! Any machine: four lanes as plain arrays, which the compiler may vectorise as far as its baseline
//! goes. Products and sums round separately, since a fused operation without hardware is a slow
//! call.

use super::{Kernel, Pair, Scalar, Simd, vectorize};

const LANES: usize = 4;
/// `1.5·2^52`: adding it rounds to an integer, which then stands in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn each<A: Copy, B: Copy, C>(a: [A; LANES], b: [B; LANES], f: impl Fn(A, B) -> C) -> [C; LANES] {
    // Written out: a loop is unrolled anew wherever it is inlined, which is everywhere.
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

#[inline(always)]
fn map<A: Copy, B>(a: [A; LANES], f: impl Fn(A) -> B) -> [B; LANES] {
    [f(a[0]), f(a[1]), f(a[2]), f(a[3])]
}

impl Simd for Scalar {
    memory!(LANES);
    type Float = [f64; LANES];
    type Word = [u64; LANES];

    vectorize!(Scalar -> K::Output);

    #[inline(always)]
    fn load(self, from: &Self::Floats) -> Self::Float {
        *from
    }
    #[inline(always)]
    fn store(self, into: &mut Self::Floats, x: Self::Float) {
        *into = x;
    }
    #[inline(always)]
    fn load_singles(self, from: &Self::Singles) -> Self::Float {
        map(*from, f64::from)
    }
    #[inline(always)]
    fn store_singles(self, into: &mut Self::Singles, x: Self::Float) {
        *into = map(x, |x| x as f32);
    }
    #[inline(always)]
    fn splat(self, x: f64) -> Self::Float {
        [x; LANES]
    }
    #[inline(always)]
    fn add(self, a: Self::Float, b: Self::Float) -> Self::Float {
        each(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: Self::Float, b: Self::Float) -> Self::Float {
        each(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: Self::Float, b: Self::Float) -> Self::Float {
        each(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float {
        self.add(self.mul(a, b), c)
    }
    #[inline(always)]
    fn mul_sub(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float {
        self.sub(self.mul(a, b), c)
    }
    #[inline(always)]
    fn neg_mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float {
        self.sub(c, self.mul(a, b))
    }
    #[inline(always)]
    fn exchange<const DISTANCE: usize>(self, a: Self::Float, b: Self::Float) -> [Self::Float; 2] {
        if DISTANCE == 1 {
            [[a[0], b[0], a[2], b[2]], [a[1], b[1], a[3], b[3]]]
        } else {
            [[a[0], a[1], b[0], b[1]], [a[2], a[3], b[2], b[3]]]
        }
    }

    #[inline(always)]
    fn load_words(self, from: &Self::Words) -> Self::Word {
        *from
    }
    #[inline(always)]
    fn store_words(self, into: &mut Self::Words, x: Self::Word) {
        *into = x;
    }
    #[inline(always)]
    fn add_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        each(a, b, u64::wrapping_add)
    }
    #[inline(always)]
    fn sub_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        each(a, b, u64::wrapping_sub)
    }
    #[inline(always)]
    fn and_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        each(a, b, |a, b| a & b)
    }
    #[inline(always)]
    fn or_words(self, a: Self::Word, b: Self::Word) -> Self::Word {
        each(a, b, |a, b| a | b)
    }
    #[inline(always)]
    fn splat_words(self, x: u64) -> Self::Word {
        [x; LANES]
    }
    #[inline(always)]
    fn shl(self, x: Self::Word, count: u32) -> Self::Word {
        map(x, |x| x << count)
    }
    #[inline(always)]
    fn sar(self, x: Self::Word, count: u32) -> Self::Word {
        map(x, |x| (x as i64 >> count) as u64)
    }
    #[inline(always)]
    fn shl_each(self, x: Self::Word, counts: Self::Word) -> Self::Word {
        each(x, counts, |x, count| x << count)
    }

    #[inline(always)]
    fn shorts(self, bytes: &[u8]) -> Self::Word {
        let shorts: &[[u8; 2]] = bytes[..2 * LANES].as_chunks().0;
        map([0, 1, 2, 3], |lane: usize| {
            i64::from(i16::from_le_bytes(shorts[lane])) as u64
        })
    }
    #[inline(always)]
    fn spread(self, bytes: &[u8], index: Self::Word) -> Self::Word {
        let halves: &[[u8; 4]] = bytes[..8 * LANES].as_chunks().0;
        let half = |index: u64| u64::from(u32::from_le_bytes(halves[index as usize]));
        map(index, |index| {
            half(index & 0xffff_ffff) | half(index >> 32) << 32
        })
    }
    #[inline(always)]
    fn bits(self, x: Self::Float) -> Self::Word {
        map(x, f64::to_bits)
    }
    #[inline(always)]
    fn float(self, x: Self::Word) -> Self::Float {
        map(x, |x| x as i64 as f64)
    }
    #[inline(always)]
    fn round(self, x: Self::Float) -> Self::Word {
        map(x, |x| {
            // In two halves of 32 bits, each rounded by the constant: a cast would saturate at
            // 2^63.
            let high = x * 2f64.powi(-32) + ROUNDER;
            let low = (x - (high - ROUNDER) * 2f64.powi(32)) + ROUNDER;
            (high.to_bits() << 32)
                .wrapping_add(low.to_bits())
                .wrapping_sub(ROUNDER.to_bits())
        })
    }

    #[inline(always)]
    fn prefetch(self, _data: &[f64]) {}
}
