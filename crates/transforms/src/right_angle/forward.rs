//! The forward transform.

use super::butterfly::{split_odd, split_step};
use super::shape::COLUMN_ROWS;
use super::tables::{Odd, Pass, Step, Tables, lane_factors};
use crate::arch::{Kernel, Pair, Simd};
use crate::negacyclic::butterfly::{
    Complex, exchange, load, load_row, parts_mut, splat, split, store,
};

/// Memory for one column of vectors, aligned to cache lines.
#[repr(align(64))]
pub(super) struct Column([f64; COLUMN_ROWS * 16]);

impl Column {
    pub(super) fn new() -> Self {
        Self([0.0; COLUMN_ROWS * 16])
    }

    pub(super) fn rows(&mut self, rows: usize, lanes: usize) -> &mut [f64] {
        &mut self.0[..rows * 2 * lanes]
    }
}

/// One stage on columns: `rows` are equal parts of the rows of one block.
pub(super) struct SplitColumns<'a, 'b> {
    pub(super) rows: &'a mut [&'b mut [f64]],
    pub(super) stage: &'a [Pass],
    /// The number of the block among those of its depth.
    pub(super) block: usize,
}

impl Kernel for SplitColumns<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut memory = Column::new();
        let column = simd.pairs_mut(memory.rows(self.rows.len(), S::LANES));
        let width = self.rows.first().map_or(0, |row| row.len()) / (2 * S::LANES);
        for c in 0..width {
            for (row, x) in self.rows.iter().zip(column.iter_mut()) {
                store(simd, x, load(simd, &simd.pairs(row)[c]));
            }
            split_passes(simd, column, self.stage, self.block);
            for (row, x) in self.rows.iter_mut().zip(column.iter()) {
                let x = load(simd, x);
                store(simd, &mut simd.pairs_mut(row)[c], x);
            }
        }
    }
}

/// The last passes, on whole rows; `first` is the number of the first row.
pub(super) struct SplitRows<'a> {
    pub(super) tables: &'a Tables,
    pub(super) data: &'a mut [f64],
    pub(super) row_points: usize,
    pub(super) first: usize,
}

impl Kernel for SplitRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let rows = self.data.chunks_exact_mut(2 * self.row_points);
        for (row, number) in rows.zip(self.first..) {
            let row = simd.pairs_mut(row);
            split_passes(simd, row, &self.tables.row, number);
            if S::LANES == 8 {
                split_groups::<S, 8>(simd, row, self.tables, number);
            } else {
                split_groups::<S, 4>(simd, row, self.tables, number);
            }
        }
    }
}

/// Passes on the whole of one block, whose number at the first of them is given.
#[inline(always)]
fn split_passes<S: Simd>(simd: S, data: &mut [Pair<S>], passes: &[Pass], mut block: usize) {
    let mut blocks = 1;
    for pass in passes {
        match pass {
            Pass::Odd(odd) => {
                match odd.parts {
                    3 => odd_pass::<S, 3>(simd, data, odd),
                    5 => odd_pass::<S, 5>(simd, data, odd),
                    _ => odd_pass::<S, 7>(simd, data, odd),
                }
                block *= odd.parts;
                blocks *= odd.parts;
            }
            Pass::Power(levels, steps) => {
                let steps = &steps[block..][..blocks];
                match levels {
                    3 => power_pass::<S, 8>(simd, data, steps),
                    2 => power_pass::<S, 4>(simd, data, steps),
                    _ => power_pass::<S, 2>(simd, data, steps),
                }
                block <<= levels;
                blocks <<= levels;
            }
        }
    }
}

#[inline(always)]
fn odd_pass<S: Simd, const M: usize>(simd: S, data: &mut [Pair<S>], odd: &Odd) {
    let data = parts_mut::<_, M>(data);
    for i in 0..data[0].len() {
        let mut x = [splat(simd, [0.0; 2]); M];
        for k in 0..M {
            x[k] = load(simd, &data[k][i]);
        }
        split_odd(simd, &mut x, odd);
        for k in 0..M {
            store(simd, &mut data[k][i], x[k]);
        }
    }
}

#[inline(always)]
fn power_pass<S: Simd, const R: usize>(simd: S, data: &mut [Pair<S>], steps: &[Step]) {
    for (block, step) in data.chunks_exact_mut(data.len() / steps.len()).zip(steps) {
        let data = parts_mut::<_, R>(block);
        for i in 0..data[0].len() {
            let mut x = [splat(simd, [0.0; 2]); R];
            for k in 0..R {
                x[k] = load(simd, &data[k][i]);
            }
            split_step(simd, &mut x, step);
            for k in 0..R {
                store(simd, &mut data[k][i], x[k]);
            }
        }
    }
}

/// The factors between the lanes of one group.
#[inline(always)]
pub(super) fn lane_row<S: Simd>(simd: S, vectors: &[Pair<S>]) -> [Complex<S>; 4] {
    if S::LANES == 8 {
        load_row::<S, 4>(simd, vectors)
    } else {
        let [a, b] = load_row::<S, 2>(simd, vectors);
        [a, b, b, b]
    }
}

/// Exchanges rows and lanes of a square.
#[inline(always)]
pub(super) fn transpose<S: Simd, const W: usize>(simd: S, x: &mut [Complex<S>; W]) {
    if W == 8 {
        exchange::<S, W, 4>(simd, x);
    }
    exchange::<S, W, 2>(simd, x);
    exchange::<S, W, 1>(simd, x);
}

/// The levels between the `W` vectors of each group, a transposition, and those between its lanes.
#[inline(always)]
fn split_groups<S: Simd, const W: usize>(
    simd: S,
    row: &mut [Pair<S>],
    tables: &Tables,
    number: usize,
) {
    let groups = row.len() / W;
    let steps = &tables.group[number * groups..][..groups];
    let per_group = lane_factors(W);
    let lanes = &simd.pairs(&tables.lanes)[number * groups * per_group..];
    let groups = row.chunks_exact_mut(W).zip(steps);
    for ((group, step), lanes) in groups.zip(lanes.chunks_exact(per_group)) {
        let mut x = load_row::<S, W>(simd, group);
        split_step(simd, &mut x, step);
        transpose(simd, &mut x);
        split(simd, &mut x, &lane_row(simd, lanes));
        for k in 0..W {
            store(simd, &mut group[k], x[k]);
        }
    }
}
