//! The order of passes: columns first, then blocks, each while it is in a cache, on one thread or
//! several.

use super::Plan;
use super::arch::{FoldingKernel, Machine, Reduction};
use super::forward::{Column, First, Inner, Root, columns};
use super::inverse::{InnerBack, Last};
use super::product::{Multiply, MultiplyAdd, MultiplyAssign};
use super::shape::{Shape, TILE, VECTOR};
use super::tables::Tables;
use super::threads::each;

/// Vectors of all blocks that a column should have at most: half a first-level cache of 32 KiB.
const COLUMN_VECTORS: usize = 256;
/// Vectors on which all remaining passes are made before the next ones are taken up.
const CACHED_VECTORS: usize = 256;

/// What the passes over one prime's words need.
#[derive(Clone, Copy)]
struct Passes<'a> {
    machine: Machine,
    reduction: Reduction,
    shape: &'a Shape,
    tables: &'a Tables,
}

/// A piece of work on one prime.
struct Piece<T> {
    prime: usize,
    /// The first vector of a column, or the number of a block.
    place: usize,
    data: T,
}

/// The second factor of a product.
pub(super) enum Factor<'a> {
    /// A number, and where its spectrum goes.
    Number(&'a [u64], &'a mut [u64]),
    Kept(&'a [u64]),
    /// The first factor.
    Same,
}

impl Plan {
    pub(super) fn multiply_passes(&self, sum: &mut [u64], a: &[u64], b: &[u64], add: bool) {
        let length = self.shape.words();
        // Pieces of a block, so that two threads have equal shares.
        let piece = self.shape.stride * VECTOR;
        let factors = a.chunks_exact(piece).zip(b.chunks_exact(piece));
        let mut pieces: Vec<_> = sum
            .chunks_exact_mut(piece)
            .zip(factors)
            .enumerate()
            .collect();
        each(self.threads, &mut pieces, |(number, (sum, (a, b)))| {
            let tables = &self.tables[*number * piece / length];
            let multiply = Multiply { tables, sum, a, b };
            if add {
                self.machine.dispatch(MultiplyAdd(multiply));
            } else {
                self.machine.dispatch(multiply);
            }
        });
    }

    fn passes(&self, prime: usize) -> Passes<'_> {
        Passes {
            machine: self.machine,
            reduction: self.machine.reduction(self.primes),
            shape: &self.shape,
            tables: &self.tables[prime],
        }
    }

    pub(super) fn forward_passes(&self, limbs: &[u64], words: &mut [u64]) {
        each(self.threads, &mut self.columns(words), |piece| {
            self.passes(piece.prime)
                .first(limbs, piece.place, &mut piece.data);
        });
        each(self.threads, &mut self.blocks(words), |piece| {
            self.passes(piece.prime).descend(piece.place, 0, piece.data);
        });
    }

    pub(super) fn inverse_passes(&self, words: &mut [u64]) {
        each(self.threads, &mut self.blocks(words), |piece| {
            self.passes(piece.prime).ascend(0, piece.data);
        });
        each(self.threads, &mut self.columns(words), |piece| {
            self.passes(piece.prime).last(piece.place, &mut piece.data);
        });
    }

    /// Forward, product and inverse, block by block between the passes on columns.
    pub(super) fn product_passes(&self, limbs: &[u64], words: &mut [u64], factor: Factor<'_>) {
        /// The words of a block of the other factor.
        enum Other<'a> {
            Number(&'a mut [u64]),
            Kept(&'a [u64]),
            Same,
        }
        let mut columns: Vec<_> = self
            .columns(words)
            .into_iter()
            .map(|piece| (limbs, piece))
            .collect();
        let block = self.shape.stride * VECTOR;
        let others: Vec<Other<'_>> = match factor {
            Factor::Number(limbs, words) => {
                columns.extend(self.columns(words).into_iter().map(|piece| (limbs, piece)));
                // By prime, as blocks are: a thread goes on with what its own cache holds.
                columns.sort_by_key(|(_, piece)| (piece.prime, piece.place));
                self.first_columns(&mut columns);
                drop(columns);
                words.chunks_exact_mut(block).map(Other::Number).collect()
            }
            Factor::Kept(words) => {
                self.first_columns(&mut columns);
                words.chunks_exact(block).map(Other::Kept).collect()
            }
            Factor::Same => {
                self.first_columns(&mut columns);
                Vec::new()
            }
        };
        let others = others
            .into_iter()
            .chain(std::iter::repeat_with(|| Other::Same));
        let mut blocks: Vec<_> = self.blocks(words).into_iter().zip(others).collect();
        each(self.threads, &mut blocks, |(piece, other)| {
            let passes = self.passes(piece.prime);
            passes.descend(piece.place, 0, piece.data);
            let length = piece.data.len();
            let b = match other {
                Other::Number(data) => {
                    passes.descend(piece.place, 0, &mut data[..length]);
                    Some(&data[..length])
                }
                Other::Kept(data) => Some(&data[..length]),
                Other::Same => None,
            };
            self.machine.dispatch(MultiplyAssign {
                tables: passes.tables,
                a: piece.data,
                b,
            });
            passes.ascend(0, piece.data);
        });
        each(self.threads, &mut self.columns(words), |piece| {
            self.passes(piece.prime).last(piece.place, &mut piece.data);
        });
    }

    fn first_columns(&self, columns: &mut [(&[u64], Piece<Column<'_>>)]) {
        each(self.threads, columns, |(limbs, piece)| {
            self.passes(piece.prime)
                .first(limbs, piece.place, &mut piece.data);
        });
    }

    fn columns<'a>(&self, words: &'a mut [u64]) -> Vec<Piece<Column<'a>>> {
        let shape = &self.shape;
        let width = (COLUMN_VECTORS / shape.blocks() / TILE).max(1) * TILE;
        let primes = words.chunks_exact_mut(shape.words()).enumerate();
        let pieces = primes.flat_map(|(prime, words)| {
            let columns = columns(shape, words, width).into_iter().enumerate();
            columns.map(move |(number, data)| Piece {
                prime,
                place: number * width,
                data,
            })
        });
        pieces.collect()
    }

    fn blocks<'a>(&self, words: &'a mut [u64]) -> Vec<Piece<&'a mut [u64]>> {
        let shape = &self.shape;
        let blocks = words.chunks_exact_mut(shape.stride * VECTOR).enumerate();
        let pieces = blocks.map(|(number, block)| Piece {
            prime: number / shape.blocks(),
            place: number % shape.blocks(),
            data: &mut block[..shape.block * VECTOR],
        });
        pieces.collect()
    }
}

