//! Exchanging the primes of a modulus: modulus switching, and the division that ends key switching.
//!
//! An element c modulo Q is taken to c·A/D modulo Q·A/D, D being the product of the primes that are
//! dropped and A of those that are added, rounded so that the plaintext stays: δ ≡ c·A modulo D and
//! δ ≡ 0 modulo 2 is subtracted before the division. Since all primes are odd, decryption modulo 2
//! sees no difference, and the rounding error δ/D is uniform in an interval of length 2, from −3/2
//! to 1/2. (Its mean is half of the number 1, up to its sign: one unit of a coordinate's noise
//! among √φ.)
//!
//! Write δ = Σ y_d·(D/d) − k·D over the dropped primes d, with y_d = c·A·(D/d)⁻¹ mod d. The right k
//! makes δ short and even: the integer w nearest to Σ y_d/d, and one more if the parity of Σ y_d +
//! w is odd. Then
//!
//! −δ/D = k − Σ y_d/d  modulo every prime that stays,
//!
//! so nothing but a linear combination of the y_d is transformed: one inverse transform for each
//! dropped prime, one forward transform for each prime of the result.

use transforms::cyclotomic::{even_wraps, wraps};

use crate::ciphertext::Row;
use crate::residue;
use crate::residue::{inverse, multiply, negate, product};
use crate::ring::Ring;
use work::Threads;

/// Which primes go, stay and come.
pub(crate) struct Exchange<'a> {
    ring: &'a Ring,
    dropped: Vec<usize>,
    added: Vec<usize>,
    to: Vec<usize>,
}

impl<'a> Exchange<'a> {
    pub(crate) fn new(ring: &'a Ring, from: &[usize], to: &[usize]) -> Self {
        let without = |these: &[usize], those: &[usize]| -> Vec<usize> {
            let kept = these.iter().filter(|number| !those.contains(number));
            kept.copied().collect()
        };
        Self {
            ring,
            dropped: without(from, to),
            added: without(to, from),
            to: to.to_vec(),
        }
    }

    fn prime(&self, number: usize) -> u64 {
        self.ring.plan(number).modulus()
    }

    pub(crate) fn dropped(&self) -> &[usize] {
        &self.dropped
    }

    pub(crate) fn to(&self) -> &[usize] {
        &self.to
    }

    /// From a dropped prime's residues of c, in evaluated form, to y_d, coefficients.
    pub(crate) fn take_out(&self, number: usize, row: &mut [u64]) {
        let d = self.prime(number);
        let others = self.dropped.iter().filter(|&&other| other != number);
        let cofactor = product(others.map(|&other| self.prime(other)), d);
        let added = product(self.added.iter().map(|&other| self.prime(other)), d);
        let plan = self.ring.plan(number);
        plan.scale(row, multiply(added, inverse(cofactor, d), d));
        plan.interpolate(row);
    }

    /// k, from all y_d.
    pub(crate) fn multiples(&self, taken: &[Vec<u64>]) -> Vec<u64> {
        let moduli: Vec<u64> = self.dropped.iter().map(|&d| self.prime(d)).collect();
        let sources: Vec<&[u64]> = taken.iter().map(Vec::as_slice).collect();
        let mut multiples = self.ring.zero();
        even_wraps(&mut multiples, &sources, &moduli);
        multiples
    }

    /// The result modulo one of its primes, from c modulo that prime if c has it.
    pub(crate) fn put_in(
        &self,
        number: usize,
        taken: &[Vec<u64>],
        multiples: &[u64],
        here: Option<&[u64]>,
    ) -> Vec<u64> {
        let plan = self.ring.plan(number);
        let t = plan.modulus();
        let mut sources: Vec<&[u64]> = taken.iter().map(Vec::as_slice).collect();
        sources.push(multiples);
        let dropped = self.dropped.iter();
        let mut weights: Vec<u64> = dropped
            .map(|&d| negate(inverse(self.prime(d) % t, t), t))
            .collect();
        weights.push(1);
        let mut row = self.ring.zero();
        plan.combine(&mut row, &sources, &weights);
        plan.evaluate(&mut row);
        if let Some(here) = here {
            let added = product(self.added.iter().map(|&a| self.prime(a)), t);
            let dropped = product(self.dropped.iter().map(|&d| self.prime(d)), t);
            plan.scale_add(&mut row, here, multiply(added, inverse(dropped, t), t));
        }
        row
    }

