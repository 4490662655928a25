#![doc = include_str!("certificate.md")]

use super::shape::{Radix, Shape};

/// What rounding to nearest changes at most, relatively.
const UNIT: f64 = 1.0 / 9_007_199_254_740_992.0;
/// Room for all products of two or more rounding errors, for the rounding of the norms and of the
/// bound itself.
const SECOND_ORDER: f64 = 1.0 + 1.0 / 1_048_576.0;

/// The error constants of one factorisation, in units of 2^-53.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Certificate {
    /// `F`: of one forward transform, relative, in the Euclidean norm.
    forward: f64,
    /// `I`: of the inverse transform with its rounding, relative to the sum of all magnitudes.
    inverse: f64,
    /// Of one product, beyond what its addition adds.
    product: f64,
}

impl Certificate {
    /// Sums up the passes of `shape`; `fused` where multiplication and addition round once.
    /// `halved` where the ring is first split into two by a level of its own.
    pub(super) fn new(shape: &Shape, lanes: usize, fused: bool, halved: bool) -> Self {
        let root = 0.5f64.sqrt();
        let multiply = root + if fused { 2.0 } else { 5f64.sqrt() };
        let turn = root + 2f64.sqrt() + 3f64.sqrt() + if fused { 0.0 } else { 2f64.sqrt() };
        let lane_levels = lanes.trailing_zeros();

        // The group's steps and its lanes.
        let mut forward = turn * f64::from(2 * lane_levels);
        let mut inverse =
            Self::join(lane_levels, multiply) + (1.0 + multiply) * f64::from(lane_levels);
        for pass in shape.passes_on_vectors() {
            match pass {
                Radix::Power(levels) => {
                    forward += turn * f64::from(levels);
                    inverse += Self::join(levels, multiply);
                }
                Radix::Odd(parts) => {
                    let half = (parts / 2) as f64;
                    let roundings = half + root + if fused { 2.0 } else { 3.0 };
                    forward += multiply + roundings * (parts as f64).sqrt();
                    inverse += multiply + roundings * 2f64.sqrt();
                }
            }
        }
        if halved {
            forward += turn;
            inverse += 1.0 + multiply;
        }
        // Scaling by a rounded 1/N.
        inverse += if fused { 1.0 } else { 2.0 };
        Self {
            forward,
            inverse,
            product: if fused { 0.0 } else { 2f64.sqrt() },
        }
    }

    /// A plain radix-2^levels step and its factors.
    fn join(levels: u32, multiply: f64) -> f64 {
        let eighth = if levels == 3 {
            2.0 + 0.5f64.sqrt()
        } else {
            0.0
        };
        f64::from(levels) + eighth + multiply
    }

    /// The bound on the error of every coefficient of a sum of products: of the products of norms,
    /// and of their partial sums.
    pub(super) fn bound(&self, norms: f64, partial_norms: f64) -> f64 {
        let constant = 2.0 * self.forward + self.inverse + self.product;
        UNIT * SECOND_ORDER * (constant * norms + 2.0 * partial_norms)
    }

    /// Whether `sums` products of operands of `digits` random digits of `bits` bits each are
    /// certified: with norms six standard deviations above the mean.
    pub(super) fn expects(&self, sums: usize, digits: f64, bits: u32) -> bool {
        let square = (2f64.powi(2 * bits as i32) + 2.0) / 12.0;
        let norms = digits * square * (1.0 + 6.0 * (0.8 / digits).sqrt());
        let sums = sums as f64;
        self.bound(sums * norms, sums * (sums + 1.0) / 2.0 * norms) < 0.5
    }
}
