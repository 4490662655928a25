//! The secret key: encryption and decryption.

use std::sync::Arc;

use random::{Generator, LockedBuffer, SecretBuffer, Seed};
use transforms::cyclotomic::wraps;
use zeroize::Zeroizing;

use crate::public_key::add_plaintext;
use crate::ring::Ring;
use crate::sampling::{error, residues};
use crate::seeded::check_number;
use crate::{Ciphertext, Error, KeyId, Parameters, Plaintext, SeededCiphertext};

/// A ternary polynomial s, uniform among those whose embedding is bounded. Zeroized when dropped,
/// never printed, in locked memory where the system allows it.
pub struct SecretKey {
    ring: Arc<Ring>,
    key_id: KeyId,
    coefficients: LockedBuffer<i8>,
    /// Modulo every prime, in evaluated form.
    rows: Vec<LockedBuffer<u64>>,
}

impl SecretKey {
    pub(super) fn new(ring: &Arc<Ring>, key_id: KeyId, coefficients: SecretBuffer<i8>) -> Self {
        let numbers = 0..ring.parameters().primes().len();
        let rows = numbers
            .map(|number| {
                let plan = ring.plan(number);
                let small = coefficients.expose().iter().map(|&c| i64::from(c));
                let mut row = residues(small, plan.modulus());
                plan.evaluate(&mut row);
                LockedBuffer::taking(row)
            })
            .collect();
        Self {
            ring: Arc::clone(ring),
            key_id,
            coefficients: LockedBuffer::of(coefficients.expose()),
            rows,
        }
    }

    /// Takes a key read from a file: coefficients −1, 0 and 1 in the order of the ring's basis.
    ///
    /// # Errors
    /// [`Error::WrongLength`], [`Error::NotReduced`] for another coefficient.
    pub fn from_parts(
        ring: &Arc<Ring>,
        key_id: KeyId,
        coefficients: SecretBuffer<i8>,
    ) -> Result<Self, Error> {
        let what = "coefficients of a secret key";
        let found = coefficients.expose().len();
        if found != ring.degree() {
            return Err(Error::WrongLength {
                what,
                expected: ring.degree(),
                found,
            });
        }
        // All are looked at, so that the time does not depend on where a wrong one is.
        let wrong = coefficients
            .expose()
            .iter()
            .fold(false, |wrong, c| wrong | !(-1..=1).contains(c));
        if wrong {
            return Err(Error::NotReduced { what });
        }
        Ok(Self::new(ring, key_id, coefficients))
    }

