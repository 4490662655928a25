//! The constants of a processor: factors in the order in which the passes read them, and the roots
//! from which monomials are made.
//!
//! `ψ` is a root of unity of order `2N` with `ψ^(2N/64) = 8`. A pass of radix `R` takes a residue
//! modulo `X^n − ψ^e` apart into its residues modulo `X^(n/R) − s·ω^j`, with `s = ψ^(e/R)` and `ω`
//! a root of unity of order `R`: with `x = Σ X^(kn/R)·x_k` they are the transform of the `s^k·x_k`.
//! It begins with `X^N + 1 = X^N − ψ^N`.

use super::field;
use super::limbs::{Factor, factor, word};
use crate::torus::PolynomialSize;

/// One pass between whole vectors.
#[derive(Debug)]
pub(super) struct Pass {
    /// `log2` of the radix: 1, 2 or 3.
    pub(super) levels: u32,
    /// For each block, `s^k` for `k = 1, 2, …`; what the radix does not need is zero.
    pub(super) forward: Vec<[Factor; 7]>,
    /// For each block, `s^−k` for `k = 0, 1, …`; for the pass over the whole, divided by `N`.
    pub(super) inverse: Vec<[Factor; 8]>,
}

/// Everything that the passes and the products read.
#[derive(Debug)]
pub(super) struct Tables {
    /// First pass first.
    pub(super) passes: Vec<Pass>,
    /// For the pass of radix 8 between lanes, if vectors have them: for each group of 8 vectors,
    /// for `k` from 1 to 7, the words of `s^k` for each lane, then those of `φ·s^k`.
    pub(super) lane_forward: Vec<u64>,
    /// Likewise of `s^−k`.
    pub(super) lane_inverse: Vec<u64>,
    /// `ψ^e` for all `e`: monomials at lane 0 of each vector.
    pub(super) roots: Vec<Factor>,
    /// The exponent of `ψ` at lane 0 of each vector.
    pub(super) vector_exponents: Vec<u32>,
    /// With lanes, for `a` modulo 64: the words of `8^(a·lane)`, by which lanes differ from lane 0.
    pub(super) lane_roots: Vec<u64>,
}

impl Tables {
    /// `lanes` is 1, or 8 and then `N` at least 64.
    pub(super) fn new(size: PolynomialSize, lanes: usize) -> Self {
        let (n, order) = (size.coefficients(), size.root_order());
        let root = field::root_of_unity(order.ilog2());
        let mut elements = vec![1];
        for exponent in 1..order {
            elements.push(field::multiply(elements[exponent - 1], root));
        }
        let power = |exponent: usize| elements[exponent & (order - 1)];
        let scale = field::inverse(n as u64);

        let mut exponents = vec![n];
        let mut passes = Vec::new();
        for levels in schedule(n.ilog2() - lanes.ilog2()) {
            let radix = 1 << levels;
            let mut pass = Pass {
                levels,
                forward: Vec::new(),
                inverse: Vec::new(),
            };
            for &exponent in &exponents {
                let s = exponent / radix;
                pass.forward
                    .push(std::array::from_fn(|k| factor(power((k + 1) * s))));
                pass.inverse.push(std::array::from_fn(|k| {
                    let inverse = power(k * (order - s));
                    let first = passes.is_empty();
                    factor(field::multiply(inverse, if first { scale } else { 1 }))
                }));
            }
            exponents = children(&exponents, radix, order);
            passes.push(pass);
        }
        let (mut lane_forward, mut lane_inverse) = (Vec::new(), Vec::new());
        let mut vector_exponents = exponents.clone();
        if lanes > 1 {
            let push_words = |into: &mut Vec<u64>, group: &[usize], k: usize, phi: u64| {
                let words = group
                    .iter()
                    .map(|&s| word(field::multiply(power(k * s), phi)));
                into.extend(words);
            };
            vector_exponents.clear();
            for group in exponents.chunks_exact(lanes) {
                let forward: Vec<usize> = group.iter().map(|e| e / lanes).collect();
                let inverse: Vec<usize> = forward.iter().map(|s| order - s).collect();
                for k in 1..lanes {
                    for phi in [1, field::PHI] {
                        push_words(&mut lane_forward, &forward, k, phi);
                        push_words(&mut lane_inverse, &inverse, k, phi);
                    }
                }
                vector_exponents.extend((0..lanes).map(|j| forward[0] + j * (order / lanes)));
            }
        }
        let lane_root = |i: usize| word(power((i / lanes) * (i % lanes) * (order / 64)));
        Self {
            passes,
            lane_forward,
            lane_inverse,
            roots: elements.iter().map(|&x| factor(x)).collect(),
            vector_exponents: vector_exponents.iter().map(|&e| e as u32).collect(),
            lane_roots: (0..64 * lanes).map(lane_root).collect(),
        }
    }
}

/// The exponents of the blocks that blocks are taken apart into.
fn children(exponents: &[usize], radix: usize, order: usize) -> Vec<usize> {
    let of_one = |&e: &usize| (0..radix).map(move |j| e / radix + j * (order / radix));
    exponents.iter().flat_map(of_one).collect()
}

/// Levels per pass, first pass first: radix 8, and before the last pass what remains. The last has
/// radix 8 since the lanes of a vector, which are its eight children, differ then by powers of 8.
fn schedule(levels: u32) -> Vec<u32> {
    let mut passes = vec![3; (levels / 3) as usize];
    if !levels.is_multiple_of(3) {
        passes.insert(passes.len() - 1, levels % 3);
    }
    passes
}
