//! Computing on ciphertexts.

use std::num::NonZeroUsize;
use std::sync::Arc;

use transforms::cyclotomic::{Plan, rotate};

use crate::ciphertext::{Row, Rows};
use crate::division::{Exchange, pairs, split};
use crate::noise::{Traced, message_variance, policy};
use crate::public_key::plaintext_row;
use crate::ring::Ring;
use crate::{Ciphertext, Error, EvaluationKey, KeyId, Level, Parameters, Plaintext};
use work::Threads;

/// Evaluates sums, products and rotations under a key.
///
/// Operands may be at different levels: the higher one is switched down. Every result is checked by
/// the estimate of its noise, and refused where decryption would not be right any more. Nothing
/// here knows a secret, and running time depends on levels only.
pub struct Evaluator {
    key: Arc<EvaluationKey>,
    threads: Threads,
}

impl Evaluator {
    /// Computes on `threads` threads: residues of one operation are spread over them.
    ///
    /// # Errors
    /// [`Error::NoThreads`].
    pub fn new(key: &Arc<EvaluationKey>, threads: NonZeroUsize) -> Result<Self, Error> {
        Ok(Self {
            key: Arc::clone(key),
            threads: Threads::new(threads)?,
        })
    }

    /// The tables it computes with.
    #[must_use]
    pub fn ring(&self) -> &Arc<Ring> {
        self.key.ring()
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        self.key.ring().parameters()
    }

