//! The forward transform.

use super::butterfly::{split_odd, split_step};
use super::digits::{Digits, shorts};
use super::product::SplitRow;
use super::shape::COLUMN_ROWS;
use super::tables::{Odd, Pass, Step, Tables, lane_factors};
use crate::arch::{Kernel, Pair, Simd};
use crate::torus::negacyclic::butterfly::{
    Complex, exchange, load, load_row, mul_add, parts_mut, splat, split, store,
};
use crate::torus::twiddles::Root;

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

/// Where the first pass of a stage finds its vectors: number `i` of the column.
pub(super) trait Source<S: Simd> {
    fn load(&mut self, simd: S, row: usize, column: usize) -> Complex<S>;
}

/// Rows in memory.
struct Rows<'a, 'b, S: Simd>(&'a mut [&'b mut [Pair<S>]]);

impl<S: Simd> Source<S> for Rows<'_, '_, S> {
    #[inline(always)]
    fn load(&mut self, simd: S, row: usize, column: usize) -> Complex<S> {
        load(simd, &self.0[row][column])
    }
}

/// The digits of an operand, folded: `j` and `j + N` are the parts of point `j`. Their squares are
/// summed up.
pub(super) struct Folded<'a, S: Simd> {
    pub(super) digits: Digits<'a>,
    /// `N`.
    pub(super) points: usize,
    /// From the start of one row to that of the next.
    pub(super) row_points: usize,
    /// The first point of the first row.
    pub(super) start: usize,
    pub(super) squares: S::Float,
}

impl<S: Simd> Folded<'_, S> {
    /// The points from the one `offset` beyond the row's on.
    #[inline(always)]
    fn points(&self, simd: S, row: usize, column: usize, offset: usize) -> Complex<S> {
        let j = self.start + offset + row * self.row_points + column * S::LANES;
        Complex {
            re: self.digits.vector(simd, j),
            im: self.digits.vector(simd, j + self.points),
        }
    }

    #[inline(always)]
    fn count(&mut self, simd: S, x: Complex<S>) {
        // Whole numbers below 2^53: no rounding.
        self.squares = simd.mul_add(x.re, x.re, self.squares);
        self.squares = simd.mul_add(x.im, x.im, self.squares);
    }
}

impl<S: Simd> Source<S> for Folded<'_, S> {
    #[inline(always)]
    fn load(&mut self, simd: S, row: usize, column: usize) -> Complex<S> {
        let x = self.points(simd, row, column, 0);
        self.count(simd, x);
        x
    }
}

/// The digits of an operand, folded twice: the residues modulo one factor of `X^N − i = (X^(N/2) −
/// w)(X^(N/2) + w)`. Each factor's thread sums up half of the squares: with `w` those of the lower
/// points, with `−w` of the upper ones.
struct FoldedTwice<'a, S: Simd> {
    folded: Folded<'a, S>,
    /// `w` or `−w`.
    root: Complex<S>,
    upper: bool,
}

impl<'a, S: Simd> FoldedTwice<'a, S> {
    #[inline(always)]
    fn new(simd: S, folded: Folded<'a, S>, root: Root) -> Self {
        Self {
            folded,
            root: splat(simd, root),
            upper: root[0] < 0.0,
        }
    }
}

impl<S: Simd> Source<S> for FoldedTwice<'_, S> {
    #[inline(always)]
    fn load(&mut self, simd: S, row: usize, column: usize) -> Complex<S> {
        let low = self.folded.points(simd, row, column, 0);
        let half = self.folded.points / 2;
        let high = self.folded.points(simd, row, column, half);
        self.folded.count(simd, if self.upper { high } else { low });
        mul_add(simd, self.root, high, low)
    }
}

/// What [`Folded`] and, if `TWICE`, [`FoldedTwice`] load, where digits have 16 bits and whole
/// columns of vectors lie within the operand: without a branch. `REAL` if it ends where imaginary
/// parts begin.
struct Inside<'a, S: Simd, const TWICE: bool, const REAL: bool> {
    /// The operand's bytes, or none if digits have another width.
    shorts: &'a [u8],
    points: usize,
    row_points: usize,
    start: usize,
    root: Complex<S>,
    upper: bool,
    squares: S::Float,
}

impl<S: Simd, const TWICE: bool, const REAL: bool> Inside<'_, S, TWICE, REAL> {
    #[inline(always)]
    fn part(&self, simd: S, j: usize) -> S::Float {
        shorts(simd, &self.shorts[2 * j - 2..][..2 * S::LANES + 2])
    }

    #[inline(always)]
    fn points(&self, simd: S, j: usize) -> Complex<S> {
        Complex {
            re: self.part(simd, j),
            im: if REAL {
                simd.splat(0.0)
            } else {
                self.part(simd, j + self.points)
            },
        }
    }
}

