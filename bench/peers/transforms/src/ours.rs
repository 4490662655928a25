//! A processor of our family: of our own make, or rustfft or FFTW behind our adapter.

use std::hint::black_box;

use clock::Failure;
use transforms::torus::{Fft, Gadget, Plan, PolynomialSize, Spectra};

use crate::side::{Sample, Side, gadget};

/// Forward takes a torus polynomial's digits, inverse rounds to the torus and adds: what a
/// blind rotation calls, decomposition included.
///
/// A processor whose products are longer than its digits cannot bring digits back; it gets the
/// same product each time, by a copy that counts as its own.
pub struct Ours {
    fft: Fft,
    plan: Plan,
    gadget: Gadget,
    torus: Vec<u64>,
    spectrum: Spectra,
    longer: Option<[Spectra; 2]>,
    sum: Vec<u64>,
}

impl Ours {
    pub fn new(fft: Fft, sample: &Sample) -> Result<Self, Failure> {
        let plan = Plan::new(PolynomialSize::new(sample.size())?, fft)?;
        let spectrum = plan.digit_spectra(1);
        let mut product = plan.torus_spectra(1);
        plan.forward_torus(&mut product, &sample.torus);
        let longer = plan.torus_len() > plan.digit_len();
        let longer = longer.then(|| [product.clone(), product]);
        Ok(Self {
            fft,
            plan,
            gadget: gadget()?,
            torus: sample.torus.clone(),
            spectrum,
            longer,
            sum: sample.torus.clone(),
        })
    }
}

impl Side for Ours {
    fn name(&self) -> String {
        format!("Blindcore {}", self.fft)
    }

    fn trip(&mut self) {
        self.plan.forward_digits(
            &mut self.spectrum,
            black_box(&self.torus),
            self.gadget,
            1,
            &[],
        );
        let spectrum = match &mut self.longer {
            None => &mut self.spectrum,
            Some([product, work]) => {
                work.copy_from_slice(product);
                work
            }
        };
        self.plan
            .inverse_torus_add(&mut self.sum, black_box(spectrum), &[]);
    }

    fn worst_error(&mut self, sample: &Sample) -> Result<Option<f64>, Failure> {
        let mut digits = self.plan.digit_spectra(1);
        let mut torus = self.plan.torus_spectra(1);
        let mut product = self.plan.torus_spectra(1);
        self.plan.forward_signed(&mut digits, &sample.digits);
        self.plan.forward_torus(&mut torus, &sample.torus);
        self.plan.multiply_add(&mut product, &torus, &digits);
        let mut result = vec![0; sample.size()];
        self.plan.inverse_torus(&mut result, &mut product);
        sample.judge(&self.name(), &result).map(Some)
    }
}
