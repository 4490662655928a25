//! The forward transform: limbs in, a spectrum in the order of its roots' reversed digits out.
//!
//! The first pass takes limbs `j + M·l` for eight rows `l`, `j` being as many consecutive numbers
//! as a register has lanes; transforms over `l`; interleaves the results, so that a vector has the
//! `j`-th point of each of the eight transforms; and multiplies them with weights, after which all
//! eight are cyclic and have the same factors from there on. A *column* is what the root pass
//! combines: a range of `j`, taken from every block. The first pass leaves a column in the cache,
//! and the root pass finds it there.

use super::arch::{Factor, FoldingKernel, Residues};
use super::butterfly::{Folding, layer, plain, plain_rest, splat, three, twisted, unfolded};
use super::shape::{Shape, TILE, VECTOR};
use super::tables::{Pair, Ring, Tables, Weights};

/// The same range of vectors in every block; blocks that a shape lacks are empty.
pub(super) type Column<'a> = [&'a mut [u64]; 16];

/// Cuts a transform's memory into columns of that many vectors.
pub(super) fn columns<'a>(shape: &Shape, data: &'a mut [u64], width: usize) -> Vec<Column<'a>> {
    let mut columns: Vec<Column<'a>> = Vec::new();
    columns.resize_with(shape.block.div_ceil(width), || {
        std::array::from_fn(|_| &mut [] as &mut [u64])
    });
    for (number, block) in data.chunks_exact_mut(shape.stride * VECTOR).enumerate() {
        let vectors = block[..shape.block * VECTOR].chunks_mut(width * VECTOR);
        for (column, part) in columns.iter_mut().zip(vectors) {
            column[number] = part;
        }
    }
    columns
}

/// The first pass over one column, whose vectors begin at `start` in each block.
pub(super) struct First<'a, 'b> {
    pub(super) shape: &'a Shape,
    pub(super) tables: &'a Tables,
    /// At most as many as there are points; the rest is zero.
    pub(super) limbs: &'a [u64],
    pub(super) start: usize,
    pub(super) column: &'a mut Column<'b>,
}

impl FoldingKernel for First<'_, '_> {
    #[inline(always)]
    fn run<V: Residues, F: Folding>(self, v: V) {
        // With the upper half of the rows empty the first layer has nothing to add.
        if self.limbs.len() <= self.shape.points / 2 {
            first::<V, F, 4>(v, self);
        } else {
            first::<V, F, 8>(v, self);
        }
    }
}

#[inline(always)]
fn first<V: Residues, F: Folding, const ROWS: usize>(v: V, call: First<'_, '_>) {
    let First {
        shape,
        tables,
        limbs,
        start,
        column,
    } = call;
    let p = v.prime(&tables.modulus);
    let cyclic = tables.ring == Ring::Cyclic;
    for (number, part) in column.iter_mut().take(shape.blocks()).enumerate() {
        for (tile, words) in part.chunks_exact_mut(TILE * VECTOR).enumerate() {
            let j = number * shape.block + start + tile * TILE;
            let weights = &tables.weights.tiles[j / TILE * 2..][..2];
            // Rows that the number ends in are copied, with zeros above it.
            let mut copies = [[0; TILE]; ROWS];
            let mut rows = [&[0; TILE]; ROWS];
            for (row, copy) in copies.iter_mut().enumerate() {
                let from = limbs.get(row * shape.vectors() + j..).unwrap_or(&[]);
                rows[row] = match from.first_chunk::<TILE>() {
                    Some(whole) => whole,
                    None => {
                        for (copy, limb) in copy.iter_mut().zip(from) {
                            *copy = *limb;
                        }
                        copy
                    }
                };
            }
            for step in 0..TILE / V::LANES {
                let mut x = [v.splat(0); 8];
                for row in 0..ROWS {
                    x[row] = v.read(p, v.load(&v.vectors(rows[row])[step]));
                }
                if ROWS == 4 {
                    for row in 0..4 {
                        x[row + 4] = x[row];
                    }
                }
                match (cyclic, ROWS == 4) {
                    (true, true) => plain_rest::<V, F, 8>(v, p, &mut x, &tables.split),
                    (true, false) => plain::<V, F, 8>(v, p, &mut x, &tables.split),
                    (false, true) => {
                        layer::<V, F, 8, 2>(v, p, &mut x, &tables.split);
                        layer::<V, F, 8, 4>(v, p, &mut x, &tables.split);
                    }
                    (false, false) => unfolded::<V, F, 8>(v, p, &mut x, &tables.split),
                }
                let words = &mut v.vectors_mut(words)[step * 8..][..8];
                let weighted = weighted(v, p, v.interleave(x), &tables.weights, weights, step);
                for i in 0..8 {
                    v.store(&mut words[i], weighted[i]);
                }
            }
        }
    }
}

