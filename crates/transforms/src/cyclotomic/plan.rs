//! Evaluation and interpolation modulo one prime.

use super::arithmetic::{invert, multiply, power, root_of_unity};
use super::error::CyclotomicError;
use super::index::Index;
use super::moduli::{check, convolution_lengths, step};
use super::transform::Convolutions;
use crate::InstructionSet;
use std::sync::Arc;

/// Arithmetic in `Z_q[x]/Φ_m` for one prime `q`, on coefficients in the normal basis and on evaluations.
///
/// A plan is immutable and may be used by many threads. All words that it takes and gives are below `q`; slices
/// of a ring element have [`Index::degree`] words.
///
/// # Panics
/// All methods panic on slices of another length.
#[derive(Debug)]
pub struct Plan {
    pub(super) index: Arc<Index>,
    pub(super) q: u64,
    convolutions: Convolutions,
    evaluate: Vec<u64>,
    interpolate: Vec<u64>,
}

impl Plan {
    /// # Errors
    /// [`CyclotomicError::UnsuitableModulus`] unless `q` is a prime like those of [`primes`](super::primes);
    /// [`CyclotomicError::UnavailableSet`] if this machine lacks the instructions.
    pub fn new(index: &Arc<Index>, q: u64, set: InstructionSet) -> Result<Self, CyclotomicError> {
        check(index, q)?;
        if !InstructionSet::available().contains(&set) {
            return Err(CyclotomicError::UnavailableSet { set });
        }
        let lengths = convolution_lengths(index);
        let order = step(index);
        let mut factors: Vec<u64> = index.primes().iter().map(|&p| p.into()).collect();
        factors.push(2);
        let generator = root_of_unity(order, &factors, q);
        let root = |order_of_root: u64| power(generator, order / order_of_root, q);
        let omega = root(index.m().into());
        let convolutions = Convolutions::new(lengths.clone(), q, root);
        let kernel = |inverse: bool| {
            let mut values = vec![1];
            for ((axis, &length), p) in index.axis_list().iter().zip(&lengths).zip(index.primes()) {
                // ω^(1/e) has the idempotent's power as its part of order p.
                let omega = power(omega, axis.idempotent(), q);
                let line = axis_kernel(
                    axis.powers(),
                    length,
                    |exponent| {
                        let p = u64::from(p);
                        if inverse {
                            let x = power(omega, p - exponent, q) + q - 1;
                            multiply(x, invert(p, q), q)
                        } else {
                            power(omega, exponent, q)
                        }
                    },
                    inverse,
                );
                values = values
                    .iter()
                    .flat_map(|&x| line.iter().map(move |&y| multiply(x, y, q)))
                    .collect();
            }
            values
        };
        let evaluate = convolutions.table(kernel(false));
        let interpolate = convolutions.table(kernel(true));
        Ok(Self {
            index: Arc::clone(index),
            q,
            convolutions,
            evaluate,
            interpolate,
        })
    }

    /// The ring's index.
    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// The prime `q`.
    pub fn modulus(&self) -> u64 {
        self.q
    }

    /// From coefficients to evaluations, in place: the word at the position of `e` becomes the value at
    /// `ω^(1/e)`, `ω` being a primitive `m`-th root of unity modulo `q` that the plan fixes.
    pub fn evaluate(&self, coefficients: &mut [u64]) {
        self.convolve(coefficients, &self.evaluate);
    }

    /// The inverse of [`Self::evaluate`].
    pub fn interpolate(&self, evaluations: &mut [u64]) {
        self.convolve(evaluations, &self.interpolate);
    }

    fn convolve(&self, words: &mut [u64], table: &[u64]) {
        self.check_length(words);
        let lengths = convolution_lengths(&self.index);
        let axes = self.index.axes();
        let mut padded = vec![0; self.convolutions.points()];
        let place = |position: usize| {
            let mut stride = 1;
            let mut rest = position;
            let mut place = 0;
            for (&axis, &length) in axes.iter().zip(&lengths).rev() {
                place += rest % axis * stride;
                rest /= axis;
                stride *= length;
            }
            place
        };
        for (position, x) in words.iter().enumerate() {
            padded[place(position)] = *x;
        }
        self.convolutions.convolve(&mut padded, table);
        for (position, x) in words.iter_mut().enumerate() {
            *x = padded[place(position)];
        }
    }

    pub(super) fn check_length(&self, words: &[u64]) {
        let degree = self.index.degree();
        assert_eq!(words.len(), degree, "words of a ring element");
    }
}

/// The values that an axis is convolved with: `value(g^(−c))` at `c`, or `value(g^c)`, for `c` from 0 on and, where
/// the convolution is longer than the axis, for negative `c` at its end.
fn axis_kernel(
    powers: &[u32],
    length: usize,
    value: impl Fn(u64) -> u64,
    ascending: bool,
) -> Vec<u64> {
    let period = powers.len();
    let at = |c: usize| {
        let c = if ascending { c } else { period - c };
        value(powers[c % period].into())
    };
    let mut values = vec![0; length];
    for (c, value) in values[..period].iter_mut().enumerate() {
        *value = at(c);
    }
    for c in 1..period {
        values[length - c] = at(period - c);
    }
    values
}
