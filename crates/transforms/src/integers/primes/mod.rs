//! Exact products of large integers: number-theoretic transforms modulo three primes.
//!
//! **What.** A number's limbs of 64 bits are the coefficients of a polynomial; its transforms
//! modulo three primes of 48 bits (50 where sums are long) determine the coefficients of a product,
//! which are below `terms·2^128`. No conversion of digits, no rounding error: limbs in, limbs out.
//!
//! **Why three primes and whole limbs.** Two factors of 12,288 limbs have a product of 24,576 =
//! 3·2^13 points exactly. With more primes and longer digits, or fewer and shorter ones, the
//! transforms together are longer or no shorter, and digits have to be cut. Primes below `2^48`
//! leave four bits of the 52 that the vector multiplier takes, which is what makes reductions rare
//! (`butterfly`).
//!
//! **How.** `N` points are eight interleaved transforms, one for each lane of a register, so that
//! no pass but the first and the last moves data between lanes (`shape`, `forward`). Passes have
//! radix 16, 12 and 8; the inverse transform takes points in the order in which the forward one
//! leaves them. Coefficients are recovered by a form of the Chinese remainder theorem without
//! divisions and with few carries (`crt`).
//!
//! **Cost.** About 53 vector instructions for eight points of a transform, of which 24,576 points
//! have 3,072 times three primes times three transforms, and 60 for eight coefficients: 1.7
//! million, at two a cycle.
//!
//! **Sources.** Pollard, *The fast Fourier transform in a finite field* (1971), for three primes;
//! Harvey, *Faster arithmetic for number-theoretic transforms* (2014), for the lazy butterflies;
//! Bailey's four-step and van der Hoeven's and Schultz's descriptions of FLINT's `fft_small`
//! (2024), for what is fast in practice.
//!
//! **Threads.** Passes of all three primes are cut into columns and blocks for `rayon`'s common
//! pool, in the order of primes, so that each thread finds most of what it goes on with in its own
//! cache.
//!
//! Time depends on lengths, never on values, but for carries that run through a whole number.

// Loops over registers have constant bounds and index several arrays.
#![allow(clippy::needless_range_loop)]

#[allow(unsafe_code)]
pub(crate) mod arch;
mod bundle;
pub(crate) mod butterfly;
mod crt;
mod error;
pub(crate) mod field;
mod forward;
mod inverse;
mod passes;
mod product;
mod shape;
mod spectrum;
mod tables;
mod threads;

use crate::InstructionSet;
use arch::Machine;
use crt::Recover;
use field::{Field, Primes};
use passes::Factor;
use shape::Shape;
use std::num::NonZeroUsize;
use tables::{Ring, Tables};
use threads::together;

pub use bundle::{Bundle, Row};
pub use error::PrimesError;
pub use spectrum::Spectrum;

use spectrum::{Content, Key};

/// The most limbs of a product, and the most points of a transform.
pub const MOST_LIMBS: usize = shape::MOST_POINTS;

/// Transforms of one length: products, or products modulo `2^(64·n) + 1`.
///
/// A plan is immutable and holds tables of about a quarter of a spectrum's size; share it by `Arc`.
#[derive(Debug)]
pub struct Plan {
    shape: Shape,
    ring: Ring,
    machine: Machine,
    primes: Primes,
    tables: Box<[Tables; 3]>,
    recover: Recover,
    threads: NonZeroUsize,
}

impl Plan {
    /// The smallest transform that holds products of `limbs` limbs (the sum of both operands'
    /// lengths), up to `sums` of which are added before one inverse transform.
    ///
    /// # Errors
    /// [`PrimesError::UnsupportedLength`] unless `limbs` is from 1 to [`MOST_LIMBS`];
    /// [`PrimesError::TooManySums`] where a coefficient could exceed the primes' product;
    /// [`PrimesError::UnavailableSet`] if this machine lacks the instructions.
    pub fn new(
        limbs: usize,
        sums: usize,
        set: InstructionSet,
        threads: NonZeroUsize,
    ) -> Result<Self, PrimesError> {
        Self::build(limbs, sums, Ring::Cyclic, set, threads)
    }

