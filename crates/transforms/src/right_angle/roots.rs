//! Roots of unity, rounded to nearest from twice the precision.
//!
//! A root's angle is reduced to the first octant as an exact fraction; its sine and cosine are then the product of
//! two entries of tables as long as the square root of what they serve, kept as unevaluated sums of two
//! `f64` with an error below 2^-98. Rounded to 53 bits, each part is within `(1/2 + 2^-40)` of a unit in the last
//! place, which the certificate uses: with both parts below one, the root is off by at most
//! `2^-54·√2·(1 + 2^-39)`.

use crate::twiddles::Root;
use std::ops::{Add, Mul, Neg, Sub};

/// An unevaluated sum of two numbers, the second at most half a unit in the last place of the first.
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
    /// `exp(2πi · part / whole)` for at most an eighth of a turn, by the Taylor series: the 28th power of 0.79 over
    /// 28! is below 2^-107.
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

    /// `exp(2πi · part / whole)`, each part rounded to nearest. The order must be a multiple of `whole`.
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