impl<S: Simd, const TWICE: bool, const REAL: bool> Source<S> for Inside<'_, S, TWICE, REAL> {
    #[inline(always)]
    fn load(&mut self, simd: S, row: usize, column: usize) -> Complex<S> {
        let j = self.start + row * self.row_points + column * S::LANES;
        let low = self.points(simd, j);
        let (counted, x) = if TWICE {
            let high = self.points(simd, j + self.points / 2);
            let counted = if self.upper { high } else { low };
            (counted, mul_add(simd, self.root, high, low))
        } else {
            (low, low)
        };
        self.squares = simd.mul_add(counted.re, counted.re, self.squares);
        if !REAL {
            self.squares = simd.mul_add(counted.im, counted.im, self.squares);
        }
        x
    }
}

/// The sum of all lanes.
#[inline(always)]
fn total<S: Simd>(simd: S, x: S::Float) -> f64 {
    let mut lanes = [0.0; 16];
    simd.store(&mut simd.pairs_mut(&mut lanes)[0][0], x);
    lanes.iter().sum()
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
        let mut rows: Vec<_> = self
            .rows
            .iter_mut()
            .map(|row| simd.pairs_mut(row))
            .collect();
        let mut memory = Column::new();
        let column = simd.pairs_mut(memory.rows(rows.len(), S::LANES));
        for c in 0..rows.first().map_or(0, |row| row.len()) {
            first_pass(
                simd,
                &mut Rows(&mut rows),
                c,
                column,
                &self.stage[0],
                self.block,
            );
            let (block, blocks) = middle_passes(simd, column, self.stage, self.block);
            last_pass(simd, column, &mut rows, c, self.stage, block, blocks);
        }
    }
}

/// What the first stage on columns reads: an operand, and the part of the points that is wanted.
#[derive(Clone, Copy)]
pub(super) struct Operand<'a> {
    pub(super) digits: Digits<'a>,
    /// `N`.
    pub(super) points: usize,
    /// From the start of one row to that of the next.
    pub(super) row_points: usize,
    /// The first point of the first row's part.
    pub(super) start: usize,
    /// For half the points: the root of their factor.
    pub(super) half: Option<Root>,
}

impl<'a> Operand<'a> {
    #[inline(always)]
    fn folded<S: Simd>(&self, squares: S::Float) -> Folded<'a, S> {
        Folded {
            digits: self.digits,
            points: self.points,
            row_points: self.row_points,
            start: self.start,
            squares,
        }
    }

    /// Whether every vector of a column, and the digit before each, is within the operand, and
    /// digits have 16 bits.
    #[inline(always)]
    fn holds(&self, lanes: usize, rows: usize, column: usize, real: bool) -> bool {
        let first = self.start + column * lanes;
        let fold = self.half.map_or(0, |_| self.points / 2);
        let imaginary = if real { 0 } else { self.points };
        let end = first + (rows - 1) * self.row_points + fold + imaginary + lanes;
        let shorts = self.digits.shorts().unwrap_or_default();
        first > 0 && 2 * end <= shorts.len()
    }
}

/// The first pass on a column that an operand [holds](Operand::holds): a kernel by itself, as there
/// is one for every kind of operand, radix and instruction set.
struct FirstInside<'a, const TWICE: bool, const REAL: bool>(FirstAnywhere<'a>);

/// The first pass on any column.
struct FirstAnywhere<'a> {
    /// By reference: a copy for every column costs a twentieth of a Montgomery product.
    operand: &'a Operand<'a>,
    c: usize,
    column: &'a mut [f64],
    pass: &'a Pass,
    /// The sum of squares in lanes, which grows.
    squares: &'a mut [f64],
}

impl<const TWICE: bool, const REAL: bool> Kernel for FirstInside<'_, TWICE, REAL> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self(call) = self;
        let squares = &mut simd.pairs_mut(call.squares)[0][0];
        let root = call.operand.half.unwrap_or_default();
        let mut source = Inside::<S, TWICE, REAL> {
            shorts: call.operand.digits.shorts().unwrap_or_default(),
            points: call.operand.points,
            row_points: call.operand.row_points,
            start: call.operand.start,
            root: splat(simd, root),
            upper: root[0] < 0.0,
            squares: simd.load(squares),
        };
        let column = simd.pairs_mut(call.column);
        first_pass(simd, &mut source, call.c, column, call.pass, 0);
        simd.store(squares, source.squares);
    }
}

