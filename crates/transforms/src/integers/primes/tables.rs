//! Roots of unity as the passes read them.
//!
//! **Trees.** A polynomial modulo `x^2n − c²` has the residues modulo `x^n − c` and `x^n + c`,
//! which one layer of butterflies with the factor `c` makes. A pass of radix `R` is `log R` such
//! layers with `R − 1` factors: those of the first layer, then of the second, and so on. Below, a
//! node of a tree of `order` points is the exponent `f` of `x^n − w^(n·f)`, `w` being the root of
//! that order: its factor has the exponent `n/2·f`, and its children have the exponents `f` and
//! `f + order/n`. Roots of the leaves are thus those of their digits in reverse, which the inverse
//! transform takes as it finds them: it combines two transforms of `n` points by the factors
//! `w_2n^−j`.

use super::arch::{Machine, Modulus};
use super::field::Field;
use super::shape::{Shape, TILE, VECTOR};

/// What a product is taken modulo: `x^N − 1`, or `x^N + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ring {
    Cyclic,
    Negacyclic,
}

/// A residue and its quotient.
pub(super) type Pair = [u64; 2];

/// Everything that the passes of one prime read.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    pub(super) ring: Ring,
    pub(super) modulus: Modulus,
    /// From one transform into eight, and back.
    pub(super) split: [Pair; 7],
    pub(super) join: [Pair; 7],
    pub(super) weights: Weights,
    pub(super) weights_back: Weights,
    /// What the rows of results are multiplied with at last.
    pub(super) last: [Pair; VECTOR],
    /// The cube root of 1.
    pub(super) third: Pair,
    /// Of the root pass, `root − 1` for each part of the radix 3.
    pub(super) root: Vec<Pair>,
    /// For each inner pass, by block.
    pub(super) inner: Vec<Vec<Pair>>,
    /// Of the inverse root pass, by position in a block: `root − 1`, and for radix 3 twice as many
    /// as `root`.
    pub(super) root_back: Vec<Pair>,
    /// For each inner pass, by position in its block's parts.
    pub(super) inner_back: Vec<Vec<Pair>>,
}

/// Powers `φ_k^j` for the eight interleaved transforms `k`: residues and quotients apart, by
/// vectors.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    /// `φ_k^t` for `t` in a tile.
    pub(super) within: [[u64; TILE * VECTOR]; 2],
    /// `φ_k^(8g)` for the tile `g`: a vector of residues, then one of quotients.
    pub(super) tiles: Vec<[u64; VECTOR]>,
}

/// Makes tables of one prime.
struct Maker<'a> {
    field: Field,
    machine: Machine,
    shape: &'a Shape,
}

impl Tables {
    /// `scale` is what results are multiplied with besides what undoes the transforms.
    pub(super) fn new(
        machine: Machine,
        shape: &Shape,
        ring: Ring,
        field: Field,
        modulus: Modulus,
        scale: u64,
    ) -> Self {
        let maker = Maker {
            field,
            machine,
            shape,
        };
        let (points, vectors) = (shape.points as u64, shape.vectors() as u64);
        // The interleaved transform k is modulo x^M − φ_k^M, with φ_k = ψ·w_N^k' for the reversed
        // digits k'.
        let (order, first) = match ring {
            Ring::Cyclic => (points, 0),
            Ring::Negacyclic => (2 * points, 1),
        };
        let steps = order / points;
        let exponents: [u64; VECTOR] = std::array::from_fn(|k| first + steps * reversed(k, 3));
        let inverse = field.invert(field.multiply(points % field.p, field.invert(scale)));
        let last = std::array::from_fn(|row| {
            let twist = maker.root(order, -(first as i64 * vectors as i64 * row as i64));
            maker.pair(field.multiply(inverse, twist))
        });
        let block = shape.block as u64;
        let root_nodes = (0..shape.threes as u64)
            .flat_map(|t| maker.tree(vectors, vectors / shape.threes as u64, t, shape.root));
        let root_back = (0..block).flat_map(|j| {
            maker
                .combination(block, j, shape.root)
                .into_iter()
                .chain(maker.thirds(j))
        });
        Self {
            ring,
            modulus,
            split: sized(maker.tree(order, points, first, VECTOR)),
            join: sized(maker.combination(1, 0, VECTOR)),
            weights: maker.weights(order, exponents.map(|e| e as i64)),
            weights_back: maker.weights(order, exponents.map(|e| -(e as i64))),
            last,
            third: maker.pair(if shape.threes == 3 { field.root(3) } else { 1 }),
            root: root_nodes.collect(),
            inner: maker.inner(),
            root_back: root_back.collect(),
            inner_back: maker.inner_back(),
        }
    }
}

