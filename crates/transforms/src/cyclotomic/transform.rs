//! Multidimensional cyclic convolutions, straightforwardly: one line of points at a time.

use super::arithmetic::{invert, multiply, power};

/// Convolutions of one shape modulo one prime.
#[derive(Debug)]
pub(super) struct Convolutions {
    q: u64,
    lengths: Vec<usize>,
    /// A root of unity of each length.
    roots: Vec<u64>,
}

impl Convolutions {
    pub(super) fn new(lengths: Vec<usize>, q: u64, root: impl Fn(u64) -> u64) -> Self {
        let roots = lengths.iter().map(|&length| root(length as u64)).collect();
        Self { q, lengths, roots }
    }

    pub(super) fn points(&self) -> usize {
        self.lengths.iter().product()
    }

    pub(super) fn forward(&self, data: &mut [u64]) {
        self.transform(data, &self.roots);
    }

    /// Without the division by the number of points.
    fn inverse(&self, data: &mut [u64]) {
        let roots: Vec<u64> = self.roots.iter().map(|&x| invert(x, self.q)).collect();
        self.transform(data, &roots);
    }

    fn transform(&self, data: &mut [u64], roots: &[u64]) {
        let mut stride = self.points();
        for (&length, &root) in self.lengths.iter().zip(roots) {
            let block = stride;
            stride /= length;
            for block in data.chunks_exact_mut(block) {
                for first in 0..stride {
                    let line: Vec<u64> = block[first..].iter().step_by(stride).copied().collect();
                    for (place, x) in line_transform(&line, root, self.q).into_iter().enumerate() {
                        block[first + place * stride] = x;
                    }
                }
            }
        }
    }

    /// The table that makes [`Self::convolve`] the convolution with these values.
    pub(super) fn table(&self, mut values: Vec<u64>) -> Vec<u64> {
        self.forward(&mut values);
        let scale = invert(self.points() as u64, self.q);
        for x in &mut values {
            *x = multiply(*x, scale, self.q);
        }
        values
    }

    pub(super) fn convolve(&self, data: &mut [u64], table: &[u64]) {
        self.forward(data);
        for (x, factor) in data.iter_mut().zip(table) {
            *x = multiply(*x, *factor, self.q);
        }
        self.inverse(data);
    }
}

fn line_transform(line: &[u64], root: u64, q: u64) -> Vec<u64> {
    if line.len() == 1 {
        return line.to_vec();
    }
    let half = |first: usize| -> Vec<u64> {
        let line: Vec<u64> = line[first..].iter().step_by(2).copied().collect();
        line_transform(&line, multiply(root, root, q), q)
    };
    let (even, odd) = (half(0), half(1));
    let mut out = vec![0; line.len()];
    for i in 0..even.len() {
        let t = multiply(odd[i], power(root, i as u64, q), q);
        out[i] = (even[i] + t) % q;
        out[i + even.len()] = (even[i] + q - t) % q;
    }
    out
}
