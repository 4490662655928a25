//! From a sum of bits to selectors of its functions: the steps of [the module](super).

use super::gadgets::{MASK, weight};
use super::glwe::Glwe;
use super::key::{LeveledKey, LeveledWork, check};
use super::ring_switch::ProductWork;
use super::selector::Selector;
use crate::column_rotation;
use crate::duet::Duet;
use crate::error::TfheError;
use crate::lookup::{half_scale_sum, weighted_sum};
use crate::server_key::ServerKey;
use crate::{Lookup, LweCiphertext, TruthTable};

/// Levels of a selector.
pub(crate) const LEVELS: usize = MASK.levels() as usize;

/// The weight of each level.
fn weights() -> [u64; LEVELS] {
    std::array::from_fn(|level| weight(MASK, level as u32 + 1))
}

/// The heights of the staircase's flats.
fn heights() -> [u64; LEVELS] {
    let mut height = (weights().iter().sum::<u64>() / 2).wrapping_neg();
    weights().map(|weight| {
        let flat = height;
        height = height.wrapping_add(weight);
        flat
    })
}

impl LeveledKey {
    /// Selectors of functions of sums: output `[i][j]` is table j of lookup i.
    ///
    /// **Each sum must lie in 0..4**, of which tables the first four entries are read: the staircase
    /// has sixteen windows, as a lookup, of which each value takes four. Nothing here can check that.
    /// Running time depends on the number of sums, terms and tables, and on how many steps each table
    /// has.
    ///
    /// # Errors
    /// As [`ServerKey::lookup_many`], and [`TfheError::WrongKey`], [`TfheError::WrongParameters`] or
    /// [`TfheError::WrongProcessor`] if the first part of the server's key is another's; nothing is
    /// computed then.
    pub fn selectors(
        &self,
        server: &ServerKey,
        work: &mut LeveledWork,
        sums: &[Lookup<'_>],
    ) -> Result<Vec<Vec<Selector>>, TfheError> {
        let terms = sums.iter().flat_map(|sum| sum.terms);
        for (bit, _) in terms.clone() {
            bit.check_whole(&self.parameters, self.key_id)?;
        }
        self.check(server, work, terms.map(|&(bit, _)| bit))?;
        let staircase = staircase(self.rows.size);
        let mut selectors = Vec::with_capacity(sums.len());
        for sums in sums.chunks(work.scratch.batch()) {
            let rotated = self.rotate(server, work, &staircase, sums, |sum, room| {
                weighted_sum(sum, room);
            });
            for (accumulator, sum) in rotated.into_iter().zip(sums) {
                let thermometers = self.thermometers(accumulator, &mut work.product);
                let made = sum.tables.iter().map(|table| {
                    let levels = self.levels(&thermometers, *table, &mut work.product);
                    self.selector(&levels, &mut work.product)
                });
                selectors.push(made.collect());
            }
        }
        Ok(selectors)
    }

    /// The selector of whether an odd number of bits, of either scale, is 1, for each group of bits. A bit that is given
    /// twice counts twice.
    ///
    /// # Errors
    /// As [`LeveledKey::selectors`].
    ///
    /// ```
    /// # use random::Generator;
    /// # use blindcore_tfhe::leveled::{LeveledKey, SeededLeveledKey};
    /// # use blindcore_tfhe::{SecretKey, SeededServerKey, ServerKey, TOY_BLOCK};
    /// # let mut generator = Generator::from_key([1; 32]);
    /// # let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// # let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// # let server = ServerKey::expand(&seeded, 1, &|_, _| {})?;
    /// # let second = SeededLeveledKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// let leveled = LeveledKey::expand(&second, &server, 1, &|_, _| {})?;
    /// let bits = secret.encrypt(&[true; 33], &mut generator).unpack();
    /// let bits: Vec<_> = bits.iter().collect();
    /// let odd = leveled.parity_selectors(&server, &mut leveled.work(&server, 1), &[&bits])?.remove(0);
    /// assert_eq!(secret.decrypt(&odd.bit())?, true);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn parity_selectors(
        &self,
        server: &ServerKey,
        work: &mut LeveledWork,
        groups: &[&[&LweCiphertext]],
    ) -> Result<Vec<Selector>, TfheError> {
        self.check(server, work, groups.iter().copied().flatten().copied())?;
        // Half of each weight below 0; where the parity is 1 the sum is half the torus, and X^N = −1
        // turns that into half of it above.
        let flats = flats(
            self.rows.size,
            weights().map(|weight| (weight / 2).wrapping_neg()),
        );
        let middle = 2 * self.rows.size - self.rows.size / 8;
        let mut selectors = Vec::with_capacity(groups.len());
        for groups in groups.chunks(work.scratch.batch()) {
            let rotated = self.rotate(server, work, &flats, groups, |bits, room| {
                half_scale_sum(bits, room);
            });
            for accumulator in rotated {
                let mut x = accumulator.rotated(middle);
                x.divide_by_degree();
                self.trace(&mut x, 1..self.rows.steps - 1, &mut work.product);
                let less = weights().map(|weight| (weight / 2).wrapping_neg());
                let levels = self.split(&x, less, &mut work.product);
                selectors.push(self.selector(&levels, &mut work.product));
            }
        }
        Ok(selectors)
    }

