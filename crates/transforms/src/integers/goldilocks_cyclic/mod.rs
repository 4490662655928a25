//! Products of numbers of up to 786,432 bits by the cyclic transform of 65,536 points over `p =
//! 2^64 − 2^32 + 1`: the algorithm of a hardware multiplier, as fast as a processor computes it.
//!
//! **What.** Digits of 24 bits, 65,536 of them, half zeros; four stages of sixteen points that are
//! shifts and sums, with twiddle factors between them; a component-wise product; the transform
//! back; carries. The root, the points and so every value of a spectrum are those of W. Wang, X.
//! Huang, N. Emmart, C. Weems, *VLSI design of a large-number multiplier for fully homomorphic
//! encryption*, IEEE TVLSI 22(9), 2014, §III, whose golden model is `bignum::paper`.
//!
//! **Why.** It is exact, and beside the hardware it shows what the same method gives in software.
//! For its own sake there are faster ones: digits of 16 bits in complex numbers, of 64 bits modulo
//! three primes.
//!
//! **How.** Elements are pairs of signed limbs (`ntt::limbs`), so that sums need no carries and
//! shifts no reduction. All sixteen digits of the transform's first stage lie in rows 4,096 apart;
//! the other stages of a row fit the first-level cache, and with them the second operand's product
//! and three stages of the way back. That way is the transform once more, read from the end.
//!
//! **Cost.** In vector instructions of AVX-512 for eight elements: 16 for a product by a factor, 9
//! for a reduction, 14 for an element's share of a transform of sixteen. Tables take 1.1 MB, a
//! spectrum 512 KB.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use blindcore_transforms::InstructionSet;
//! use blindcore_transforms::integers::goldilocks_cyclic::Plan;
//!
//! let plan = Plan::new(InstructionSet::detect(), NonZeroUsize::MIN);
//! let mut work = [plan.spectrum(), plan.spectrum()];
//! let mut product = [0; 3];
//! plan.multiply(&mut product, &[u64::MAX, 1], &[3], &mut work)?;
//! assert_eq!(product, [u64::MAX - 2, 5, 0]);
//! # Ok::<(), blindcore_transforms::integers::goldilocks_cyclic::Error>(())
//! ```

mod carry;
mod passes;
mod radix;
mod tables;

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::InstructionSet;
use crate::threads;
use crate::torus::ntt::arch::Machine;
use passes::{Block, Columns, First, FirstHalf, Half, Last, Then};
use tables::Tables;

/// Points of the transform.
pub const POINTS: usize = 65_536;

/// Bits of a digit.
pub const DIGIT_BITS: usize = 24;

/// Limbs of the longest operand, and of the longest product by the sum of both: 786,432 bits.
pub const OPERAND_LIMBS: usize = DIGITS * DIGIT_BITS / 64;

/// Points that are digits; the others are zeros, where the product grows.
const DIGITS: usize = POINTS / 2;
const RADIX: usize = 16;
/// Elements of a row.
const BLOCK: usize = POINTS / RADIX;

/// Why a product was refused. Nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operand has more than [`OPERAND_LIMBS`].
    #[error("an operand of {limbs} limbs is too long: {OPERAND_LIMBS} limbs at most")]
    OperandLength {
        /// Its length.
        limbs: usize,
    },
    /// The slice for the product does not have the length of both operands together.
    #[error("the product needs {needed} limbs, and its slice has {given}")]
    OutputLength {
        /// Limbs of the product.
        needed: usize,
        /// Limbs of the slice.
        given: usize,
    },
    /// A spectrum was made by a plan for another instruction set.
    #[error("the spectrum is in the order of another instruction set")]
    ForeignSpectrum,
}

/// Tables, instruction set and threads. Immutable, shared by reference or clone.
#[derive(Debug, Clone)]
pub struct Plan {
    machine: Machine,
    tables: Arc<Tables>,
    /// Whether work is cut in two.
    two: bool,
}

/// The transform of a number: 512 KB, in an order that depends on the plan's instruction set.
#[derive(Debug, Clone)]
pub struct Spectrum {
    words: Vec<u64>,
    /// Which order.
    lanes: usize,
    /// Limbs of the number.
    limbs: usize,
}

impl Plan {
    /// A plan on a set, or on the next lower one that there are kernels for: AVX-512 and plain
    /// Rust.
    ///
    /// With more than one thread the work is cut in two, for the rayon pool that a product is
    /// called in, or else for the global one. One thread never leaves its own.
    pub fn new(set: InstructionSet, threads: NonZeroUsize) -> Self {
        Self {
            machine: Machine::up_to(set),
            tables: Arc::new(Tables::new()),
            two: threads.get() > 1,
        }
    }

    /// A spectrum of zero, which is also working memory.
    pub fn spectrum(&self) -> Spectrum {
        Spectrum {
            words: vec![0; POINTS],
            lanes: self.machine.lanes(),
            limbs: 0,
        }
    }

