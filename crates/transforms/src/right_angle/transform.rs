//! The phases of a transform, each on one or more threads.
//!
//! A phase on columns is split by blocks, or where there are fewer of these than threads by columns; one on rows by rows.
//! Between phases all threads wait for each other.

use super::carry::{Carry, add_signed};
use super::digits::Digits;
use super::forward::{Digitize, SplitColumns, SplitDigits, SplitRows};
use super::inverse::{JoinColumns, JoinRows};
use super::product::{Factor, MultiplyRows};
use super::shape::Shape;
use super::tables::{Tables, parts};
use crate::arch::{Kernel, Machine};
use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use std::sync::Arc;

/// Tasks for each thread.
const TASKS: usize = 4;

#[derive(Debug)]
pub(super) struct Transform {
    pub(super) machine: Machine,
    pub(super) shape: Shape,
    pub(super) tables: Tables,
    /// None for one thread.
    pub(super) pool: Option<Arc<ThreadPool>>,
}

/// A part of one block's columns.
struct Columns<'a> {
    rows: Vec<&'a mut [f64]>,
    block: usize,
    /// The first point of the first row.
    start: usize,
}

impl Transform {
    /// Runs an operation in the pool, so that its phases need not wake it one by one.
    pub(super) fn within<T: Send>(&self, operation: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(operation),
            None => operation(),
        }
    }

    /// Into how many tasks a phase is cut: a few for each thread, so that one that comes late does less.
    fn tasks(&self) -> usize {
        let tasks = |pool: &Arc<ThreadPool>| TASKS * pool.current_num_threads();
        self.pool.as_ref().map_or(1, tasks)
    }

    /// Two operations, at the same time if there are threads for it.
    pub(super) fn both<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.pool.is_some() {
            rayon::join(a, b)
        } else {
            (a(), b())
        }
    }

    fn each<T: Send, R: Send>(&self, tasks: Vec<T>, run: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        if self.pool.is_some() && tasks.len() > 1 {
            tasks.into_par_iter().with_max_len(1).map(run).collect()
        } else {
            tasks.into_iter().map(run).collect()
        }
    }

    fn dispatch<K: Kernel>(&self, kernel: K) -> K::Output {
        self.machine.dispatch(kernel)
    }

    /// Cuts `blocks` blocks of `rows` rows into tasks.
    fn columns<'a>(&self, values: &'a mut [f64], blocks: usize, rows: usize) -> Vec<Columns<'a>> {
        let vector = 2 * self.machine.lanes();
        let block_len = values.len() / blocks;
        let row_len = block_len / rows;
        let cuts = self.tasks().div_ceil(blocks).min(row_len / vector);
        let cut = (row_len / vector).div_ceil(cuts) * vector;
        let mut tasks = Vec::new();
        for (block, values) in values.chunks_exact_mut(block_len).enumerate() {
            let mut cuts: Vec<_> = (0..row_len.div_ceil(cut))
                .map(|number| Columns {
                    rows: Vec::with_capacity(rows),
                    block,
                    start: number * cut / 2,
                })
                .collect();
            for row in values.chunks_exact_mut(row_len) {
                for (columns, part) in cuts.iter_mut().zip(row.chunks_mut(cut)) {
                    columns.rows.push(part);
                }
            }
            tasks.append(&mut cuts);
        }
        tasks
    }

    /// Rows in as many parts as there are threads, each with the number of its first.
    fn rows<'a>(&self, values: &'a mut [f64]) -> impl Iterator<Item = (usize, &'a mut [f64])> {
        let row_len = 2 * self.shape.row_points;
        let rows = (values.len() / row_len).div_ceil(self.tasks());
        let parts = values.chunks_mut(rows * row_len).enumerate();
        parts.map(move |(number, part)| (number * rows, part))
    }

    /// Digits, and all stages on columns. Returns the sum of the squares of the digits.
    pub(super) fn split_columns(&self, digits: Digits<'_>, values: &mut [f64]) -> f64 {
        let points = self.shape.points;
        let mut stages = self.tables.stages.iter();
        let Some(stage) = stages.next() else {
            let data = values;
            return self.dispatch(Digitize {
                data,
                digits,
                points,
            });
        };
        let mut blocks = parts(stage);
        let row_points = points / blocks;
        let squares = self.each(self.columns(values, 1, blocks), |mut task| {
            self.dispatch(SplitDigits {
                rows: &mut task.rows,
                stage,
                digits,
                points,
                row_points,
                start: task.start,
            })
        });
        for stage in stages {
            self.each(self.columns(values, blocks, parts(stage)), |mut task| {
                self.dispatch(SplitColumns {
                    rows: &mut task.rows,
                    stage,
                    block: task.block,
                });
            });
            blocks *= parts(stage);
        }
        squares.into_iter().sum()
    }

    /// The passes on rows.
    pub(super) fn split_rows(&self, values: &mut [f64]) {
        self.each(self.rows(values).collect(), |(first, data)| {
            self.dispatch(SplitRows {
                tables: &self.tables,
                data,
                row_points: self.shape.row_points,
                first,
            });
        });
    }

    /// The passes on rows, backwards.
    pub(super) fn join_rows(&self, values: &mut [f64]) {
        self.each(self.rows(values).collect(), |(first, data)| {
            self.dispatch(JoinRows {
                tables: &self.tables,
                data,
                row_points: self.shape.row_points,
                first,
            });
        });
    }

    /// The passes on rows, a product, and the passes on rows backwards. `other` is a whole spectrum; what still
    /// needs its passes on rows; or the square is meant.
    pub(super) fn multiply_rows(&self, values: &mut [f64], other: Factor<'_>) {
        let mut tasks = Vec::new();
        let len = |part: &[f64]| part.len();
        match other {
            Factor::Itself => {
                tasks.extend(
                    self.rows(values)
                        .map(|(first, data)| (first, data, Factor::Itself)),
                );
            }
            Factor::Spectrum(mut other) => {
                for (first, data) in self.rows(values) {
                    let (part, rest) = other.split_at(len(data));
                    other = rest;
                    tasks.push((first, data, Factor::Spectrum(part)));
                }
            }
            Factor::Columns(other) => {
                let others = self.rows(other);
                for ((first, data), (_, part)) in self.rows(values).zip(others) {
                    tasks.push((first, data, Factor::Columns(part)));
                }
            }
        }
        self.each(tasks, |(first, data, other)| {
            self.dispatch(MultiplyRows {
                tables: &self.tables,
                data,
                other,
                row_points: self.shape.row_points,
                first,
            });
        });
    }

    /// All stages on columns, backwards.
    pub(super) fn join_columns(&self, values: &mut [f64]) {
        let mut blocks = self.shape.points / self.shape.row_points;
        for stage in self.tables.stages.iter().rev() {
            blocks /= parts(stage);
            self.each(self.columns(values, blocks, parts(stage)), |mut task| {
                self.dispatch(JoinColumns {
                    rows: &mut task.rows,
                    stage,
                    block: task.block,
                });
            });
        }
    }

    /// Coefficients to limbs; returns what goes beyond the highest.
    pub(super) fn carry(&self, values: &[f64], limbs: &mut [u64], bits: u32) -> i64 {
        let scale = 1.0 / self.shape.points as f64;
        let (low, high) = limbs.split_at_mut(limbs.len() / 2);
        let [low, beyond] = if self.pool.is_some() {
            let carry = |first: usize, limbs| {
                let [carry] = self.dispatch(Carry {
                    values,
                    first,
                    limbs: [limbs],
                    bits,
                    scale,
                });
                carry
            };
            let (low, beyond) = self.both(|| carry(0, low), || carry(1, &mut *high));
            [low, beyond]
        } else {
            self.dispatch(Carry {
                values,
                first: 0,
                limbs: [low, &mut *high],
                bits,
                scale,
            })
        };
        beyond + add_signed(high, low)
    }
}
