//! How fast processors are, side by side: in one run and interleaved, so that whatever else the
//! machine does meets all of them alike.
//!
//! Three operations are timed, those of which a blind rotation consists, with everything that
//! belongs to them: the forward transform of a torus polynomial's digits, the inverse with rounding
//! and addition to the torus, and the block step of four elements, two rows and two columns.
//! Operands are in the cache, except for what a processor's own constants drive out; how a key that
//! is not adds to that, only a whole bootstrap shows.

use crate::torus::accuracy::uniform;
use crate::torus::{
    Fft, Gadget, KeyIndex, KeyShape, Plan, PolynomialSize, Spectra, TransformError,
};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A time that was measured many times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// The shortest: nobody disturbed it.
    pub best: Duration,
    /// Half took longer.
    pub median: Duration,
    /// One in ten took longer.
    pub ninth_decile: Duration,
}

impl Spread {
    /// Of measured times; zeros for none.
    pub fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |tenths: usize| {
            let index = times.len().saturating_sub(1) * tenths / 10;
            times.get(index).copied().unwrap_or_default()
        };
        Self {
            best: at(0),
            median: at(5),
            ninth_decile: at(9),
        }
    }
}

/// The times of one processor, each of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speed {
    /// Decomposition and forward transform.
    pub forward: Spread,
    /// Inverse transform, rounding, addition.
    pub inverse: Spread,
    /// One block step, for one ciphertext.
    pub block_step: Spread,
}

/// The block that is timed.
const SHAPE: KeyShape = KeyShape::BLOCK;

/// Calls of which one time is the mean.
const CALLS: u32 = 16;

/// Measures processors on one ring, `rounds` times each, digits of `digit_bits` bits. Takes about
/// 0.3 ms a round and processor at 2,048 coefficients.
///
/// # Errors
/// As [`Plan::new`] and [`Gadget::new`].
pub fn compare(
    size: PolynomialSize,
    processors: &[Fft],
    digit_bits: u32,
    rounds: usize,
) -> Result<Vec<Speed>, TransformError> {
    let gadget = Gadget::new(digit_bits, 1)?;
    let contestants = processors
        .iter()
        .map(|&fft| Contestant::new(size, fft, gadget));
    let mut contestants = contestants.collect::<Result<Vec<_>, _>>()?;
    for round in 0..rounds {
        // Each in turn is the first, which comes after the last one's block step.
        for place in 0..processors.len() {
            let contestant = (place + round) % processors.len();
            contestants[contestant].time();
        }
    }
    Ok(contestants.into_iter().map(Contestant::speed).collect())
}

/// A processor with operands, and what has been measured.
struct Contestant {
    plan: Plan,
    gadget: Gadget,
    polynomial: Vec<u64>,
    digits: Spectra,
    key: Spectra,
    products: Spectra,
    exponents: [u32; SHAPE.elements],
    times: [Vec<Duration>; 3],
}

impl Contestant {
    fn new(size: PolynomialSize, fft: Fft, gadget: Gadget) -> Result<Self, TransformError> {
        let plan = Plan::new(size, fft)?;
        let n = size.coefficients();
        let mut key = plan.torus_spectra(SHAPE.spectra());
        let mut spectrum = plan.torus_spectra(1);
        for number in 0..SHAPE.spectra() {
            plan.forward_torus(&mut spectrum, &uniform(n, number as u64 + 1));
            let index = KeyIndex {
                element: number / (SHAPE.rows * SHAPE.columns),
                row: number / SHAPE.columns % SHAPE.rows,
                column: number % SHAPE.columns,
            };
            plan.place(&mut key, SHAPE, index, &spectrum);
        }
        Ok(Self {
            gadget,
            polynomial: uniform(n, 0),
            digits: plan.digit_spectra(SHAPE.rows),
            key,
            products: plan.torus_spectra(SHAPE.columns),
            exponents: [3, 500, 1001, 2047],
            times: [const { Vec::new() }; 3],
            plan,
        })
    }

    /// One round. Each operation gets what the one before it made, as in a blind rotation.
    fn time(&mut self) {
        let mut sums = [Duration::ZERO; 3];
        let (digit_len, torus_len) = (self.plan.digit_len(), self.plan.torus_len());
        for _ in 0..CALLS {
            let start = Instant::now();
            let digits = black_box(&mut self.digits[..digit_len]);
            self.plan
                .forward_digits(digits, &self.polynomial, self.gadget, 1, &[]);
            sums[0] += start.elapsed();
            self.digits.copy_within(..digit_len, digit_len);
            let start = Instant::now();
            let products = black_box(&mut self.products);
            self.plan.rotate_block(
                products,
                &self.digits,
                &self.key,
                SHAPE,
                &self.exponents,
                &[],
            );
            sums[1] += start.elapsed();
            let start = Instant::now();
            let product = black_box(&mut self.products[..torus_len]);
            self.plan
                .inverse_torus_add(&mut self.polynomial, product, &[]);
            sums[2] += start.elapsed();
        }
        for (times, sum) in self.times.iter_mut().zip(sums) {
            times.push(sum / CALLS);
        }
    }

    fn speed(self) -> Speed {
        let [forward, block_step, inverse] = self.times.map(Spread::of);
        Speed {
            forward,
            inverse,
            block_step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_in_order() {
        let times = |range: std::ops::Range<u64>| range.map(Duration::from_nanos).collect();
        let spread = Spread::of(times(0..101));
        let nanoseconds = [spread.best, spread.median, spread.ninth_decile].map(|t| t.as_nanos());
        assert_eq!(nanoseconds, [0, 50, 90]);
        assert_eq!(
            Spread::of(times(7..8)).ninth_decile,
            Duration::from_nanos(7)
        );
        assert_eq!(Spread::of(Vec::new()).best, Duration::ZERO);
    }

    #[test]
    fn every_processor_is_timed() {
        let processors = Fft::available();
        let size = PolynomialSize::new(1024).unwrap();
        let speeds = compare(size, &processors, 23, 3).unwrap();
        assert_eq!(speeds.len(), processors.len());
        for Speed {
            forward,
            inverse,
            block_step,
        } in speeds
        {
            for spread in [forward, inverse, block_step] {
                // Not even a wide machine does a thousand points in a hundred nanoseconds.
                assert!(spread.best > Duration::from_nanos(100));
                assert!(spread.best <= spread.median && spread.median <= spread.ninth_decile);
            }
        }
        assert!(compare(size, &processors, 53, 3).is_err());
    }
}