    /// For products modulo `2^(64·n) + 1`, `n` being the smallest number of points that is at least
    /// `limbs` ([`Self::modulus_bits`]).
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn modulo(
        limbs: usize,
        sums: usize,
        set: InstructionSet,
        threads: NonZeroUsize,
    ) -> Result<Self, PrimesError> {
        Self::build(limbs, sums, Ring::Negacyclic, set, threads)
    }

    /// Points of the smallest transform for that number of limbs: the `n` of [`Self::modulo`].
    ///
    /// # Errors
    /// [`PrimesError::UnsupportedLength`] unless `limbs` is from 1 to [`MOST_LIMBS`].
    pub fn ring(limbs: usize) -> Result<usize, PrimesError> {
        Shape::covering(limbs).map(|shape| shape.points)
    }

    fn build(
        limbs: usize,
        sums: usize,
        ring: Ring,
        set: InstructionSet,
        threads: NonZeroUsize,
    ) -> Result<Self, PrimesError> {
        let shape = Shape::covering(limbs)?;
        let machine = Machine::new(set).ok_or(PrimesError::UnavailableSet { set })?;
        // As many products of limbs meet in a coefficient as the shorter operand has limbs. Every
        // product that the transform has room for counts, not only those asked for.
        let (signed, terms) = match ring {
            Ring::Cyclic => (false, shape.points / 2),
            Ring::Negacyclic => (true, shape.points),
        };
        let most = |primes: Primes| primes.capacity(signed) / terms as u64;
        let primes = [Primes::Narrow, Primes::Wide]
            .into_iter()
            .find(|&primes| sums as u64 <= most(primes))
            .ok_or(PrimesError::TooManySums {
                sums,
                limbs,
                most: most(Primes::Wide) as usize,
            })?;
        let tables = std::array::from_fn(|i| {
            let [p, q, r] = [0, 1, 2].map(|k| primes.moduli()[(i + k) % 3]);
            let field = Field::new(p);
            // What recovery wants multiplied, and the radix that products of spectra divide by.
            let cofactor = field.invert(field.multiply(q % p, r % p));
            let scale = field.multiply(cofactor, field.power_of_two(machine.radix().into()));
            let modulus = machine.modulus(primes, p);
            Tables::new(machine, &shape, ring, field, modulus, scale)
        });
        Ok(Self {
            recover: Recover::new(primes, ring),
            shape,
            ring,
            machine,
            primes,
            tables: Box::new(tables),
            threads,
        })
    }

