//! Products of torus polynomials by secret binary ones, exact.
//!
//! Making keys and encrypting, with a key or under a public one, needs a·S modulo 2^64, for uniform
//! a and binary S, without error. A double-precision transform holds 53 bits, so a is split into
//! 32-bit halves, of which the low one is unsigned: the coefficients of half·S stay below 2^32·N,
//! 2^43 for N = 2048, and the transform's error, of the order of 2^-52 of that times a small
//! factor, well below the half that rounding forgives. Two transforms forth and two back, against
//! N² word operations for the definition.

use random::{LockedBuffer, SecretBuffer};
use transforms::torus::{Fft, Plan};

use crate::error::TfheError;
use crate::parameters::PolynomialSize;
use crate::ring::plan;

/// A ring Z\[X\]/(X^N + 1) with its transform.
#[derive(Debug)]
pub(crate) struct Ring {
    plan: Plan,
}

/// A secret binary polynomial, transformed. Wiped on drop.
pub(crate) struct SecretSpectrum(LockedBuffer<f64>);

/// Work buffers of [`Ring::add_product`]; they hold nothing secret but
/// products with public polynomials, and are wiped on drop.
pub(crate) struct RingWork {
    half: Vec<u64>,
    spectrum: SecretBuffer<f64>,
    product: SecretBuffer<f64>,
    words: SecretBuffer<u64>,
}

impl Ring {
    /// By this machine's fastest processor: products are exact by all.
    pub(crate) fn new(size: PolynomialSize) -> Result<Self, TfheError> {
        Ok(Self {
            plan: plan(size, Fft::detect())?,
        })
    }

    fn size(&self) -> usize {
        self.plan.size().coefficients()
    }

    /// Transforms a secret of N bits, one per byte.
    pub(crate) fn secret_spectrum(&self, bits: &[u8]) -> SecretSpectrum {
        let words = SecretBuffer::new(bits.iter().map(|&bit| i64::from(bit)).collect());
        let mut spectrum = LockedBuffer::zeroed(self.plan.digit_len());
        self.plan
            .forward_signed(spectrum.expose_mut(), words.expose());
        SecretSpectrum(spectrum)
    }

    pub(crate) fn work(&self) -> RingWork {
        let n = self.size();
        RingWork {
            half: vec![0; n],
            spectrum: SecretBuffer::new(vec![0.0; self.plan.torus_len()]),
            product: SecretBuffer::new(vec![0.0; self.plan.torus_len()]),
            words: SecretBuffer::new(vec![0; n]),
        }
    }

    /// out += mask·secret, modulo 2^64.
    pub(crate) fn add_product(
        &self,
        out: &mut [u64],
        mask: &[u64],
        secret: &SecretSpectrum,
        work: &mut RingWork,
    ) {
        for shift in [0, 32] {
            for (half, word) in work.half.iter_mut().zip(mask) {
                // The low half is read as unsigned, the high half as signed.
                *half = if shift == 0 {
                    word & 0xffff_ffff
                } else {
                    (*word as i64 >> 32) as u64
                };
            }
            let product = work.product.expose_mut();
            product.fill(0.0);
            self.plan
                .forward_torus(work.spectrum.expose_mut(), &work.half);
            self.plan
                .multiply_add(product, work.spectrum.expose(), secret.0.expose());
            self.plan.inverse_torus(work.words.expose_mut(), product);
            for (out, word) in out.iter_mut().zip(work.words.expose()) {
                *out = out.wrapping_add(word << shift);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use random::Generator;

    /// Against the definition, at the sizes in use: exact equality.
    #[test]
    fn products_are_exact() {
        let mut generator = Generator::from_key([9; 32]);
        for n in [32_u32, 128, 512, 2048] {
            let ring = Ring::new(PolynomialSize(n)).unwrap();
            let n = n as usize;
            let secret = generator.binary_secret(n);
            let mut mask: Vec<u64> = (0..n).map(|_| generator.uniform()).collect();
            mask[..4].copy_from_slice(&[u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 31]);
            let mut expected: Vec<u64> = (0..n as u64).collect();
            let mut got = expected.clone();
            for (i, &bit) in secret
                .expose()
                .iter()
                .enumerate()
                .filter(|(_, bit)| **bit == 1)
            {
                assert_eq!(bit, 1);
                for (j, &x) in mask.iter().enumerate() {
                    let x = if i + j < n { x } else { x.wrapping_neg() };
                    expected[(i + j) % n] = expected[(i + j) % n].wrapping_add(x);
                }
            }
            let spectrum = ring.secret_spectrum(secret.expose());
            ring.add_product(&mut got, &mask, &spectrum, &mut ring.work());
            assert_eq!(got, expected, "{n}");
        }
    }
}