impl Kernel for FirstAnywhere<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (c, pass) = (self.c, self.pass);
        let squares = &mut simd.pairs_mut(self.squares)[0][0];
        let mut folded = self.operand.folded::<S>(simd.load(squares));
        let column = simd.pairs_mut(self.column);
        let Some(root) = self.operand.half else {
            first_pass(simd, &mut folded, c, column, pass, 0);
            return simd.store(squares, folded.squares);
        };
        let mut source = FoldedTwice::new(simd, folded, root);
        first_pass(simd, &mut source, c, column, pass, 0);
        simd.store(squares, source.folded.squares);
    }
}

/// The first stage on columns, straight from the operand. Returns the sum of the squares of the
/// digits, or this half's part of it.
pub(super) struct SplitDigits<'a, 'b> {
    pub(super) rows: &'a mut [&'b mut [f64]],
    pub(super) stage: &'a [Pass],
    pub(super) operand: Operand<'a>,
}

impl Kernel for SplitDigits<'_, '_> {
    type Output = f64;

    // The kind of operand is asked for at every column, though it is the same at all: so there is
    // one instance of the passes that follow, which are most of the code, and not one for each
    // kind.
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> f64 {
        let Self {
            rows,
            stage,
            operand,
        } = self;
        let mut rows: Vec<_> = rows.iter_mut().map(|row| simd.pairs_mut(row)).collect();
        let twice = operand.half.is_some();
        // Of an operand that fills half of the ring, imaginary parts are digits only at the very
        // beginning.
        let real = operand.digits.count() <= operand.points + 1;
        let mut squares = [0.0; 16];
        let mut memory = Column::new();
        let memory = memory.rows(rows.len(), S::LANES);
        for c in 0..rows.first().map_or(0, |row| row.len()) {
            let inside = operand.holds(S::LANES, rows.len(), c, real);
            let first = FirstAnywhere {
                operand: &operand,
                c,
                column: memory,
                pass: &stage[0],
                squares: &mut squares,
            };
            match (inside, twice, real) {
                (false, ..) => simd.vectorize(first),
                (_, false, false) => simd.vectorize(FirstInside::<false, false>(first)),
                (_, false, true) => simd.vectorize(FirstInside::<false, true>(first)),
                (_, true, false) => simd.vectorize(FirstInside::<true, false>(first)),
                (_, true, true) => simd.vectorize(FirstInside::<true, true>(first)),
            }
            let column = simd.pairs_mut(memory);
            let (block, blocks) = middle_passes(simd, column, stage, 0);
            last_pass(simd, column, &mut rows, c, stage, block, blocks);
        }
        squares.iter().sum()
    }
}

/// The digits alone, folded, where no stage follows.
pub(super) struct Digitize<'a> {
    pub(super) data: &'a mut [f64],
    pub(super) operand: Operand<'a>,
}

impl Kernel for Digitize<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> f64 {
        let data = simd.pairs_mut(self.data);
        let mut folded = self.operand.folded::<S>(simd.splat(0.0));
        let Some(root) = self.operand.half else {
            digitize(simd, &mut folded, data);
            return total(simd, folded.squares);
        };
        let mut source = FoldedTwice::new(simd, folded, root);
        digitize(simd, &mut source, data);
        total(simd, source.folded.squares)
    }
}

#[inline(always)]
fn digitize<S: Simd, T: Source<S>>(simd: S, source: &mut T, data: &mut [Pair<S>]) {
    for (column, into) in data.iter_mut().enumerate() {
        let x = source.load(simd, 0, column);
        store(simd, into, x);
    }
}

/// From the source into the column.
#[inline(always)]
fn first_pass<S: Simd, T: Source<S>>(
    simd: S,
    source: &mut T,
    c: usize,
    column: &mut [Pair<S>],
    pass: &Pass,
    block: usize,
) {
    match pass {
        Pass::Odd(odd) => match odd.parts {
            3 => first_odd::<S, T, 3>(simd, source, c, column, odd),
            5 => first_odd::<S, T, 5>(simd, source, c, column, odd),
            _ => first_odd::<S, T, 7>(simd, source, c, column, odd),
        },
        Pass::Power(levels, steps) => {
            let step = &steps[block];
            match levels {
                3 => first_power::<S, T, 8>(simd, source, c, column, step),
                2 => first_power::<S, T, 4>(simd, source, c, column, step),
                _ => first_power::<S, T, 2>(simd, source, c, column, step),
            }
        }
    }
}

