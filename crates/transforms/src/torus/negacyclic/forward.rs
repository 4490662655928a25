//! The forward transform: conversion of the input fused with the first pass.

use super::butterfly::{
    exchange, load, load_row, parts, parts_mut, splat, splat_step, split, store, turn,
};
use super::weave::Weave;
use crate::arch::{Kernel, Pair, Simd};
use crate::torus::gadget::Scales;
use crate::torus::twiddles::{self, Step, Twiddles};

/// How a 64-bit word becomes the number to transform.
pub(crate) trait Source: Copy {
    fn convert<S: Simd>(self, simd: S, word: S::Word) -> S::Float;
}

/// The word as a signed integer, rounded to 53 bits.
#[derive(Clone, Copy)]
pub(crate) struct Integers;

impl Source for Integers {
    #[inline(always)]
    fn convert<S: Simd>(self, simd: S, word: S::Word) -> S::Float {
        simd.float(word)
    }
}

/// The gadget digit of one level; `FIRST` for level 1, which subtracts nothing.
#[derive(Clone, Copy)]
pub(crate) struct Digits<const FIRST: bool>(pub(crate) Scales);

impl<const FIRST: bool> Source for Digits<FIRST> {
    #[inline(always)]
    fn convert<S: Simd>(self, simd: S, word: S::Word) -> S::Float {
        // 1.5·2^52: adding it rounds |x| ≤ 2^51 to an integer, ties to even. Scaling by powers of
        // two is exact, so every instruction set, fused or not, gives the same digit.
        let rounder = simd.splat(6_755_399_441_055_744.0);
        let x = simd.float(word);
        let fine = simd.mul_add(x, simd.splat(self.0.fine), rounder);
        let fine = simd.sub(fine, rounder);
        if FIRST {
            return fine;
        }
        let coarse = simd.mul_add(x, simd.splat(self.0.coarse), rounder);
        let coarse = simd.sub(coarse, rounder);
        simd.neg_mul_add(coarse, simd.splat(self.0.base), fine)
    }
}

/// A whole forward transform of `input` (N words) into `output` (N numbers), which also brings
/// `ahead` into the second-level cache.
pub(crate) struct Forward<'a, T> {
    pub(crate) twiddles: &'a Twiddles,
    pub(crate) source: T,
    pub(crate) input: &'a [u64],
    pub(crate) output: &'a mut [f64],
    pub(crate) ahead: &'a [f64],
}

impl<T: Source> Kernel for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let data = simd.pairs_mut(self.output);
        let words = simd.words(self.input);
        // Four vectors of a pass, and four of the eight of a group, are about as much work.
        let passes = self.twiddles.forward.len().max(1);
        let weave = &mut Weave::over(self.ahead, data.len() / 4 * (passes + 1));
        let mut passes = self.twiddles.forward.iter();
        match passes.next() {
            Some((2, steps)) => first::<S, T, 4>(simd, self.source, words, data, steps, weave),
            Some((_, steps)) => first::<S, T, 2>(simd, self.source, words, data, steps, weave),
            None => first::<S, T, 1>(simd, self.source, words, data, &[[[0.0; 2]; 4]], weave),
        }
        for (_, steps) in passes {
            pass::<S, 4>(simd, data, steps, weave);
        }
        if S::LANES == 8 {
            groups::<S, 8>(simd, data, self.twiddles, weave);
        } else {
            groups::<S, 4>(simd, data, self.twiddles, weave);
        }
    }
}

/// Loads, converts and folds the input, and splits the one block that it is into `R`.
#[inline(always)]
fn first<S: Simd, T: Source, const R: usize>(
    simd: S,
    source: T,
    words: &[S::Words],
    data: &mut [Pair<S>],
    steps: &[Step],
    weave: &mut Weave<'_>,
) {
    let [low, high] = parts::<_, 2>(words);
    let (low, high) = (parts::<_, R>(low), parts::<_, R>(high));
    let data = parts_mut::<_, R>(data);
    let Some(step) = steps.first() else { return };
    let w = splat_step(simd, step);
    let n = data[0].len().min(low[0].len());
    for i in 0..n {
        let mut x = [splat(simd, [0.0; 2]); R];
        for k in 0..R {
            x[k].re = source.convert(simd, simd.load_words(&low[k][i]));
            x[k].im = source.convert(simd, simd.load_words(&high[k][i]));
        }
        weave.step(simd);
        split(simd, &mut x, &w);
        for k in 0..R {
            store(simd, &mut data[k][i], x[k]);
        }
    }
}

/// Splits each block into `R`.
#[inline(always)]
fn pass<S: Simd, const R: usize>(
    simd: S,
    data: &mut [Pair<S>],
    steps: &[Step],
    weave: &mut Weave<'_>,
) {
    let blocks = data.chunks_exact_mut(data.len() / steps.len());
    for (block, step) in blocks.zip(steps) {
        let w = splat_step(simd, step);
        let data = parts_mut::<_, R>(block);
        for i in 0..data[0].len() {
            let mut x = [splat(simd, [0.0; 2]); R];
            for k in 0..R {
                x[k] = load(simd, &data[k][i]);
            }
            weave.step(simd);
            split(simd, &mut x, &w);
            for k in 0..R {
                store(simd, &mut data[k][i], x[k]);
            }
        }
    }
}

/// The last levels: between the `W` vectors of each group, then between their lanes. The
/// transposition that brings the lanes apart is spread over the first half, one exchange after each
/// level: shuffles have a single port, and all in one place they would leave the multipliers
/// waiting. It moves the number of the block from rows to lanes, so these levels have one vector of
/// factors each.
#[inline(always)]
fn groups<S: Simd, const W: usize>(
    simd: S,
    data: &mut [Pair<S>],
    twiddles: &Twiddles,
    weave: &mut Weave<'_>,
) {
    let stride = twiddles::GROUP_VECTORS;
    let lanes = simd.pairs(&twiddles.group_lanes);
    let groups = data
        .chunks_exact_mut(W)
        .zip(&twiddles.group)
        .zip(lanes.chunks_exact(stride));
    for ((group, &root), lanes) in groups {
        let mut x = load_row::<S, W>(simd, group);
        let mut w = splat(simd, root);
        if W == 8 {
            for k in 0..4 {
                turn(simd, &mut x, [k, k + 4], w);
            }
            exchange::<S, W, 4>(simd, &mut x);
            w = load(simd, &lanes[0]);
        }
        for k in 0..W / 4 {
            turn(simd, &mut x, [4 * k, 4 * k + 2], w);
            turn(simd, &mut x, [4 * k + 1, 4 * k + 3], w);
        }
        weave.step(simd);
        exchange::<S, W, 2>(simd, &mut x);
        w = load(simd, &lanes[1]);
        for k in 0..W / 2 {
            turn(simd, &mut x, [2 * k, 2 * k + 1], w);
        }
        weave.step(simd);
        exchange::<S, W, 1>(simd, &mut x);
        split(simd, &mut x, &load_row(simd, &lanes[2..]));
        for k in 0..W {
            store(simd, &mut group[k], x[k]);
        }
    }
}
