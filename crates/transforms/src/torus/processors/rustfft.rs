//! The crate [`rustfft`](https://docs.rs/rustfft): a general FFT in Rust, with AVX kernels chosen
//! by detection.

use super::Made;
use super::adapter::{Adapter, ComplexFft};
use crate::torus::PolynomialSize;
use peer_fft::PeerFft;

pub(super) fn new(size: PolynomialSize) -> Made {
    Some(Ok(Box::new(Adapter::new(
        size,
        PeerFft::new(size.points()),
    )?)))
}

impl ComplexFft for PeerFft {
    fn scratch_len(&self) -> usize {
        self.scratch_len()
    }

    fn forward(&self, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]) {
        self.positive(from, to, scratch);
    }

    fn inverse(&self, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]) {
        self.negative(from, to, scratch);
    }
}
