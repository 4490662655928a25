//! The constants of a plan: twiddle factors in the order in which the passes read them, and the
//! roots from which monomials are made.
//!
//! Notation: `N` the ring's degree, `M = N/2` points, `ζ = exp(iπ/N)`, `W` lanes, `br_w` the
//! reversal of `w` bits. The forward transform splits `X^n − ζ^ρ` into `X^(n/2) ∓ ζ^(ρ/2)`,
//! starting from `X^M − ζ^(N/2) = X^M − i`; block `b` after `d` levels has `ρ = (N/2 + 2N·br_d(b))
//! / 2^d`.

use crate::torus::PolynomialSize;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// A complex constant, to be broadcast.
pub(crate) type Root = [f64; 2];

/// The four factors of a radix-8 step; a radix-4 step uses the first two, a radix-2 step the first.
pub(crate) type Step = [Root; 4];

/// Vectors of factors per group of the forward transform.
pub(crate) const GROUP_VECTORS: usize = 6;

/// Vectors of factors for all groups of the inverse transform.
pub(crate) const INVERSE_GROUP_VECTORS: usize = 6;

/// `exp(2πi · exponent / order)`, correctly rounded up to the library's sine: the angle is reduced
/// to an octant exactly before it is rounded.
pub(crate) fn root(exponent: usize, order: usize) -> Root {
    let eighth = order / 8;
    let exponent = exponent % order;
    let (octant, rest) = (exponent / eighth, exponent % eighth);
    // Odd octants are measured backwards from their end.
    let from_axis = if octant % 2 == 0 { rest } else { eighth - rest };
    let (sine, cosine) = if from_axis == eighth {
        (FRAC_1_SQRT_2, FRAC_1_SQRT_2)
    } else {
        (2.0 * PI * from_axis as f64 / order as f64).sin_cos()
    };
    match octant {
        0 => [cosine, sine],
        1 => [sine, cosine],
        2 => [-sine, cosine],
        3 => [-cosine, sine],
        4 => [-cosine, -sine],
        5 => [-sine, -cosine],
        6 => [sine, -cosine],
        _ => [cosine, -sine],
    }
}

/// The lowest `bits` bits of `x` in reverse order.
pub(crate) fn reverse_bits(x: usize, bits: u32) -> usize {
    if bits == 0 {
        0
    } else {
        x.reverse_bits() >> (usize::BITS - bits)
    }
}

/// Everything that the passes and the block product read.
#[derive(Debug)]
pub(crate) struct Twiddles {
    /// For each pass over whole vectors, its radix (as levels: 1 or 2) and the factors of each
    /// block.
    pub(crate) forward: Vec<(u32, Vec<Step>)>,
    /// Per group of `W²` points: the factor of its first level.
    pub(crate) group: Vec<Root>,
    /// Per group: [`GROUP_VECTORS`] vectors of factors (real lanes, imaginary lanes), two for the
    /// levels of row distance 2 and 1 (the former is not read where it is the first), four as in a
    /// [`Step`].
    pub(crate) group_lanes: Vec<f64>,
    /// [`INVERSE_GROUP_VECTORS`] vectors for the second half of the inverse's first pass, two for
    /// each exchange distance, the same for every group.
    pub(crate) inverse_group: Vec<f64>,
    /// For each later pass of the inverse but the last (all of radix 4): two vectors of factors per
    /// vector of a block.
    pub(crate) inverse: Vec<Vec<f64>>,
    /// Levels of the inverse's last pass: 0, 1 or 2.
    pub(crate) last_levels: u32,
    /// For the last pass, per vector of a block: two vectors of factors, then for each of its
    /// `2^levels` results the vector of `exp(−iπj/N) / M`, which undoes the twist and scales.
    /// Together, in the order of reading: as arrays of their own they would be multiples of 4 KiB
    /// apart, and compete with the data for the same places in the cache.
    pub(crate) last: Vec<f64>,
    /// `ζ^e` for all `e`: monomials at lane 0 of each vector.
    pub(crate) roots: Vec<Root>,
    /// The exponent of `ζ` at lane 0 of each vector.
    pub(crate) vector_exponents: Vec<u32>,
    /// For `a` modulo `W²`: the vector of `ζ^(a·(e(lane) − e(0)))`, a root of order `W²`.
    pub(crate) lane_roots: Vec<f64>,
}

