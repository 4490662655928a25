//! Roots of unity and the values to multiply with, as the passes read them.
//!
//! **Trees.** The polynomials modulo `x^(R·n) − w^(R·n·f)`, `w` being a root of the axis' order
//! `N`, have residues modulo the `R` factors `x^n − w^(n·g)`, `g = f + k̄·N/(R·n)` with `k̄` the
//! digits of `k` in reverse. The `k`-th is the sum over `r` of coefficients `r·n + j` times
//! `w^(n·f·r)`, a factor of the chunk, times a root of order `R`: products with `R` factors and
//! then a transform with constants, which several axes share if some of the layers begin another
//! axis. The inverse is the same backwards: constants, then inverse factors.
//!
//! **Convolution** along an axis multiplies the value at `w^f` with the transform of what it is
//! convolved with. As that of a product of axes is a product, each axis has its own values, which
//! are multiplied with where the inverse transform takes up the axis. No table is longer than an
//! axis.

use super::arithmetic::{invert, multiply, power};
use super::shape::{Pass, RADIX, ROWS, Segment};
use crate::integers::primes::arch::Machine;

/// A residue and its quotient.
pub(super) type Pair = [u64; 2];

/// Factors of `R` registers, which all words share, for each chunk of a line.
pub(super) type Uniform = Vec<Pair>;

/// One pass but the last.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) radix: usize,
    pub(super) chunk: usize,
    pub(super) blocks: usize,
    /// The constants of the transform and its inverse, layer by layer.
    pub(super) plain: [Pair; RADIX - 1],
    pub(super) plain_back: [Pair; RADIX - 1],
    /// What comes before the transform and after its inverse, unless the pass begins an axis.
    pub(super) twist: Option<[Uniform; 2]>,
    /// What convolves, for each of the two, if the pass completes axes.
    pub(super) values: Option<[Uniform; 2]>,
}

/// Factors of sixteen registers of the last pass.
#[derive(Debug)]
pub(super) enum Lanes {
    /// The same in all rows.
    Uniform(Box<[Pair; RADIX]>),
    /// Residues and quotients for eight rows, register by register, tile by tile.
    Rows(Vec<[[u64; ROWS]; 2]>),
}

/// The last pass.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) plain: [Pair; RADIX - 1],
    pub(super) plain_back: [Pair; RADIX - 1],
    pub(super) twist: Option<[Lanes; 2]>,
    pub(super) values: [Lanes; 2],
}

/// One axis: a root of unity and the transforms of two convolutions' values.
pub(super) struct AxisValues {
    pub(super) root: u64,
    pub(super) values: [Vec<u64>; 2],
}

/// Makes tables of one prime.
pub(super) struct Maker<'a> {
    pub(super) machine: Machine,
    pub(super) q: u64,
    pub(super) axes: &'a [AxisValues],
}

