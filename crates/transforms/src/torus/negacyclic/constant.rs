//! Constants: their spectrum, and the constant coefficient of one, without a transform.
//!
//! A constant has its own value at every root. Conversely, over the roots `ζ^(4k+1)` the powers `X^j`
//! add up to nothing but for `X^0`, which gives the number of points `M`, and `X^M`, which gives `M·i`:
//! the sum of the values has `M` times the constant coefficient as its real part.

use super::butterfly::{splat, store};
use crate::arch::{Kernel, Simd};

/// Writes the spectrum of a constant.
pub(crate) struct Constant<'a> {
    pub(crate) value: f64,
    pub(crate) output: &'a mut [f64],
}

impl Kernel for Constant<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let value = splat(simd, [self.value, 0.0]);
        for pair in simd.pairs_mut(self.output) {
            store(simd, pair, value);
        }
    }
}

/// The sum of the real parts of a spectrum.
pub(crate) struct RealSum<'a>(pub(crate) &'a [f64]);

impl Kernel for RealSum<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> f64 {
        /// Sums that do not wait for each other.
        const SUMS: usize = 4;
        let mut sums = [simd.splat(0.0); SUMS];
        // A spectrum has a power of two of vectors, and at least four.
        for pairs in simd.pairs(self.0).as_chunks::<SUMS>().0 {
            for k in 0..SUMS {
                sums[k] = simd.add(sums[k], simd.load(&pairs[k][0]));
            }
        }
        let sum = simd.add(simd.add(sums[0], sums[1]), simd.add(sums[2], sums[3]));
        let mut lanes = [0.0; 16];
        for pair in simd.pairs_mut(&mut lanes).iter_mut().take(1) {
            simd.store(&mut pair[0], sum);
        }
        lanes.iter().sum()
    }
}

/// The integer nearest to `x`, modulo 2^64, for `|x| < 2^115`: as `modulo` of the inverse transform.
pub(crate) fn torus(x: f64) -> u64 {
    const TWO_64: f64 = 18_446_744_073_709_551_616.0;
    let rest = x - (x / TWO_64).round_ties_even() * TWO_64;
    rest.round_ties_even() as i128 as u64
}

#[cfg(test)]
mod tests {
    use super::torus;

    #[test]
    fn numbers_are_reduced() {
        let two = |power: i32| 2f64.powi(power);
        for (x, reduced) in [
            (0.0, 0),
            (-1.25, u64::MAX),
            (2.5, 2),
            (two(63), 1 << 63),
            (-two(63), 1 << 63),
            (two(64) + two(20), 1 << 20),
            (two(100) - two(50), (1u64 << 50).wrapping_neg()),
            (two(64).next_down(), (1u64 << 11).wrapping_neg()),
        ] {
            assert_eq!(torus(x), reduced, "{x}");
        }
    }
}
