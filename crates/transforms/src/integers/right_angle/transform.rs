//! The phases of a transform, on one or more threads.
//!
//! Two threads have half of the points each, from the digits to the coefficients: the residues
//! modulo one factor of `X^N − i = (X^(N/2) − w)(X^(N/2) + w)`. Each reads all digits, since these
//! are few bytes, and what it computes stays in its own cache until the halves meet in the last
//! step, where carries are. (With columns and rows dealt out to both threads, each phase would read
//! most of its input out of the other's cache, and two threads are 1.3 times as fast as one.) More
//! threads share the phases of a half: one on columns is split by blocks, or where there are fewer
//! of these than threads by columns; one on rows by rows.

use super::carry::{Carry, CarryJoined, add_signed};
use super::digits::Digits;
use super::forward::{Digitize, Operand, SplitColumns, SplitDigits, SplitRows};
use super::inverse::{JoinColumns, JoinRows};
use super::product::{Factor, Kept, MultiplyRows};
use super::shape::Shape;
use super::tables::{Tables, parts};
use crate::arch::{Kernel, Machine};
use crate::threads;
use crate::torus::twiddles::Root;
use rayon::ThreadPool;
use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::Arc;

/// Tasks for each thread beyond two: a few, so that one that comes late does less.
const TASKS: usize = 4;
/// `w`.
const ROOT: Root = [FRAC_1_SQRT_2, FRAC_1_SQRT_2];

#[derive(Debug)]
pub(super) struct Transform {
    pub(super) machine: Machine,
    /// Of the whole, or of each half.
    pub(super) shape: Shape,
    /// Of the whole, or of both halves.
    pub(super) tables: Vec<Tables>,
    /// None for one thread.
    pub(super) pool: Option<Arc<ThreadPool>>,
}

/// The whole, or one of two halves.
#[derive(Clone, Copy)]
pub(super) struct Half<'a> {
    transform: &'a Transform,
    tables: &'a Tables,
    shape: &'a Shape,
    machine: Machine,
    number: usize,
}

/// A part of one block's columns.
struct Columns<'a> {
    rows: Vec<&'a mut [f64]>,
    block: usize,
    /// The first point of the first row.
    start: usize,
}

impl Transform {
    /// Runs an operation in the pool, so that its phases need not wake it one by one; or where the
    /// caller is already, if its pool has as many threads: between pools, both would be awake and
    /// in each other's way.
    pub(super) fn within<T: Send>(&self, operation: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool)
                if rayon::current_thread_index().is_none()
                    || rayon::current_num_threads() < pool.current_num_threads() =>
            {
                threads::inside(Some(pool), operation)
            }
            _ => operation(),
        }
    }

    /// Complex points of all parts.
    pub(super) fn points(&self) -> usize {
        self.shape.points * self.tables.len()
    }

    fn half(&self, number: usize) -> Half<'_> {
        Half {
            transform: self,
            tables: &self.tables[number],
            shape: &self.shape,
            machine: self.machine,
            number,
        }
    }

    /// Does the same to some spectra for the whole, or for both halves at the same time. Returns
    /// the sums of what both return.
    pub(super) fn halves<const K: usize, const R: usize>(
        &self,
        values: [&mut [f64]; K],
        run: impl Fn(Half<'_>, [&mut [f64]; K]) -> [f64; R] + Sync,
    ) -> [f64; R] {
        if self.tables.len() == 1 {
            return run(self.half(0), values);
        }
        let mut first: [&mut [f64]; K] = std::array::from_fn(|_| &mut [][..]);
        let mut second: [&mut [f64]; K] = std::array::from_fn(|_| &mut [][..]);
        for ((whole, first), second) in values.into_iter().zip(&mut first).zip(&mut second) {
            (*first, *second) = whole.split_at_mut(whole.len() / 2);
        }
        let (a, b) = threads::join(|| run(self.half(0), first), || run(self.half(1), second));
        std::array::from_fn(|at| a[at] + b[at])
    }

    /// Two operations, at the same time if there are threads.
    pub(super) fn join<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match self.pool {
            Some(_) => self.within(|| threads::join(first, second)),
            None => (first(), second()),
        }
    }

    /// Coefficients to limbs; returns what goes beyond the highest.
    pub(super) fn carry(&self, values: &[f64], limbs: &mut [u64], bits: u32) -> i64 {
        let scale = 1.0 / self.points() as f64;
        if self.tables.len() == 1 {
            let (low, high) = limbs.split_at_mut(limbs.len() / 2);
            let [low, beyond] = self.machine.dispatch(Carry {
                values,
                limbs: [low, &mut *high],
                bits,
                scale,
            });
            return beyond + add_signed(high, low);
        }
        // Each thread does a stretch of all four parts.
        let (a, b) = values.split_at(values.len() / 2);
        let (a, b) = (a.split_at(a.len() / 2), b.split_at(b.len() / 2));
        let eighth = limbs.len() / 8;
        let mut first = Vec::with_capacity(4);
        let mut second = Vec::with_capacity(4);
        for pair in limbs.chunks_exact_mut(2 * eighth) {
            let (low, high) = pair.split_at_mut(eighth);
            first.push(low);
            second.push(high);
        }
        let carry = |residues, limbs: Vec<&mut [u64]>| {
            let Ok(limbs) = limbs.try_into() else {
                return [0; 4];
            };
            self.machine.dispatch(CarryJoined {
                residues,
                root: ROOT,
                limbs,
                bits,
                scale,
            })
        };
        let (low, high) = threads::join(|| carry([a.0, b.0], first), || carry([a.1, b.1], second));
        let carries = low.into_iter().zip(high).flat_map(|(a, b)| [a, b]);
        let mut beyond = 0;
        for (stretch, carry) in (1..).zip(carries) {
            beyond += match limbs.get_mut(stretch * eighth..) {
                Some(above) if !above.is_empty() => add_signed(above, carry),
                _ => carry,
            };
        }
        beyond
    }
}