impl Maker<'_> {
    pub(super) fn level(&self, pass: &Pass) -> Level {
        let (radix, blocks) = (pass.radix(), pass.blocks());
        let uniform = |factor: &dyn Fn(usize, usize) -> u64| -> Uniform {
            let all = (0..blocks).flat_map(|block| (0..radix).map(move |r| (block, r)));
            all.map(|(block, r)| self.pair(factor(block, r))).collect()
        };
        let completes = pass.segments.iter().any(|s| s.after == 0);
        Level {
            radix,
            chunk: pass.chunk,
            blocks,
            plain: self.constants(&pass.segments, false),
            plain_back: self.constants(&pass.segments, true),
            twist: (blocks > 1).then(|| {
                [false, true].map(|back| uniform(&|block, r| self.twist(pass, block, r, back)))
            }),
            values: completes.then(|| {
                [0, 1].map(|which| uniform(&|block, k| self.value(pass, block, k, which)))
            }),
        }
    }

    pub(super) fn tail(&self, pass: &Pass) -> Tail {
        let blocks = pass.blocks();
        let lanes = |factor: &dyn Fn(usize, usize) -> u64| {
            if blocks == 1 {
                let pairs = std::array::from_fn(|r| self.pair(factor(0, r)));
                return Lanes::Uniform(Box::new(pairs));
            }
            let tiles = (0..blocks.div_ceil(ROWS)).map(|tile| tile * ROWS);
            let all = tiles.flat_map(|first| (0..RADIX).map(move |r| (first, r)));
            let rows = all.map(|(first, r)| {
                let pairs: [Pair; ROWS] =
                    std::array::from_fn(|row| self.pair(factor((first + row) % blocks, r)));
                [
                    pairs.map(|[value, _]| value),
                    pairs.map(|[_, quotient]| quotient),
                ]
            });
            Lanes::Rows(rows.collect())
        };
        Tail {
            plain: self.constants(&pass.segments, false),
            plain_back: self.constants(&pass.segments, true),
            twist: (blocks > 1).then(|| {
                [false, true].map(|back| lanes(&|block, r| self.twist(pass, block, r, back)))
            }),
            values: [0, 1].map(|which| lanes(&|block, k| self.value(pass, block, k, which))),
        }
    }

    fn pair(&self, value: u64) -> Pair {
        self.machine.factor(value, self.q)
    }

    /// The root of an axis, of which all its digits are the order, to any power.
    fn root(&self, axis: usize, digits: u32, exponent: usize, inverse: bool) -> u64 {
        let axis = &self.axes[axis];
        let length = axis.values[0].len();
        let exponent = (exponent << (length.trailing_zeros() - digits)) % length;
        let exponent = if inverse { length - exponent } else { exponent };
        power(axis.root, exponent as u64, self.q)
    }

    /// The factors of a transform's layers, the innermost digit last; of the inverse, whose
    /// registers are in the order of their reversed numbers, first.
    fn constants(&self, segments: &[Segment], inverse: bool) -> [Pair; RADIX - 1] {
        let mut segments = segments.to_vec();
        if inverse {
            segments.reverse();
        }
        let mut factors = [self.pair(1); RADIX - 1];
        let mut place = 0;
        let mut nodes = 1;
        for segment in segments {
            for depth in 0..segment.digits {
                for node in 0..nodes {
                    // Of order 2^(depth + 1), to the power of the reversed digits within the
                    // segment.
                    let exponent = reversed(node % (1 << depth), depth);
                    factors[place] =
                        self.pair(self.root(segment.axis, depth + 1, exponent, inverse));
                    place += 1;
                }
                nodes *= 2;
            }
        }
        factors
    }

    /// `w^(±n·f·r)` of the axis that a pass begins within.
    fn twist(&self, pass: &Pass, block: usize, r: usize, inverse: bool) -> u64 {
        let Some(segment) = pass.segments.first() else {
            return 1;
        };
        let later: u32 = pass.segments[1..].iter().map(|s| s.digits).sum();
        let exponent = reversed(block, segment.before) * (r >> later);
        self.root(
            segment.axis,
            segment.before + segment.digits,
            exponent,
            inverse,
        )
    }

    /// The product of the values of all axes that a pass completes.
    fn value(&self, pass: &Pass, block: usize, k: usize, which: usize) -> u64 {
        let mut product = 1;
        let mut later: u32 = pass.segments.iter().map(|s| s.digits).sum();
        let mut place = block;
        for segment in &pass.segments {
            later -= segment.digits;
            let digits = k >> later & ((1 << segment.digits) - 1);
            place = (place << segment.digits) | digits;
            if segment.after == 0 {
                let f = reversed(place, segment.before + segment.digits);
                product = multiply(product, self.axes[segment.axis].values[which][f], self.q);
            }
            place = 0;
        }
        product
    }
}

/// The lowest digits of a number in reverse order.
fn reversed(number: usize, digits: u32) -> usize {
    (0..digits).fold(0, |all, digit| all << 1 | (number >> digit & 1))
}

/// The transform of values, divided by their number: at `f` that at `root^f`.
pub(super) fn transform(values: &[u64], root: u64, q: u64) -> Vec<u64> {
    let mut x = unscaled(values, root, q);
    let scale = invert(x.len() as u64, q);
    for x in &mut x {
        *x = multiply(*x, scale, q);
    }
    x
}

fn unscaled(values: &[u64], root: u64, q: u64) -> Vec<u64> {
    if values.len() == 1 {
        return values.to_vec();
    }
    let half = |first: usize| -> Vec<u64> {
        let values: Vec<u64> = values[first..].iter().step_by(2).copied().collect();
        unscaled(&values, multiply(root, root, q), q)
    };
    let (even, odd) = (half(0), half(1));
    let mut out = vec![0; values.len()];
    let mut twist = 1;
    for i in 0..even.len() {
        let t = multiply(odd[i], twist, q);
        out[i] = (even[i] + t) % q;
        out[i + even.len()] = (even[i] + q - t) % q;
        twist = multiply(twist, root, q);
    }
    out
}
