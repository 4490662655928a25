//! Encryption without the secret.
//!
//! The key is an encryption (b, a) of 0 modulo Q·P, b = −a·s + 2e. A ciphertext is (b·u + 2e₀,
//! a·u + 2e₁) with ternary u, divided by P, plus the plaintext: what u·e and e₁·s add, twenty times
//! the rounding noise, is divided away, so that a fresh ciphertext has the noise of rounding only.

use std::sync::Arc;

use random::{Generator, Seed};
use zeroize::{Zeroize, Zeroizing};

use crate::ciphertext::Rows;
use crate::division::Exchange;
use crate::key_switch::stream;
use crate::ring::Ring;
use crate::sampling::{error, residues, ternary, uniform};
use crate::{Ciphertext, Error, KeyId, Noise, Parameters, Plaintext};
use work::Threads;

/// What whoever encrypts for the key's owner has.
pub struct PublicKey {
    ring: Arc<Ring>,
    key_id: KeyId,
    seed: Seed,
    body: Rows,
    mask: Rows,
}

impl PublicKey {
    /// Takes a key read from a file: the seed of its mask and the rows of its body, one for each
    /// prime of [`rows_of`](Self::rows_of).
    ///
    /// # Errors
    /// [`Error::WrongLength`], [`Error::NotReduced`].
    pub fn from_parts(
        ring: &Arc<Ring>,
        key_id: KeyId,
        seed: Seed,
        body: Vec<Vec<u64>>,
    ) -> Result<Self, Error> {
        let parameters = ring.parameters();
        let chosen = Self::rows_of(parameters);
        parameters.check_rows("public key", &chosen, &body)?;
        Ok(Self::new(ring, key_id, seed, body))
    }

    pub(crate) fn new(ring: &Arc<Ring>, key_id: KeyId, seed: Seed, body: Rows) -> Self {
        let chosen = Self::rows_of(ring.parameters());
        let masks = chosen.iter().enumerate();
        let mask = masks
            .map(|(row, &number)| Self::mask_row(ring, &seed, row, number))
            .collect();
        Self {
            ring: Arc::clone(ring),
            key_id,
            seed,
            body,
            mask,
        }
    }

    pub(crate) fn mask_row(ring: &Ring, seed: &Seed, row: usize, number: usize) -> Vec<u64> {
        let q = ring.plan(number).modulus();
        uniform(seed, stream(0, 0, 0, row), q, ring.degree())
    }

    /// Which of [`Parameters::primes`] the rows of a public key belong to: the top level's and the
    /// special ones.
    #[must_use]
    pub fn rows_of(parameters: &Parameters) -> Vec<usize> {
        let mut chosen = parameters.primes_of(parameters.top());
        chosen.extend(parameters.special_primes());
        chosen
    }

    /// What an encryption with a public key has.
    #[must_use]
    pub fn noise(parameters: &Parameters) -> Noise {
        Noise::fresh_public(parameters)
    }

    /// The tables it computes with.
    #[must_use]
    pub fn ring(&self) -> &Arc<Ring> {
        &self.ring
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The seed of its mask: what a file holds of it.
    #[must_use]
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The rows of its body, for a file.
    #[must_use]
    pub fn body(&self) -> &[Vec<u64>] {
        &self.body
    }

    /// Encrypts bits, at most one a slot, the missing ones as 0.
    ///
    /// Running time depends on the drawn errors by what the crate `random` says, not on the bits.
    ///
    /// # Errors
    /// [`Error::TooManyBits`].
    pub fn encrypt(&self, bits: &[bool], generator: &mut Generator) -> Result<Ciphertext, Error> {
        let plaintext = self.ring.slots().encode(bits)?;
        self.encrypt_plaintext(&plaintext, generator)
    }

    /// Encrypts a packed plaintext.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if it was packed for another ring.
    pub fn encrypt_plaintext(
        &self,
        plaintext: &Plaintext,
        generator: &mut Generator,
    ) -> Result<Ciphertext, Error> {
        let ring = &*self.ring;
        let parameters = ring.parameters();
        let chosen = Self::rows_of(parameters);
        let factor = ternary(generator, ring.degree());
        let errors = [
            error(generator, parameters.index()),
            error(generator, parameters.index()),
        ];
        // What is divided is all that hides the message, which is added afterwards.
        let mut wide: Zeroizing<Vec<Rows>> = Zeroizing::new(vec![Vec::new(), Vec::new()]);
        for (place, &number) in chosen.iter().enumerate() {
            let plan = ring.plan(number);
            let q = plan.modulus();
            let mut factor = residues(factor.expose().iter().map(|&c| c.into()), q);
            plan.evaluate(&mut factor);
            for ((part, key), error) in wide.iter_mut().zip([&self.body, &self.mask]).zip(&errors) {
                let mut row = residues(error.expose().iter().map(|&c| 2 * c), q);
                plan.evaluate(&mut row);
                plan.multiply_add(&mut row, &factor, &key[place]);
                part.push(row);
            }
            factor.zeroize();
        }
        let to = parameters.primes_of(parameters.top());
        let threads = Threads::one();
        let exchange = Exchange::new(ring, &chosen, &to);
        let mut parts: Vec<Rows> = exchange.apply(&chosen, &wide, &threads, |_, row| row);
        add_plaintext(ring, plaintext, &to, &mut parts[0])?;
        let parts = parts.iter().map(|part| ring.pack(&to, part)).collect();
        Ok(Ciphertext::encryption(
            self.key_id,
            parameters.top(),
            Self::noise(parameters),
            parts,
        ))
    }
}

/// Adds coefficients 0 and 1 to rows in evaluated form.
pub(crate) fn add_plaintext(
    ring: &Ring,
    plaintext: &Plaintext,
    chosen: &[usize],
    rows: &mut Rows,
) -> Result<(), Error> {
    for (row, &number) in rows.iter_mut().zip(chosen) {
        let mut message = plaintext_row(ring, plaintext, number)?;
        ring.plan(number).add(row, &message);
        message.zeroize();
    }
    Ok(())
}

/// A plaintext modulo a prime, in evaluated form.
pub(crate) fn plaintext_row(
    ring: &Ring,
    plaintext: &Plaintext,
    number: usize,
) -> Result<Vec<u64>, Error> {
    let coefficients = plaintext.coefficients();
    if coefficients.len() != ring.degree() {
        return Err(Error::WrongLength {
            what: "coefficients of a plaintext",
            expected: ring.degree(),
            found: coefficients.len(),
        });
    }
    let mut row: Vec<u64> = coefficients.iter().map(|&bit| bit.into()).collect();
    ring.plan(number).evaluate(&mut row);
    Ok(row)
}
