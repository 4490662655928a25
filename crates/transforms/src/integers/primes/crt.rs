//! From residues to limbs: the Chinese remainder theorem and carries.
//!
//! With `P = p₀p₁p₂` and residues already multiplied by `(P/pᵢ)⁻¹` (the last pass does), the
//! coefficient is `x = Σ rᵢ·P/pᵢ − κ·P`, where `κ = ⌊Σ rᵢ/pᵢ⌋`, or the nearest integer where
//! coefficients have signs. It is found from fractions of 47 bits rounded down: their sum is too
//! small by less than 6 units, and `x/P` keeps away by `2^-23` from where `κ` changes, because
//! capacities do (`field`), so that a little more than 6 units added before the sum is rounded down
//! makes it right.
//!
//! Coefficients with signs get `(2^64 − 1)·2^86` added, which no coefficient falls below: of all
//! `n` that is `2^86·(2^64n − 1)`, or `−2^87` modulo `2^64n + 1`, and is undone at the end by one
//! addition.

use super::arch::Machine;
use super::field::Primes;
use super::shape::{Shape, TILE, VECTOR};
use super::tables::Ring;
use super::threads::each;
use std::num::NonZeroUsize;

/// Bits of the fractions that `κ` is found with.
pub(super) const FRACTION: u32 = 47;
/// The limb and the bit of `2^87`.
const OFFSET: (usize, u64) = (1, 1 << 23);

/// The constants of three primes.
#[derive(Debug, Clone)]
pub(super) struct Recover {
    /// `⌊2^(64 + 47)/pᵢ⌋`.
    pub(super) inverses: [u64; 3],
    /// `P/pᵢ`.
    pub(super) cofactors: [u128; 3],
    /// Multiples of `P` from 0 to 3, three limbs each.
    pub(super) multiples: [[u64; 3]; 4],
    /// What is added before the sum of fractions is rounded down.
    pub(super) rounding: u64,
    /// What is added to each coefficient, three limbs.
    pub(super) offset: [u64; 3],
}

impl Recover {
    pub(super) fn new(primes: Primes, ring: Ring) -> Self {
        let p = primes.moduli();
        let cofactors = [(1, 2), (0, 2), (0, 1)].map(|(i, j)| u128::from(p[i]) * u128::from(p[j]));
        let mut multiples = [[0; 3]; 4];
        for (number, multiple) in multiples.iter_mut().enumerate() {
            multiply_add(multiple, p[0] * number as u64, cofactors[0]);
        }
        let (rounding, offset) = match ring {
            Ring::Cyclic => (1 << 23, [0; 3]),
            Ring::Negacyclic => (
                1 << (FRACTION - 1),
                [0, (1u64 << 22).wrapping_neg(), (1 << 22) - 1],
            ),
        };
        Self {
            inverses: p.map(|p| ((1u128 << (64 + FRACTION)) / u128::from(p)) as u64),
            cofactors,
            multiples,
            rounding,
            offset,
        }
    }

    /// One coefficient in three limbs, from its residues.
    pub(super) fn limbs(&self, residues: [u64; 3]) -> [u64; 3] {
        let mut fraction = self.rounding;
        let mut limbs = self.offset;
        for ((x, inverse), cofactor) in residues.into_iter().zip(self.inverses).zip(self.cofactors)
        {
            fraction += ((u128::from(x) * u128::from(inverse)) >> 64) as u64;
            multiply_add(&mut limbs, x, cofactor);
        }
        // Three fractions and what rounds them are below 4.
        let multiple = &self.multiples[(fraction >> FRACTION) as usize & 3];
        let mut borrow = false;
        for (limb, p) in limbs.iter_mut().zip(multiple) {
            let (difference, first) = limb.overflowing_sub(*p);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (difference, first | second);
        }
        limbs
    }
}

/// `sum += x·y`.
fn multiply_add(sum: &mut [u64; 3], x: u64, y: u128) {
    let low = u128::from(x) * u128::from(y as u64) + u128::from(sum[0]);
    let high = u128::from(x) * (y >> 64) + u128::from(sum[1]) + (low >> 64);
    sum[0] = low as u64;
    sum[1] = high as u64;
    sum[2] = sum[2].wrapping_add((high >> 64) as u64);
}

/// The residues of one row, as the inverse transform leaves them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coefficients<'a> {
    pub(super) shape: &'a Shape,
    /// Of the three primes.
    pub(super) data: [&'a [u64]; 3],
    /// 8 is the row beyond the last, which is empty.
    pub(super) row: usize,
    /// Limbs of the last coefficient of the row before, and of the one before that.
    pub(super) before: [[u64; 3]; 2],
}

