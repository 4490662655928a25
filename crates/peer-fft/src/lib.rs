//! The crate [`rustfft`](https://docs.rs/rustfft), with AVX kernels chosen by detection, for
//! numbers in double precision and powers of two.
//!
//! It is generic, so that whoever names it compiles it: a quarter of what `transforms` took, at
//! every change. Here nothing changes.

use num_complex::Complex;
use rustfft::{Fft, FftDirection};
use std::fmt;
use std::sync::Arc;

/// Transforms of a fixed number of complex numbers, out of place, unscaled. A number is its real
/// and its imaginary part side by side, and operands may be overwritten.
pub struct PeerFft {
    positive: Arc<dyn Fft<f64>>,
    negative: Arc<dyn Fft<f64>>,
}

impl PeerFft {
    /// For a power of two.
    #[must_use]
    pub fn new(points: usize) -> Self {
        // Its inverse is the sum with positive exponents.
        Self {
            positive: plan(points, FftDirection::Inverse),
            negative: plan(points, FftDirection::Forward),
        }
    }

    /// Numbers of work space that a transform needs besides its operands.
    #[must_use]
    pub fn scratch_len(&self) -> usize {
        let (a, b) = (&self.positive, &self.negative);
        2 * a
            .get_outofplace_scratch_len()
            .max(b.get_outofplace_scratch_len())
    }

    /// `to_k = Σ_j from_j·exp(+2πi·jk/M)`, of `M` points.
    pub fn positive(&self, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]) {
        transform(&*self.positive, from, to, scratch);
    }

    /// `to_k = Σ_j from_j·exp(−2πi·jk/M)`.
    pub fn negative(&self, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]) {
        transform(&*self.negative, from, to, scratch);
    }
}

impl fmt::Debug for PeerFft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rustfft of {} points", self.positive.len())
    }
}

/// What the crate's own planner takes for a power of two where there is AVX, and its portable
/// algorithm where there is none. Its planner for whatever the machine has would compile algorithms
/// for SSE and for every length, too.
#[cfg(target_arch = "x86_64")]
fn plan(points: usize, direction: FftDirection) -> Arc<dyn Fft<f64>> {
    match rustfft::FftPlannerAvx::new() {
        Ok(mut planner) => planner.plan_fft(points, direction),
        Err(()) => portable(points, direction),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn plan(points: usize, direction: FftDirection) -> Arc<dyn Fft<f64>> {
    rustfft::FftPlanner::new().plan_fft(points, direction)
}

#[cfg(any(target_arch = "x86_64", test))]
fn portable(points: usize, direction: FftDirection) -> Arc<dyn Fft<f64>> {
    Arc::new(rustfft::algorithm::Radix4::new(points, direction))
}

fn transform(fft: &dyn Fft<f64>, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]) {
    fn complex(numbers: &mut [f64]) -> &mut [Complex<f64>] {
        bytemuck::cast_slice_mut(numbers)
    }
    fft.process_outofplace_with_scratch(complex(from), complex(to), complex(scratch));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// `Σ_j x_j·exp(2πi·jk/M)`.
    fn sums(x: &[f64]) -> Vec<f64> {
        let points = x.len() / 2;
        let value = |k: usize| {
            (0..points).fold([0.0; 2], |[re, im], j| {
                let (sin, cos) = (TAU * (j * k % points) as f64 / points as f64).sin_cos();
                let (a, b) = (x[2 * j], x[2 * j + 1]);
                [re + a * cos - b * sin, im + a * sin + b * cos]
            })
        };
        (0..points).flat_map(value).collect()
    }

    /// By what this machine plans, and by what one without AVX would.
    #[test]
    fn transforms_are_the_sums_and_go_back() {
        for points in [1, 2, 4, 16, 64, 512] {
            let plans = [
                PeerFft::new(points),
                PeerFft {
                    positive: portable(points, FftDirection::Inverse),
                    negative: portable(points, FftDirection::Forward),
                },
            ];
            let x: Vec<f64> = (0..2 * points).map(|i| (i * i % 17) as f64 - 8.0).collect();
            for fft in plans {
                let mut scratch = vec![0.0; fft.scratch_len()];
                let (mut from, mut to) = (x.clone(), vec![0.0; 2 * points]);
                fft.positive(&mut from, &mut to, &mut scratch);
                let near = |a: &[f64], b: &[f64], scale: f64| {
                    a.iter().zip(b).all(|(a, b)| (a - b * scale).abs() < 1e-9)
                };
                assert!(near(&to, &sums(&x), 1.0), "{fft:?}");
                fft.negative(&mut to, &mut from, &mut scratch);
                assert!(near(&from, &x, points as f64), "{fft:?}");
            }
        }
    }
}
