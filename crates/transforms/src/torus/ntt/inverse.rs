//! The inverse transform: the passes of the forward one in reverse, each a transform of eight
//! points, the products by the inverse factors, and a reduction on either side of them. The factors
//! of the last pass divide by `N`, and its results become integers.

use super::arch::{Kernel, Lanes};
use super::limbs::{
    BETA, Factor, Prepared, join_factor, offset, product, reduce, reduce_unsigned, splat_factor,
    split, transform, zero,
};
use super::spread::Spread;
use super::tables::{Pass, Tables};

/// What becomes of the resulting integers.
pub(super) trait Sink: Copy {
    fn put<V: Lanes>(self, v: V, place: &mut V::Words, x: V::Word);
}

/// Overwrites.
#[derive(Clone, Copy)]
pub(super) struct Overwrite;

impl Sink for Overwrite {
    #[inline(always)]
    fn put<V: Lanes>(self, v: V, place: &mut V::Words, x: V::Word) {
        v.store(place, x);
    }
}

/// Adds, modulo 2^64.
#[derive(Clone, Copy)]
pub(super) struct Add;

impl Sink for Add {
    #[inline(always)]
    fn put<V: Lanes>(self, v: V, place: &mut V::Words, x: V::Word) {
        v.store(place, v.add(v.load(place), x));
    }
}

/// Adds `2^32` times, modulo 2^64: for upper limbs.
#[derive(Clone, Copy)]
pub(super) struct AddShifted;

impl Sink for AddShifted {
    #[inline(always)]
    fn put<V: Lanes>(self, v: V, place: &mut V::Words, x: V::Word) {
        v.store(place, v.add(v.load(place), v.shl::<32>(x)));
    }
}

/// The passes of an inverse transform but the last, in place: a kernel of its own, since it is the
/// same for every sink.
pub(super) struct Earlier<'a> {
    pub(super) tables: &'a Tables,
    pub(super) data: &'a mut [u64],
    pub(super) ahead: &'a [u64],
}

impl Kernel for Earlier<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        let data = v.vectors_mut(self.data);
        let passes = &self.tables.passes;
        let count = passes.len() - usize::from(V::LANES == 1);
        let mut shares = self.ahead.chunks(self.ahead.len().div_ceil(count).max(1));
        if V::LANES > 1 {
            let ahead = shares.next().unwrap_or(&[]);
            between_lanes(v, data, &self.tables.lane_inverse, ahead);
        }
        for pass in passes.iter().skip(1).rev() {
            let ahead = shares.next().unwrap_or(&[]);
            match pass.levels {
                3 => earlier::<V, 8>(v, data, pass, ahead),
                2 => earlier::<V, 4>(v, data, pass, ahead),
                _ => earlier::<V, 2>(v, data, pass, ahead),
            }
        }
    }
}

/// The last pass of an inverse transform, from `data` to `output`, `N` words each.
pub(super) struct Last<'a, K> {
    pub(super) tables: &'a Tables,
    pub(super) sink: K,
    pub(super) data: &'a [u64],
    pub(super) output: &'a mut [u64],
}

impl<K: Sink> Kernel for Last<'_, K> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        let (data, output) = (v.vectors(self.data), v.vectors_mut(self.output));
        let Some(pass) = self.tables.passes.first() else {
            return;
        };
        match pass.levels {
            3 => last::<V, K, 8>(v, self.sink, data, output, &pass.inverse),
            2 => last::<V, K, 4>(v, self.sink, data, output, &pass.inverse),
            _ => last::<V, K, 2>(v, self.sink, data, output, &pass.inverse),
        }
    }
}

/// `R·x_k = Σ X_j·ω^(−jk)` of words, reduced.
#[inline(always)]
fn back<V: Lanes, const R: usize>(v: V, words: [V::Word; R]) -> [V::Word; R] {
    let mut x = [zero(v); R];
    for k in 0..R {
        // The inverse is the transform of the points in the order 0, R − 1, …, 1.
        x[k] = split(v, words[(R - k) % R]);
    }
    transform(v, &mut x);
    let mut words = words;
    for k in 0..R {
        words[k] = reduce(v, x[k]);
    }
    words
}

/// A word by a factor, as a word.
#[inline(always)]
fn times<V: Lanes>(v: V, x: V::Word, factor: &Prepared<V>) -> V::Word {
    reduce(v, offset(v, product(v, x, factor)))
}

/// The first pass: each vector becomes a block.
#[inline(always)]
fn between_lanes<V: Lanes>(v: V, data: &mut [V::Words], factors: &[u64], ahead: &[u64]) {
    let mut ahead = Spread::new(ahead, data.len() / 8);
    let factors = v.vectors(factors).chunks_exact(14);
    for (group, factors) in data.chunks_exact_mut(8).zip(factors) {
        ahead.step(v);
        let mut words = [v.splat(0); 8];
        for k in 0..8 {
            words[k] = v.load(&group[k]);
        }
        words = back(v, words);
        for k in 1..8 {
            let factor = join_factor(v, v.load(&factors[2 * k - 2]), v.load(&factors[2 * k - 1]));
            words[k] = times(v, words[k], &factor);
        }
        v.transpose(&mut words);
        for k in 0..8 {
            v.store(&mut group[k], words[k]);
        }
    }
}

/// Puts `R` blocks together to one, everywhere.
#[inline(always)]
fn earlier<V: Lanes, const R: usize>(v: V, data: &mut [V::Words], pass: &Pass, ahead: &[u64]) {
    let length = data.len() / pass.inverse.len();
    let mut ahead = Spread::new(ahead, data.len() / R);
    for (block, factors) in data.chunks_exact_mut(length).zip(&pass.inverse) {
        let n = block.len() / R;
        let factors = splat_factors::<V, R>(v, factors);
        for i in 0..n {
            ahead.step(v);
            let mut words = [v.splat(0); R];
            for k in 0..R {
                words[k] = v.load(&block[k * n + i]);
            }
            words = back(v, words);
            v.store(&mut block[i], words[0]);
            for k in 1..R {
                v.store(&mut block[k * n + i], times(v, words[k], &factors[k]));
            }
        }
    }
}

#[inline(always)]
fn splat_factors<V: Lanes, const R: usize>(v: V, factors: &[Factor; 8]) -> [Prepared<V>; R] {
    let mut all = [splat_factor(v, &factors[0]); R];
    for k in 1..R {
        all[k] = splat_factor(v, &factors[k]);
    }
    all
}

/// Puts the last `R` blocks together, divides by `N` and gives the representatives next to zero to
/// the sink.
#[inline(always)]
fn last<V: Lanes, K: Sink, const R: usize>(
    v: V,
    sink: K,
    data: &[V::Words],
    output: &mut [V::Words],
    factors: &[[Factor; 8]],
) {
    let Some(factors) = factors.first() else {
        return;
    };
    let n = data.len() / R;
    let factors = splat_factors::<V, R>(v, factors);
    for i in 0..n {
        let mut words = [v.splat(0); R];
        for k in 0..R {
            words[k] = v.load(&data[k * n + i]);
        }
        words = back(v, words);
        for k in 0..R {
            // u − β is the element, as an integer in [−β, 2^64 − β).
            let u = reduce_unsigned(v, offset(v, product(v, words[k], &factors[k])));
            sink.put(v, &mut output[k * n + i], v.sub(u, v.splat(BETA)));
        }
    }
}