    /// All of it, for elements whose rows are those of `from`; results as `finish` leaves those of
    /// each prime.
    pub(crate) fn apply<R: Row, T: Send>(
        &self,
        from: &[usize],
        parts: &[Vec<R>],
        threads: &Threads,
        finish: impl Fn(usize, Vec<u64>) -> T + Sync + Send,
    ) -> Vec<Vec<T>> {
        let row_of = |part: usize, number: usize| {
            let place = from.iter().position(|&other| other == number)?;
            Some(parts[part][place].residues())
        };
        let jobs = pairs(parts.len(), &self.dropped);
        let taken = threads.map(jobs, |(part, number)| {
            let mut row = row_of(part, number).unwrap_or_default().into_owned();
            self.take_out(number, &mut row);
            row
        });
        let taken = split(taken, self.dropped.len());
        let multiples: Vec<Vec<u64>> = taken.iter().map(|rows| self.multiples(rows)).collect();
        let rows = threads.map(pairs(parts.len(), &self.to), |(part, number)| {
            let here = row_of(part, number);
            let row = self.put_in(number, &taken[part], &multiples[part], here.as_deref());
            finish(number, row)
        });
        split(rows, self.to.len())
    }
}

/// Every part with every number, by parts.
pub(crate) fn pairs(parts: usize, numbers: &[usize]) -> Vec<(usize, usize)> {
    (0..parts)
        .flat_map(|part| numbers.iter().map(move |&number| (part, number)))
        .collect()
}

/// Rows in the order of [`pairs`] by their parts.
pub(crate) fn split<T>(rows: Vec<T>, length: usize) -> Vec<Vec<T>> {
    let mut rows = rows.into_iter();
    let mut parts = Vec::new();
    loop {
        let part: Vec<T> = rows.by_ref().take(length).collect();
        if part.is_empty() {
            return parts;
        }
        parts.push(part);
    }
}

/// Digits of an element: lifting its residues modulo the primes of one digit to other primes.
pub(crate) struct Lift<'a> {
    ring: &'a Ring,
    primes: Vec<u64>,
    numbers: Vec<usize>,
}

impl<'a> Lift<'a> {
    pub(crate) fn new(ring: &'a Ring, digit: &[usize], present: &[usize]) -> Self {
        let numbers: Vec<usize> = digit
            .iter()
            .copied()
            .filter(|number| present.contains(number))
            .collect();
        Self {
            primes: numbers
                .iter()
                .map(|&number| ring.plan(number).modulus())
                .collect(),
            numbers,
            ring,
        }
    }

    /// The digit's primes that the element has.
    pub(crate) fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    /// From residues in evaluated form to coefficients y_g = c·(G/g)⁻¹ mod g.
    pub(crate) fn take_out(&self, number: usize, row: &mut [u64]) {
        let plan = self.ring.plan(number);
        let g = plan.modulus();
        let others = self.primes.iter().filter(|&&other| other != g);
        let cofactor = product(others.copied(), g);
        if cofactor != 1 {
            plan.scale(row, inverse(cofactor, g));
        }
        plan.interpolate(row);
    }

    /// How often Σ y_g·(G/g) wraps around G.
    pub(crate) fn multiples(&self, taken: &[&[u64]]) -> Vec<u64> {
        let mut multiples = self.ring.zero();
        wraps(&mut multiples, taken, &self.primes);
        multiples
    }

    /// The digit modulo another prime, in evaluated form.
    pub(crate) fn put_in(
        &self,
        number: usize,
        taken: &[&[u64]],
        multiples: &[u64],
        row: &mut [u64],
    ) {
        let plan = self.ring.plan(number);
        let t = plan.modulus();
        let mut sources = taken.to_vec();
        sources.push(multiples);
        let all = product(self.primes.iter().copied(), t);
        let mut weights: Vec<u64> = self
            .primes
            .iter()
            .map(|&g| residue::multiply(all, inverse(g % t, t), t))
            .collect();
        weights.push(negate(all, t));
        plan.combine(row, &sources, &weights);
        plan.evaluate(row);
    }
}
