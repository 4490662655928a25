//! The stages: the first and the last over the whole, by columns; the others in blocks of 4,096
//! elements, which lie in the first-level cache, forward, product and back without leaving it.
//!
//! Twiddle factors are multiplied in when elements are loaded, since the product gives the pairs of
//! limbs that the transform of sixteen wants; the paper multiplies before it stores, and its
//! memories hold what these hold times the factors.

use super::radix::{Form, divide_by_points, even, odd, radix_16};
use super::tables::{Factors, Tables};
use super::{BLOCK, DIGITS, RADIX};
use crate::torus::ntt::arch::{Kernel, Lanes};
use crate::torus::ntt::field::{EPSILON, P};
use crate::torus::ntt::limbs::{
    Pair, canonical, join_factor, product, reduce, reduce_unsigned, split, zero,
};

/// The same columns of all sixteen rows of 4,096 elements.
pub(super) type Columns<'a> = [&'a mut [u64]; RADIX];

/// Cuts the digits from the limbs and takes the first stage. Only the first eight rows have digits.
pub(super) struct First<'a> {
    pub(super) limbs: &'a [u64],
    pub(super) columns: Columns<'a>,
}

/// Rows of even numbers, or those of odd ones.
pub(super) type Half<'a> = [&'a mut [u64]; RADIX / 2];

/// The first stage of half of the rows: each result takes half of the transform of sixteen, so that
/// two threads begin apart and meet only at the last stage.
pub(super) struct FirstHalf<'a, 'b> {
    pub(super) limbs: &'a [u64],
    pub(super) rows: &'a mut Half<'b>,
    pub(super) odd: bool,
}

/// The last stage of the columns from `first` on, to canonical elements.
pub(super) struct Last<'a> {
    pub(super) tables: &'a Tables,
    pub(super) columns: Columns<'a>,
    pub(super) first: usize,
}

/// What follows the forward stages of a block.
#[derive(Clone, Copy)]
pub(super) enum Then<'a> {
    /// Nothing.
    Keep,
    /// The product by another spectrum's block, divided by the number of points, and three stages
    /// back.
    Multiply(&'a [u64]),
    /// Likewise by itself.
    Square,
}

/// Stages two to four of a block, and what follows.
pub(super) struct Block<'a> {
    pub(super) tables: &'a Tables,
    pub(super) data: &'a mut [u64],
    /// Which of the sixteen.
    pub(super) number: usize,
    pub(super) then: Then<'a>,
}

impl Kernel for First<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        let rows = self.columns.map(|row| v.vectors_mut(row));
        for i in 0..rows[0].len() {
            let mut x = [zero(v); RADIX];
            for (n, x) in x.iter_mut().enumerate().take(DIGITS / BLOCK) {
                x.low = v.digits_24(self.limbs, n * BLOCK + i * V::LANES);
            }
            let results = radix_16(v, &x, Form::Words);
            for k in 0..RADIX {
                v.store(&mut rows[k][i], reduce(v, results[k % 2][k / 2]));
            }
        }
    }
}

impl Kernel for FirstHalf<'_, '_> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        for i in 0..BLOCK / V::LANES {
            let mut x = [zero(v); RADIX];
            for (n, x) in x.iter_mut().enumerate().take(DIGITS / BLOCK) {
                x.low = v.digits_24(self.limbs, n * BLOCK + i * V::LANES);
            }
            let results = match self.odd {
                false => even(v, &x, Form::Words),
                true => odd(v, &x, Form::Words),
            };
            for (row, &result) in self.rows.iter_mut().zip(&results) {
                v.store(&mut v.vectors_mut(row)[i], reduce(v, result));
            }
        }
    }
}

impl Kernel for Last<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        let rows = self.columns.map(|row| v.vectors_mut(row));
        let first = self.first / V::LANES;
        let stride = BLOCK / V::LANES;
        for i in 0..rows[0].len() {
            let mut x = [zero(v); RADIX];
            x[0] = split(v, v.load(&rows[0][i]));
            for k in 1..RADIX {
                let place = k * stride + first + i;
                x[k] = twisted(v, v.load(&rows[k][i]), &self.tables.whole, place);
            }
            let results = radix_16(v, &x, Form::Numbers);
            for k in 0..RADIX {
                let number = reduce_unsigned(v, results[k % 2][k / 2]);
                // A number that is p or more is the lesser after the difference.
                let number = v.min(number, v.sub(number, v.splat(P)));
                v.store(&mut rows[k][i], number);
            }
        }
    }
}

impl Kernel for Block<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        let (tables, data) = (self.tables, v.vectors_mut(self.data));
        let (wide, narrow) = (256 / V::LANES, 16 / V::LANES.min(16));
        match self.number {
            0 => pass::<V, false, false>(v, data, wide, &tables.whole, 0),
            k => {
                let place = k * BLOCK / V::LANES;
                pass::<V, true, true>(v, data, wide, &tables.whole, place);
            }
        }
        for (k, part) in data.chunks_exact_mut(wide).enumerate() {
            match k {
                0 => pass::<V, false, false>(v, part, narrow, &tables.block, 0),
                k => pass::<V, true, true>(v, part, narrow, &tables.block, k * wide),
            }
        }
        for (number, group) in data.chunks_exact_mut(RADIX).enumerate() {
            last_forward(v, group, &tables.square, number);
        }
        let other = match self.then {
            Then::Keep => return,
            Then::Multiply(other) => Some(v.vectors(other)),
            Then::Square => None,
        };
        for (number, group) in data.chunks_exact_mut(RADIX).enumerate() {
            let other = other.map(|other| &other[number * RADIX..]);
            multiply_and_first_inverse(v, group, other);
        }
        for part in data.chunks_exact_mut(wide) {
            pass::<V, true, false>(v, part, narrow, &tables.square, 0);
        }
        pass::<V, true, false>(v, data, wide, &tables.block, 0);
    }
}

