//! The passes of a convolution over one prime's words.
//!
//! Transforms in registers take residues below 2 and leave what the next pass multiplies or reduces
//! first, whatever it is. No register is folded in between but for the widest primes.

use super::butterfly::plain;
use super::shape::{RADIX, ROWS, TILE};
use super::tables::{Lanes, Level, Pair, Tail};
use crate::integers::primes::arch::{Factor, FoldingKernel, Modulus, Residues};
use crate::integers::primes::butterfly::{Folding, splat};

/// Numbers of up to 16 registers with their digits reversed, by the logarithm of how many there
/// are.
const REVERSED: [[usize; 16]; 5] = [
    [0; 16],
    [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [0, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [0, 4, 2, 6, 1, 5, 3, 7, 0, 0, 0, 0, 0, 0, 0, 0],
    [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
];

#[inline(always)]
fn reversed<T: Copy, const R: usize>(x: [T; R]) -> [T; R] {
    let numbers = &REVERSED[R.trailing_zeros() as usize];
    let mut y = x;
    for r in 0..R {
        y[r] = x[numbers[r]];
    }
    y
}

/// A pass of the forward transform over consecutive chunks.
pub(super) struct Descend<'a> {
    pub(super) modulus: &'a Modulus,
    pub(super) level: &'a Level,
    pub(super) data: &'a mut [u64],
    /// The number of the first chunk.
    pub(super) first: usize,
}

impl FoldingKernel for Descend<'_> {
    #[inline(always)]
    fn run<V: Residues, F: Folding>(self, v: V) {
        match self.level.radix {
            2 => descend::<V, F, 2>(v, self),
            4 => descend::<V, F, 4>(v, self),
            8 => descend::<V, F, 8>(v, self),
            _ => descend::<V, F, 16>(v, self),
        }
    }
}

#[inline(always)]
fn descend<V: Residues, F: Folding, const R: usize>(v: V, call: Descend<'_>) {
    let p = v.prime(call.modulus);
    let level = call.level;
    let n = level.chunk / R / V::LANES;
    let chunks = v.vectors_mut(call.data).chunks_exact_mut(n * R);
    for (number, chunk) in (call.first..).zip(chunks) {
        match &level.twist {
            Some([twist, _]) => {
                let twist = &twist[number % level.blocks * R..][..R];
                for i in 0..n {
                    let x = v.load_strided::<R>(chunk, i, n);
                    let mut x = twisted(v, p, x, twist);
                    plain::<V, F, R>(v, p, &mut x, &level.plain);
                    v.store_strided(chunk, i, n, x);
                }
            }
            None => {
                for i in 0..n {
                    let mut x = v.load_strided::<R>(chunk, i, n);
                    for r in 0..R {
                        x[r] = v.reduce(p, x[r]);
                    }
                    plain::<V, F, R>(v, p, &mut x, &level.plain);
                    v.store_strided(chunk, i, n, x);
                }
            }
        }
    }
}

/// The products with a chunk's factors, of which the first is 1.
#[inline(always)]
fn twisted<V: Residues, const R: usize>(
    v: V,
    p: V::Prime,
    x: [V::Word; R],
    twist: &[Pair],
) -> [V::Word; R] {
    let mut y = x;
    y[0] = v.reduce(p, x[0]);
    for r in 1..R {
        y[r] = v.mul(p, x[r], splat(v, twist[r]));
    }
    y
}

/// The first pass of the forward transform, on canonical residues.
pub(super) struct First<'a>(pub(super) Descend<'a>);

impl FoldingKernel for First<'_> {
    #[inline(always)]
    fn run<V: Residues, F: Folding>(self, v: V) {
        match self.0.level.radix {
            2 => first::<V, F, 2>(v, self.0),
            4 => first::<V, F, 4>(v, self.0),
            8 => first::<V, F, 8>(v, self.0),
            _ => first::<V, F, 16>(v, self.0),
        }
    }
}

#[inline(always)]
fn first<V: Residues, F: Folding, const R: usize>(v: V, call: Descend<'_>) {
    let p = v.prime(call.modulus);
    let n = call.level.chunk / R / V::LANES;
    let data = v.vectors_mut(call.data);
    for i in 0..n {
        let mut x = v.load_strided::<R>(data, i, n);
        for r in 0..R {
            x[r] = v.enter(x[r]);
        }
        plain::<V, F, R>(v, p, &mut x, &call.level.plain);
        v.store_strided(data, i, n, x);
    }
}

/// A pass of the inverse transform over consecutive chunks.
pub(super) struct Ascend<'a> {
    pub(super) modulus: &'a Modulus,
    pub(super) level: &'a Level,
    /// Which convolution it is.
    pub(super) which: usize,
    pub(super) data: &'a mut [u64],
    pub(super) first: usize,
    /// Whether results are to be canonical.
    pub(super) last: bool,
}

impl FoldingKernel for Ascend<'_> {
    #[inline(always)]
    fn run<V: Residues, F: Folding>(self, v: V) {
        match self.level.radix {
            2 => ascend::<V, F, 2>(v, self),
            4 => ascend::<V, F, 4>(v, self),
            8 => ascend::<V, F, 8>(v, self),
            _ => ascend::<V, F, 16>(v, self),
        }
    }
}

