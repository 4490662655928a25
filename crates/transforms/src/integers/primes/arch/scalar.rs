//! Any machine: one word of 64 bits at a time, which has room for all sums that a transform makes.

use super::{Factor, Kernel, Modulus, Residues};
use crate::arch::{Scalar, vectorize};
use crate::integers::primes::crt::{Coefficients, Recover};

#[inline(always)]
fn high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

impl Residues for Scalar {
    const LANES: usize = 1;
    const RADIX: u32 = 64;
    const SUMMANDS: usize = 1 << 12;
    type Word = u64;
    type Words = u64;
    type Prime = Modulus;
    type Sum = u128;

    vectorize!(Scalar -> ());

    #[inline(always)]
    fn prime(self, modulus: &Modulus) -> Modulus {
        *modulus
    }

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
    fn add(self, x: u64, y: u64) -> u64 {
        x.wrapping_add(y)
    }
    #[inline(always)]
    fn sub<const BIAS: u64>(self, p: Modulus, x: u64, y: u64) -> u64 {
        x.wrapping_add(BIAS * p.p).wrapping_sub(y)
    }
    #[inline(always)]
    fn mul(self, p: Modulus, y: u64, factor: Factor<Self>) -> u64 {
        let quotient = high(y, factor.quotient);
        y.wrapping_mul(factor.value)
            .wrapping_sub(quotient.wrapping_mul(p.p))
    }
    #[inline(always)]
    fn mul_add(self, p: Modulus, x: u64, y: u64, factor: Factor<Self>) -> u64 {
        x.wrapping_add(self.mul(p, y, factor))
    }
    #[inline(always)]
    fn fold(self, p: Modulus, x: u64) -> u64 {
        x.min(x.wrapping_sub(p.half))
    }
    #[inline(always)]
    fn clean(self, x: u64) -> u64 {
        x
    }
    #[inline(always)]
    fn canonical(self, p: Modulus, x: u64) -> u64 {
        x.min(x.wrapping_sub(p.p))
    }
    #[inline(always)]
    fn collect(self, p: Modulus, x: u64) -> u64 {
        self.read(p, x)
    }
    #[inline(always)]
    fn read(self, p: Modulus, x: u64) -> u64 {
        let [value, quotient] = p.two_32;
        self.mul_add(p, x & 0xffff_ffff, x >> 32, Factor { value, quotient })
    }
    #[inline(always)]
    fn product(self, p: Modulus, a: u64, b: u64) -> u64 {
        // Montgomery: a·b and m·p have the same lower half. With factors below 2^60 the upper one
        // of a·b is below 2^56, and half the limit is more than 2^56 + p.
        let ab = u128::from(a) * u128::from(b);
        let m = (ab as u64).wrapping_mul(p.inverse);
        (ab >> 64) as u64 + p.p - high(m, p.p)
    }

    #[inline(always)]
    fn reduce(self, p: Modulus, x: u64) -> u64 {
        let [_, quotient] = p.one;
        x.wrapping_sub(high(x, quotient).wrapping_mul(p.p))
    }
    #[inline(always)]
    fn enter(self, x: u64) -> u64 {
        x
    }
    #[inline(always)]
    fn leave(self, x: u64) -> u64 {
        x
    }
    #[inline(always)]
    fn no_products(self) -> u128 {
        0
    }
    #[inline(always)]
    fn accumulate(self, _: Modulus, sum: u128, a: u64, b: u64) -> u128 {
        sum + u128::from(a) * u128::from(b)
    }
    #[inline(always)]
    fn settle(self, p: Modulus, sum: u128) -> u64 {
        let [value, quotient] = p.two_52;
        let (low, high) = (sum as u64 & ((1 << 52) - 1), (sum >> 52) as u64);
        let high = self.mul(p, high, Factor { value, quotient });
        self.reduce(p, low + high)
    }
    #[inline(always)]
    fn where_above(self, x: u64, bound: u64, value: u64) -> u64 {
        if x > bound { value } else { 0 }
    }
    #[inline(always)]
    fn add_fraction(self, sum: u64, x: u64, inverse: f64) -> u64 {
        (f64::from_bits(sum) + x as f64 * inverse).to_bits()
    }
    #[inline(always)]
    fn nearest(self, sum: u64) -> u64 {
        f64::from_bits(sum).round_ties_even() as u64
    }

    #[inline(always)]
    fn parity(self, a: u64, b: u64) -> u64 {
        (a ^ b) & 1
    }

    #[inline(always)]
    fn interleave(self, rows: [u64; 8]) -> [u64; 8] {
        rows
    }
    #[inline(always)]
    fn separate(self, words: [u64; 8]) -> [u64; 8] {
        words
    }
}

/// `out` from the coefficients, and the carry beyond it that the next ones do not know of.
pub(super) fn recover(recover: &Recover, coefficients: Coefficients<'_>, out: &mut [u64]) -> u64 {
    let mut carry: u128 = 0;
    // What the last two coefficients have above their first limbs.
    let [mut one_back, mut two_back] = coefficients.before;
    for (number, limb) in out.iter_mut().enumerate() {
        let limbs = coefficients.at(number).map_or([0; 3], |x| recover.limbs(x));
        carry += u128::from(limbs[0]) + u128::from(one_back[1]) + u128::from(two_back[2]);
        *limb = carry as u64;
        carry >>= 64;
        (two_back, one_back) = (one_back, limbs);
    }
    carry as u64
}
