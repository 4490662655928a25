//! Products of a torus polynomial by an encrypted small one, in the digits of a gadget.

use random::{MaskGenerator, Seed};
use transforms::torus::{Gadget, KeyIndex, KeyShape, Plan, Spectra};

use super::glwe::Glwe;

/// The encryption of a small polynomial in every weight of a gadget, in the transform domain.
pub(crate) struct RingSwitch {
    gadget: Gadget,
    shape: KeyShape,
    key: Spectra,
}

/// Buffers of one product by at most so many rows.
#[derive(Clone, Debug)]
pub(crate) struct ProductWork {
    digits: Spectra,
    products: Spectra,
    /// How many there were.
    #[cfg(test)]
    pub(super) count: usize,
}

impl ProductWork {
    pub(crate) fn new(plan: &Plan, rows: usize) -> Self {
        Self {
            digits: plan.digit_spectra(rows),
            products: plan.torus_spectra(2),
            #[cfg(test)]
            count: 0,
        }
    }

    /// Adds Σ digits·rows to a ciphertext, for the digits of polynomials each in its own gadget.
    pub(crate) fn add_product(
        &mut self,
        plan: &Plan,
        polynomials: &[(&[u64], Gadget)],
        (key, shape): (&[f64], KeyShape),
        sum: &mut Glwe,
    ) {
        #[cfg(test)]
        {
            self.count += 1;
        }
        let digits = &mut self.digits[..shape.rows * plan.digit_len()];
        let mut rows = digits.chunks_exact_mut(plan.digit_len());
        for &(polynomial, gadget) in polynomials {
            for (level, row) in (1..=gadget.levels()).zip(&mut rows) {
                plan.forward_digits(row, polynomial, gadget, level, &[]);
            }
        }
        plan.multiply(&mut self.products, digits, key, shape);
        let products = self.products.chunks_exact_mut(plan.torus_len());
        for (product, sum) in products.zip(sum.both_mut()) {
            plan.inverse_torus_add(sum, product, &[]);
        }
    }
}

impl RingSwitch {
    /// From the bodies of its rows and the first of their streams.
    pub(crate) fn expand(
        plan: &Plan,
        gadget: Gadget,
        seed: &Seed,
        stream: usize,
        bodies: &[u64],
    ) -> Self {
        let shape = KeyShape {
            elements: 1,
            rows: gadget.levels() as usize,
            columns: 2,
        };
        let mut key = plan.torus_spectra(shape.spectra());
        let size = plan.size().coefficients();
        let mut mask = vec![0; size];
        for (row, body) in bodies.chunks(size).enumerate() {
            MaskGenerator::new(seed, (stream + row) as u64).fill(&mut mask);
            place(plan, &mut key, shape, (0, row), [&mask, body]);
        }
        Self { gadget, shape, key }
    }

    /// Adds an encryption of `polynomial` times what is encrypted.
    pub(crate) fn add(
        &self,
        plan: &Plan,
        polynomial: &[u64],
        sum: &mut Glwe,
        work: &mut ProductWork,
    ) {
        let polynomials = [(polynomial, self.gadget)];
        work.add_product(plan, &polynomials, (&self.key, self.shape), sum);
    }
}

/// Transforms a row, mask and body, to its place in a key.
pub(crate) fn place(
    plan: &Plan,
    key: &mut [f64],
    shape: KeyShape,
    (element, row): (usize, usize),
    polynomials: [&[u64]; 2],
) {
    let mut spectrum = plan.torus_spectra(1);
    for (column, polynomial) in polynomials.into_iter().enumerate() {
        plan.forward_torus(&mut spectrum, polynomial);
        let index = KeyIndex {
            element,
            row,
            column,
        };
        plan.place(key, shape, index, &spectrum);
    }
}
