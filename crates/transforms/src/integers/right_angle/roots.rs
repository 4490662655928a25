//! Roots of unity, rounded to nearest from twice the precision.
//!
//! A root's angle is reduced to the first octant as an exact fraction; its sine and cosine are then
//! the product of two entries of tables as long as the square root of what they serve, kept as
//! unevaluated sums of two `f64` with an error below 2^-98. Rounded to 53 bits, each part is within
//! `(1/2 + 2^-40)` of a unit in the last place, which the certificate uses: with both parts below
//! one, the root is off by at most `2^-54·√2·(1 + 2^-39)`.

use crate::torus::twiddles::Root;
use std::ops::{Add, Mul, Neg, Sub};

/// An unevaluated sum of two numbers, the second at most half a unit in the last place of the
/// first.
#[derive(Debug, Clone, Copy)]
struct Double {
    high: f64,
    low: f64,
}

/// `a + b` as a rounded sum and its exact error, for any two numbers.
fn exact_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let part = high - a;
    Double {
        high,
        low: (a - (high - part)) + (b - part),
    }
}

impl Double {
    const ONE: Self = Self::of(1.0);
    /// 2π; the second part is the distance of the first from it.
    const TURN: Self = Self {
        high: std::f64::consts::TAU,
        low: 2.449_293_598_294_706_4e-16,
    };

    const fn of(high: f64) -> Self {
        Self { high, low: 0.0 }
    }

    /// Division by a small integer, exact as `f64`.
    fn over(self, divisor: f64) -> Self {
        let high = self.high / divisor;
        let rest = (-high).mul_add(divisor, self.high);
        exact_sum(high, (rest + self.low) / divisor)
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = exact_sum(self.high, other.high);
        let low = exact_sum(self.low, other.low);
        let middle = exact_sum(high.high, high.low + low.high);
        exact_sum(middle.high, middle.low + low.low)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let error = self.high.mul_add(other.high, -high);
        let cross = self.high.mul_add(other.low, self.low * other.high);
        exact_sum(high, error + cross)
    }
}

/// A root of unity to twice the precision.
#[derive(Debug, Clone, Copy)]
struct Fine {
    cosine: Double,
    sine: Double,
}

impl Fine {
    /// `exp(2πi · part / whole)` for at most an eighth of a turn, by the Taylor series: the 28th
    /// power of 0.79 over 28! is below 2^-107.
    fn new(part: usize, whole: usize) -> Self {
        let angle = (Double::TURN * Double::of(part as f64)).over(whole as f64);
        let mut parts = [Double::ONE, angle];
        let mut term = angle;
        for power in 2..30u32 {
            term = (term * angle).over(f64::from(power));
            let sum = &mut parts[power as usize % 2];
            *sum = if power % 4 < 2 {
                *sum + term
            } else {
                *sum - term
            };
        }
        let [cosine, sine] = parts;
        Self { cosine, sine }
    }
}

impl Mul for Fine {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            cosine: self.cosine * other.cosine - self.sine * other.sine,
            sine: self.cosine * other.sine + self.sine * other.cosine,
        }
    }
}

/// All roots of unity of one order, a multiple of 8.
#[derive(Debug)]
pub(super) struct Roots {
    order: usize,
    /// Below `step`, one apart.
    fine: Vec<Fine>,
    /// Up to an eighth of the order, `step` apart.
    coarse: Vec<Fine>,
    step: usize,
}

impl Roots {
    pub(super) fn new(order: usize) -> Self {
        let eighth = order / 8;
        let step = eighth.isqrt().max(1);
        Self {
            order,
            fine: (0..step).map(|part| Fine::new(part, order)).collect(),
            coarse: (0..=eighth / step)
                .map(|part| Fine::new(part * step, order))
                .collect(),
            step,
        }
    }

    /// `exp(2πi · part / whole)`, each part rounded to nearest. The order must be a multiple of
    /// `whole`.
    pub(super) fn root(&self, part: usize, whole: usize) -> Root {
        let exponent = part % whole * (self.order / whole);
        let eighth = self.order / 8;
        let (octant, rest) = (exponent / eighth, exponent % eighth);
        // Odd octants are measured backwards from their end.
        let from_axis = if octant % 2 == 0 { rest } else { eighth - rest };
        let fine = self.coarse[from_axis / self.step] * self.fine[from_axis % self.step];
        let (sine, cosine) = (fine.sine.high, fine.cosine.high);
        match octant {
            0 => [cosine, sine],
            1 => [sine, cosine],
            2 => [-sine, cosine],
            3 => [-cosine, sine],
            4 => [-cosine, -sine],
            5 => [-sine, -cosine],
            6 => [sine, -cosine],
            _ => [cosine, -sine],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rug::Integer;

    /// Bits after the point.
    const BITS: u32 = 200;

    /// `arctan(1/n)`, by its series.
    fn arctan_of_inverse(n: u32) -> Integer {
        let mut term = (Integer::from(1) << BITS) / n;
        let mut sum = term.clone();
        let mut k = 1u32;
        while term != 0 {
            term /= -i64::from(n * n);
            k += 2;
            sum += Integer::from(&term / k);
        }
        sum
    }

    /// Sine and cosine of `2π·part/whole`, by their series.
    fn oracle(part: usize, whole: usize) -> [Integer; 2] {
        let pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239));
        let angle: Integer = 2 * pi * part / whole;
        let mut parts = [Integer::from(1) << BITS, angle.clone()];
        let mut term = angle.clone();
        for power in 2..200u32 {
            term = ((term * &angle) >> BITS) / power;
            if power % 4 < 2 {
                parts[power as usize % 2] += &term;
            } else {
                parts[power as usize % 2] -= &term;
            }
        }
        let [cosine, sine] = parts;
        [cosine, sine]
    }

    /// `x·2^BITS`, exact for `x` that is no smaller than 2^-147.
    fn fixed(x: f64) -> Integer {
        let scaled = Integer::from((x * 2f64.powi(53 + 64)) as i128);
        (scaled << BITS) >> (53 + 64)
    }

    #[test]
    fn roots_are_within_half_a_unit_of_the_last_place() {
        // 2^-54, and 2^-40 of it.
        let most = (Integer::from(1) << (BITS - 54)) + (Integer::from(1) << (BITS - 94));
        for order in [256, 3 << 8, (4 * 7) << 10, 4 * 49_152, 5 << 20] {
            let roots = Roots::new(order);
            for k in 0..60 {
                let part = k * (order / 61) + k % 7;
                let found = roots.root(part, order);
                for (found, exact) in found.into_iter().zip(oracle(part, order)) {
                    let error = (fixed(found) - exact).abs();
                    assert!(error <= most, "{part} of {order}: {error}");
                }
            }
            assert_eq!(roots.root(order / 4, order), [0.0, 1.0]);
            assert_eq!(roots.root(1, 2), [-1.0, 0.0]);
        }
    }
}
