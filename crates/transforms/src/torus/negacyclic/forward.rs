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

/// Where the numbers to transform come from.
pub(crate) trait Input: Copy {
    /// One vector of it.
    type Vector<S: Simd>;
    fn vectors<S: Simd>(&self, simd: S) -> &[Self::Vector<S>];
    fn read<S: Simd>(&self, simd: S, vector: &Self::Vector<S>) -> S::Float;
}

/// Words, from which a source makes numbers.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a, T> {
    pub(crate) words: &'a [u64],
    pub(crate) source: T,
}

impl<T: Source> Input for Words<'_, T> {
    type Vector<S: Simd> = S::Words;
    #[inline(always)]
    fn vectors<S: Simd>(&self, simd: S) -> &[S::Words] {
        simd.words(self.words)
    }
    #[inline(always)]
    fn read<S: Simd>(&self, simd: S, vector: &S::Words) -> S::Float {
        self.source.convert(simd, simd.load_words(vector))
    }
}

/// Digits that somebody else has made ([`Decompose`]).
#[derive(Clone, Copy)]
pub(crate) struct Decomposed<'a>(pub(crate) &'a [f32]);

impl Input for Decomposed<'_> {
    type Vector<S: Simd> = S::Singles;
    #[inline(always)]
    fn vectors<S: Simd>(&self, simd: S) -> &[S::Singles] {
        simd.singles(self.0)
    }
    #[inline(always)]
    fn read<S: Simd>(&self, simd: S, vector: &S::Singles) -> S::Float {
        simd.load_singles(vector)
    }
}

/// The digits of one level, which fit an `f32` without an error.
pub(crate) struct Decompose<'a, T> {
    pub(crate) polynomial: Words<'a, T>,
    pub(crate) digits: &'a mut [f32],
}

impl<T: Source> Kernel for Decompose<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let words = self.polynomial.vectors(simd);
        for (digits, words) in simd.singles_mut(self.digits).iter_mut().zip(words) {
            simd.store_singles(digits, self.polynomial.read(simd, words));
        }
    }
}

/// A whole forward transform of `input` (N numbers) into `output` (as many), which also brings
/// `ahead` into the second-level cache.
pub(crate) struct Forward<'a, T> {
    pub(crate) twiddles: &'a Twiddles,
    pub(crate) input: T,
    pub(crate) output: &'a mut [f64],
    pub(crate) ahead: &'a [f64],
}

impl<T: Input> Kernel for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let data = simd.pairs_mut(self.output);
        // Four vectors of a pass, and four of the eight of a group, are about as much work.
        let passes = self.twiddles.forward.len().max(1);
        let weave = &mut Weave::over(self.ahead, data.len() / 4 * (passes + 1));
        let mut passes = self.twiddles.forward.iter();
        match passes.next() {
            Some((2, steps)) => first::<S, T, 4>(simd, self.input, data, steps, weave),
            Some((_, steps)) => first::<S, T, 2>(simd, self.input, data, steps, weave),
            None => first::<S, T, 1>(simd, self.input, data, &[[[0.0; 2]; 4]], weave),
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
fn first<S: Simd, T: Input, const R: usize>(
    simd: S,
    input: T,
    data: &mut [Pair<S>],
    steps: &[Step],
    weave: &mut Weave<'_>,
) {
    let [low, high] = parts::<_, 2>(input.vectors(simd));
    let (low, high) = (parts::<_, R>(low), parts::<_, R>(high));
    let data = parts_mut::<_, R>(data);
    let Some(step) = steps.first() else { return };
    let w = splat_step(simd, step);
    let n = data[0].len().min(low[0].len());
    for i in 0..n {
        let mut x = [splat(simd, [0.0; 2]); R];
        for k in 0..R {
            x[k].re = input.read(simd, &low[k][i]);
            x[k].im = input.read(simd, &high[k][i]);
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
