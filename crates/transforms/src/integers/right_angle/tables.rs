//! The factors of a plan, in the order in which the passes read them.
//!
//! A block of the forward transform is a residue modulo `X^n − exp(2πiθ)`, `θ` a fraction of a turn
//! with denominator `4N/n`; at the top `θ = 1/4`. Splitting it into `R` gives residues modulo
//! `X^(n/R) − exp(2πi(θ + t)/R)`; for powers of two the numbers `t` come in bit-reversed order, so
//! that every radix leaves the same order behind as radix 2.

use super::roots::Roots;
use super::shape::{Radix, Shape};
use crate::torus::Spectra;
use crate::torus::twiddles::{Root, reverse_bits};

/// `exp(2πi·kθ/R)` at `k` from 1 to `R − 1`. At 0, for `R = 8`, `exp(2πi(θ + 1)/8)`.
pub(super) type Step = [Root; 8];

/// The factors of one pass, block after block.
#[derive(Debug)]
pub(super) enum Pass {
    /// The one block at the top, of 3, 5 or 7 parts.
    Odd(Box<Odd>),
    /// As many parts as two to this power.
    Power(u32, Vec<Step>),
}

/// Factors of an odd split: `exp(2πi·kθ/R)`, and `exp(2πi·k/R)`.
#[derive(Debug)]
pub(super) struct Odd {
    pub(super) parts: usize,
    pub(super) factors: [Root; 8],
    pub(super) turns: [Root; 8],
}

#[derive(Debug)]
pub(super) struct Tables {
    pub(super) stages: Vec<Vec<Pass>>,
    pub(super) row: Vec<Pass>,
    /// Per group: the step between its vectors.
    pub(super) group: Vec<Step>,
    /// Per group: the vectors of factors between its lanes, as many as [`lane_factors`] says: those
    /// of the first level, of the second, and for eight lanes the two of the third.
    pub(super) lanes: Spectra,
}

/// Vectors of factors of a group between its lanes.
pub(super) const fn lane_factors(lanes: usize) -> usize {
    lanes / 2
}

/// Angles of all blocks of a depth, as numerators over one denominator.
struct Blocks<'a> {
    roots: &'a Roots,
    angles: Vec<usize>,
    whole: usize,
}

impl Blocks<'_> {
    fn step(&self, angle: usize, parts: usize) -> Step {
        let whole = self.whole * parts;
        let mut step = [[0.0; 2]; 8];
        for (k, root) in step.iter_mut().enumerate().take(parts).skip(1) {
            *root = self.roots.root(k * angle % whole, whole);
        }
        if parts == 8 {
            step[0] = self.roots.root(angle + self.whole, whole);
        }
        step
    }

    /// Splits every block; `place(q)` is the number `t` of the part at place `q`.
    fn split(&mut self, parts: usize, place: impl Fn(usize) -> usize) {
        let whole = self.whole;
        let split = |&angle: &usize| {
            let place = &place;
            (0..parts).map(move |q| angle + whole * place(q))
        };
        self.angles = self.angles.iter().flat_map(split).collect();
        self.whole *= parts;
    }

    fn pass(&mut self, radix: Radix) -> Pass {
        match radix {
            Radix::Odd(parts) => {
                let whole = self.whole * parts;
                let angle = self.angles.first().copied().unwrap_or_default();
                let odd = Odd {
                    parts,
                    factors: std::array::from_fn(|k| self.roots.root(k * angle % whole, whole)),
                    turns: std::array::from_fn(|k| self.roots.root(k % parts * self.whole, whole)),
                };
                self.split(parts, |q| q);
                Pass::Odd(Box::new(odd))
            }
            Radix::Power(levels) => {
                let parts = radix.parts();
                let steps = self.angles.iter().map(|&angle| self.step(angle, parts));
                let steps = steps.collect();
                self.split(parts, |q| reverse_bits(q, levels));
                Pass::Power(levels, steps)
            }
        }
    }
}

impl Tables {
    /// For the residues modulo `X^N − exp(2πi·angle/whole)`; the ring itself has `1/4`.
    pub(super) fn new(shape: &Shape, lanes: usize, angle: usize, whole: usize) -> Self {
        let roots = Roots::new(whole * shape.points);
        let mut blocks = Blocks {
            roots: &roots,
            angles: vec![angle],
            whole,
        };
        let mut stages = Vec::new();
        for stage in &shape.stages {
            stages.push(stage.iter().map(|&radix| blocks.pass(radix)).collect());
        }
        let row = shape.row.iter().map(|&radix| blocks.pass(radix)).collect();

        let levels = lanes.trailing_zeros();
        let per_group = lane_factors(lanes);
        let groups = blocks.angles.len();
        let steps = blocks.angles.iter().map(|&angle| blocks.step(angle, lanes));
        let group = steps.collect();
        blocks.split(lanes, |q| reverse_bits(q, levels));
        let mut table = Spectra::zeroed(groups * per_group * 2 * lanes);
        let vectors = table.chunks_exact_mut(per_group * 2 * lanes);
        for (vectors, angles) in vectors.zip(blocks.angles.chunks_exact(lanes)) {
            for (lane, &angle) in angles.iter().enumerate() {
                let step = blocks.step(angle, lanes);
                // First level first: the root of order 2, of 4, of 8.
                let factors = match lanes {
                    8 => [step[4], step[2], step[1], step[0]],
                    _ => [step[2], step[1], step[0], step[0]],
                };
                for (vector, factor) in vectors.chunks_exact_mut(2 * lanes).zip(factors) {
                    vector[lane] = factor[0];
                    vector[lanes + lane] = factor[1];
                }
            }
        }
        Self {
            stages,
            row,
            group,
            lanes: table,
        }
    }
}

impl Pass {
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Odd(odd) => odd.parts,
            Self::Power(levels, _) => 1 << levels,
        }
    }
}

/// Rows of a stage: into how many parts its passes together split a block.
pub(super) fn parts(stage: &[Pass]) -> usize {
    stage.iter().map(Pass::parts).product()
}
