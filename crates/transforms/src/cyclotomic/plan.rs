//! Evaluation and interpolation modulo one prime.

use super::arithmetic::{invert, multiply, power, root_of_unity};
use super::error::CyclotomicError;
use super::index::{Axis, Index};
use super::moduli::{check, step};
use super::packed::{self, Packed};
use super::passes::{Ascend, Descend, First, Turn};
use super::shape::{CACHED_WORDS, TILE, convolution_lengths, passes};
use super::tables::{AxisValues, Level, Maker, Tail, transform};
use crate::InstructionSet;
use crate::integers::primes::arch::{FoldingKernel, Machine, Modulus, Reduction};
#[cfg(test)]
use crate::integers::primes::butterfly::{EachLayer, EachPass, Folding, Never};
use crate::integers::primes::field::Primes;
#[cfg(test)]
use crate::integers::primes::tests::bounds::Bounds;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Which of the two convolutions: places in tables.
const EVALUATE: usize = 0;
const INTERPOLATE: usize = 1;

/// Arithmetic in `Z_q[x]/Φ_m` for one prime `q`, on coefficients in the normal basis and on
/// evaluations.
///
/// A plan is immutable and may be used by many threads. All words that it takes and gives are below
/// `q`; slices of a ring element have [`Index::degree`] words.
///
/// # Panics
/// All methods panic on slices of another length.
#[derive(Debug)]
pub struct Plan {
    pub(super) index: Arc<Index>,
    pub(super) q: u64,
    pub(super) machine: Machine,
    packing: packed::Machine,
    pub(super) constants: Modulus,
    reduction: Reduction,
    lengths: Vec<usize>,
    levels: Vec<Level>,
    tail: Tail,
}

