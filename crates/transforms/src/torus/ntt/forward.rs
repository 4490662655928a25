//! The forward transform: conversion of the input and the first factors fused with the first pass.
//!
//! Each pass of radix 8 multiplies what it loads by the block's factors (seven products for eight
//! elements), transforms eight points by shifts and sums, and reduces. Two or three passes between
//! vectors, and with lanes one between those, after a transposition that nobody undoes.

use super::arch::{Kernel, Lanes};
use super::limbs::{
    Factor, Pair, canonical, join_factor, narrow_product, product, reduce, splat_factor, split,
    transform, zero,
};
use super::spread::Spread;
use super::tables::{Pass, Tables};
use crate::torus::gadget::Scales;

/// How a 64-bit word of a polynomial becomes a field element.
pub(super) trait Source: Copy {
    /// Whether elements are signed 32-bit numbers, in the lower halves.
    const NARROW: bool;
    /// The element: such a number, or a word of two limbs.
    fn convert<V: Lanes>(self, v: V, x: V::Word) -> V::Word;
}

/// Signed integers in `[−2^63, 2^63 − 2^31)`.
#[derive(Clone, Copy)]
pub(super) struct Integers;

impl Source for Integers {
    const NARROW: bool = false;
    #[inline(always)]
    fn convert<V: Lanes>(self, v: V, x: V::Word) -> V::Word {
        // The lower limb becomes signed, and the upper takes its carry.
        let half = v.splat(1 << 31);
        v.xor(v.add(x, half), half)
    }
}

/// The lower limb of a torus element: its lower half as a signed number.
#[derive(Clone, Copy)]
pub(super) struct LowerLimb;

impl Source for LowerLimb {
    const NARROW: bool = true;
    #[inline(always)]
    fn convert<V: Lanes>(self, _: V, x: V::Word) -> V::Word {
        x
    }
}

/// The upper limb of a torus element: its upper half as a signed number, and the lower limb's
/// carry.
#[derive(Clone, Copy)]
pub(super) struct UpperLimb;

impl Source for UpperLimb {
    const NARROW: bool = true;
    #[inline(always)]
    fn convert<V: Lanes>(self, v: V, x: V::Word) -> V::Word {
        v.high(v.add(x, v.splat(1 << 31)))
    }
}

/// The gadget digit of one level; `NARROW` where it has at most 32 bits.
#[derive(Clone, Copy)]
pub(super) struct Digits<const NARROW: bool>(pub(super) Scales);

impl<const NARROW: bool> Source for Digits<NARROW> {
    const NARROW: bool = NARROW;
    #[inline(always)]
    fn convert<V: Lanes>(self, v: V, x: V::Word) -> V::Word {
        let digit = v.digit(x, self.0);
        if NARROW {
            digit
        } else {
            Integers.convert(v, digit)
        }
    }
}

/// The first pass of a forward transform, from `input` to `output`, `N` words each.
pub(super) struct First<'a, T> {
    pub(super) tables: &'a Tables,
    pub(super) source: T,
    pub(super) input: &'a [u64],
    pub(super) output: &'a mut [u64],
}

impl<T: Source> Kernel for First<'_, T> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        let (input, data) = (v.vectors(self.input), v.vectors_mut(self.output));
        let Some(pass) = self.tables.passes.first() else {
            return;
        };
        match pass.levels {
            3 => first::<V, T, 8>(v, self.source, input, data, &pass.forward),
            2 => first::<V, T, 4>(v, self.source, input, data, &pass.forward),
            _ => first::<V, T, 2>(v, self.source, input, data, &pass.forward),
        }
    }
}

/// The later passes: a kernel of its own, since it is the same for every source.
pub(super) struct Later<'a> {
    pub(super) tables: &'a Tables,
    pub(super) data: &'a mut [u64],
    pub(super) ahead: &'a [u64],
}

impl Kernel for Later<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        let data = v.vectors_mut(self.data);
        let passes = &self.tables.passes;
        let last = passes.len() - usize::from(V::LANES == 1);
        let mut shares = self.ahead.chunks(self.ahead.len().div_ceil(last).max(1));
        for (number, pass) in passes.iter().enumerate().skip(1) {
            let ahead = shares.next().unwrap_or(&[]);
            match pass.levels {
                3 => later::<V, 8>(v, data, pass, number == last, ahead),
                2 => later::<V, 4>(v, data, pass, number == last, ahead),
                _ => later::<V, 2>(v, data, pass, number == last, ahead),
            }
        }
        if V::LANES > 1 {
            let ahead = shares.next().unwrap_or(&[]);
            between_lanes(v, data, &self.tables.lane_forward, ahead);
        }
    }
}

/// Loads and converts the input, and takes the one block that it is apart into `R`.
#[inline(always)]
fn first<V: Lanes, T: Source, const R: usize>(
    v: V,
    source: T,
    input: &[V::Words],
    data: &mut [V::Words],
    factors: &[[Factor; 7]],
) {
    let Some(factors) = factors.first() else {
        return;
    };
    let n = data.len() / R;
    let factors = splat_factors::<V, R>(v, factors);
    for i in 0..n {
        let mut x = [zero(v); R];
        for k in 0..R {
            let word = source.convert(v, v.load(&input[k * n + i]));
            x[k] = match (k, T::NARROW) {
                (0, true) => Pair {
                    low: v.mul(word, v.splat(1)),
                    high: v.splat(0),
                },
                (0, false) => split(v, word),
                (_, true) => narrow_product(v, word, &factors[k]),
                (_, false) => product(v, word, &factors[k]),
            };
        }
        transform(v, &mut x);
        for k in 0..R {
            v.store(&mut data[k * n + i], reduce(v, x[k]));
        }
    }
}

/// The factors of all `R` elements; that of the first, which is 1, is never used.
#[inline(always)]
fn splat_factors<V: Lanes, const R: usize>(v: V, factors: &[Factor; 7]) -> [[V::Word; 4]; R] {
    let mut all = [splat_factor(v, &factors[0]); R];
    for k in 1..R {
        all[k] = splat_factor(v, &factors[k - 1]);
    }
    all
}

/// Takes each block apart into `R`.
#[inline(always)]
fn later<V: Lanes, const R: usize>(
    v: V,
    data: &mut [V::Words],
    pass: &Pass,
    last: bool,
    ahead: &[u64],
) {
    let length = data.len() / pass.forward.len();
    let mut ahead = Spread::new(ahead, data.len() / R);
    for (block, factors) in data.chunks_exact_mut(length).zip(&pass.forward) {
        let n = block.len() / R;
        let factors = splat_factors::<V, R>(v, factors);
        for i in 0..n {
            ahead.step(v);
            let mut x = [zero(v); R];
            x[0] = split(v, v.load(&block[i]));
            for k in 1..R {
                x[k] = product(v, v.load(&block[k * n + i]), &factors[k]);
            }
            transform(v, &mut x);
            for k in 0..R {
                let word = if last {
                    canonical(v, x[k])
                } else {
                    reduce(v, x[k])
                };
                v.store(&mut block[k * n + i], word);
            }
        }
    }
}

/// The last pass, of radix 8: each vector is a block.
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
        v.transpose(&mut words);
        let mut x = [zero(v); 8];
        x[0] = split(v, words[0]);
        for k in 1..8 {
            let factor = join_factor(v, v.load(&factors[2 * k - 2]), v.load(&factors[2 * k - 1]));
            x[k] = product(v, words[k], &factor);
        }
        transform(v, &mut x);
        for k in 0..8 {
            v.store(&mut group[k], canonical(v, x[k]));
        }
    }
}