impl Twiddles {
    pub(crate) fn new(size: PolynomialSize, lanes: usize) -> Self {
        let (n, points, order) = (size.coefficients(), size.points(), size.root_order());
        let lane_bits = lanes.trailing_zeros();
        let levels = points.trailing_zeros();
        let vector_levels = levels - 2 * lane_bits;
        let groups = points / (lanes * lanes);

        let push_vector = |into: &mut Vec<f64>, f: &dyn Fn(usize) -> Root| {
            into.extend((0..lanes).map(|lane| f(lane)[0]));
            into.extend((0..lanes).map(|lane| f(lane)[1]));
        };
        // Factors of a step that starts at block `b` after `d` levels: ζ^(ρ/2), ζ^(ρ/4), ζ^(ρ/8)
        // and the last times ζ8. The fractions that a shorter step does not use need not be whole:
        // zero stands in.
        let step = |block: usize, depth: u32, step_levels: u32| -> Step {
            let whole = n / 2 + order * reverse_bits(block, depth);
            let part = |level: u32| {
                if level <= step_levels {
                    whole >> (depth + level)
                } else {
                    0
                }
            };
            let (half, quarter, eighth) = (part(1), part(2), part(3));
            [
                root(half, order),
                root(quarter, order),
                root(eighth, order),
                root(eighth + order / 8, order),
            ]
        };
        let schedule = schedule(vector_levels);
        let mut depth = 0;
        let forward = schedule.iter().map(|&pass| {
            let steps = (0..1usize << depth).map(|b| step(b, depth, pass)).collect();
            depth += pass;
            (pass, steps)
        });
        let forward = forward.collect();
        let group = (0..groups).map(|g| step(g, vector_levels, 1)[0]).collect();
        let mut group_lanes = Vec::new();
        for g in 0..groups {
            for level in [lane_bits - 2, lane_bits - 1] {
                // The upper `level` bits of the lane number are those of the block.
                let at = |lane| (g << level) + (lane >> (lane_bits - level));
                push_vector(&mut group_lanes, &|lane| {
                    step(at(lane), vector_levels + level, 1)[0]
                });
            }
            let depth = vector_levels + lane_bits;
            for factor in 0..4 {
                push_vector(&mut group_lanes, &|lane| {
                    step(g * lanes + lane, depth, lane_bits)[factor]
                });
            }
        }

        let conjugate = |exponent: usize, order: usize| {
            let [re, im] = root(exponent, order.max(8));
            [re, -im]
        };
        // After exchanging bit `D` of row and lane, blocks of `W·D` points merge. The coefficient
        // number `j` has its bits below `2D` in the lanes and the others, and the blocks merged
        // already, in rows; two rows need factors of their own, the rest follow by `−i`.
        let mut inverse_group = Vec::new();
        for distance in [1, 2, 4] {
            let order = 2 * lanes * distance;
            for row in 0..2 {
                let rest = if distance == 4 {
                    row * lanes
                } else {
                    row * 2 * distance
                };
                push_vector(&mut inverse_group, &|lane| {
                    conjugate((lane & (2 * distance - 1)) + rest, order)
                });
            }
        }
        // Blocks of `h` points merge at position `j`: exp(−2πij/2h) and exp(−2πij/4h).
        let push_merge = |into: &mut Vec<f64>, h: usize, j: usize| {
            for order in [2 * h, 4 * h] {
                push_vector(into, &|lane| conjugate(j + lane, order));
            }
        };
        let last_levels = schedule.first().copied().unwrap_or(0);
        let mut h = lanes * lanes;
        let mut inverse = Vec::new();
        for &pass in schedule.iter().skip(1).rev() {
            let mut factors = Vec::new();
            for j in (0..h).step_by(lanes) {
                push_merge(&mut factors, h, j);
            }
            inverse.push(factors);
            h <<= pass;
        }
        let mut last = Vec::new();
        for j in (0..h).step_by(lanes) {
            push_merge(&mut last, h, j);
            for j in (j..points).step_by(h) {
                push_vector(&mut last, &|lane| {
                    conjugate(j + lane, order).map(|x| x / points as f64)
                });
            }
        }

        let exponent = |vector: usize, lane: usize| exponent(size, lanes, vector * lanes + lane);
        let vectors = points / lanes;
        let mut lane_roots = Vec::new();
        for a in 0..lanes * lanes {
            push_vector(&mut lane_roots, &|lane| {
                root(a * (exponent(0, lane) - exponent(0, 0)), order)
            });
        }
        Self {
            forward,
            group,
            group_lanes,
            inverse_group,
            inverse,
            last_levels,
            last,
            roots: (0..order).map(|e| root(e, order)).collect(),
            vector_exponents: (0..vectors).map(|v| exponent(v, 0) as u32).collect(),
            lane_roots,
        }
    }
}