/// Multiplies the words of a tile, those of one step, with their weights. Results are below 2 and
/// clean.
#[inline(always)]
pub(super) fn weighted<V: Residues>(
    v: V,
    p: V::Prime,
    x: [V::Word; 8],
    weights: &Weights,
    tile: &[[u64; VECTOR]],
    step: usize,
) -> [V::Word; 8] {
    let [values, quotients] = &weights.within;
    let (values, quotients) = (
        &v.vectors(values)[step * 8..][..8],
        &v.vectors(quotients)[step * 8..][..8],
    );
    let (tile_values, tile_quotients) = (v.vectors(&tile[0]), v.vectors(&tile[1]));
    let mut out = x;
    for i in 0..8 {
        let within = Factor {
            value: v.load(&values[i]),
            quotient: v.load(&quotients[i]),
        };
        let lane = i % (VECTOR / V::LANES);
        let tile = Factor {
            value: v.load(&tile_values[lane]),
            quotient: v.load(&tile_quotients[lane]),
        };
        out[i] = v.clean(v.mul(p, v.mul(p, x[i], within), tile));
    }
    out
}

/// The root pass over one column.
pub(super) struct Root<'a, 'b> {
    pub(super) shape: &'a Shape,
    pub(super) tables: &'a Tables,
    pub(super) column: &'a mut Column<'b>,
}

impl FoldingKernel for Root<'_, '_> {
    #[inline(always)]
    fn run<V: Residues, F: Folding>(self, v: V) {
        match (self.shape.threes, self.shape.root) {
            (3, 1) => root_three::<V, F, 1>(v, self),
            (3, 2) => root_three::<V, F, 2>(v, self),
            (3, _) => root_three::<V, F, 4>(v, self),
            (_, 2) => root::<V, F, 2>(v, self),
            (_, 4) => root::<V, F, 4>(v, self),
            (_, 8) => root::<V, F, 8>(v, self),
            (_, _) => root::<V, F, 16>(v, self),
        }
    }
}

#[inline(always)]
fn root<V: Residues, F: Folding, const R: usize>(v: V, call: Root<'_, '_>) {
    let p = v.prime(&call.tables.modulus);
    let factors = &call.tables.root[..R - 1];
    let Some(parts) = call.column.first_chunk_mut::<R>() else {
        return;
    };
    let length = parts[0].len() / V::LANES;
    let parts = parts
        .each_mut()
        .map(|part| &mut v.vectors_mut(part)[..length]);
    for i in 0..length {
        let mut x = [v.splat(0); R];
        for r in 0..R {
            x[r] = v.load(&parts[r][i]);
        }
        plain::<V, F, R>(v, p, &mut x, factors);
        for r in 0..R {
            v.store(&mut parts[r][i], x[r]);
        }
    }
}

#[inline(always)]
fn root_three<V: Residues, F: Folding, const R: usize>(v: V, call: Root<'_, '_>) {
    let p = v.prime(&call.tables.modulus);
    let factors = &call.tables.root[..3 * (R - 1)];
    let third = splat(v, call.tables.third);
    let parts = &mut call.column[..3 * R];
    let length = parts[0].len() / V::LANES;
    for i in 0..length {
        let mut x = [[v.splat(0); R]; 3];
        for r in 0..R {
            let mut of_three = [v.splat(0); 3];
            for t in 0..3 {
                of_three[t] = v.load(&v.vectors(parts[t * R + r])[i]);
            }
            let of_three = three::<V, F>(v, p, of_three, third);
            for t in 0..3 {
                x[t][r] = of_three[t];
            }
        }
        for t in 0..3 {
            unfolded::<V, F, R>(v, p, &mut x[t], &factors[t * (R - 1)..]);
            for r in 0..R {
                v.store(&mut v.vectors_mut(parts[t * R + r])[i], x[t][r]);
            }
        }
    }
}

/// One inner pass over consecutive blocks of its own.
pub(super) struct Inner<'a> {
    pub(super) tables: &'a Tables,
    pub(super) radix: usize,
    /// `radix − 1` for each block.
    pub(super) factors: &'a [Pair],
    pub(super) data: &'a mut [u64],
}

impl FoldingKernel for Inner<'_> {
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
fn inner<V: Residues, F: Folding, const R: usize>(v: V, call: Inner<'_>) {
    let p = v.prime(&call.tables.modulus);
    let blocks = call.factors.chunks_exact(R - 1);
    let length = call.data.len() / blocks.len();
    for (block, factors) in call.data.chunks_exact_mut(length).zip(blocks) {
        let (block, n) = (v.vectors_mut(block), length / R / V::LANES);
        for i in 0..n {
            let mut x = v.load_strided::<R>(block, i, n);
            twisted::<V, F, R>(v, p, &mut x, factors);
            v.store_strided(block, i, n, x);
        }
    }
}
