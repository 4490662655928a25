//! Products of numbers of up to 786,432 bits by the cyclic transform of 65,536 points over
//! `p = 2^64 − 2^32 + 1`: the algorithm of a hardware multiplier, as fast as a processor computes it.
//!
//! **What.** Digits of 24 bits, 65,536 of them, half zeros; four stages of sixteen points that are shifts and
//! sums, with twiddle factors between them; a component-wise product; the transform back; carries. The root,
//! the points and so every value of a spectrum are those of W. Wang, X. Huang, N. Emmart, C. Weems, *VLSI
//! design of a large-number multiplier for fully homomorphic encryption*, IEEE TVLSI 22(9), 2014, §III, whose
//! golden model is `bignum::paper`.
//!
//! **Why.** It is exact, and beside the hardware it shows what the same method gives in software. For its own
//! sake there are faster ones: digits of 16 bits in complex numbers, of 64 bits modulo three primes.
//!
//! **How.** Elements are pairs of signed limbs (`ntt::limbs`), so that sums need no carries and shifts no
//! reduction. All sixteen digits of the transform's first stage lie in rows 4,096 apart; the other stages of
//! a row fit the first-level cache, and with them the second operand's product and three stages of the way
//! back. That way is the transform once more, read from the end.
//!
//! **Cost.** In vector instructions of AVX-512 for eight elements: 16 for a product by a factor, 9 for a
//! reduction, 14 for an element's share of a transform of sixteen. Tables take 1.1 MB, a spectrum 512 KB.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use transforms::InstructionSet;
//! use transforms::goldilocks_cyclic::Plan;
//!
//! let plan = Plan::new(InstructionSet::detect(), NonZeroUsize::MIN)?;
//! let mut work = [plan.spectrum(), plan.spectrum()];
//! let mut product = [0; 3];
//! plan.multiply(&mut product, &[u64::MAX, 1], &[3], &mut work)?;
//! assert_eq!(product, [u64::MAX - 2, 5, 0]);
//! # Ok::<(), transforms::goldilocks_cyclic::Error>(())
//! ```

mod carry;
mod passes;
mod radix;
mod tables;

use std::num::NonZeroUsize;
use std::sync::Arc;

use rayon::ThreadPool;

use crate::InstructionSet;
use crate::ntt::arch::Machine;
use passes::{Block, Columns, First, Last, Then};
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
    /// The threads could not be started.
    #[error("no threads could be started")]
    Threads,
}

