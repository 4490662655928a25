//! The crate [`rustfft`](https://docs.rs/rustfft): a general FFT in Rust, with AVX kernels chosen by detection.

use super::Made;
use super::adapter::{Adapter, ComplexFft};
use crate::torus::PolynomialSize;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection};
use std::fmt;
use std::sync::Arc;

struct RustFft {
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
}

pub(super) fn new(size: PolynomialSize) -> Made {
    // Its inverse is the sum with positive exponents, which is our forward direction.
    let fft = RustFft {
        forward: plan(size.points(), FftDirection::Inverse),
        inverse: plan(size.points(), FftDirection::Forward),
    };
    Some(Ok(Box::new(Adapter::new(size, fft)?)))
}

/// What the crate's own planner takes for a power of two where there is AVX, and its portable algorithm
/// where there is none. Its planner for whatever the machine has would compile algorithms for SSE and for
/// every length, which takes longer than all else in this crate.
#[cfg(target_arch = "x86_64")]
fn plan(points: usize, direction: FftDirection) -> Arc<dyn Fft<f64>> {
    match rustfft::FftPlannerAvx::new() {
        Ok(mut planner) => planner.plan_fft(points, direction),
        Err(()) => Arc::new(rustfft::algorithm::Radix4::new(points, direction)),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn plan(points: usize, direction: FftDirection) -> Arc<dyn Fft<f64>> {
    rustfft::FftPlanner::new().plan_fft(points, direction)
}

impl fmt::Debug for RustFft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rustfft of {} points", self.forward.len())
    }
}

impl ComplexFft for RustFft {
    fn scratch_len(&self) -> usize {
        let (a, b) = (&self.forward, &self.inverse);
        2 * a
            .get_outofplace_scratch_len()
            .max(b.get_outofplace_scratch_len())
    }

    fn forward(&self, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]) {
        transform(&*self.forward, from, to, scratch);
    }

    fn inverse(&self, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]) {
        transform(&*self.inverse, from, to, scratch);
    }
}

fn transform(fft: &dyn Fft<f64>, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]) {
    fn complex(numbers: &mut [f64]) -> &mut [Complex<f64>] {
        bytemuck::cast_slice_mut(numbers)
    }
    fft.process_outofplace_with_scratch(complex(from), complex(to), complex(scratch));
}
