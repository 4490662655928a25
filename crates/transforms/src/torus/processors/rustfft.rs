//! The crate [`rustfft`](https://docs.rs/rustfft): a general FFT in Rust, with AVX kernels chosen by detection.

use super::Made;
use super::adapter::{Adapter, ComplexFft};
use crate::torus::PolynomialSize;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use std::fmt;
use std::sync::Arc;

struct RustFft {
    forward: Arc<dyn rustfft::Fft<f64>>,
    inverse: Arc<dyn rustfft::Fft<f64>>,
}

pub(super) fn new(size: PolynomialSize) -> Made {
    let mut planner = FftPlanner::new();
    // Its inverse is the sum with positive exponents, which is our forward direction.
    let fft = RustFft {
        forward: planner.plan_fft_inverse(size.points()),
        inverse: planner.plan_fft_forward(size.points()),
    };
    Some(Ok(Box::new(Adapter::new(size, fft)?)))
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

fn transform(fft: &dyn rustfft::Fft<f64>, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]) {
    fn complex(numbers: &mut [f64]) -> &mut [Complex<f64>] {
        bytemuck::cast_slice_mut(numbers)
    }
    fft.process_outofplace_with_scratch(complex(from), complex(to), complex(scratch));
}
