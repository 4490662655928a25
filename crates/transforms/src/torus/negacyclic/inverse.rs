//! The inverse transform: rounding to the torus fused with the last pass.

use super::butterfly::{
    Complex, exchange, load, load_each, load_row, merge, merge_plain, mul, parts, parts_mut, splat,
    store, turn, turn_minus_i,
};
use super::weave::Weave;
use crate::arch::{Kernel, Pair, Simd};
use crate::torus::twiddles::{self, Twiddles};

/// What happens to the words of the result.
pub(crate) trait Sink: Copy {
    fn put<S: Simd>(self, simd: S, into: &mut S::Words, word: S::Word);
}

/// The result replaces what was there.
#[derive(Clone, Copy)]
pub(crate) struct Overwrite;

impl Sink for Overwrite {
    #[inline(always)]
    fn put<S: Simd>(self, simd: S, into: &mut S::Words, word: S::Word) {
        simd.store_words(into, word);
    }
}

/// The result is added modulo 2^64.
#[derive(Clone, Copy)]
pub(crate) struct Add;

impl Sink for Add {
    #[inline(always)]
    fn put<S: Simd>(self, simd: S, into: &mut S::Words, word: S::Word) {
        let sum = simd.add_words(simd.load_words(into), word);
        simd.store_words(into, sum);
    }
}

/// A whole inverse transform of `spectrum` (N numbers, destroyed) into `output` (N words), which
/// also brings `ahead` into the second-level cache.
pub(crate) struct Inverse<'a, K> {
    pub(crate) twiddles: &'a Twiddles,
    pub(crate) sink: K,
    pub(crate) spectrum: &'a mut [f64],
    pub(crate) output: &'a mut [u64],
    pub(crate) ahead: &'a [f64],
}

impl<K: Sink> Kernel for Inverse<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let data = simd.pairs_mut(self.spectrum);
        let words = simd.words_mut(self.output);
        let passes = self.twiddles.inverse.len() + 1;
        let weave = &mut Weave::over(self.ahead, data.len() / 4 * (passes + 1));
        if S::LANES == 8 {
            groups::<S, 8>(simd, data, self.twiddles, weave);
        } else {
            groups::<S, 4>(simd, data, self.twiddles, weave);
        }
        for factors in &self.twiddles.inverse {
            pass::<S, 4>(simd, data, simd.pairs(factors), weave);
        }
        let factors = simd.pairs(&self.twiddles.last);
        match self.twiddles.last_levels {
            0 => last::<S, K, 1, 3>(simd, self.sink, data, factors, words, weave),
            1 => last::<S, K, 2, 4>(simd, self.sink, data, factors, words, weave),
            _ => last::<S, K, 4, 6>(simd, self.sink, data, factors, words, weave),
        }
    }
}

/// The first levels: between the vectors of each group, which are plain transforms, then between
/// what were their lanes. As in the forward transform the transposition is spread, here over the
/// second half: factors belong to a coefficient number of which one bit more stands in the lanes at
/// each level.
#[inline(always)]
fn groups<S: Simd, const W: usize>(
    simd: S,
    data: &mut [Pair<S>],
    twiddles: &Twiddles,
    weave: &mut Weave<'_>,
) {
    let w = load_row::<S, { twiddles::INVERSE_GROUP_VECTORS }>(
        simd,
        simd.pairs(&twiddles.inverse_group),
    );
    for group in data.chunks_exact_mut(W) {
        let mut x = load_row::<S, W>(simd, group);
        merge_plain(simd, &mut x);
        weave.step(simd);
        exchange::<S, W, 1>(simd, &mut x);
        for (k, &w) in w[..W / 4].iter().enumerate() {
            turn(simd, &mut x, [2 * k, 2 * k + 1], w);
            turn_minus_i(simd, &mut x, [2 * k + W / 2, 2 * k + W / 2 + 1], w);
        }
        weave.step(simd);
        exchange::<S, W, 2>(simd, &mut x);
        for k in 0..W / 4 {
            turn(simd, &mut x, [4 * k, 4 * k + 2], w[2 + k]);
            turn_minus_i(simd, &mut x, [4 * k + 1, 4 * k + 3], w[2 + k]);
        }
        if W == 8 {
            exchange::<S, W, 4>(simd, &mut x);
            turn(simd, &mut x, [0, 4], w[4]);
            turn(simd, &mut x, [1, 5], w[5]);
            turn_minus_i(simd, &mut x, [2, 6], w[4]);
            turn_minus_i(simd, &mut x, [3, 7], w[5]);
        }
        for k in 0..W {
            store(simd, &mut group[k], x[k]);
        }
    }
}