    /// The tables it computes with.
    #[must_use]
    pub fn ring(&self) -> &Arc<Ring> {
        &self.ring
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        self.ring.parameters()
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The coefficients, for a file: −1, 0 and 1.
    #[must_use]
    pub fn coefficients(&self) -> &[i8] {
        self.coefficients.expose()
    }

    /// s modulo a prime, in evaluated form.
    pub(super) fn row(&self, number: usize) -> &[u64] {
        self.rows[number].expose()
    }

    /// Encrypts bits, at most one a slot, the missing ones as 0, under a mask whose seed is drawn.
    /// Timing is that of [`encrypt_seeded`](Self::encrypt_seeded).
    ///
    /// # Errors
    /// [`Error::TooManyBits`].
    pub fn encrypt(&self, bits: &[bool], generator: &mut Generator) -> Result<Ciphertext, Error> {
        let seed = generator.seed();
        self.encrypt_seeded(bits, &seed, 0, generator)?
            .expand(&self.ring)
    }

    /// The same in half the size: the mask follows from a public seed and a number below 2^53. No
    /// pair of these may be used twice under a key: the difference of two ciphertexts of one mask
    /// is the plaintexts' and noise.
    ///
    /// Running time depends on the drawn errors by what the crate `random` says, not on the bits or
    /// the key.
    ///
    /// # Errors
    /// [`Error::TooManyBits`]; [`Error::WrongLength`] for a number of 2^53 or more.
    pub fn encrypt_seeded(
        &self,
        bits: &[bool],
        seed: &Seed,
        number: u64,
        generator: &mut Generator,
    ) -> Result<SeededCiphertext, Error> {
        check_number(number)?;
        let ring = &*self.ring;
        let plaintext = ring.slots().encode(bits)?;
        let chosen = self.parameters().primes_of(self.parameters().top());
        let error = error(generator, self.parameters().index());
        let rows = chosen.iter().enumerate().map(|(place, &prime)| {
            let plan = ring.plan(prime);
            let q = plan.modulus();
            let mask = SeededCiphertext::mask(seed, number, place, q, ring.degree());
            // −a·s + 2e.
            let mut row = residues(error.expose().iter().map(|&e| -2 * e), q);
            plan.evaluate(&mut row);
            plan.multiply_add(&mut row, &mask, self.row(prime));
            plan.negate(&mut row);
            row
        });
        let mut body = rows.collect();
        add_plaintext(ring, &plaintext, &chosen, &mut body)?;
        Ok(SeededCiphertext::new(self.key_id, *seed, number, body))
    }

    /// The bits of every slot.
    ///
    /// Running time depends on the ciphertext's level, not on the key or the bits.
    ///
    /// # Errors
    /// [`Error::ForeignKey`]; [`Error::WrongLength`], [`Error::LevelOutOfRange`] and
    /// [`Error::NotReduced`] for a ciphertext of other parameters; [`Error::NotBits`] if noise has
    /// overflowed, which is seen unless it happens to give coefficients that are constant on every
    /// class of exponents.
    pub fn decrypt(&self, a: &Ciphertext) -> Result<Vec<bool>, Error> {
        self.ring.slots().decode(&self.decrypt_plaintext(a)?)
    }

    /// The packed plaintext, whose slots need not be bits. Timing is that of
    /// [`decrypt`](Self::decrypt).
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::WrongLength`], [`Error::LevelOutOfRange`].
    pub fn decrypt_plaintext(&self, a: &Ciphertext) -> Result<Plaintext, Error> {
        // t = Σ y_q·(Q/q) − w·Q, all of whose factors are odd.
        let taken = self.numerators(a)?;
        let moduli: Vec<u64> = self
            .parameters()
            .primes_of(a.level())
            .into_iter()
            .map(|prime| self.parameters().primes()[prime])
            .collect();
        let sources: Vec<&[u64]> = taken.iter().map(Vec::as_slice).collect();
        let mut parities = Zeroizing::new(self.ring.zero());
        wraps(&mut parities, &sources, &moduli);
        for row in taken.iter() {
            for (parity, word) in parities.iter_mut().zip(row) {
                *parity ^= word;
            }
        }
        let coefficients = parities.iter().map(|parity| (parity & 1) as u8).collect();
        Ok(Plaintext::from_coefficients(coefficients))
    }

    /// y_q = t·(Q/q)⁻¹ mod q, coefficients.
    fn numerators(&self, a: &Ciphertext) -> Result<Zeroizing<Vec<Vec<u64>>>, Error> {
        let mut rows = self.phase(a)?;
        let chosen = self.parameters().primes_of(a.level());
        for (row, &prime) in rows.iter_mut().zip(&chosen) {
            let plan = self.ring.plan(prime);
            let q = plan.modulus();
            let others = chosen.iter().filter(|&&other| other != prime);
            let cofactor = others.map(|&other| self.parameters().primes()[other]);
            let cofactor = crate::residue::product(cofactor, q);
            plan.scale(row, crate::residue::inverse(cofactor, q));
            plan.interpolate(row);
        }
        Ok(rows)
    }

    /// t = c₀ + c₁·s + …, by rows in evaluated form. As good as the key: it and the ciphertext give
    /// s.
    pub(super) fn phase(&self, a: &Ciphertext) -> Result<Zeroizing<Vec<Vec<u64>>>, Error> {
        if a.key_id() != self.key_id {
            return Err(Error::ForeignKey {
                expected: self.key_id,
                found: a.key_id(),
            });
        }
        self.parameters().check_shape(a.level(), a.packed())?;
        let chosen = self.parameters().primes_of(a.level());
        let rows = chosen.iter().enumerate().map(|(place, &prime)| {
            let plan = self.ring.plan(prime);
            let mut parts = a.packed().iter().rev();
            let mut row = parts
                .next()
                .map_or_else(|| self.ring.zero(), |part| part[place].unpack());
            for part in parts {
                plan.multiply(&mut row, self.row(prime));
                plan.add(&mut row, &part[place].unpack());
            }
            row
        });
        Ok(Zeroizing::new(rows.collect()))
    }
}
