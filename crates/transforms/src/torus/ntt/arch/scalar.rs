//! Any machine: one word at a time.

use super::{Kernel, Lanes};
use crate::arch::{Scalar, vectorize};
use crate::torus::gadget::Scales;
use crate::torus::ntt::field::{EPSILON, P};

impl Lanes for Scalar {
    const LANES: usize = 1;
    type Word = u64;
    type Words = u64;

    vectorize!(Scalar -> ());

    #[inline(always)]
    fn vectors(self, words: &[u64]) -> &[u64] {
        words
    }
    #[inline(always)]
    fn vectors_mut(self, words: &mut [u64]) -> &mut [u64] {
        words
    }

    #[inline(always)]
    fn load(self, from: &u64) -> u64 {
        *from
    }
    #[inline(always)]
    fn store(self, into: &mut u64, x: u64) {
        *into = x;
    }
    #[inline(always)]
    fn splat(self, x: u64) -> u64 {
        x
    }
    #[inline(always)]
    fn splat_low(self, x: i32) -> u64 {
        x as u64
    }

    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn sub(self, a: u64, b: u64) -> u64 {
        a.wrapping_sub(b)
    }
    #[inline(always)]
    fn xor(self, a: u64, b: u64) -> u64 {
        a ^ b
    }
    #[inline(always)]
    fn shl<const BITS: u32>(self, x: u64) -> u64 {
        x << BITS
    }
    #[inline(always)]
    fn shr<const BITS: u32>(self, x: u64) -> u64 {
        x >> BITS
    }
    #[inline(always)]
    fn sar<const BITS: u32>(self, x: u64) -> u64 {
        (x as i64 >> BITS) as u64
    }
    #[inline(always)]
    fn low(self, x: u64) -> u64 {
        x & EPSILON
    }
    #[inline(always)]
    fn high(self, x: u64) -> u64 {
        x >> 32
    }
    #[inline(always)]
    fn join(self, low: u64, high: u64) -> u64 {
        low & EPSILON | high << 32
    }
    #[inline(always)]
    fn mul(self, a: u64, b: u64) -> u64 {
        (i64::from(a as i32) * i64::from(b as i32)) as u64
    }
    #[inline(always)]
    fn mul_unsigned(self, a: u64, b: u64) -> u64 {
        (a & EPSILON) * (b & EPSILON)
    }
    #[inline(always)]
    fn add_modular(self, a: u64, b: u64) -> u64 {
        let (sum, carry) = a.overflowing_add(b);
        sum.wrapping_add(EPSILON & u64::from(carry).wrapping_neg())
    }
    #[inline(always)]
    fn nonzero(self, x: u64) -> u64 {
        x.wrapping_add(P & u64::from(x == 0).wrapping_neg())
    }
    #[inline(always)]
    fn min(self, a: u64, b: u64) -> u64 {
        a.min(b)
    }
    #[inline(always)]
    fn digits_24(self, limbs: &[u64], at: usize) -> u64 {
        let limb = |at: usize| limbs.get(at).copied().unwrap_or(0);
        let (first, bit) = (at * 24 / 64, at * 24 % 64);
        let both = u128::from(limb(first)) | u128::from(limb(first + 1)) << 64;
        (both >> bit) as u64 & 0xff_ffff
    }
    #[inline(always)]
    fn digit(self, torus: u64, scales: Scales) -> u64 {
        scales.digit(torus) as u64
    }

    #[inline(always)]
    fn transpose(self, _rows: &mut [u64; 8]) {}

    #[inline(always)]
    fn prefetch(self, _data: &[u64]) {}
}