/// The factors of a radix-4 step, or of a radix-2 step, which does not read the second.
#[inline(always)]
fn load_step<S: Simd>(simd: S, [a, b]: [&Pair<S>; 2]) -> [Complex<S>; 4] {
    let (a, b) = (load(simd, a), load(simd, b));
    [a, b, a, b]
}

/// Merges `R` neighbouring blocks, each of as many vectors as there are pairs of factors.
#[inline(always)]
fn pass<S: Simd, const R: usize>(
    simd: S,
    data: &mut [Pair<S>],
    factors: &[Pair<S>],
    weave: &mut Weave<'_>,
) {
    let factors = factors.as_chunks::<2>().0;
    for block in data.chunks_exact_mut(R * factors.len()) {
        let data = parts_mut::<_, R>(block);
        let factors = &factors[..data[0].len()];
        for (i, [a, b]) in factors.iter().enumerate() {
            let mut x = [splat(simd, [0.0; 2]); R];
            for k in 0..R {
                x[k] = load(simd, &data[k][i]);
            }
            weave.step(simd);
            merge(simd, &mut x, &load_step(simd, [a, b]));
            for k in 0..R {
                store(simd, &mut data[k][i], x[k]);
            }
        }
    }
}

/// Merges the last `R` blocks, untwists, scales, reduces modulo 2^64 and unfolds. `F = R + 2` is
/// the number of vectors of factors for each vector of a block.
#[inline(always)]
fn last<S: Simd, K: Sink, const R: usize, const F: usize>(
    simd: S,
    sink: K,
    data: &[Pair<S>],
    factors: &[Pair<S>],
    words: &mut [S::Words],
    weave: &mut Weave<'_>,
) {
    let [low, high] = parts_mut::<_, 2>(words);
    let (low, high) = (parts_mut::<_, R>(low), parts_mut::<_, R>(high));
    let data = parts::<_, R>(data);
    let n = data[0].len().min(low[0].len());
    for (i, factors) in factors.as_chunks::<F>().0[..n].iter().enumerate() {
        let mut x = load_each(simd, &data, i);
        weave.step(simd);
        merge(simd, &mut x, &load_step(simd, [&factors[0], &factors[1]]));
        for k in 0..R {
            let z = mul(simd, x[k], load(simd, &factors[2 + k]));
            sink.put(simd, &mut low[k][i], modulo(simd, z.re));
            sink.put(simd, &mut high[k][i], modulo(simd, z.im));
        }
    }
}

/// The integer nearest to `x`, modulo 2^64, for `|x| < 2^115`. Subtracting the nearest multiple of
/// 2^64 is exact: it has no more significant bits than `x`, and the difference is a multiple of the
/// same unit.
#[inline(always)]
pub(crate) fn modulo<S: Simd>(simd: S, x: S::Float) -> S::Word {
    const TWO_64: f64 = 18_446_744_073_709_551_616.0;
    let rounder = simd.splat(6_755_399_441_055_744.0);
    let quotient = simd.sub(simd.mul_add(x, simd.splat(1.0 / TWO_64), rounder), rounder);
    simd.round(simd.neg_mul_add(quotient, simd.splat(TWO_64), x))
}