    /// Transforms a number of at most [`OPERAND_LIMBS`].
    ///
    /// # Errors
    /// [`Error::OperandLength`] if it is longer, [`Error::ForeignSpectrum`].
    pub fn forward(&self, spectrum: &mut Spectrum, limbs: &[u64]) -> Result<(), Error> {
        self.check(spectrum)?;
        check_operand(limbs)?;
        spectrum.limbs = limbs.len();
        self.run(|| {
            self.transform(&mut spectrum.words, limbs, |number, data| {
                self.block(data, number, Then::Keep);
            });
        });
        Ok(())
    }

    /// `out = a·b`, with two spectra to work in.
    ///
    /// # Errors
    /// [`Error::OperandLength`], [`Error::OutputLength`] unless `out` is as long as both together,
    /// [`Error::ForeignSpectrum`].
    pub fn multiply(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: &[u64],
        work: &mut [Spectrum; 2],
    ) -> Result<(), Error> {
        let [x, y] = work;
        self.check(x)?;
        self.check(y)?;
        check_operand(a)?;
        check_operand(b)?;
        check_output(out, a.len() + b.len())?;
        x.limbs = a.len();
        self.run(|| {
            self.both_operands(&mut x.words, a, &mut y.words, b);
            self.back(out, &mut y.words);
        });
        Ok(())
    }

    /// `out = a·b` for a number whose transform is kept.
    ///
    /// # Errors
    /// As of [`multiply`](Self::multiply).
    pub fn multiply_kept(
        &self,
        out: &mut [u64],
        a: &Spectrum,
        b: &[u64],
        work: &mut Spectrum,
    ) -> Result<(), Error> {
        self.check(a)?;
        self.check(work)?;
        check_operand(b)?;
        check_output(out, a.limbs + b.len())?;
        self.run(|| {
            self.transform(&mut work.words, b, |number, data| {
                let other = &a.words[number * BLOCK..][..BLOCK];
                self.block(data, number, Then::Multiply(other));
            });
            self.back(out, &mut work.words);
        });
        Ok(())
    }

    /// `out = a²`: one transform forward instead of two.
    ///
    /// # Errors
    /// As of [`multiply`](Self::multiply).
    pub fn square(&self, out: &mut [u64], a: &[u64], work: &mut Spectrum) -> Result<(), Error> {
        self.check(work)?;
        check_operand(a)?;
        check_output(out, 2 * a.len())?;
        self.run(|| {
            self.transform(&mut work.words, a, |number, data| {
                self.block(data, number, Then::Square);
            });
            self.back(out, &mut work.words);
        });
        Ok(())
    }

    /// The values of a spectrum, from that of the root's power 0 to that of power 65,535, below the
    /// prime.
    ///
    /// # Errors
    /// [`Error::ForeignSpectrum`].
    pub fn values(&self, spectrum: &Spectrum) -> Result<Vec<u64>, Error> {
        self.check(spectrum)?;
        let lanes = spectrum.lanes;
        let value = |k: usize| {
            // Digits to the base 16 in reverse order, the last of them before the lane.
            let group = (k & 15) << 8 | (k >> 4 & 15) << 4 | (k >> 8 & 15);
            let at = (group / lanes * RADIX + (k >> 12)) * lanes + group % lanes;
            passes::element(spectrum.words[at])
        };
        Ok((0..POINTS).map(value).collect())
    }

    fn check(&self, spectrum: &Spectrum) -> Result<(), Error> {
        if spectrum.lanes == self.machine.lanes() {
            Ok(())
        } else {
            Err(Error::ForeignSpectrum)
        }
    }

    /// On this thread, or in a pool.
    fn run(&self, work: impl FnOnce() + Send) {
        if !self.two || rayon::current_thread_index().is_some() {
            work();
        } else {
            threads::inside(None, work);
        }
    }