    /// [`Self::new`] for sums as long as three primes can hold: [`Self::capacity`] says how long.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn for_long_sums(
        limbs: usize,
        set: InstructionSet,
        threads: NonZeroUsize,
    ) -> Result<Self, PrimesError> {
        let points = Shape::covering(limbs)?.points;
        let most = Primes::Wide.capacity(false) / (points / 2) as u64;
        Self::new(limbs, most as usize, set, threads)
    }

    /// Points of the transform: the most limbs that a product, or a residue below the modulus' top,
    /// can have.
    pub fn points(&self) -> usize {
        self.shape.points
    }

    /// The exponent of the modulus `2^bits + 1`; `None` where products are not reduced.
    pub fn modulus_bits(&self) -> Option<usize> {
        (self.ring == Ring::Negacyclic).then_some(64 * self.shape.points)
    }

    /// Products of limbs that may meet in one coefficient of a sum: a product of operands has as
    /// many as the shorter has limbs, and a modular one as many as the longer.
    pub fn capacity(&self) -> u64 {
        self.primes.capacity(self.ring == Ring::Negacyclic)
    }

    /// What the kernels are made for, as records name it: `scalar`, `avx2fma` or `avx512ifma`.
    pub fn kernels(&self) -> &'static str {
        self.machine.name()
    }

    /// Bits of the primes: spectra of plans with other primes do not fit.
    pub fn prime_bits(&self) -> u32 {
        match self.primes {
            Primes::Narrow => 48,
            Primes::Wide => 50,
        }
    }

    /// Runs an operation of many products on the threads of the plan, which then need not be woken
    /// for each of them. With one thread it just runs.
    pub fn within<T: Send>(&self, operation: impl FnOnce() -> T + Send) -> T {
        together(self.threads, operation)
    }

    /// Runs two operations, at the same time if the plan has threads.
    pub fn join<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.threads.get() == 1 {
            (first(), second())
        } else {
            crate::threads::join(first, second)
        }
    }

    /// An empty spectrum for this plan, three primes' words for each point.
    pub fn spectrum(&self) -> Spectrum {
        Spectrum::new(self.key(), 3 * self.shape.words())
    }

    /// The spectrum of a number.
    ///
    /// # Errors
    /// [`PrimesError::TooLong`] if it has more limbs than the transform points;
    /// [`PrimesError::ForeignSpectrum`] if the spectrum is another plan's.
    pub fn forward(&self, limbs: &[u64], into: &mut Spectrum) -> Result<(), PrimesError> {
        self.owns(into)?;
        self.check_operand(limbs)?;
        into.content = Content::Operand { limbs: limbs.len() };
        together(self.threads, || {
            self.forward_passes(limbs, into.words_mut())
        });
        Ok(())
    }

    /// `sum += a·b`; an empty spectrum counts as zero.
    ///
    /// # Errors
    /// [`PrimesError::TooLong`] if the product has more limbs than the transform points and is not
    /// modular; [`PrimesError::TooManyTerms`] if the sum could exceed the primes' product;
    /// [`PrimesError::WrongContent`] and [`PrimesError::ForeignSpectrum`] of spectra that do not
    /// fit.
    pub fn multiply_add(
        &self,
        sum: &mut Spectrum,
        a: &Spectrum,
        b: &Spectrum,
    ) -> Result<(), PrimesError> {
        for spectrum in [&*sum, a, b] {
            self.owns(spectrum)?;
        }
        let (a_limbs, b_limbs) = (a.operand()?, b.operand()?);
        let (before, terms) = sum.sum()?;
        let terms = self.check_product(a_limbs, b_limbs, terms)?;
        sum.content = Content::Sum { terms };
        together(self.threads, || {
            self.multiply_passes(sum.words_mut(), a.words(), b.words(), before);
        });
        Ok(())
    }

    /// The number whose spectrum a sum of products is; the spectrum is empty afterwards. Of a
    /// product, the lowest `out.len()` limbs; of a modular one the residue, from 0 to the modulus,
    /// in one limb more than points.
    ///
    /// # Errors
    /// [`PrimesError::OutputLength`] if a residue's output has another length;
    /// [`PrimesError::WrongContent`] and [`PrimesError::ForeignSpectrum`] of a spectrum that does
    /// not fit.
    pub fn inverse(&self, sum: &mut Spectrum, out: &mut [u64]) -> Result<(), PrimesError> {
        self.owns(sum)?;
        self.check_output(out)?;
        let (has_terms, _) = sum.sum()?;
        if !has_terms {
            out.fill(0);
            return Ok(());
        }
        sum.content = Content::Empty;
        together(self.threads, || {
            self.inverse_passes(sum.words_mut());
            self.assemble(sum.words(), out);
        });
        Ok(())
    }

    /// `out = a·b`, or its lowest limbs, or its residue, as [`Self::inverse`] has it: faster than
    /// by spectra that are kept, as each part of a transform is transformed, multiplied and
    /// transformed back while it is in a cache. The spectra are working memory, and empty
    /// afterwards.
    ///
    /// # Errors
    /// Those of [`Self::forward`], [`Self::multiply_add`] and [`Self::inverse`].
    pub fn multiply(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: &[u64],
        work: &mut [Spectrum; 2],
    ) -> Result<(), PrimesError> {
        let [first, second] = work;
        self.owns(second)?;
        self.check_operand(b)?;
        second.content = Content::Empty;
        self.product(
            out,
            a,
            b.len(),
            first,
            Factor::Number(b, second.words_mut()),
        )
    }

    /// [`Self::multiply`] by a number whose spectrum is kept.
    ///
    /// # Errors
    /// Those of [`Self::multiply`].
    pub fn multiply_kept(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: &Spectrum,
        work: &mut Spectrum,
    ) -> Result<(), PrimesError> {
        self.owns(b)?;
        self.product(out, a, b.operand()?, work, Factor::Kept(b.words()))
    }

    /// `out = a²`, as [`Self::multiply`] has it.
    ///
    /// # Errors
    /// Those of [`Self::multiply`].
    pub fn square(
        &self,
        out: &mut [u64],
        a: &[u64],
        work: &mut Spectrum,
    ) -> Result<(), PrimesError> {
        self.product(out, a, a.len(), work, Factor::Same)
    }

    /// The product with a second factor of that many limbs.
    fn product(
        &self,
        out: &mut [u64],
        a: &[u64],
        b_limbs: usize,
        work: &mut Spectrum,
        factor: Factor<'_>,
    ) -> Result<(), PrimesError> {
        self.owns(work)?;
        self.check_operand(a)?;
        self.check_output(out)?;
        self.check_product(a.len(), b_limbs, 0)?;
        work.content = Content::Empty;
        together(self.threads, || {
            self.product_passes(a, work.words_mut(), factor);
            self.assemble(work.words(), out);
        });
        Ok(())
    }

    fn assemble(&self, words: &[u64], out: &mut [u64]) {
        let length = self.shape.words();
        let data = [0, 1, 2].map(|i| &words[i * length..][..length]);
        match self.ring {
            Ring::Cyclic => {
                crt::assemble(
                    self.machine,
                    &self.recover,
                    &self.shape,
                    data,
                    out,
                    self.threads,
                );
            }
            Ring::Negacyclic => {
                crt::assemble_modular(
                    self.machine,
                    &self.recover,
                    &self.shape,
                    data,
                    out,
                    self.threads,
                );
            }
        }
    }

    fn check_operand(&self, limbs: &[u64]) -> Result<(), PrimesError> {
        if limbs.len() > self.shape.points {
            return Err(self.too_long(limbs.len()));
        }
        Ok(())
    }

    fn check_output(&self, out: &[u64]) -> Result<(), PrimesError> {
        let expected = self.shape.points + 1;
        if self.ring == Ring::Negacyclic && out.len() != expected {
            return Err(PrimesError::OutputLength {
                limbs: out.len(),
                expected,
            });
        }
        Ok(())
    }

    /// The terms of a sum with one product more.
    fn check_product(&self, a: usize, b: usize, before: u64) -> Result<u64, PrimesError> {
        if self.ring == Ring::Cyclic && a + b > self.shape.points {
            return Err(self.too_long(a + b));
        }
        let (terms, most) = (before + a.min(b) as u64, self.capacity());
        if terms > most {
            return Err(PrimesError::TooManyTerms { terms, most });
        }
        Ok(terms)
    }

    fn key(&self) -> Key {
        Key {
            points: self.shape.points,
            ring: self.ring,
            primes: self.primes,
            radix: self.machine.radix(),
        }
    }

    fn owns(&self, spectrum: &Spectrum) -> Result<(), PrimesError> {
        if spectrum.key == self.key() {
            Ok(())
        } else {
            Err(PrimesError::ForeignSpectrum)
        }
    }

    fn too_long(&self, limbs: usize) -> PrimesError {
        PrimesError::TooLong {
            limbs,
            room: self.shape.points,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