impl Passes<'_> {
    fn first(&self, limbs: &[u64], start: usize, column: &mut Column<'_>) {
        self.dispatch(First {
            shape: self.shape,
            tables: self.tables,
            limbs,
            start,
            column,
        });
        self.dispatch(Root {
            shape: self.shape,
            tables: self.tables,
            column,
        });
    }

    fn last(&self, start: usize, column: &mut Column<'_>) {
        self.dispatch(Last {
            shape: self.shape,
            tables: self.tables,
            start,
            column,
        });
    }

    /// The passes from that level on of the block with that number on its level.
    fn descend(&self, number: usize, level: usize, data: &mut [u64]) {
        let Some(&radix) = self.shape.inner.get(level) else {
            return;
        };
        let cached = data.len() <= CACHED_VECTORS * VECTOR;
        self.inner(number, level, radix, 1, data);
        let (mut number, mut blocks) = (number * radix, radix);
        if !cached {
            let length = data.len() / radix;
            for (child, data) in data.chunks_exact_mut(length).enumerate() {
                self.descend(number + child, level + 1, data);
            }
            return;
        }
        for (level, &radix) in self.shape.inner.iter().enumerate().skip(level + 1) {
            self.inner(number, level, radix, blocks, data);
            (number, blocks) = (number * radix, blocks * radix);
        }
    }

    /// One pass over consecutive blocks of a level, of which the first has that number.
    fn inner(&self, number: usize, level: usize, radix: usize, blocks: usize, data: &mut [u64]) {
        let each = radix - 1;
        self.dispatch(Inner {
            tables: self.tables,
            radix,
            factors: &self.tables.inner[level][number * each..][..blocks * each],
            data,
        });
    }

    /// The passes of [`Self::descend`], backwards.
    fn ascend(&self, level: usize, data: &mut [u64]) {
        let Some(&radix) = self.shape.inner.get(level) else {
            return;
        };
        if data.len() > CACHED_VECTORS * VECTOR {
            for data in data.chunks_exact_mut(data.len() / radix) {
                self.ascend(level + 1, data);
            }
            self.inner_back(level, radix, data);
        } else {
            for (level, &radix) in self.shape.inner.iter().enumerate().skip(level).rev() {
                self.inner_back(level, radix, data);
            }
        }
    }

    fn inner_back(&self, level: usize, radix: usize, data: &mut [u64]) {
        self.dispatch(InnerBack {
            tables: self.tables,
            radix,
            factors: &self.tables.inner_back[level],
            data,
        });
    }

    fn dispatch<K: FoldingKernel>(&self, kernel: K) {
        self.machine.dispatch_folding(self.reduction, kernel);
    }
}