impl Half<'_> {
    /// Into how many tasks a phase is cut.
    fn tasks(&self) -> usize {
        let halves = self.transform.tables.len();
        match &self.transform.pool {
            Some(pool) if pool.current_num_threads() > halves && halves == 2 => {
                TASKS * pool.current_num_threads() / halves
            }
            _ => 1,
        }
    }

    /// The root whose power the half's residues are modulo.
    fn root(&self) -> Option<Root> {
        match (self.transform.tables.len(), self.number) {
            (1, _) => None,
            (_, 0) => Some(ROOT),
            _ => Some(ROOT.map(|part| -part)),
        }
    }

    /// The half's part of a spectrum.
    pub(super) fn part<'b>(&self, values: &'b [f64]) -> &'b [f64] {
        let len = 2 * self.shape.points;
        &values[self.number * len..][..len]
    }

    fn each<T: Send, R: Send>(&self, tasks: Vec<T>, run: impl Fn(T) -> R + Sync) -> Vec<R> {
        if self.tasks() > 1 && tasks.len() > 1 {
            let mut tasks: Vec<_> = tasks.into_iter().map(|task| (Some(task), None)).collect();
            threads::each(tasks.len(), &mut tasks, &|(task, result)| {
                *result = task.take().map(&run);
            });
            tasks.into_iter().filter_map(|(_, result)| result).collect()
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

    /// Digits, and all stages on columns. Returns the sum of the squares of the digits, or the
    /// half's part of it.
    pub(super) fn split_columns(&self, digits: Digits<'_>, values: &mut [f64]) -> f64 {
        let mut operand = Operand {
            digits,
            points: self.transform.points(),
            row_points: 0,
            start: 0,
            half: self.root(),
        };
        let mut stages = self.tables.stages.iter();
        let Some(stage) = stages.next() else {
            let data = values;
            return self.dispatch(Digitize { data, operand });
        };
        let mut blocks = parts(stage);
        operand.row_points = self.shape.points / blocks;
        let squares = self.each(self.columns(values, 1, blocks), |mut task| {
            let start = task.start;
            self.dispatch(SplitDigits {
                rows: &mut task.rows,
                stage,
                operand: Operand { start, ..operand },
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
                tables: self.tables,
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
                tables: self.tables,
                data,
                row_points: self.shape.row_points,
                first,
            });
        });
    }

    /// The passes on rows, a product, to which another may be added, and the passes on rows
    /// backwards.
    pub(super) fn multiply_rows(
        &self,
        values: &mut [f64],
        mut factor: Factor<'_>,
        mut more: Option<Kept<'_>>,
    ) {
        let mut tasks = Vec::new();
        for (first, data) in self.rows(values) {
            let len = data.len();
            let more = more.as_mut().map(|more| more.split_off(len));
            tasks.push((first, data, factor.split_off(len), more));
        }
        self.each(tasks, |(first, data, factor, more)| {
            self.dispatch(MultiplyRows {
                tables: self.tables,
                data,
                factor,
                more,
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
}