    /// The first stage, and every block after it.
    fn transform(
        &self,
        words: &mut [u64],
        limbs: &[u64],
        block: impl Fn(usize, &mut [u64]) + Sync,
    ) {
        if !self.two {
            self.first(words, limbs);
            let blocks = words.chunks_exact_mut(BLOCK).enumerate();
            return blocks.for_each(|(number, data)| block(number, data));
        }
        let half = |mut rows: Half<'_>, odd: usize| {
            self.first_half(&mut rows, limbs, odd);
            for (at, data) in rows.into_iter().enumerate() {
                block(2 * at + odd, data);
            }
        };
        let [even, odd] = halves(words);
        threads::join(|| half(even, 0), || half(odd, 1));
    }

    /// Likewise of two operands, `a` in `x` and `b` in `y`; each block of the second meets that of
    /// the first, while it is near, in their product.
    fn both_operands(&self, x: &mut [u64], a: &[u64], y: &mut [u64], b: &[u64]) {
        let pair = |number: usize, x: &mut [u64], y: &mut [u64]| {
            self.block(x, number, Then::Keep);
            self.block(y, number, Then::Multiply(x));
        };
        if !self.two {
            self.first(x, a);
            self.first(y, b);
            let pairs = x.chunks_exact_mut(BLOCK).zip(y.chunks_exact_mut(BLOCK));
            return pairs
                .enumerate()
                .for_each(|(number, (x, y))| pair(number, x, y));
        }
        let half = |mut x: Half<'_>, mut y: Half<'_>, odd: usize| {
            self.first_half(&mut x, a, odd);
            self.first_half(&mut y, b, odd);
            for (at, (x, y)) in x.into_iter().zip(y).enumerate() {
                pair(2 * at + odd, x, y);
            }
        };
        let ([even_x, odd_x], [even_y, odd_y]) = (halves(x), halves(y));
        threads::join(|| half(even_x, even_y, 0), || half(odd_x, odd_y, 1));
    }

    /// The last stage and the carries.
    fn back(&self, out: &mut [u64], words: &mut [u64]) {
        let last = |columns: Columns<'_>, first: usize| {
            self.machine.dispatch(Last {
                tables: &self.tables,
                columns,
                first,
            });
        };
        let rows = rows(words);
        if self.two {
            let [low, high] = columns(rows);
            threads::join(|| last(low, 0), || last(high, BLOCK / 2));
        } else {
            last(rows, 0);
        }
        limbs(out, words, self.two);
    }

    fn first(&self, words: &mut [u64], limbs: &[u64]) {
        let columns = rows(words);
        self.machine.dispatch(First { limbs, columns });
    }

    fn first_half(&self, rows: &mut Half<'_>, limbs: &[u64], odd: usize) {
        let odd = odd == 1;
        self.machine.dispatch(FirstHalf { limbs, rows, odd });
    }

    fn block(&self, data: &mut [u64], number: usize, then: Then<'_>) {
        self.machine.dispatch(Block {
            tables: &self.tables,
            data,
            number,
            then,
        });
    }
}

impl Spectrum {
    /// Limbs of the number that was transformed.
    pub fn limbs(&self) -> usize {
        self.limbs
    }
}

fn check_operand(limbs: &[u64]) -> Result<(), Error> {
    match limbs.len() {
        0..=OPERAND_LIMBS => Ok(()),
        limbs => Err(Error::OperandLength { limbs }),
    }
}

fn check_output(out: &[u64], needed: usize) -> Result<(), Error> {
    match out.len() {
        given if given == needed => Ok(()),
        given => Err(Error::OutputLength { needed, given }),
    }
}

/// The sixteen rows of 4,096.
fn rows(words: &mut [u64]) -> Columns<'_> {
    let mut rows = words.chunks_exact_mut(BLOCK);
    std::array::from_fn(|_| rows.next().unwrap_or_default())
}

/// Those of even numbers, and those of odd ones.
fn halves(words: &mut [u64]) -> [Half<'_>; 2] {
    let mut halves: [Half<'_>; 2] = Default::default();
    for (number, row) in rows(words).into_iter().enumerate() {
        halves[number % 2][number / 2] = row;
    }
    halves
}

/// Two halves of the columns.
fn columns(rows: Columns<'_>) -> [Columns<'_>; 2] {
    let mut halves: [Columns<'_>; 2] = Default::default();
    for (number, row) in rows.into_iter().enumerate() {
        let (low, high) = row.split_at_mut(BLOCK / 2);
        (halves[0][number], halves[1][number]) = (low, high);
    }
    halves
}

/// Resolves the carries of the sums that the last stage left, read from the end, in pieces of half
/// a row. The sums of every second piece are those of the upper columns, which the second of two
/// threads has near.
fn limbs(out: &mut [u64], sums: &[u64], two: bool) {
    const DIGITS: usize = BLOCK / 2;
    const LIMBS: usize = DIGITS / 8 * 3;
    let pieces = out.chunks_mut(LIMBS);
    let mut carries = vec![0; pieces.len()];
    let resolve = |at: usize, out: &mut [u64]| {
        let eights = (at * DIGITS..POINTS).step_by(8);
        carry::resolve(out, eights.map(|n| backwards(sums, n)), 0)
    };
    if two {
        let mut halves = [Vec::new(), Vec::new()];
        for (at, piece) in pieces.zip(&mut carries).enumerate() {
            halves[at % 2].push((at, piece));
        }
        let [high, low] = halves;
        let half = |pieces: Vec<(usize, (&mut [u64], &mut u128))>| {
            for (at, (out, carry)) in pieces {
                *carry = resolve(at, out);
            }
        };
        threads::join(|| half(low), || half(high));
    } else {
        for (at, (out, carry)) in pieces.zip(&mut carries).enumerate() {
            *carry = resolve(at, out);
        }
    }
    for (number, carry) in carries.into_iter().enumerate() {
        if let Some(rest) = out.get_mut((number + 1) * LIMBS..) {
            carry::add(rest, carry);
        }
    }
}

/// Sums `n` to `n + 7`: those at `−n`, `−n − 1` and so on, modulo the number of points.
fn backwards(sums: &[u64], n: usize) -> [u64; 8] {
    std::array::from_fn(|i| sums[(POINTS - n - i) % POINTS])
}

#[cfg(test)]
mod tests;