#[inline(always)]
fn first_odd<S: Simd, T: Source<S>, const M: usize>(
    simd: S,
    source: &mut T,
    c: usize,
    column: &mut [Pair<S>],
    odd: &Odd,
) {
    let parts = parts_mut::<_, M>(column);
    let n = parts[0].len();
    for i in 0..n {
        let mut x = [splat(simd, [0.0; 2]); M];
        for k in 0..M {
            x[k] = source.load(simd, k * n + i, c);
        }
        split_odd(simd, &mut x, odd);
        for k in 0..M {
            store(simd, &mut parts[k][i], x[k]);
        }
    }
}

#[inline(always)]
fn first_power<S: Simd, T: Source<S>, const R: usize>(
    simd: S,
    source: &mut T,
    c: usize,
    column: &mut [Pair<S>],
    step: &Step,
) {
    let parts = parts_mut::<_, R>(column);
    let n = parts[0].len();
    for i in 0..n {
        let mut x = [splat(simd, [0.0; 2]); R];
        for k in 0..R {
            x[k] = source.load(simd, k * n + i, c);
        }
        split_step(simd, &mut x, step);
        for k in 0..R {
            store(simd, &mut parts[k][i], x[k]);
        }
    }
}

/// What lies between the first and the last pass of a stage. Returns the number of the block, and
/// how many there are, at the last one.
#[inline(always)]
fn middle_passes<S: Simd>(
    simd: S,
    column: &mut [Pair<S>],
    stage: &[Pass],
    block: usize,
) -> (usize, usize) {
    let Some((first, rest)) = stage.split_first() else {
        return (block, 1);
    };
    let mut blocks = first.parts();
    let mut block = block * blocks;
    if let Some((_, middle)) = rest.split_last() {
        for pass in middle {
            if let Pass::Power(levels, steps) = pass {
                power_passes(simd, column, *levels, &steps[block..][..blocks]);
            }
            block *= pass.parts();
            blocks *= pass.parts();
        }
    }
    (block, blocks)
}

/// From the column into memory: the last pass of a stage, or a mere copy where the first is the
/// last.
#[inline(always)]
fn last_pass<S: Simd>(
    simd: S,
    column: &[Pair<S>],
    rows: &mut [&mut [Pair<S>]],
    c: usize,
    stage: &[Pass],
    block: usize,
    blocks: usize,
) {
    if let [_, .., Pass::Power(levels, steps)] = stage {
        let steps = &steps[block..][..blocks];
        match levels {
            3 => last_power::<S, 8>(simd, column, rows, c, steps),
            2 => last_power::<S, 4>(simd, column, rows, c, steps),
            _ => last_power::<S, 2>(simd, column, rows, c, steps),
        }
    } else {
        for (row, x) in rows.iter_mut().zip(column) {
            store(simd, &mut row[c], load(simd, x));
        }
    }
}

#[inline(always)]
fn last_power<S: Simd, const R: usize>(
    simd: S,
    column: &[Pair<S>],
    rows: &mut [&mut [Pair<S>]],
    c: usize,
    steps: &[Step],
) {
    let blocks = column
        .as_chunks::<R>()
        .0
        .iter()
        .zip(rows.as_chunks_mut::<R>().0);
    for ((from, into), step) in blocks.zip(steps) {
        let mut x = load_row::<S, R>(simd, from);
        split_step(simd, &mut x, step);
        for k in 0..R {
            store(simd, &mut into[k][c], x[k]);
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
            simd.vectorize(SplitRow {
                row,
                tables: self.tables,
                number,
            });
        }
    }
}

/// Passes of a row, whose number is given.
#[inline(always)]
pub(super) fn split_passes<S: Simd>(
    simd: S,
    data: &mut [Pair<S>],
    passes: &[Pass],
    mut block: usize,
) {
    let mut blocks = 1;
    for pass in passes {
        if let Pass::Power(levels, steps) = pass {
            power_passes(simd, data, *levels, &steps[block..][..blocks]);
        }
        block *= pass.parts();
        blocks *= pass.parts();
    }
}

#[inline(always)]
fn power_passes<S: Simd>(simd: S, data: &mut [Pair<S>], levels: u32, steps: &[Step]) {
    match levels {
        3 => power_pass::<S, 8>(simd, data, steps),
        2 => power_pass::<S, 4>(simd, data, steps),
        _ => power_pass::<S, 2>(simd, data, steps),
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
pub(super) fn split_groups<S: Simd, const W: usize>(
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
