//! Powers of the root r, kept to evaluate sparse polynomials at r.
//!
//! A fresh encryption is the value at r of a polynomial with some 16 coefficients ±1 among n.
//! With *baby* powers r^0 … r^(K−1) as plain residues and *giant* powers r^K, r^2K, … as
//! transforms, it is
//!
//! Σ_g r^(gK) · (Σ ± r^j): additions, one product for each of the n/K − 1 giants, all of them added
//! in the transform domain, and one inverse and one reduction.
//!
//! This takes the place of Gentry and Halevi's recursive evaluation of many polynomials at once
//! (their §4): K + n/K products once, then n/K − 1 transforms for each bit. A larger K takes
//! memory, K·N limbs, and saves time on both counts as soon as there are many bits; at dimension
//! 2048, K = 512 is 50 MB and leaves three products.
//!
//! The powers are made by doubling: from r^0 … r^(h−1) and r^h come the next h, independently.

use std::num::NonZeroUsize;

use bignum::{Kept, Modulus, Operand, Options};

use crate::stage::Stage;
use crate::{Error, Parameters, limbs};
use work::Counter;
use work::Threads;

/// Products that are summed before a reduction at most.
const LARGEST_SUM: usize = 16;

/// Powers of r for one key.
pub(crate) struct Powers {
    modulus: Modulus,
    part: usize,
    /// r^0 … r^(K−1), one after the other.
    babies: Vec<u64>,
    /// r^K, r^2K, …, r^(n−K).
    giants: Vec<Kept>,
}

/// What powers are made of.
#[derive(Clone, Copy)]
pub(crate) struct Root<'a> {
    pub(crate) parameters: &'a Parameters,
    /// d.
    pub(crate) modulus: &'a [u64],
    /// r, as long.
    pub(crate) root: &'a [u64],
}

/// Twentieths of a modular product that a transform and its share of a sum take.
const COST_TRANSFORM: usize = 4;
/// Twentieths of a modular product that the inverse transform and the reduction take.
const COST_REDUCTION: usize = 16;

impl Root<'_> {
    /// K: the largest power of two whose babies fit `memory` bytes, at least √n and at most n.
    pub(crate) fn babies_within(&self, memory: usize) -> usize {
        let n = self.parameters.dimension();
        let least = 1 << self.parameters.log_dimension().div_ceil(2);
        let fitting = (memory / (8 * self.modulus.len())).max(1);
        (1_usize << fitting.ilog2()).clamp(least, n)
    }

    /// The K within `memory` bytes by which `encryptions` encryptions, table included, take least
    /// time.
    pub(crate) fn babies_for(&self, encryptions: usize, memory: usize) -> usize {
        let n = self.parameters.dimension();
        let cost = |babies: &usize| {
            let giants = n / babies;
            let each = (giants - 1) * COST_TRANSFORM + usize::from(giants > 1) * COST_REDUCTION;
            20 * (babies + giants) + encryptions * each
        };
        let most = self.babies_within(memory);
        let choices = (0..=most.ilog2()).map(|log| 1_usize << log);
        choices.min_by_key(cost).unwrap_or(most)
    }
}

impl Powers {
    /// Computes them: n/K + K products. `counter` is told of K − 1 steps.
    pub(crate) fn new(
        key: Root<'_>,
        babies: usize,
        threads: &Threads,
        counter: Option<&Counter<'_, Stage>>,
    ) -> Result<Self, Error> {
        let part = key.modulus.len();
        let giants = key.parameters.dimension() / babies;
        let options = Options {
            sums: (giants - 1).clamp(1, LARGEST_SUM),
            threads: NonZeroUsize::MIN,
            ..Options::default()
        };
        let modulus = Modulus::new(key.modulus, options)?;
        let tell = || counter.map_or(Ok(()), Counter::step);
        let mut powers = vec![0; babies * part];
        powers[0] = 1;
        let mut done = 1;
        // r^done.
        let mut next = key.root.to_vec();
        let mut square = vec![0; part];
        while done < babies {
            let (from, into) = powers.split_at_mut(done * part);
            let step = modulus.keep(&next)?;
            let jobs = from
                .chunks_exact(part)
                .zip(into.chunks_exact_mut(part))
                .collect();
            threads.try_each(jobs, |(from, into)| {
                modulus.multiply_kept(into, &step, from)?;
                Ok::<_, Error>(tell()?)
            })?;
            modulus.square(&mut square, &next)?;
            std::mem::swap(&mut next, &mut square);
            done *= 2;
        }
        let mut kept = Vec::with_capacity(giants.saturating_sub(1));
        if giants > 1 {
            kept.push(modulus.keep(&next)?);
            for _ in 2..giants {
                modulus.multiply_kept(&mut square, &kept[0], &next)?;
                kept.push(modulus.keep(&square)?);
                std::mem::swap(&mut next, &mut square);
            }
        }
        Ok(Self {
            modulus,
            part,
            babies: powers,
            giants: kept,
        })
    }

    /// `b + 2·u(r) mod d` for a bit b and a polynomial u of coefficients −1, 0, 1. Which powers are
    /// read depends on u.
    pub(crate) fn encryption(&self, bit: bool, noise: &[i8]) -> Result<Vec<u64>, Error> {
        let d = self.modulus.modulus();
        let babies = self.babies.len() / self.part;
        let mut sums = noise.chunks(babies).map(|chunk| {
            let mut sum = vec![0; self.part];
            let mut empty = true;
            for (power, &coefficient) in self.babies.chunks_exact(self.part).zip(chunk) {
                match coefficient {
                    0 => continue,
                    1.. => limbs::add_modulo(&mut sum, power, d),
                    _ => limbs::subtract_modulo(&mut sum, power, d),
                }
                empty = false;
            }
            (!empty).then_some(sum)
        });
        let mut value = sums.next().flatten().unwrap_or_else(|| vec![0; self.part]);
        let sums: Vec<_> = sums.collect();
        let pairs: Vec<(Operand<'_>, Operand<'_>)> = self
            .giants
            .iter()
            .zip(&sums)
            .filter_map(|(giant, sum)| sum.as_ref().map(|sum| (giant.into(), sum.into())))
            .collect();
        let mut product = vec![0; self.part];
        for pairs in pairs.chunks(LARGEST_SUM) {
            self.modulus.sum_of_products(&mut product, pairs)?;
            limbs::add_modulo(&mut value, &product, d);
        }
        limbs::double_modulo(&mut value, d);
        limbs::add_bit_modulo(&mut value, bit, d);
        Ok(value)
    }
}