#[inline(always)]
fn ascend<V: Residues, F: Folding, const R: usize>(v: V, call: Ascend<'_>) {
    let p = v.prime(call.modulus);
    let level = call.level;
    let n = level.chunk / R / V::LANES;
    let chunks = v.vectors_mut(call.data).chunks_exact_mut(n * R);
    for (number, chunk) in (call.first..).zip(chunks) {
        let block = number % level.blocks * R;
        let values = level
            .values
            .as_ref()
            .map(|all| &all[call.which][block..][..R]);
        let twist = level.twist.as_ref().map(|[_, back]| &back[block..][..R]);
        for i in 0..n {
            let mut x = v.load_strided::<R>(chunk, i, n);
            if let Some(values) = values {
                for r in 0..R {
                    x[r] = v.mul(p, x[r], splat(v, values[r]));
                }
            }
            let mut x = reversed(x);
            plain::<V, F, R>(v, p, &mut x, &level.plain_back);
            let mut x = reversed(x);
            if let Some(twist) = twist {
                x = twisted(v, p, x, twist);
            } else if call.last {
                for r in 0..R {
                    x[r] = v.canonical(p, v.clean(v.reduce(p, x[r])));
                }
            }
            v.store_strided(chunk, i, n, x);
        }
    }
}

/// The last pass of the forward transform and the first one of the inverse, over consecutive tiles.
pub(super) struct Turn<'a> {
    pub(super) modulus: &'a Modulus,
    pub(super) tail: &'a Tail,
    pub(super) which: usize,
    pub(super) data: &'a mut [u64],
    /// The number of the first tile.
    pub(super) first: usize,
}

impl FoldingKernel for Turn<'_> {
    #[inline(always)]
    fn run<V: Residues, F: Folding>(self, v: V) {
        let tail = self.tail;
        match (&tail.twist, &tail.values[self.which]) {
            (Some([Lanes::Rows(twist), Lanes::Rows(back)]), Lanes::Rows(values)) => {
                let factors = [Rows(twist), Rows(values), Rows(back)];
                turn::<V, F, Rows<'_>, true>(v, self, factors);
            }
            (_, Lanes::Uniform(values)) => {
                turn::<V, F, Same<'_>, false>(v, self, [Same(values); 3]);
            }
            _ => {}
        }
    }
}

/// Factors of a tile's registers.
trait Factors: Copy {
    /// That of column `c`, for a register's part of the eight rows.
    fn factor<V: Residues>(self, v: V, tile: usize, c: usize, part: usize) -> Factor<V>;
}

#[derive(Clone, Copy)]
struct Same<'a>(&'a [Pair; RADIX]);

impl Factors for Same<'_> {
    #[inline(always)]
    fn factor<V: Residues>(self, v: V, _: usize, c: usize, _: usize) -> Factor<V> {
        splat(v, self.0[c])
    }
}

#[derive(Clone, Copy)]
struct Rows<'a>(&'a [[[u64; ROWS]; 2]]);

impl Factors for Rows<'_> {
    #[inline(always)]
    fn factor<V: Residues>(self, v: V, tile: usize, c: usize, part: usize) -> Factor<V> {
        let [values, quotients] = &self.0[tile * RADIX % self.0.len() + c];
        Factor {
            value: v.load(&v.vectors(values)[part]),
            quotient: v.load(&v.vectors(quotients)[part]),
        }
    }
}

#[inline(always)]
fn turn<V: Residues, F: Folding, L: Factors, const TWISTED: bool>(
    v: V,
    call: Turn<'_>,
    [twist, values, back]: [L; 3],
) {
    let p = v.prime(call.modulus);
    let (steps, parts) = (RADIX / V::LANES, ROWS / V::LANES);
    let mut square = [0; TILE];
    let tiles = call.data.chunks_exact_mut(TILE);
    for (tile, words) in (call.first..).zip(tiles) {
        let words = v.vectors_mut(words);
        let square = v.vectors_mut(&mut square);
        for step in 0..steps {
            let rows = v.load_strided::<ROWS>(words, step, steps);
            v.store_strided::<ROWS>(square, step * ROWS, 1, v.interleave(rows));
        }
        for part in 0..parts {
            let mut x = v.load_strided::<RADIX>(square, part, parts);
            x[0] = v.reduce(p, x[0]);
            for c in 1..RADIX {
                x[c] = if TWISTED {
                    v.mul(p, x[c], twist.factor(v, tile, c, part))
                } else {
                    v.reduce(p, x[c])
                };
            }
            plain::<V, F, RADIX>(v, p, &mut x, &call.tail.plain);
            for c in 0..RADIX {
                x[c] = v.mul(p, x[c], values.factor(v, tile, c, part));
            }
            let mut x = reversed(x);
            plain::<V, F, RADIX>(v, p, &mut x, &call.tail.plain_back);
            let mut x = reversed(x);
            if TWISTED {
                x[0] = v.reduce(p, x[0]);
                for c in 1..RADIX {
                    x[c] = v.mul(p, x[c], back.factor(v, tile, c, part));
                }
            }
            v.store_strided::<RADIX>(square, part, parts, x);
        }
        for step in 0..steps {
            let columns = v.load_strided::<ROWS>(square, step * ROWS, 1);
            v.store_strided::<ROWS>(words, step, steps, v.separate(columns));
        }
    }
}
