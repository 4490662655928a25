//! The inverse transform: a spectrum in, residues below each prime out.
//!
//! It combines transforms, by factors that depend on the position within a block and not on the block; passes
//! find in registers what the forward ones would leave there if their numbers were read in reverse, and
//! use the same butterflies. The root pass of a column is followed by the last pass on it: weights,
//! separation into rows, eight points across these, and the constant of the row. Rows stay in tiles:
//! the coefficients `l·M + 8g + t` at `64·g + 8·l + t`.

use super::arch::{Kernel, Residues};
use super::butterfly::{Folding, plain, splat, three, twisted};
use super::forward::{Column, weighted};
use super::shape::{Shape, TILE, VECTOR};
use super::tables::{Pair, Tables};
use crate::primes::arch::Reduction;
use std::marker::PhantomData;

/// The digits of a register's number in reverse.
#[inline(always)]
const fn reversed<const R: usize>(number: usize) -> usize {
    if R == 1 {
        0
    } else {
        number.reverse_bits() >> (usize::BITS - R.trailing_zeros())
    }
}

/// One inner pass over consecutive blocks of its own.
pub(super) struct InnerBack<'a, F> {
    pub(super) tables: &'a Tables,
    pub(super) radix: usize,
    /// `radix − 1` for each position in a part of a block.
    pub(super) factors: &'a [Pair],
    pub(super) data: &'a mut [u64],
    pub(super) folding: PhantomData<F>,
}

impl<F: Folding> Kernel for InnerBack<'_, F> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        match self.radix {
            4 => inner::<V, F, 4>(v, self),
            8 => inner::<V, F, 8>(v, self),
            _ => inner::<V, F, 16>(v, self),
        }
    }
}

#[inline(always)]
fn inner<V: Residues, F: Folding, const R: usize>(v: V, call: InnerBack<'_, F>) {
    let p = v.prime(&call.tables.modulus);
    let n = call.factors.len() / (R - 1) * VECTOR;
    for block in call.data.chunks_exact_mut(n * R) {
        let mut chunks = block.chunks_exact_mut(n);
        let parts: [&mut [V::Words]; R] =
            std::array::from_fn(|_| v.vectors_mut(chunks.next().unwrap_or(&mut [])));
        for (j, factors) in call.factors.chunks_exact(R - 1).enumerate() {
            for i in j * (VECTOR / V::LANES)..(j + 1) * (VECTOR / V::LANES) {
                let mut x = [v.splat(0); R];
                for r in 0..R {
                    x[r] = v.load(&parts[reversed::<R>(r)][i]);
                }
                twisted::<V, F, R>(v, p, &mut x, factors);
                for r in 0..R {
                    v.store(&mut parts[reversed::<R>(r)][i], x[r]);
                }
            }
        }
    }
}

/// The root pass and the last one over one column, whose vectors begin at `start` in each block.
pub(super) struct Last<'a, 'b, F> {
    pub(super) shape: &'a Shape,
    pub(super) tables: &'a Tables,
    pub(super) start: usize,
    pub(super) column: &'a mut Column<'b>,
    pub(super) folding: PhantomData<F>,
}

impl<F: Folding> Kernel for Last<'_, '_, F> {
    #[inline(always)]
    fn run<V: Residues>(mut self, v: V) {
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
fn root<V: Residues, F: Folding, const R: usize>(v: V, call: &mut Last<'_, '_, F>) {
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
                x[r] = v.load(&parts[reversed::<R>(r)][i]);
            }
            twisted::<V, F, R>(v, p, &mut x, factors);
            for r in 0..R {
                v.store(&mut parts[reversed::<R>(r)][i], x[r]);
            }
        }
    }
}

#[inline(always)]
fn root_three<V: Residues, F: Folding, const R: usize>(v: V, call: &mut Last<'_, '_, F>) {
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
                for r in 0..R {
                    x[t][r] = v.load(&v.vectors(parts[t * R + reversed::<R>(r)])[i]);
                }
                if R == 1 && F::WHEN == Reduction::EachPass {
                    x[t][0] = v.fold(p, x[t][0]);
                }
                twisted::<V, F, R>(v, p, &mut x[t], of_two);
            }
            for r in 0..R {
                let place = reversed::<R>(r);
                let second = v.mul(p, x[1][r], splat(v, of_three[2 * place]));
                let third_part = v.mul(p, x[2][r], splat(v, of_three[2 * place + 1]));
                let [a, b, c] = three::<V, F>(v, p, [x[0][r], second, third_part], third);
                // Conjugate roots: the second and third results change places.
                v.store(&mut v.vectors_mut(parts[place])[i], a);
                v.store(&mut v.vectors_mut(parts[R + place])[i], c);
                v.store(&mut v.vectors_mut(parts[2 * R + place])[i], b);
            }
        }
    }
}

#[inline(always)]
fn last<V: Residues, F: Folding>(v: V, call: &mut Last<'_, '_, F>) {
    let (shape, tables) = (call.shape, call.tables);
    let p = v.prime(&tables.modulus);
    for (number, part) in call.column.iter_mut().take(shape.blocks()).enumerate() {
        for (tile, words) in part.chunks_exact_mut(TILE * VECTOR).enumerate() {
            let j = number * shape.block + call.start + tile * TILE;
            let weights = &tables.weights_back.tiles[j / TILE * 2..][..2];
            let words = v.vectors_mut(words);
            let mut rows = [[v.splat(0); 8]; 8];
            for step in 0..TILE / V::LANES {
                let mut x = [v.splat(0); 8];
                for i in 0..8 {
                    x[i] = v.load(&words[step * 8 + i]);
                }
                let separate = v.separate(weighted(v, p, x, &tables.weights_back, weights, step));
                // Places and registers both in the order of reversed digits.
                let mut x = [v.splat(0); 8];
                for k in 0..8 {
                    x[k] = separate[reversed::<8>(k)];
                }
                plain::<V, F, 8>(v, p, &mut x, &tables.join);
                rows[step] = x;
            }
            for step in 0..TILE / V::LANES {
                for l in 0..8 {
                    let x = v.mul(p, rows[step][reversed::<8>(l)], splat(v, tables.last[l]));
                    v.store(
                        &mut words[l * (TILE / V::LANES) + step],
                        v.canonical(p, v.clean(x)),
                    );
                }
            }
        }
    }
}