/// The element by the factor of a place, counted in vectors.
#[inline(always)]
fn twisted<V: Lanes>(v: V, x: V::Word, factors: &Factors, place: usize) -> Pair<V> {
    let plain = v.load(&v.vectors(&factors.plain)[place]);
    let shifted = v.load(&v.vectors(&factors.shifted)[place]);
    product(v, x, &join_factor(v, plain, shifted))
}

/// One stage in place: the sixteen vectors that lie `stride` apart, with the factors of their
/// places from `place` on if there are `FACTORS`, and those of the first of them, too, if `ALL`.
#[inline(always)]
fn pass<V: Lanes, const FACTORS: bool, const ALL: bool>(
    v: V,
    data: &mut [V::Words],
    stride: usize,
    factors: &Factors,
    place: usize,
) {
    let data = &mut data[..RADIX * stride];
    for i in 0..stride {
        let mut x = [zero(v); RADIX];
        for (k, x) in x.iter_mut().enumerate() {
            let at = k * stride + i;
            let word = v.load(&data[at]);
            *x = if FACTORS && (ALL || k > 0) {
                twisted(v, word, factors, place + at)
            } else {
                split(v, word)
            };
        }
        let results = radix_16(v, &x, Form::Words);
        for k in 0..RADIX {
            v.store(&mut data[k * stride + i], reduce(v, results[k % 2][k / 2]));
        }
    }
}

/// The fourth stage forward, on as many groups of sixteen neighbours as a vector has lanes. They
/// stay transposed: a vector has the same place of all groups.
#[inline(always)]
fn last_forward<V: Lanes>(v: V, group: &mut [V::Words], factors: &Factors, number: usize) {
    let mut words = [v.splat(0); RADIX];
    if V::LANES == 8 {
        for half in 0..2 {
            let mut rows = [words[0]; 8];
            for g in 0..8 {
                rows[g] = v.load(&group[2 * g + half]);
            }
            v.transpose(&mut rows);
            for n in 0..8 {
                words[8 * half + n] = rows[n];
            }
        }
    } else {
        for n in 0..RADIX {
            words[n] = v.load(&group[n]);
        }
    }
    let columns = 16 / V::LANES;
    let mut x = [zero(v); RADIX];
    x[0] = split(v, words[0]);
    for n in 1..RADIX {
        x[n] = twisted(v, words[n], factors, n * columns + number % columns);
    }
    let results = radix_16(v, &x, Form::Words);
    for k in 0..RADIX {
        v.store(&mut group[k], canonical(v, results[k % 2][k / 2]));
    }
}

/// The product of transposed groups by another spectrum's, or by themselves, and the first stage
/// back, which undoes the transposition.
#[inline(always)]
fn multiply_and_first_inverse<V: Lanes>(v: V, group: &mut [V::Words], other: Option<&[V::Words]>) {
    let mut x = [zero(v); RADIX];
    for k in 0..RADIX {
        let a = v.load(&group[k]);
        let b = match other {
            Some(other) => v.load(&other[k]),
            None => a,
        };
        x[k] = divide_by_points(v, multiply(v, a, b));
    }
    let results = radix_16(v, &x, Form::Words);
    if V::LANES == 8 {
        for half in 0..2 {
            let mut rows = [v.splat(0); 8];
            for n in 0..8 {
                rows[n] = reduce(v, results[n % 2][4 * half + n / 2]);
            }
            v.transpose(&mut rows);
            for g in 0..8 {
                v.store(&mut group[2 * g + half], rows[g]);
            }
        }
    } else {
        for k in 0..RADIX {
            v.store(&mut group[k], reduce(v, results[k % 2][k / 2]));
        }
    }
}

/// The product of canonical words; limbs are below `2^35`.
///
/// It is `a₀b₀ + φ·(a₀b₁ + a₁b₀) + φ²·a₁b₁`, `φ² = φ − 1`. The sum in the middle is below `2^63` as
/// not both limbs of either are `−2^31`; a third product in it might not fit, so that the fold
/// takes it separately.
#[inline(always)]
fn multiply<V: Lanes>(v: V, a: V::Word, b: V::Word) -> Pair<V> {
    let (a1, b1) = (v.high(a), v.high(b));
    let top = v.mul(a1, b1);
    let low = v.sub(v.mul(a, b), top);
    let middle = v.add(v.mul(a, b1), v.mul(a1, b));
    let carried = v.add(v.sar::<32>(middle), v.sar::<32>(top));
    let left = v.add(v.low(middle), v.low(top));
    Pair {
        low: v.sub(v.low(low), carried),
        high: v.add(v.add(v.sar::<32>(low), left), carried),
    }
}

/// The canonical element of a word, for those who look at a spectrum.
pub(super) fn element(word: u64) -> u64 {
    use crate::torus::ntt::limbs::BETA;
    let (difference, borrow) = (word ^ BETA).overflowing_sub(BETA);
    // 2^64 less is p + ε less: the borrow is worth −ε.
    let difference = match borrow {
        true => difference.wrapping_sub(EPSILON),
        false => difference,
    };
    difference.min(difference.wrapping_sub(P))
}