impl Twiddles {
    /// The constants of the block product alone, for a transform of somebody else's whose vectors
    /// have been brought into the order of [`vectors_of_natural_order`]. The lanes of a vector are
    /// `ζ^(4·lane)` apart, and their roots have the order `N/2`.
    pub(crate) fn natural_monomials(size: PolynomialSize, lanes: usize) -> Self {
        let (points, order) = (size.points(), size.root_order());
        let mut lane_roots = Vec::with_capacity(points * 2 * lanes);
        for a in 0..points {
            for part in 0..2 {
                lane_roots.extend((0..lanes).map(|lane| root(4 * a * lane, order)[part]));
            }
        }
        let vectors = vectors_of_natural_order(size, lanes);
        Self {
            forward: Vec::new(),
            group: Vec::new(),
            group_lanes: Vec::new(),
            inverse_group: Vec::new(),
            inverse: Vec::new(),
            last_levels: 0,
            last: Vec::new(),
            roots: (0..order).map(|e| root(e, order)).collect(),
            vector_exponents: vectors.map(|v| (4 * v * lanes + 1) as u32).collect(),
            lane_roots,
        }
    }
}

/// For each stored vector, which one it is of a transform whose point `k` is the value at
/// `ζ^(4k+1)`. As in our own order, the vectors of a group are a `W`-th of the circle apart, in
/// bit-reversed order: vector `q` has the exponent of the first plus `br(q)·2N/W`.
pub(crate) fn vectors_of_natural_order(
    size: PolynomialSize,
    lanes: usize,
) -> impl Iterator<Item = usize> {
    let groups = size.points() / (lanes * lanes);
    let in_group = move |row| reverse_bits(row, lanes.trailing_zeros()) * groups;
    (0..groups * lanes).map(move |vector| vector / lanes + in_group(vector % lanes))
}

/// Levels per pass over whole vectors, first pass first: radix 4, with one radix-2 pass if they are
/// odd.
fn schedule(levels: u32) -> Vec<u32> {
    let mut passes = vec![1; (levels % 2) as usize];
    passes.extend(vec![2; (levels / 2) as usize]);
    passes
}

/// The exponent `e` such that stored point `position` is the value at `ζ^e`.
///
/// With `position = (g·W + q)·W + r` (group, vector, lane) the point is number `(g·W + r)·W + q` of
/// the bit-reversed order, since the group pass transposes: `e = 1 + 4·br(that)`.
pub(crate) fn exponent(size: PolynomialSize, lanes: usize, position: usize) -> usize {
    let (vector, lane) = (position / lanes, position % lanes);
    let (group, row) = (vector / lanes, vector % lanes);
    let levels = size.points().trailing_zeros();
    1 + 4 * reverse_bits((group * lanes + lane) * lanes + row, levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_agree_with_the_definition() {
        for order in [8, 64, 4096] {
            for exponent in 0..2 * order {
                let angle = 2.0 * PI * exponent as f64 / order as f64;
                let [re, im] = root(exponent, order);
                assert!((re - angle.cos()).abs() < 1e-14 && (im - angle.sin()).abs() < 1e-14);
                assert!((re * re + im * im - 1.0).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn every_odd_exponent_congruent_to_one_occurs_once() {
        let size = PolynomialSize::new(1024).unwrap();
        for lanes in [4, 8] {
            let mut seen: Vec<_> = (0..512).map(|p| exponent(size, lanes, p)).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..512).map(|k| 4 * k + 1).collect::<Vec<_>>());
        }
    }
}