fn sized<const N: usize>(pairs: Vec<Pair>) -> [Pair; N] {
    std::array::from_fn(|i| pairs.get(i).copied().unwrap_or([0; 2]))
}

/// The lowest bits of a number in reverse order.
fn reversed(number: usize, bits: u32) -> u64 {
    (0..bits).fold(0, |all, bit| all << 1 | (number as u64 >> bit & 1))
}

impl Maker<'_> {
    fn pair(&self, value: u64) -> Pair {
        self.machine.factor(value, self.field.p)
    }

    /// The root of that order to any power.
    fn root(&self, order: u64, exponent: i64) -> u64 {
        let exponent = exponent.rem_euclid(order as i64);
        self.field.power(self.field.root(order), exponent as u64)
    }

    /// The factors of one pass from the node `x^n − w^(n·f)` of a tree of `order` points.
    fn tree(&self, order: u64, n: u64, f: u64, radix: usize) -> Vec<Pair> {
        let mut factors = Vec::with_capacity(radix);
        let (mut nodes, mut n) = (vec![f], n);
        while nodes.len() < radix {
            factors.extend(
                nodes
                    .iter()
                    .map(|f| self.pair(self.root(order, (n / 2 * f) as i64))),
            );
            nodes = nodes.iter().flat_map(|f| [*f, f + order / n]).collect();
            n /= 2;
        }
        factors
    }

    /// The factors that combine `radix` transforms of `n` points at the position `j`.
    fn combination(&self, n: u64, j: u64, radix: usize) -> Vec<Pair> {
        let mut factors = Vec::with_capacity(radix);
        for layer in 0..radix.trailing_zeros() {
            for node in 0..1 << layer {
                let position = j + n * reversed(node, layer);
                factors.push(self.pair(self.root(n << (layer + 1), -(position as i64))));
            }
        }
        factors
    }

    /// For radix 3, what the second and third parts are multiplied with at the positions of one
    /// `j`.
    fn thirds(&self, j: u64) -> Vec<Pair> {
        let shape = self.shape;
        if shape.threes == 1 {
            return Vec::new();
        }
        (0..shape.root)
            .flat_map(|r| {
                let position = (j + (shape.block * r) as u64) as i64;
                [position, 2 * position].map(|e| self.pair(self.root(shape.vectors() as u64, -e)))
            })
            .collect()
    }

    fn inner(&self) -> Vec<Vec<Pair>> {
        let (vectors, threes) = (self.shape.vectors() as u64, self.shape.threes as u64);
        // The nodes that blocks begin with.
        let mut n = vectors / threes;
        let mut nodes: Vec<u64> = (0..threes).collect();
        let mut passes = Vec::new();
        for (number, &radix) in [self.shape.root]
            .iter()
            .chain(&self.shape.inner)
            .enumerate()
        {
            if number > 0 {
                passes.push(
                    nodes
                        .iter()
                        .flat_map(|f| self.tree(vectors, n, *f, radix))
                        .collect(),
                );
            }
            for _ in 0..radix.trailing_zeros() {
                nodes = nodes.iter().flat_map(|f| [*f, f + vectors / n]).collect();
                n /= 2;
            }
        }
        passes
    }

    fn inner_back(&self) -> Vec<Vec<Pair>> {
        let mut n = self.shape.block as u64;
        let passes = self.shape.inner.iter().map(|&radix| {
            n /= radix as u64;
            (0..n).flat_map(|j| self.combination(n, j, radix)).collect()
        });
        passes.collect()
    }

    /// Powers of the roots of that order with these exponents.
    fn weights(&self, order: u64, exponents: [i64; VECTOR]) -> Weights {
        let bases = exponents.map(|e| self.root(order, e));
        let mut within = [[0; TILE * VECTOR]; 2];
        for t in 0..TILE {
            for (k, &base) in bases.iter().enumerate() {
                let [value, quotient] = self.pair(self.field.power(base, t as u64));
                within[0][t * VECTOR + k] = value;
                within[1][t * VECTOR + k] = quotient;
            }
        }
        let steps = bases.map(|base| self.field.power(base, TILE as u64));
        let mut powers = [1; VECTOR];
        let mut tiles = Vec::with_capacity(2 * self.shape.vectors() / TILE);
        for _ in 0..self.shape.vectors() / TILE {
            let pairs = powers.map(|power| self.pair(power));
            tiles.push(pairs.map(|[value, _]| value));
            tiles.push(pairs.map(|[_, quotient]| quotient));
            for (power, step) in powers.iter_mut().zip(steps) {
                *power = self.field.multiply(*power, step);
            }
        }
        Weights { within, tiles }
    }
}