    /// [`ServerKey::accompany`] for a thread that makes selectors, too.
    ///
    /// # Errors
    /// Those of strange buffers, or another key; the other thread goes on alone.
    pub fn accompany(
        &self,
        server: &ServerKey,
        work: &mut LeveledWork,
        duet: &Duet,
    ) -> Result<(), TfheError> {
        let checked = self.check(server, work, std::iter::empty());
        checked.inspect_err(|_| duet.end())?;
        duet.accompany(|side, mut called| {
            if !called.is_leveled {
                return server.accompany_lookup(&mut work.scratch, side, called);
            }
            let mask = &mut called.polynomial;
            let mut body = vec![0; mask.len()];
            let own = (column_rotation::MASK, &called.switched[..]);
            let polynomials = [&mut mask[..], &mut body];
            (self.rotation).rotate_column(
                &server.bootstrap,
                side,
                own,
                polynomials,
                &mut work.rotation,
            )
        });
        Ok(())
    }

    fn check<'a>(
        &self,
        server: &ServerKey,
        work: &LeveledWork,
        mut bits: impl Iterator<Item = &'a LweCiphertext>,
    ) -> Result<(), TfheError> {
        check(server, &self.parameters, self.key_id)?;
        self.check_processor("first part of the server key", server.fft())?;
        self.check_work(work)?;
        server.check_scratch(&work.scratch)?;
        bits.try_for_each(|bit| bit.check(&self.parameters, self.key_id))
    }

    /// Rotates a test polynomial by each of at most `work`'s batch of sums.
    pub(crate) fn rotate<T>(
        &self,
        server: &ServerKey,
        work: &mut LeveledWork,
        test: &Glwe,
        sums: &[T],
        mut add_up: impl FnMut(&T, &mut [u64]),
    ) -> Vec<Glwe> {
        let words = work.scratch.small.len();
        for (index, sum) in sums.iter().enumerate() {
            add_up(sum, &mut work.scratch.sum);
            server.switch_sum(&mut work.scratch, index);
        }
        let switched = work.scratch.switched.chunks(words).take(sums.len());
        let switched: Vec<&[u16]> = switched.collect();
        let mut accumulators = vec![test.clone(); sums.len()];
        let lookups = &server.bootstrap;
        if let (Some(duet), [alone], [accumulator]) = (
            work.scratch.partner.duet(),
            &switched[..],
            &mut accumulators[..],
        ) && self.rotation.works_by_columns(lookups)
        {
            let work = &mut work.rotation;
            let rotated = (self.rotation).rotate_with(lookups, duet, alone, accumulator, work);
            if rotated.is_ok() {
                return accumulators;
            }
            *accumulator = test.clone();
        }
        self.rotation
            .rotate(lookups, &switched, &mut accumulators, &mut work.rotation);
        accumulators
    }

    /// x ← x + σ(x) for some steps: of the coefficients at multiples of 2^(first − 1) those at multiples
    /// of 2^last are left, times 2 for each step.
    fn trace(&self, x: &mut Glwe, steps: std::ops::Range<usize>, work: &mut ProductWork) {
        for step in steps {
            let moved = self.automorphism(x, step, work);
            x.add(&moved);
        }
    }

    /// Step 2: what is left of a rotated staircase.
    pub(crate) fn thermometers(&self, mut accumulator: Glwe, work: &mut ProductWork) -> Glwe {
        accumulator.divide_by_degree();
        self.trace(&mut accumulator, 1..self.rows.steps - 3, work);
        accumulator
    }

    /// Step 3: the levels of a function's selector.
    pub(crate) fn levels(
        &self,
        thermometers: &Glwe,
        table: TruthTable,
        work: &mut ProductWork,
    ) -> [Glwe; LEVELS] {
        let size = self.rows.size;
        let value = |t: u32| i64::from(table.at(t));
        let mut combined = Glwe::zero(size);
        for w in 1..4 {
            let step = value(w) - value(w - 1);
            if step != 0 {
                let place = size / 4 - w as usize * size / 16;
                combined.add_rotated(thermometers, 2 * size - place, step);
            }
        }
        self.trace(
            &mut combined,
            self.rows.steps - 3..self.rows.steps - 1,
            work,
        );
        // Σ of the steps.
        let steps = (value(3) - value(0)) as u64;
        let weights = weights();
        let mut level = 0;
        let less = heights().map(|height| {
            let less = height.wrapping_mul(steps);
            level += 1;
            less.wrapping_sub(weights[level - 1].wrapping_mul(value(0) as u64))
        });
        self.split(&combined, less, work)
    }

    /// Four ciphertexts of the coefficients at multiples of N/4, each as its constant coefficient, less
    /// a number; all other coefficients are 0.
    fn split(&self, x: &Glwe, less: [u64; LEVELS], work: &mut ProductWork) -> [Glwe; LEVELS] {
        let (size, steps) = (self.rows.size, self.rows.steps);
        let mut halves = |x: &Glwe, step: usize, place: usize| {
            let moved = self.automorphism(x, step, work);
            let (mut sum, mut difference) = (x.clone(), x.clone());
            sum.add(&moved);
            difference.subtract(&moved);
            [sum, difference.rotated(2 * size - place)]
        };
        let [even, odd] = halves(x, steps - 1, size / 4);
        let [zeroth, second] = halves(&even, steps, size / 2);
        let [first, third] = halves(&odd, steps, size / 2);
        let mut levels = [zeroth, first, second, third];
        for (level, less) in levels.iter_mut().zip(less) {
            let constant = &mut level.body_mut()[0];
            *constant = constant.wrapping_sub(less);
        }
        levels
    }
}

/// A known polynomial of four flats.
fn flats(size: usize, heights: [u64; LEVELS]) -> Glwe {
    let body: Vec<u64> = heights
        .iter()
        .flat_map(|&height| vec![height; size / LEVELS])
        .collect();
    Glwe::of(&vec![0; size], &body)
}

/// The test polynomial whose flats are by a weight higher than the one before, all the way round.
pub(crate) fn staircase(size: usize) -> Glwe {
    flats(size, heights())
}
