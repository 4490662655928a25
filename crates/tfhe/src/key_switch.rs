//! Key switching from the big key to the small one, by transforms.
//!
//! The small key is seen as n/M polynomials of degree M (7 of degree 128 for
//! P16) and the key-switching key as GLWE ciphertexts under it: module-LWE in
//! place of LWE. The key shrinks from 118 MB to 1 MB and the work to some
//! hundred transforms of 64 points, 3 % of a lookup; the noise is that of the
//! plain key switch, from both sides (the test of every step's noise at the real
//! parameters).
//!
//! With the mask cut into pieces A_i of M elements and P_i = A_i(1/X), the
//! constant coefficient of Σ P_i·z_i is ⟨mask, key⟩. Decomposing P_i and
//! multiplying by the rows that encrypt z_i gives a GLWE ciphertext of that sum
//! under the small key; its coefficient 0, extracted, is subtracted from the
//! body.

use random::MaskGenerator;
use transforms::torus::{Fft, Gadget, KeyIndex, KeyShape, Plan, Spectra};

use crate::error::TfheError;
use crate::ring::{self, gadget};
use crate::seeded_server_key::{Layout, SeededServerKey};

/// The key-switching key of the lookups, in the transform domain.
pub struct KeySwitchKey {
    plan: Plan,
    gadget: Gadget,
    shape: KeyShape,
    key: Spectra,
    layout: Layout,
}

/// Buffers of one key switch.
#[derive(Clone, Debug)]
pub(crate) struct KeySwitchWork {
    reversed: Vec<u64>,
    digits: Spectra,
    products: Spectra,
    words: Vec<u64>,
}

impl KeySwitchKey {
    pub(crate) fn expand(seeded: &SeededServerKey, fft: Fft) -> Result<Self, TfheError> {
        let parameters = seeded.parameters();
        let layout = Layout::new(parameters);
        let plan = ring::plan(parameters.key_switch_polynomial_size(), fft)?;
        let rows = layout.pieces * layout.levels_k;
        let shape = KeyShape {
            elements: 1,
            rows,
            columns: layout.parts + 1,
        };
        let mut key = plan.torus_spectra(shape.spectra());
        let mut masks = vec![0; layout.n];
        let mut spectrum = plan.torus_spectra(1);
        for (row, body) in seeded.key_switch_bodies().chunks(layout.m).enumerate() {
            let stream = layout.key_switch_stream(row / layout.levels_k, row % layout.levels_k);
            MaskGenerator::new(seeded.seed(), stream).fill(&mut masks);
            for (column, polynomial) in masks.chunks(layout.m).chain([body]).enumerate() {
                plan.forward_torus(&mut spectrum, polynomial);
                plan.place(
                    &mut key,
                    shape,
                    KeyIndex {
                        element: 0,
                        row,
                        column,
                    },
                    &spectrum,
                );
            }
        }
        let gadget = gadget(parameters.key_switch_decomposition())?;
        Ok(Self {
            plan,
            gadget,
            shape,
            key,
            layout,
        })
    }

    /// Buffers for one switch by this key.
    pub(crate) fn work(&self) -> KeySwitchWork {
        KeySwitchWork {
            reversed: vec![0; self.layout.m],
            digits: self.plan.digit_spectra(self.shape.rows),
            products: self.plan.torus_spectra(self.shape.columns),
            words: vec![0; self.layout.m],
        }
    }

    /// Switches a big LWE ciphertext (mask, then body) to the small key, into
    /// `switched` (n elements of mask, then the body).
    pub(crate) fn switch(&self, big: &[u64], work: &mut KeySwitchWork, switched: &mut [u64]) {
        let m = self.layout.m;
        let pieces = big.chunks_exact(m).take(self.layout.pieces);
        let mut digits = work.digits.chunks_exact_mut(self.plan.digit_len());
        for piece in pieces {
            reverse(piece, &mut work.reversed);
            for level in 1..=self.gadget.levels() {
                let Some(digits) = digits.next() else { return };
                self.plan
                    .forward_digits(digits, &work.reversed, self.gadget, level, &[]);
            }
        }
        self.plan
            .multiply(&mut work.products, &work.digits, &self.key, self.shape);
        let columns = work
            .products
            .chunks_exact_mut(self.plan.torus_len())
            .zip(switched.chunks_mut(m));
        for (column, (product, switched)) in columns.enumerate() {
            self.plan.inverse_torus(&mut work.words, product);
            if column < self.layout.parts {
                // −(coefficient 0 extracted): the mask of coefficient 0 is the
                // polynomial at 1/X.
                reverse(&work.words, switched);
                switched.iter_mut().for_each(|x| *x = x.wrapping_neg());
            } else {
                let body = big.last().copied().unwrap_or(0);
                switched[0] = body.wrapping_sub(work.words[0]);
            }
        }
    }
}

/// p(1/X) = p\[0\] − p\[M−1\]·X − … − p\[1\]·X^(M−1).
fn reverse(polynomial: &[u64], reversed: &mut [u64]) {
    reversed[0] = polynomial[0];
    for (into, &from) in reversed[1..].iter_mut().zip(polynomial[1..].iter().rev()) {
        *into = from.wrapping_neg();
    }
}