    /// The key pair whose ciphertexts it takes.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key.key_id()
    }

    /// A ciphertext of a bit in every slot that everybody can read: no noise, no secret.
    #[must_use]
    pub fn constant(&self, bit: bool) -> Ciphertext {
        self.constant_at(bit, self.parameters().top())
    }

    /// The same at a level (the nearest one that there is).
    #[must_use]
    pub fn constant_at(&self, bit: bool, level: Level) -> Ciphertext {
        let level = level.clamp(Level::LEAST, self.parameters().top());
        let chosen = self.parameters().primes_of(level);
        let part = |word: u64| {
            let row = vec![word; self.ring().degree()];
            let numbers = chosen.iter();
            numbers
                .map(|&number| self.ring().plan(number).pack(&row))
                .collect()
        };
        let parts = vec![part(bit.into()), part(0)];
        Ciphertext::new(self.key_id(), level, Traced::constant(bit), parts)
    }

    /// The complement of every slot.
    ///
    /// # Errors
    /// [`Error::ForeignKey`].
    pub fn not(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.own(a)?;
        let mut result = a.clone();
        let chosen = self.parameters().primes_of(a.level());
        for (packed, number) in result.packed_mut()[0].iter_mut().zip(chosen) {
            let plan = self.ring().plan(number);
            let mut row = packed.unpack();
            plan.add_constant(&mut row, 1);
            *packed = plan.pack(&row);
        }
        result.set_noise(a.traced().not());
        Ok(result)
    }

    /// The sum of every slot modulo 2. Operands may have three parts.
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::NoiseExhausted`].
    pub fn xor(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        let level = a.level().min(b.level());
        let (a, b) = (self.switched(a, level)?, self.switched(b, level)?);
        let (longer, shorter) = if a.part_count() >= b.part_count() {
            (a.packed(), b.packed())
        } else {
            (b.packed(), a.packed())
        };
        let chosen = self.parameters().primes_of(level);
        let jobs = pairs(longer.len(), &chosen);
        // Row by row, so that a copy is added to while it is in the cache.
        let rows = self.threads.map_light(jobs, |job, (part, _)| {
            let place = job % chosen.len();
            let mut row = longer[part][place].clone();
            if let Some(other) = shorter.get(part) {
                row.add(&other[place]);
            }
            row
        });
        let noise = a.traced().plus(b.traced());
        let parts = split(rows, chosen.len());
        self.bounded("a sum", Ciphertext::new(self.key_id(), level, noise, parts))
    }

    /// Adds to every slot modulo 2, in place where levels and parts allow it.
    ///
    /// # Errors
    /// Those of [`xor`](Self::xor); the sum is then unchanged.
    pub fn xor_assign(&self, sum: &mut Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        if sum.level() != b.level() || sum.part_count() < b.part_count() {
            *sum = self.xor(sum, b)?;
            return Ok(());
        }
        self.own(sum)?;
        self.own(b)?;
        let noise = sum.traced().plus(b.traced());
        self.within("a sum", &noise, sum.level())?;
        for (part, other) in sum.packed_mut().iter_mut().zip(b.packed()) {
            for (row, other) in part.iter_mut().zip(other) {
                row.add(other);
            }
        }
        sum.set_noise(noise);
        Ok(())
    }

    /// The sum of many, at the level of the lowest.
    ///
    /// # Errors
    /// Those of [`xor`](Self::xor); [`Error::WrongLength`] for none.
    pub fn xor_all(&self, operands: &[&Ciphertext]) -> Result<Ciphertext, Error> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(Error::WrongLength {
                what: "operands of a sum",
                expected: 1,
                found: 0,
            });
        };
        let mut sum = (*first).clone();
        for operand in rest {
            self.xor_assign(&mut sum, operand)?;
        }
        Ok(sum)
    }

    /// The product of every slot, relinearised, at the level that the noise estimate calls for.
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::NoiseExhausted`], [`Error::WrongParts`].
    pub fn and(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        let (level, noise, parts) = self.product(a, b, |_, row| row)?;
        let to = policy::after_product(self.parameters(), noise.noise(), level);
        let [kept @ .., switched] = &parts;
        self.relinearised(&noise, [level, to], kept, switched)
    }

    /// The sum of products: one relinearisation for all of them.
    ///
    /// # Errors
    /// Those of [`and`](Self::and); [`Error::WrongLength`] for none.
    pub fn sum_of_products(
        &self,
        pairs: &[(&Ciphertext, &Ciphertext)],
    ) -> Result<Ciphertext, Error> {
        let products: Result<Vec<Ciphertext>, Error> =
            pairs.iter().map(|(a, b)| self.multiply(a, b)).collect();
        let products = products?;
        let products: Vec<&Ciphertext> = products.iter().collect();
        self.relinearise(&self.xor_all(&products)?)
    }

    /// The product of every slot as a ciphertext of three parts, which can be added to others and
    /// is then to be [relinearised](Self::relinearise).
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::NoiseExhausted`], [`Error::WrongParts`].
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        let (level, noise, parts) = self.product(a, b, |plan, row| plan.pack(&row))?;
        Ok(Ciphertext::new(self.key_id(), level, noise, parts.into()))
    }

    /// The level of a product, its noise and its three parts, of rows as `finish` leaves them.
    fn product<T: Send>(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        finish: impl Fn(&Plan, Vec<u64>) -> T + Sync + Send,
    ) -> Result<(Level, Traced, [Vec<T>; 3]), Error> {
        for operand in [a, b] {
            self.own(operand)?;
            two_parts("a product", operand)?;
        }
        let parameters = self.parameters();
        let level = policy::before_product(
            parameters,
            [(&a.noise(), a.level()), (&b.noise(), b.level())],
        );
        let (a, b) = (self.switched(a, level)?, self.switched(b, level)?);
        let chosen = parameters.primes_of(level);
        let places: Vec<usize> = (0..chosen.len()).collect();
        let rows = self.threads.map(places, |place| {
            let plan = self.ring().plan(chosen[place]);
            let [a0, a1] = [0, 1].map(|part| a.packed()[part][place].unpack());
            let [b0, b1] = [0, 1].map(|part| b.packed()[part][place].unpack());
            let [a0, a1, b0, b1] = [&a0, &a1, &b0, &b1].map(Vec::as_slice);
            let mut rows = [self.ring().zero(), self.ring().zero(), self.ring().zero()];
            plan.sum_products(&mut rows[0], &[[a0, b0]]);
            plan.sum_products(&mut rows[1], &[[a0, b1], [a1, b0]]);
            plan.sum_products(&mut rows[2], &[[a1, b1]]);
            rows.map(|row| finish(plan, row))
        });
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        for row in rows {
            for (part, row) in parts.iter_mut().zip(row) {
                part.push(row);
            }
        }
        let noise = a.traced().times(b.traced());
        self.within("a product", &noise, level)?;
        Ok((level, noise, parts))
    }

    /// Two parts from three, and the switch of the modulus that the noise estimate calls for, in
    /// one division. A ciphertext of two parts is returned as it is.
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::NoiseExhausted`].
    pub fn relinearise(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        let level = policy::after_product(self.parameters(), &a.noise(), a.level());
        self.relinearise_to(a, level)
    }

    /// Two parts from three at a level that the caller chooses.
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::NoiseExhausted`], [`Error::LevelOutOfRange`] above the
    /// operand's level.
    pub fn relinearise_to(&self, a: &Ciphertext, level: Level) -> Result<Ciphertext, Error> {
        self.own(a)?;
        self.parameters().check_level(level, a.level())?;
        let [kept @ .., switched] = a.packed() else {
            return Ok(a.clone());
        };
        if kept.len() < 2 {
            return Ok(a.clone());
        }
        self.relinearised(a.traced(), [a.level(), level], kept, switched)
    }

    fn relinearised<R: Row>(
        &self,
        noise: &Traced,
        [from, to]: [Level; 2],
        kept: &[Vec<R>],
        switched: &[R],
    ) -> Result<Ciphertext, Error> {
        let noise = noise.key_switched(self.parameters(), from, to);
        let key = self.key.relinearisation_key();
        let parts = key.apply(self.ring(), &self.threads, from, to, kept, switched)?;
        let result = Ciphertext::new(self.key_id(), to, noise, parts);
        self.bounded("a relinearisation", result)
    }

    /// The same bits at a lower level.
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::LevelOutOfRange`] above the operand's level,
    /// [`Error::NoiseExhausted`].
    pub fn switch_to(&self, a: &Ciphertext, level: Level) -> Result<Ciphertext, Error> {
        Ok(self.switched(a, level)?.into_owned())
    }

    fn switched<'a>(
        &self,
        a: &'a Ciphertext,
        level: Level,
    ) -> Result<std::borrow::Cow<'a, Ciphertext>, Error> {
        self.own(a)?;
        if a.level() == level {
            return Ok(std::borrow::Cow::Borrowed(a));
        }
        let parameters = self.parameters();
        parameters.check_level(level, a.level())?;
        let from = parameters.primes_of(a.level());
        let to = parameters.primes_of(level);
        let exchange = Exchange::new(self.ring(), &from, &to);
        let pack = |number: usize, row: Vec<u64>| self.ring().plan(number).pack(&row);
        let parts = exchange.apply(&from, a.packed(), &self.threads, pack);
        let noise = a
            .traced()
            .switched(parameters, a.level(), level, parts.len());
        let result = Ciphertext::new(self.key_id(), level, noise, parts);
        Ok(std::borrow::Cow::Owned(
            self.bounded("a switch of the modulus", result)?,
        ))
    }

    /// The sum with a vector of bits that is not secret.
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::WrongLength`] if it was packed for another ring.
    pub fn xor_plain(&self, a: &Ciphertext, b: &Plaintext) -> Result<Ciphertext, Error> {
        self.own(a)?;
        let mut sum = a.clone();
        let chosen = self.parameters().primes_of(a.level());
        for (row, number) in sum.packed_mut()[0].iter_mut().zip(chosen) {
            let message = plaintext_row(self.ring(), b, number)?;
            row.add(&self.ring().plan(number).pack(&message));
        }
        sum.set_noise(a.traced().plus_message(self.parameters()));
        Ok(sum)
    }

    /// The product with a vector of bits that is not secret: a mask. It costs noise like half a
    /// product, and no relinearisation.
    ///
    /// Estimate and bound take the mask for random bits. One made to be long in a single coordinate
    /// of the canonical embedding exceeds the bound by up to three bits there; masks with a
    /// structure of their own (one slot, every second one) do not.
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::WrongLength`] if it was packed for another ring,
    /// [`Error::NoiseExhausted`].
    pub fn and_plain(&self, a: &Ciphertext, b: &Plaintext) -> Result<Ciphertext, Error> {
        self.own(a)?;
        let mut product = a.clone();
        let chosen = self.parameters().primes_of(a.level());
        for (place, &number) in chosen.iter().enumerate() {
            let mask = plaintext_row(self.ring(), b, number)?;
            let plan = self.ring().plan(number);
            for part in product.packed_mut() {
                let mut row = part[place].unpack();
                plan.multiply(&mut row, &mask);
                part[place] = plan.pack(&row);
            }
        }
        let variance = message_variance(self.parameters());
        product.set_noise(a.traced().times_known(variance, b.coefficients()));
        self.bounded("a product with a plaintext", product)
    }

    /// The automorphism ζ → ζ^exponent: slots permuted as
    /// [`Slots::permutation`](crate::Slots::permutation) says. The evaluation key must have it.
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::NotAnAutomorphism`], [`Error::MissingRotation`],
    /// [`Error::WrongParts`], [`Error::NoiseExhausted`].
    pub fn rotate(&self, a: &Ciphertext, exponent: u32) -> Result<Ciphertext, Error> {
        self.own(a)?;
        two_parts("a rotation", a)?;
        crate::evaluation_key::check_automorphism(self.parameters(), exponent)?;
        if exponent == 1 {
            return Ok(a.clone());
        }
        let missing = Error::MissingRotation { exponent };
        let key = self.key.rotation_key(exponent).ok_or(missing)?;
        let moved: Vec<Rows> = a
            .packed()
            .iter()
            .map(|part| {
                let rows = part.iter();
                rows.map(|row| {
                    let mut moved = self.ring().zero();
                    rotate(
                        self.parameters().index(),
                        exponent,
                        &row.unpack(),
                        &mut moved,
                    );
                    moved
                })
                .collect()
            })
            .collect();
        let level = policy::after_product(self.parameters(), &a.noise(), a.level());
        let noise = a.traced().rotated(exponent);
        let noise = noise.key_switched(self.parameters(), a.level(), level);
        let (threads, kept) = (&self.threads, &moved[..1]);
        let parts = key.apply(self.ring(), threads, a.level(), level, kept, &moved[1])?;
        let result = Ciphertext::new(self.key_id(), level, noise, parts);
        self.bounded("a rotation", result)
    }

    fn own(&self, a: &Ciphertext) -> Result<(), Error> {
        if a.key_id() == self.key_id() {
            // Key identities can be forged: what has another shape would be indexed beyond its end.
            self.parameters().check_shape(a.level(), a.packed())
        } else {
            Err(Error::ForeignKey {
                expected: self.key_id(),
                found: a.key_id(),
            })
        }
    }

    fn bounded(&self, operation: &'static str, a: Ciphertext) -> Result<Ciphertext, Error> {
        self.within(operation, a.traced(), a.level())?;
        Ok(a)
    }

    fn within(&self, operation: &'static str, noise: &Traced, level: Level) -> Result<(), Error> {
        let noise = noise.noise().log2_bound();
        let most = self.parameters().most_noise(level);
        // Not a number where variances overflowed.
        if noise <= most {
            Ok(())
        } else {
            Err(Error::NoiseExhausted {
                operation,
                noise,
                most,
                level,
            })
        }
    }
}

fn two_parts(operation: &'static str, a: &Ciphertext) -> Result<(), Error> {
    if a.part_count() == 2 {
        Ok(())
    } else {
        Err(Error::WrongParts {
            operation,
            expected: 2,
            found: a.part_count(),
        })
    }
}
