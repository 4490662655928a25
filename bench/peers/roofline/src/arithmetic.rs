//! The arithmetic of one lookup, counted in vector operations: a fused multiply-add, a
//! multiplication, an addition and a conversion are one each, since they share the same
//! ports. Loads and stores have ports of their own and are not counted.
//!
//! With M = N/2 points, W lanes, and E matrices of R × C spectra in a block of the key:
//!
//! - a transform of M points is M/2·log₂M butterflies of six fused operations (Linzer,
//!   Feig 1993: radix 2, where the multiplication by the twiddle factor is fused into both
//!   sums); in the inverse the factors of the first three levels are 1, i and √i, so
//!   that 8 points take 52 operations there and not 72;
//! - a coefficient's digit is a conversion, a fused operation and a subtraction;
//! - a coefficient of the result is the twist back (4 for each point), its residue modulo 2^64
//!   (a fused operation and a subtraction, a fused operation), a conversion and an integer
//!   addition;
//! - a block step is, for each point, the bundle Σ(X^a − 1)·key, which is E·R·C complex products
//!   of four operations, and R·C products by it; and for each element the weight X^a − 1, of
//!   which a group of W vectors shares what costs 20 operations with eight lanes, 10 with four.
//!
//! The key switch does the same in rings of its own, without weights.
//!
//! Shuffles: points of a vector meet when lanes are exchanged, log₂W times in a transform, one
//! shuffle for each real vector each time. An algorithm need not have them, but one on
//! vectors does, and on AVX-512 they take one of the two ports that do the arithmetic.

use tfhe::Parameters;

/// Operations of one lookup, on vectors.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    pub arithmetic: u64,
    pub shuffles: u64,
}

/// Operations on numbers, before they are divided into vectors.
#[derive(Clone, Copy, Default)]
struct Scalars {
    arithmetic: u64,
    shuffles: u64,
}

impl std::ops::Add for Scalars {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            arithmetic: self.arithmetic + other.arithmetic,
            shuffles: self.shuffles + other.shuffles,
        }
    }
}

impl std::ops::Mul<u64> for Scalars {
    type Output = Self;
    fn mul(self, count: u64) -> Self {
        Self {
            arithmetic: self.arithmetic * count,
            shuffles: self.shuffles * count,
        }
    }
}

impl Count {
    pub fn of(set: &Parameters, lanes: usize) -> Self {
        let lanes = lanes as u64;
        let degree = set.polynomial_size().get() as u64;
        let n = set.lwe_dimension().get() as u64;
        let columns = set.glwe_dimension().get() as u64 + 1;
        let rows = columns * set.bootstrap_decomposition().levels.get() as u64;
        let elements = set.block_bits() as u64;
        let step = forward(degree, lanes) * rows
            + inverse(degree, lanes) * columns
            + products(degree, elements + 1, rows, columns)
            + weights(degree, elements);

        // The big key in pieces of the small ring, and the small key in as many parts.
        let small = set.key_switch_polynomial_size().get() as u64;
        let pieces = set.big_lwe_dimension().get() as u64 / small;
        let rows = pieces * set.key_switch_decomposition().levels.get() as u64;
        let columns = n / small + 1;
        let switch = forward(small, lanes) * rows
            + inverse(small, lanes) * columns
            + products(small, 1, rows, columns);

        let all = step * (n / elements) + switch;
        Self {
            arithmetic: all.arithmetic / lanes,
            shuffles: all.shuffles / lanes,
        }
    }

    pub fn total(&self) -> u64 {
        self.arithmetic + self.shuffles
    }
}

fn butterflies(degree: u64, lanes: u64) -> Scalars {
    let points = degree / 2;
    Scalars {
        arithmetic: 3 * points * u64::from(points.ilog2()),
        shuffles: 2 * points * u64::from(lanes.ilog2()),
    }
}

/// Digits, then the transform.
fn forward(degree: u64, lanes: u64) -> Scalars {
    let digits = Scalars {
        arithmetic: 3 * degree,
        shuffles: 0,
    };
    butterflies(degree, lanes) + digits
}

/// The transform, the twist, then residues and their addition.
fn inverse(degree: u64, lanes: u64) -> Scalars {
    let mut all = butterflies(degree, lanes);
    let points = degree / 2;
    all.arithmetic -= (72 - 52) * points / 8;
    all.arithmetic += 4 * points + 5 * degree;
    all
}

/// Products by `matrices` matrices.
fn products(degree: u64, matrices: u64, rows: u64, columns: u64) -> Scalars {
    Scalars {
        arithmetic: degree / 2 * matrices * 4 * rows * columns,
        shuffles: 0,
    }
}

/// Two and a half operations for each point and element, whatever the lanes.
fn weights(degree: u64, elements: u64) -> Scalars {
    Scalars {
        arithmetic: degree / 2 * elements * 5 / 2,
        shuffles: 0,
    }
}
