//! tfhe-rs: tfhe-fft with its conversions from digits and to the torus, as its external
//! product calls them. Its decomposition into digits is a pass of its own before the
//! transform and is not counted.

use std::hint::black_box;

use clock::Failure;
use dyn_stack::{PodBuffer, PodStack};
use tfhe::core_crypto::fft_impl::fft64::math::fft::{Fft, FftView};
use tfhe::core_crypto::fft_impl::fft64::math::polynomial::FourierPolynomial;
use tfhe::core_crypto::prelude::{Polynomial, PolynomialSize};

use crate::PEERS;
use crate::side::{Sample, Side};

pub struct TfheRs {
    fft: Fft,
    buffer: PodBuffer,
    digits: Polynomial<Vec<u64>>,
    sum: Polynomial<Vec<u64>>,
    spectrum: FourierPolynomial<aligned_vec::ABox<[tfhe_fft::c64]>>,
}

impl TfheRs {
    pub fn new(sample: &Sample) -> Self {
        let size = PolynomialSize(sample.size());
        let fft = Fft::new(size);
        let view = fft.as_view();
        let scratch = view.forward_scratch().or(view.backward_scratch());
        let digits = sample.digits.iter().map(|&digit| digit as u64).collect();
        Self {
            buffer: PodBuffer::new(scratch),
            digits: Polynomial::from_container(digits),
            sum: Polynomial::from_container(sample.torus.clone()),
            spectrum: FourierPolynomial::new(size),
            fft,
        }
    }

    fn view(&self) -> FftView<'_> {
        self.fft.as_view()
    }
}

impl Side for TfheRs {
    fn name(&self) -> String {
        format!("tfhe-rs 1.8.2 {PEERS}")
    }

    fn trip(&mut self) {
        let view = self.fft.as_view();
        let stack = PodStack::new(&mut self.buffer);
        view.forward_as_integer(
            self.spectrum.as_mut_view(),
            black_box(&self.digits).as_view(),
            stack,
        );
        view.add_backward_in_place_as_torus(
            self.sum.as_mut_view(),
            black_box(&mut self.spectrum).as_mut_view(),
            stack,
        );
    }

    fn worst_error(&mut self, sample: &Sample) -> Result<Option<f64>, Failure> {
        let size = PolynomialSize(sample.size());
        let mut torus = FourierPolynomial::new(size);
        let mut digits = FourierPolynomial::new(size);
        let mut result = Polynomial::new(0u64, size);
        let mut buffer = PodBuffer::new(
            self.view()
                .forward_scratch()
                .or(self.view().backward_scratch()),
        );
        let stack = PodStack::new(&mut buffer);
        let clear = Polynomial::from_container(sample.torus.clone());
        self.view()
            .forward_as_torus(torus.as_mut_view(), clear.as_view(), stack);
        self.view()
            .forward_as_integer(digits.as_mut_view(), self.digits.as_view(), stack);
        for (torus, digit) in torus.data.iter_mut().zip(digits.data.iter()) {
            *torus *= digit;
        }
        self.view()
            .add_backward_as_torus(result.as_mut_view(), torus.as_view(), stack);
        sample.judge(&self.name(), result.as_ref()).map(Some)
    }
}