/// Tables, instruction set and threads. Immutable, shared by reference or clone.
#[derive(Debug, Clone)]
pub struct Plan {
    machine: Machine,
    tables: Arc<Tables>,
    /// Of more than one thread.
    pool: Option<Arc<ThreadPool>>,
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
    /// A plan on a set, or on the next lower one that there are kernels for: AVX-512 and plain Rust. More
    /// than one thread are threads of its own.
    ///
    /// # Errors
    /// [`Error::Threads`] if the system has none to give.
    pub fn new(set: InstructionSet, threads: NonZeroUsize) -> Result<Self, Error> {
        let wanted = match set {
            InstructionSet::Avx512 => usize::MAX,
            _ => 1,
        };
        let mut machines = Machine::available().into_iter();
        let machine = machines.rfind(|machine| machine.lanes() <= wanted);
        let pool = match threads.get() {
            1 => None,
            threads => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                Some(Arc::new(pool.build().map_err(|_| Error::Threads)?))
            }
        };
        Ok(Self {
            machine: machine.unwrap_or(Machine::SCALAR),
            tables: Arc::new(Tables::new()),
            pool,
        })
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
        self.run(|parts| {
            self.first(&mut spectrum.words, limbs, parts);
            self.blocks(&mut spectrum.words, None, false, parts);
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
        let [kept, work] = work;
        check_operand(b)?;
        check_output(out, a.len() + b.len())?;
        self.forward(kept, a)?;
        self.multiply_kept(out, kept, b, work)
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
        self.run(|parts| {
            self.first(&mut work.words, b, parts);
            self.blocks(&mut work.words, Some(&a.words), true, parts);
            self.last(&mut work.words, parts);
            limbs(out, &work.words, parts);
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
        self.run(|parts| {
            self.first(&mut work.words, a, parts);
            self.blocks(&mut work.words, None, true, parts);
            self.last(&mut work.words, parts);
            limbs(out, &work.words, parts);
        });
        Ok(())
    }

    /// The values of a spectrum, from that of the root's power 0 to that of power 65,535, below the prime.
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

    /// On the plan's threads, with the number of parts that work is to be cut into.
    fn run(&self, work: impl FnOnce(usize) + Send) {
        match &self.pool {
            None => work(1),
            Some(pool) => pool.install(|| work(pool.current_num_threads().next_power_of_two())),
        }
    }

    fn first(&self, words: &mut [u64], limbs: &[u64], parts: usize) {
        columns(rows(words), 0, parts, &|columns, first| {
            self.machine.dispatch(First {
                limbs,
                columns,
                first,
            });
        });
    }

    fn last(&self, words: &mut [u64], parts: usize) {
        columns(rows(words), 0, parts, &|columns, first| {
            self.machine.dispatch(Last {
                tables: &self.tables,
                columns,
                first,
            });
        });
    }

    /// Stages two to four of every block; and if the product is asked for, that by the other spectrum, or by
    /// itself, and back.
    fn blocks(&self, words: &mut [u64], other: Option<&[u64]>, product: bool, parts: usize) {
        // A few more blocks than threads at a time: whoever is done first takes the next.
        let grain = if parts == 1 { RADIX } else { 1 };
        each(words, 0, grain * BLOCK, &|data, at| {
            for (number, data) in (at / BLOCK..).zip(data.chunks_exact_mut(BLOCK)) {
                let then = match other {
                    _ if !product => Then::Keep,
                    Some(other) => Then::Multiply(&other[number * BLOCK..][..BLOCK]),
                    None => Then::Square,
                };
                self.dispatch_block(data, number, then);
            }
        });
    }

    fn dispatch_block(&self, data: &mut [u64], number: usize, then: Then<'_>) {
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

/// Does something to all columns, in so many parts, a power of two, on the threads of the pool it runs in.
fn columns(
    rows: Columns<'_>,
    first: usize,
    parts: usize,
    work: &(impl Fn(Columns<'_>, usize) + Sync),
) {
    let half = rows[0].len() / 2;
    // The vectors of a part are whole.
    if parts <= 1 || half < 8 {
        return work(rows, first);
    }
    let mut low: Columns<'_> = Default::default();
    let mut high: Columns<'_> = Default::default();
    for ((row, low), high) in rows.into_iter().zip(&mut low).zip(&mut high) {
        (*low, *high) = row.split_at_mut(half);
    }
    rayon::join(
        || columns(low, first, parts / 2, work),
        || columns(high, first + half, parts / 2, work),
    );
}

/// Does something to pieces of a slice, halved until they have `grain` elements at most.
fn each(data: &mut [u64], at: usize, grain: usize, work: &(impl Fn(&mut [u64], usize) + Sync)) {
    if data.len() <= grain {
        return work(data, at);
    }
    let half = data.len() / 2;
    let (low, high) = data.split_at_mut(half);
    rayon::join(
        || each(low, at, grain, work),
        || each(high, at + half, grain, work),
    );
}

/// Resolves the carries of the sums that the last stage left, read from the end.
fn limbs(out: &mut [u64], sums: &[u64], parts: usize) {
    // Digits of a part, eight of which are three limbs.
    let digits = POINTS / parts;
    let pieces = out.chunks_mut(digits / 8 * 3);
    let mut carries = vec![0; pieces.len()];
    let work = |(at, (out, carry)): (usize, (&mut [u64], &mut u128))| {
        let eights = (at * digits..POINTS).step_by(8);
        *carry = carry::resolve(out, eights.map(|n| backwards(sums, n)), 0);
    };
    let pieces = pieces.zip(&mut carries).enumerate();
    if parts == 1 {
        pieces.for_each(work);
    } else {
        rayon::scope(|scope| pieces.for_each(|piece| scope.spawn(move |_| work(piece))));
    }
    for (number, carry) in carries.into_iter().enumerate() {
        let next = (number + 1) * (digits / 8 * 3);
        if let Some(rest) = out.get_mut(next..) {
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