impl<'a> Coefficients<'a> {
    fn new(recover: &Recover, shape: &'a Shape, data: [&'a [u64]; 3], row: usize) -> Self {
        let mut coefficients = Self {
            shape,
            data,
            row,
            before: [[0; 3]; 2],
        };
        if let Some(previous) = row.checked_sub(1) {
            let last = shape.vectors() - 1;
            let previous = Self {
                row: previous,
                ..coefficients
            };
            coefficients.before =
                [last, last - 1].map(|j| previous.at(j).map_or([0; 3], |x| recover.limbs(x)));
        }
        coefficients
    }

    /// Whether this is the row beyond the last.
    pub(super) fn is_empty(&self) -> bool {
        self.row >= VECTOR
    }

    /// Where the eight coefficients from `8·tile` on stand.
    #[inline]
    pub(super) fn place(&self, tile: usize) -> usize {
        let tiles = self.shape.block / TILE;
        (tile / tiles * self.shape.stride + tile % tiles * TILE + self.row) * VECTOR
    }

    /// The residues of one coefficient; `None` beyond the row's end.
    #[inline]
    pub(super) fn at(&self, j: usize) -> Option<[u64; 3]> {
        if self.is_empty() || j >= self.shape.vectors() {
            return None;
        }
        let place = self.place(j / TILE) + j % TILE;
        Some(self.data.map(|data| data[place]))
    }
}

/// The lowest limbs of `Σ xᵢ·2^64i`; returns what is carried beyond them besides the upper limbs of
/// the last two coefficients.
pub(super) fn assemble(
    machine: Machine,
    recover: &Recover,
    shape: &Shape,
    data: [&[u64]; 3],
    out: &mut [u64],
    threads: NonZeroUsize,
) -> u64 {
    let (body, top) = out.split_at_mut(out.len().min(shape.points));
    let rows = body.chunks_mut(shape.vectors()).enumerate();
    // Beyond the points two coefficients' upper limbs remain.
    let above = (!top.is_empty()).then_some((VECTOR, top));
    let mut rows: Vec<_> = rows
        .chain(above)
        .map(|(row, limbs)| (row, limbs, 0))
        .collect();
    each(threads, &mut rows, |(row, limbs, carry)| {
        *carry = machine.recover(
            recover,
            Coefficients::new(recover, shape, data, *row),
            limbs,
        );
    });
    let carries: Vec<u64> = rows.into_iter().map(|(_, _, carry)| carry).collect();
    let mut beyond = 0;
    for (row, carry) in carries.into_iter().enumerate() {
        let start = ((row + 1) * shape.vectors()).min(out.len());
        beyond += add_small(&mut out[start..], carry);
    }
    beyond
}

/// The residue of `Σ xᵢ·2^64i` modulo `2^64n + 1`, of as many coefficients `n` as there are points,
/// with the offset of their signs: `n + 1` limbs.
pub(super) fn assemble_modular(
    machine: Machine,
    recover: &Recover,
    shape: &Shape,
    data: [&[u64]; 3],
    out: &mut [u64],
    threads: NonZeroUsize,
) {
    let Some((top, low)) = out.split_last_mut() else {
        return;
    };
    let carry = assemble(machine, recover, shape, data, low, threads);
    let mut above = [0; 3];
    machine.recover(
        recover,
        Coefficients::new(recover, shape, data, VECTOR),
        &mut above,
    );
    add_small(&mut above, carry);
    // low − above + 2^87, as low + excess·2^64n with an excess of −1, 0 or 1.
    let mut excess = add_small(&mut low[OFFSET.0..], OFFSET.1) as i64;
    let mut borrow = false;
    for (number, limb) in low.iter_mut().enumerate() {
        let x = above.get(number).copied().unwrap_or(0);
        if number >= above.len() && !borrow {
            break;
        }
        let (difference, first) = limb.overflowing_sub(x);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        (*limb, borrow) = (difference, first | second);
    }
    excess -= i64::from(borrow);
    *top = match excess {
        // One modulus more: 2^64n + 1.
        -1 => add_small(low, 1),
        // One less, unless this is 2^64n itself.
        1 if low.iter().any(|&limb| limb != 0) => {
            for limb in low.iter_mut() {
                let (difference, borrow) = limb.overflowing_sub(1);
                *limb = difference;
                if !borrow {
                    break;
                }
            }
            0
        }
        excess => excess as u64,
    };
}

/// Adds to the lowest limb; returns the carry out.
fn add_small(limbs: &mut [u64], x: u64) -> u64 {
    let mut carry = x;
    for limb in limbs {
        if carry == 0 {
            break;
        }
        let (sum, over) = limb.overflowing_add(carry);
        (*limb, carry) = (sum, u64::from(over));
    }
    carry
}