impl Plan {
    /// # Errors
    /// [`CyclotomicError::UnsuitableModulus`] unless `q` is a prime like those of
    /// [`primes`](super::primes); [`CyclotomicError::UnavailableSet`] if this machine lacks the
    /// instructions.
    pub fn new(index: &Arc<Index>, q: u64, set: InstructionSet) -> Result<Self, CyclotomicError> {
        check(index, q)?;
        let unavailable = CyclotomicError::UnavailableSet { set };
        let machine = Machine::new(set).ok_or(unavailable)?;
        let class = if q >> 48 == 0 {
            Primes::Narrow
        } else {
            Primes::Wide
        };
        let lengths = convolution_lengths(index);
        let order = step(index);
        let mut factors: Vec<u64> = index.primes().iter().map(|&p| p.into()).collect();
        factors.push(2);
        let generator = root_of_unity(order, &factors, q);
        let omega = power(generator, order / u64::from(index.m()), q);
        let axes: Vec<AxisValues> = index
            .axis_list()
            .iter()
            .zip(&lengths)
            .map(|(axis, &length)| {
                let root = power(generator, order / length as u64, q);
                // ω^(1/e) has this power as its part of order p.
                let omega = power(omega, axis.idempotent(), q);
                let kernels = [
                    forward_kernel(axis, omega, q),
                    inverse_kernel(axis, omega, q),
                ];
                AxisValues {
                    root,
                    values: kernels.map(|kernel| transform(&embedded(&kernel, length), root, q)),
                }
            })
            .collect();
        let maker = Maker {
            machine,
            q,
            axes: &axes,
        };
        let passes = passes(&lengths);
        let (tail, outer) = passes.split_last().ok_or(unavailable)?;
        Ok(Self {
            index: Arc::clone(index),
            q,
            machine,
            packing: packed::Machine::up_to(set),
            constants: machine.modulus(class, q),
            reduction: machine.reduction(class),
            levels: outer.iter().map(|pass| maker.level(pass)).collect(),
            tail: maker.tail(tail),
            lengths,
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

    /// A row of words below `q`, packed. Its sums take this plan's instructions.
    pub fn pack(&self, words: &[u64]) -> Packed {
        self.check_length(words);
        Packed::on(self.packing, words, self.q)
    }

    /// From coefficients to evaluations, in place: the word at the position of `e` becomes the
    /// value at `ω^(1/e)`, `ω` being a primitive `m`-th root of unity modulo `q` that the plan
    /// fixes.
    pub fn evaluate(&self, coefficients: &mut [u64]) {
        self.convolve(coefficients, EVALUATE);
    }

    /// The inverse of [`Self::evaluate`].
    pub fn interpolate(&self, evaluations: &mut [u64]) {
        self.convolve(evaluations, INTERPOLATE);
    }

    fn convolve(&self, words: &mut [u64], which: usize) {
        self.check_length(words);
        let points = self.lengths.iter().product();
        if points == words.len() {
            self.passes(words, which);
            return;
        }
        // What is transformed may be secret.
        let mut padded = Zeroizing::new(vec![0; points]);
        self.each_line(|position, point, length| {
            padded[point..][..length].copy_from_slice(&words[position..][..length]);
        });
        self.passes(&mut padded, which);
        self.each_line(|position, point, length| {
            words[position..][..length].copy_from_slice(&padded[point..][..length]);
        });
    }

    /// Calls with the first position of each line of the innermost axis, its first point and its
    /// length.
    fn each_line(&self, mut call: impl FnMut(usize, usize, usize)) {
        let axes = self.index.axis_list();
        let line = axes.last().map_or(1, Axis::length);
        for position in (0..self.index.degree()).step_by(line) {
            let (mut rest, mut point, mut stride) = (position, 0, 1);
            for (axis, length) in axes.iter().zip(&self.lengths).rev() {
                point += rest % axis.length() * stride;
                rest /= axis.length();
                stride *= length;
            }
            call(position, point, line);
        }
    }

    fn passes(&self, data: &mut [u64], which: usize) {
        self.passes_on(data, which, (self.machine, self.reduction));
    }

    fn passes_on(&self, data: &mut [u64], which: usize, machine: impl Enter) {
        let descend = |level: usize, data: &mut [u64], start: usize| {
            let pass = Descend {
                modulus: &self.constants,
                level: &self.levels[level],
                first: start / self.levels[level].chunk,
                data,
            };
            if level == 0 {
                machine.enter(First(pass));
            } else {
                machine.enter(pass);
            }
        };
        let ascend = |level: usize, data: &mut [u64], start: usize| {
            machine.enter(Ascend {
                modulus: &self.constants,
                level: &self.levels[level],
                which,
                first: start / self.levels[level].chunk,
                data,
                last: level == 0,
            });
        };
        let large = |level: &&Level| level.chunk > CACHED_WORDS;
        let outer = self.levels.iter().take_while(large).count();
        for level in 0..outer {
            descend(level, data, 0);
        }
        let piece = match outer.checked_sub(1) {
            Some(level) => self.levels[level].chunk / self.levels[level].radix,
            None => data.len(),
        };
        for (number, data) in data.chunks_exact_mut(piece).enumerate() {
            let start = number * piece;
            for level in outer..self.levels.len() {
                descend(level, data, start);
            }
            machine.enter(Turn {
                modulus: &self.constants,
                tail: &self.tail,
                which,
                first: start / TILE,
                data,
            });
            for level in (outer..self.levels.len()).rev() {
                ascend(level, data, start);
            }
        }
        for level in (0..outer).rev() {
            ascend(level, data, 0);
        }
    }

    /// Asserts that no word of any pass exceeds what instruction sets have room for.
    #[cfg(test)]
    pub(super) fn check_bounds(&self) {
        self.check_bounds_with(Never, 1 << 10);
        self.check_bounds_with(EachPass, 16);
        self.check_bounds_with(EachLayer, 4);
    }

    #[cfg(test)]
    fn check_bounds_with<F: Folding>(&self, folding: F, limit: u64) {
        let mut data = vec![1; self.lengths.iter().product()];
        for which in [EVALUATE, INTERPOLATE] {
            self.passes_on(&mut data, which, (Bounds { limit }, folding));
            assert!(data.iter().all(|&bound| bound == 1));
        }
    }

    pub(super) fn check_length(&self, words: &[u64]) {
        let degree = self.index.degree();
        assert_eq!(words.len(), degree, "words of a ring element");
    }
}

/// Where passes run, and when they fold sums.
trait Enter: Copy {
    fn enter<K: FoldingKernel>(self, kernel: K);
}

impl Enter for (Machine, Reduction) {
    #[inline]
    fn enter<K: FoldingKernel>(self, kernel: K) {
        self.0.dispatch_folding(self.1, kernel);
    }
}

#[cfg(test)]
impl<F: Folding> Enter for (Bounds, F) {
    fn enter<K: FoldingKernel>(self, kernel: K) {
        kernel.run::<_, F>(self.0);
    }
}

/// What coefficients along an axis are convolved with: the value at `ω^(1/g^a)` of `ζ^(g^b)` is
/// that at `a − b` of `ω^(g^(−c))`.
fn forward_kernel(axis: &Axis, omega: u64, q: u64) -> Vec<u64> {
    let powers = axis.powers();
    let inverses = powers.iter().take(1).chain(powers.iter().skip(1).rev());
    inverses.map(|&x| power(omega, x.into(), q)).collect()
}

/// What values along an axis are convolved with. Of a polynomial with the coefficients `x_j` for
/// `j` from 1 to `p − 1` and 0 at `j = 0`, the value at 1 is that for which `p·x_0`, the sum of all
/// values, is 0. So `p·x_j = Σ v_i·(ω^(−i·j) − 1)` over the values at `ω^i`, and with `i = g^(−a)`
/// and `j = g^b` the kernel is `(ω^(−g^c) − 1)/p` at `c = b − a`.
fn inverse_kernel(axis: &Axis, omega: u64, q: u64) -> Vec<u64> {
    let p = u64::from(axis.prime);
    let scale = invert(p, q);
    let values = axis.powers().iter().map(|&x| {
        let root = power(omega, p - u64::from(x), q);
        multiply(root + q - 1, scale, q)
    });
    values.collect()
}

/// A cyclic convolution's values for one of another length: at negative places too, where that is
/// longer.
fn embedded(kernel: &[u64], length: usize) -> Vec<u64> {
    let mut values = vec![0; length];
    values[..kernel.len()].copy_from_slice(kernel);
    let negative = length - kernel.len() + 1;
    values[negative..].copy_from_slice(&kernel[1..]);
    values
}
