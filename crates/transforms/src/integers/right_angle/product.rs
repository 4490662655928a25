//! Products of spectra, point by point.

use super::butterfly::{join_levels, join_step, split_step};
use super::forward::{lane_row, split_groups, split_passes, transpose};
use super::inverse::join_passes;
use super::tables::{Tables, lane_factors};
use crate::arch::{Kernel, Pair, Simd};
use crate::torus::negacyclic::butterfly::{load, load_row, mul, mul_add, split, store};

/// What a spectrum is multiplied by.
pub(super) enum Factor<'a> {
    /// The square is meant.
    Itself,
    /// A spectrum.
    Spectrum(&'a [f64]),
    /// A spectrum but for its passes on rows.
    Columns(&'a mut [f64]),
}

impl<'a> Factor<'a> {
    /// Takes what belongs to the first `len` numbers.
    pub(super) fn split_off(&mut self, len: usize) -> Self {
        match self {
            Self::Itself => Self::Itself,
            Self::Spectrum(rest) => {
                let (part, others) = rest.split_at(len);
                *rest = others;
                Self::Spectrum(part)
            }
            Self::Columns(rest) => Self::Columns(split_off(rest, len)),
        }
    }
}

/// A product to be added: a spectrum but for its passes on rows, and a spectrum.
pub(super) struct Kept<'a> {
    pub(super) columns: &'a mut [f64],
    pub(super) spectrum: &'a [f64],
}

impl Kept<'_> {
    /// Takes what belongs to the first `len` numbers.
    pub(super) fn split_off(&mut self, len: usize) -> Self {
        let (spectrum, others) = self.spectrum.split_at(len);
        self.spectrum = others;
        Self {
            columns: split_off(&mut self.columns, len),
            spectrum,
        }
    }
}

fn split_off<'a>(rest: &mut &'a mut [f64], len: usize) -> &'a mut [f64] {
    let (part, others) = std::mem::take(rest).split_at_mut(len);
    *rest = others;
    part
}

/// The passes on rows, products, and the passes backwards, row by row; `first` is the number of the
/// first row. The last levels of both directions and the product are one pass over registers.
pub(super) struct MultiplyRows<'a> {
    pub(super) tables: &'a Tables,
    pub(super) data: &'a mut [f64],
    pub(super) factor: Factor<'a>,
    pub(super) more: Option<Kept<'a>>,
    pub(super) row_points: usize,
    pub(super) first: usize,
}

impl Kernel for MultiplyRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let (tables, len) = (self.tables, 2 * self.row_points);
        for (row, number) in self.data.chunks_exact_mut(len).zip(self.first..) {
            let other = match self.factor.split_off(len) {
                Factor::Itself => None,
                Factor::Spectrum(other) => Some(other),
                Factor::Columns(other) => {
                    simd.vectorize(SplitRow {
                        row: &mut *other,
                        tables,
                        number,
                    });
                    Some(&*other)
                }
            };
            if let Some(more) = &mut self.more {
                let more = more.split_off(len);
                let columns = &mut *more.columns;
                simd.vectorize(SplitRow {
                    row: columns,
                    tables,
                    number,
                });
                simd.vectorize(MultiplyRow::<true> {
                    row,
                    other,
                    more: [&*columns, more.spectrum],
                    tables,
                    number,
                });
            } else {
                simd.vectorize(MultiplyRow::<false> {
                    row,
                    other,
                    more: [&[]; 2],
                    tables,
                    number,
                });
            }
        }
    }
}

/// The passes of one row.
pub(super) struct SplitRow<'a> {
    pub(super) row: &'a mut [f64],
    pub(super) tables: &'a Tables,
    pub(super) number: usize,
}

impl Kernel for SplitRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (tables, number) = (self.tables, self.number);
        let row = simd.pairs_mut(self.row);
        split_passes(simd, row, &tables.row, number);
        if S::LANES == 8 {
            split_groups::<S, 8>(simd, row, tables, number);
        } else {
            split_groups::<S, 4>(simd, row, tables, number);
        }
    }
}

/// One row; `MORE` if there is a product to be added.
struct MultiplyRow<'a, const MORE: bool> {
    row: &'a mut [f64],
    /// The other factor, or none for a square.
    other: Option<&'a [f64]>,
    more: [&'a [f64]; 2],
    tables: &'a Tables,
    number: usize,
}

impl<const MORE: bool> Kernel for MultiplyRow<'_, MORE> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (tables, number) = (self.tables, self.number);
        let row = simd.pairs_mut(self.row);
        let other = self.other.map(|other| simd.pairs(other));
        let more = self.more.map(|more| simd.pairs(more));
        split_passes(simd, row, &tables.row, number);
        if S::LANES == 8 {
            multiply_groups::<S, 8, MORE>(simd, row, other, more, tables, number);
        } else {
            multiply_groups::<S, 4, MORE>(simd, row, other, more, tables, number);
        }
        join_passes(simd, row, &tables.row, number, 1);
    }
}

#[inline(always)]
fn multiply_groups<S: Simd, const W: usize, const MORE: bool>(
    simd: S,
    row: &mut [Pair<S>],
    other: Option<&[Pair<S>]>,
    more: [&[Pair<S>]; 2],
    tables: &Tables,
    number: usize,
) {
    let groups = row.len() / W;
    let per_group = lane_factors(W);
    let steps = &tables.group[number * groups..][..groups];
    let lanes = &simd.pairs(&tables.lanes)[number * groups * per_group..];
    let groups = row.chunks_exact_mut(W).zip(steps);
    for (g, ((group, step), lanes)) in groups.zip(lanes.chunks_exact(per_group)).enumerate() {
        let mut x = load_row::<S, W>(simd, group);
        split_step(simd, &mut x, step);
        transpose(simd, &mut x);
        split(simd, &mut x, &lane_row(simd, lanes));
        if let Some(other) = other {
            let other = &other[g * W..][..W];
            for k in 0..W {
                x[k] = mul(simd, x[k], load(simd, &other[k]));
            }
        } else {
            for k in 0..W {
                x[k] = mul(simd, x[k], x[k]);
            }
        }
        if MORE {
            let [a, b] = more.map(|more| &more[g * W..][..W]);
            for k in 0..W {
                x[k] = mul_add(simd, load(simd, &a[k]), load(simd, &b[k]), x[k]);
            }
        }
        join_levels(simd, &mut x, &lane_row(simd, lanes));
        transpose(simd, &mut x);
        join_step(simd, &mut x, step);
        for k in 0..W {
            store(simd, &mut group[k], x[k]);
        }
    }
}

/// `product = a·b`.
pub(super) struct Multiply<'a> {
    pub(super) product: &'a mut [f64],
    pub(super) a: &'a [f64],
    pub(super) b: &'a [f64],
}

impl Kernel for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (a, b) = (simd.pairs(self.a), simd.pairs(self.b));
        for ((product, a), b) in simd.pairs_mut(self.product).iter_mut().zip(a).zip(b) {
            let x = mul(simd, load(simd, a), load(simd, b));
            store(simd, product, x);
        }
    }
}

/// `sum += a·b`.
pub(super) struct MultiplyAdd<'a> {
    pub(super) sum: &'a mut [f64],
    pub(super) a: &'a [f64],
    pub(super) b: &'a [f64],
}

impl Kernel for MultiplyAdd<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (a, b) = (simd.pairs(self.a), simd.pairs(self.b));
        for ((sum, a), b) in simd.pairs_mut(self.sum).iter_mut().zip(a).zip(b) {
            let product = mul_add(simd, load(simd, a), load(simd, b), load(simd, sum));
            store(simd, sum, product);
        }
    }
}
