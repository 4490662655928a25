//! The inverse transform: a spectrum in, residues below each prime out.
//!
//! It combines transforms, by factors that depend on the position within a block and not on the
//! block; passes find in registers what the forward ones would leave there if their numbers were
//! read in reverse, and use the same butterflies. The root pass of a column is followed by the last
//! pass on it: weights, separation into rows, eight points across these, and the constant of the
//! row. Rows stay in tiles: the coefficients `l·M + 8g + t` at `64·g + 8·l + t`.

use super::arch::{FoldingKernel, Residues};
use super::butterfly::{Folding, plain, splat, three, twisted};
use super::forward::{Column, weighted};
use super::shape::{Shape, TILE, VECTOR};
use super::tables::{Pair, Tables};
use crate::integers::primes::arch::Reduction;

/// Numbers of up to 16 registers with their digits reversed, by the logarithm of how many there
/// are.
const REVERSED: [[usize; 16]; 5] = [
    [0; 16],
    [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [0, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [0, 4, 2, 6, 1, 5, 3, 7, 0, 0, 0, 0, 0, 0, 0, 0],
    [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
];

/// In the order of reversed digits.
#[inline(always)]
fn reversed<T: Copy, const R: usize>(x: [T; R]) -> [T; R] {
    let numbers = &REVERSED[R.trailing_zeros() as usize];
    let mut y = x;
    for r in 0..R {
        y[r] = x[numbers[r]];
    }
    y
}

/// One inner pass over consecutive blocks of its own.
pub(super) struct InnerBack<'a> {
    pub(super) tables: &'a Tables,
    pub(super) radix: usize,
    /// `radix − 1` for each position in a part of a block.
    pub(super) factors: &'a [Pair],
    pub(super) data: &'a mut [u64],
}

impl FoldingKernel for InnerBack<'_> {
    #[inline(always)]
    fn run<V: Residues, F: Folding>(self, v: V) {
        match self.radix {
            4 => inner::<V, F, 4>(v, self),
            8 => inner::<V, F, 8>(v, self),
            _ => inner::<V, F, 16>(v, self),
        }
    }
}

#[inline(always)]
fn inner<V: Residues, F: Folding, const R: usize>(v: V, call: InnerBack<'_>) {
    let p = v.prime(&call.tables.modulus);
    let each = VECTOR / V::LANES;
    let n = call.factors.len() / (R - 1) * each;
    for block in v.vectors_mut(call.data).chunks_exact_mut(n * R) {
        for (j, factors) in call.factors.chunks_exact(R - 1).enumerate() {
            for i in j * each..(j + 1) * each {
                let mut x = reversed(v.load_strided::<R>(block, i, n));
                twisted::<V, F, R>(v, p, &mut x, factors);
                v.store_strided(block, i, n, reversed(x));
            }
        }
    }
}

/// The root pass and the last one over one column, whose vectors begin at `start` in each block.
pub(super) struct Last<'a, 'b> {
    pub(super) shape: &'a Shape,
    pub(super) tables: &'a Tables,
    pub(super) start: usize,
    pub(super) column: &'a mut Column<'b>,
}

impl FoldingKernel for Last<'_, '_> {
    #[inline(always)]
    fn run<V: Residues, F: Folding>(mut self, v: V) {
        let call = &mut self;
        match (call.shape.threes, call.shape.root) {
            (3, 1) => root_three::<V, F, 1>(v, call),
            (3, 2) => root_three::<V, F, 2>(v, call),
            (3, _) => root_three::<V, F, 4>(v, call),
            (_, 2) => root::<V, F, 2>(v, call),
            (_, 4) => root::<V, F, 4>(v, call),
            (_, 8) => root::<V, F, 8>(v, call),
            (_, _) => root::<V, F, 16>(v, call),
        }
        last::<V, F>(v, call);
    }
}

#[inline(always)]
fn root<V: Residues, F: Folding, const R: usize>(v: V, call: &mut Last<'_, '_>) {
    let p = v.prime(&call.tables.modulus);
    let factors = &call.tables.root_back[call.start * (R - 1)..];
    let Some(parts) = call.column.first_chunk_mut::<R>() else {
        return;
    };
    let length = parts[0].len() / VECTOR;
    let parts = parts.each_mut().map(|part| v.vectors_mut(part));
    for (j, factors) in factors.chunks_exact(R - 1).take(length).enumerate() {
        for i in j * (VECTOR / V::LANES)..(j + 1) * (VECTOR / V::LANES) {
            let mut x = [v.splat(0); R];
            for r in 0..R {
                x[r] = v.load(&parts[r][i]);
            }
            let mut x = reversed(x);
            twisted::<V, F, R>(v, p, &mut x, factors);
            let x = reversed(x);
            for r in 0..R {
                v.store(&mut parts[r][i], x[r]);
            }
        }
    }
}

#[inline(always)]
fn root_three<V: Residues, F: Folding, const R: usize>(v: V, call: &mut Last<'_, '_>) {
    let p = v.prime(&call.tables.modulus);
    let third = splat(v, call.tables.third);
    let each = 3 * R - 1;
    let factors = &call.tables.root_back[call.start * each..];
    let parts = &mut call.column[..3 * R];
    let length = parts[0].len() / VECTOR;
    for (j, factors) in factors.chunks_exact(each).take(length).enumerate() {
        let (of_two, of_three) = factors.split_at(R - 1);
        for i in j * (VECTOR / V::LANES)..(j + 1) * (VECTOR / V::LANES) {
            let mut x = [[v.splat(0); R]; 3];
            for t in 0..3 {
                let mut part = [v.splat(0); R];
                for r in 0..R {
                    part[r] = v.load(&v.vectors(parts[t * R + r])[i]);
                }
                let mut part = reversed(part);
                if R == 1 && F::WHEN == Reduction::EachPass {
                    part[0] = v.fold(p, part[0]);
                }
                twisted::<V, F, R>(v, p, &mut part, of_two);
                x[t] = reversed(part);
            }
            for r in 0..R {
                let second = v.mul(p, x[1][r], splat(v, of_three[2 * r]));
                let third_part = v.mul(p, x[2][r], splat(v, of_three[2 * r + 1]));
                let [a, b, c] = three::<V, F>(v, p, [x[0][r], second, third_part], third);
                // Conjugate roots: the second and third results change places.
                v.store(&mut v.vectors_mut(parts[r])[i], a);
                v.store(&mut v.vectors_mut(parts[R + r])[i], c);
                v.store(&mut v.vectors_mut(parts[2 * R + r])[i], b);
            }
        }
    }
}

#[inline(always)]
fn last<V: Residues, F: Folding>(v: V, call: &mut Last<'_, '_>) {
    let (shape, tables) = (call.shape, call.tables);
    let p = v.prime(&tables.modulus);
    for (number, part) in call.column.iter_mut().take(shape.blocks()).enumerate() {
        for (tile, words) in part.chunks_exact_mut(TILE * VECTOR).enumerate() {
            let j = number * shape.block + call.start + tile * TILE;
            let weights = &tables.weights_back.tiles[j / TILE * 2..][..2];
            // Where a tile takes several steps, they write what later ones read.
            let mut copy = [0; TILE * VECTOR];
            if V::LANES < TILE {
                copy.copy_from_slice(words);
            }
            let (copy, words) = (v.vectors(&copy), v.vectors_mut(words));
            for step in 0..TILE / V::LANES {
                let mut x = [v.splat(0); 8];
                for i in 0..8 {
                    let place = step * 8 + i;
                    x[i] = if V::LANES < TILE {
                        v.load(&copy[place])
                    } else {
                        v.load(&words[place])
                    };
                }
                let separate = v.separate(weighted(v, p, x, &tables.weights_back, weights, step));
                let mut x = reversed(separate);
                plain::<V, F, 8>(v, p, &mut x, &tables.join);
                let x = reversed(x);
                for l in 0..8 {
                    let x = v.mul(p, x[l], splat(v, tables.last[l]));
                    v.store(
                        &mut words[l * (TILE / V::LANES) + step],
                        v.canonical(p, v.clean(x)),
                    );
                }
            }
        }
    }
}
