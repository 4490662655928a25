//! The inverse transform: the forward one backwards, every radix-`R` step giving `R` times its
//! inverse.

use super::butterfly::{join_levels, join_odd, join_step};
use super::forward::{Column, lane_row, transpose};
use super::tables::{Odd, Pass, Step, Tables, lane_factors};
use crate::arch::{Kernel, Pair, Simd};
use crate::torus::negacyclic::butterfly::{
    load, load_each, load_row, parts, parts_mut, splat, store,
};

/// The first passes, on whole rows; `first` is the number of the first row.
pub(super) struct JoinRows<'a> {
    pub(super) tables: &'a Tables,
    pub(super) data: &'a mut [f64],
    pub(super) row_points: usize,
    pub(super) first: usize,
}

impl Kernel for JoinRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let rows = self.data.chunks_exact_mut(2 * self.row_points);
        for (row, number) in rows.zip(self.first..) {
            let row = simd.pairs_mut(row);
            if S::LANES == 8 {
                join_groups::<S, 8>(simd, row, self.tables, number);
            } else {
                join_groups::<S, 4>(simd, row, self.tables, number);
            }
            join_passes(simd, row, &self.tables.row, number, 1);
        }
    }
}

/// One stage on columns: `rows` are equal parts of the rows of one block.
pub(super) struct JoinColumns<'a, 'b> {
    pub(super) rows: &'a mut [&'b mut [f64]],
    pub(super) stage: &'a [Pass],
    /// The number of the block among those of its depth.
    pub(super) block: usize,
}

impl Kernel for JoinColumns<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut rows: Vec<_> = self
            .rows
            .iter_mut()
            .map(|row| simd.pairs_mut(row))
            .collect();
        let mut memory = Column::new();
        let column = simd.pairs_mut(memory.rows(rows.len(), S::LANES));
        let Some((first, rest)) = self.stage.split_first() else {
            return;
        };
        for c in 0..rows.first().map_or(0, |row| row.len()) {
            let mut blocks = rows.len();
            if let Some((last, middle)) = rest.split_last() {
                blocks /= last.parts();
                if let Pass::Power(levels, steps) = last {
                    let steps = &steps[self.block * blocks..][..blocks];
                    match levels {
                        3 => from_rows::<S, 8>(simd, &rows, c, column, steps),
                        2 => from_rows::<S, 4>(simd, &rows, c, column, steps),
                        _ => from_rows::<S, 2>(simd, &rows, c, column, steps),
                    }
                }
                join_passes(
                    simd,
                    column,
                    middle,
                    self.block * first.parts(),
                    first.parts(),
                );
            } else {
                for (row, x) in rows.iter().zip(column.iter_mut()) {
                    store(simd, x, load(simd, &row[c]));
                }
            }
            into_rows(simd, column, &mut rows, c, first, self.block);
        }
    }
}

/// From memory into the column: the last pass of a stage.
#[inline(always)]
fn from_rows<S: Simd, const R: usize>(
    simd: S,
    rows: &[&mut [Pair<S>]],
    c: usize,
    column: &mut [Pair<S>],
    steps: &[Step],
) {
    let blocks = column
        .as_chunks_mut::<R>()
        .0
        .iter_mut()
        .zip(rows.as_chunks::<R>().0);
    for ((into, from), step) in blocks.zip(steps) {
        let mut x = [splat(simd, [0.0; 2]); R];
        for k in 0..R {
            x[k] = load(simd, &from[k][c]);
        }
        join_step(simd, &mut x, step);
        for k in 0..R {
            store(simd, &mut into[k], x[k]);
        }
    }
}

/// From the column into memory: the first pass of a stage.
#[inline(always)]
fn into_rows<S: Simd>(
    simd: S,
    column: &[Pair<S>],
    rows: &mut [&mut [Pair<S>]],
    c: usize,
    pass: &Pass,
    block: usize,
) {
    match pass {
        Pass::Odd(odd) => match odd.parts {
            3 => odd_into_rows::<S, 3>(simd, column, rows, c, odd),
            5 => odd_into_rows::<S, 5>(simd, column, rows, c, odd),
            _ => odd_into_rows::<S, 7>(simd, column, rows, c, odd),
        },
        Pass::Power(levels, steps) => {
            let step = &steps[block];
            match levels {
                3 => power_into_rows::<S, 8>(simd, column, rows, c, step),
                2 => power_into_rows::<S, 4>(simd, column, rows, c, step),
                _ => power_into_rows::<S, 2>(simd, column, rows, c, step),
            }
        }
    }
}

#[inline(always)]
fn odd_into_rows<S: Simd, const M: usize>(
    simd: S,
    column: &[Pair<S>],
    rows: &mut [&mut [Pair<S>]],
    c: usize,
    odd: &Odd,
) {
    let parts = parts::<_, M>(column);
    let n = parts[0].len();
    for i in 0..n {
        let mut x = load_each::<S, M>(simd, &parts, i);
        join_odd(simd, &mut x, odd);
        for k in 0..M {
            store(simd, &mut rows[k * n + i][c], x[k]);
        }
    }
}

#[inline(always)]
fn power_into_rows<S: Simd, const R: usize>(
    simd: S,
    column: &[Pair<S>],
    rows: &mut [&mut [Pair<S>]],
    c: usize,
    step: &Step,
) {
    let parts = parts::<_, R>(column);
    let n = parts[0].len();
    for i in 0..n {
        let mut x = load_each::<S, R>(simd, &parts, i);
        join_step(simd, &mut x, step);
        for k in 0..R {
            store(simd, &mut rows[k * n + i][c], x[k]);
        }
    }
}

/// Passes on the whole of one block, last first; `block` and `blocks` are its number and how many
/// there are at the first of them.
#[inline(always)]
pub(super) fn join_passes<S: Simd>(
    simd: S,
    data: &mut [Pair<S>],
    passes: &[Pass],
    block: usize,
    blocks: usize,
) {
    let (mut block, mut blocks) = (block, blocks);
    for pass in passes {
        block *= pass.parts();
        blocks *= pass.parts();
    }
    for pass in passes.iter().rev() {
        block /= pass.parts();
        blocks /= pass.parts();
        if let Pass::Power(levels, steps) = pass {
            let steps = &steps[block..][..blocks];
            match levels {
                3 => power_pass::<S, 8>(simd, data, steps),
                2 => power_pass::<S, 4>(simd, data, steps),
                _ => power_pass::<S, 2>(simd, data, steps),
            }
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
            join_step(simd, &mut x, step);
            for k in 0..R {
                store(simd, &mut data[k][i], x[k]);
            }
        }
    }
}

#[inline(always)]
fn join_groups<S: Simd, const W: usize>(
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
        join_levels(simd, &mut x, &lane_row(simd, lanes));
        transpose(simd, &mut x);
        join_step(simd, &mut x, step);
        for k in 0..W {
            store(simd, &mut group[k], x[k]);
        }
    }
}
