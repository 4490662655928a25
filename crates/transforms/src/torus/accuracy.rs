//! How far a processor's products are from the exact ones.
//!
//! What is measured is what a bootstrap computes: a uniform torus polynomial is decomposed to
//! digits of one level, multiplied by another uniform one (a row of a key is that), and compared
//! with the definition modulo 2^64 ([`oracle`]). The digits' own error, of not representing their
//! polynomial exactly, is no part of it.
//!
//! The error of a bootstrap follows: each step adds such errors as often as its products are
//! summed, and `2^(bits − 64)` is a deviation on the torus that the noise of the scheme has to
//! exceed.

use crate::torus::{Gadget, Plan, TransformError, oracle};

/// Errors of a product's coefficients, in units of `2^-64` of the torus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// Root of the mean square.
    pub rms: f64,
    /// The largest.
    pub worst: f64,
}

impl Accuracy {
    /// The root mean square in bits, `log2`; `None` for an exact product.
    #[must_use]
    pub fn rms_bits(&self) -> Option<f64> {
        (self.rms > 0.0).then(|| self.rms.log2())
    }

    /// The largest error in bits; `None` for an exact product.
    #[must_use]
    pub fn worst_bits(&self) -> Option<f64> {
        (self.worst > 0.0).then(|| self.worst.log2())
    }
}

/// Coefficients that are compared, unless one polynomial has more: an rms of as many Gaussian
/// errors is known to 1 %.
const SAMPLES: usize = 4096;

/// Measures products by digits of `digit_bits` bits. Takes time quadratic in the size: a tenth of a
/// second for 4,096 coefficients. Deterministic.
///
/// # Errors
/// [`TransformError::UnsupportedGadget`] unless digits have 1 to 52 bits.
pub fn measure(plan: &Plan, digit_bits: u32) -> Result<Accuracy, TransformError> {
    let gadget = Gadget::new(digit_bits, 1)?;
    let n = plan.size().coefficients();
    let (mut digits, mut torus) = (plan.digit_spectra(1), plan.torus_spectra(1));
    let mut found = vec![0; n];
    let (mut squares, mut worst) = (0.0, 0.0f64);
    let rounds = SAMPLES.div_ceil(n);
    for round in 0..rounds as u64 {
        let (a, b) = (uniform(n, 2 * round), uniform(n, 2 * round + 1));
        plan.forward_digits(&mut digits, &a, gadget, 1, &[]);
        plan.forward_torus(&mut torus, &b);
        let mut product = plan.torus_spectra(1);
        plan.multiply_add(&mut product, &torus, &digits);
        plan.inverse_torus(&mut found, &mut product);
        let digits: Vec<u64> = a.iter().map(|&x| gadget.digit(x, 1) as u64).collect();
        let exact = oracle::negacyclic_product(&digits, &b);
        for (found, exact) in found.iter().zip(&exact) {
            let error = found.wrapping_sub(*exact) as i64 as f64;
            squares += error * error;
            worst = worst.max(error.abs());
        }
    }
    Ok(Accuracy {
        rms: (squares / (rounds * n) as f64).sqrt(),
        worst,
    })
}

/// Uniform torus elements (SplitMix64).
pub(crate) fn uniform(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed << 32;
    let next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    std::iter::repeat_with(next).take(count).collect()
}
