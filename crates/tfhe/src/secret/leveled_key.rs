//! The second part of the server's key, made from the owner's.

use random::{Generator, MaskGenerator, SecretBuffer, Seed};

use super::key::SecretKey;
use crate::error::TfheError;
use crate::leveled::SeededLeveledKey;
use crate::leveled::gadgets::{AUTOMORPHISM, MORE, OF_LOOKUPS, ROTATION, SQUARE, weight};
use crate::leveled::glwe::automorphism;
use crate::leveled::seeded::Rows;
use crate::parallel::{Progress, in_parallel};

impl SeededLeveledKey {
    /// Encrypts what selectors are made with, on `threads` threads (at least one), reporting parts
    /// done and parts in all.
    ///
    /// The result depends on the generator's state only, not on `threads`.
    ///
    /// # Errors
    /// [`TfheError::InvalidParameters`] for a set whose lookups have another gadget than one level of
    /// 23 bits, which the rotation of selectors shares with them.
    ///
    /// ```
    /// # use random::Generator;
    /// use blindcore_tfhe::leveled::SeededLeveledKey;
    /// use blindcore_tfhe::{SecretKey, TOY_BLOCK};
    ///
    /// # let mut generator = Generator::from_key([1; 32]);
    /// # let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// let key = SeededLeveledKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// assert_eq!(key.bodies().len(), SeededLeveledKey::body_count(key.parameters()));
    /// // Written to a file and read again.
    /// let (seed, bodies) = (key.seed().clone(), key.bodies().to_vec());
    /// assert_eq!(SeededLeveledKey::from_parts(TOY_BLOCK, secret.key_id(), seed, bodies)?, key);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn generate(
        secret: &SecretKey,
        generator: &mut Generator,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Self, TfheError> {
        let parameters = *secret.parameters();
        let lookups = parameters.bootstrap_decomposition();
        if (lookups.base_log.0, lookups.levels.0) != (ROTATION.exponent(OF_LOOKUPS), 1) {
            return Err(TfheError::InvalidParameters {
                name: parameters.name(),
                reason: "selectors need lookups with a gadget of one level of 23 bits",
            });
        }
        let rows = Rows::new(&parameters);
        let seed = generator.seed();
        let mut bodies = vec![0; Self::body_count(&parameters)];
        let (of_bits, others) = bodies.split_at_mut(rows.automorphisms() * rows.size);
        let keys = generator.fork_keys(rows.n + rows.steps + 1);
        let maker = Maker {
            secret,
            seed: &seed,
        };
        let total = rows.n + rows.steps + 1;

        // Jobs refer to secrets, and to the keys of their errors' generators: a job is moved between
        // buffers that nobody wipes.
        let bits: Vec<_> = of_bits
            .chunks_mut(Rows::OF_BIT * rows.size)
            .zip(secret.small_bits())
            .zip(keys.expose())
            .enumerate()
            .collect();
        in_parallel(
            bits,
            threads,
            progress,
            (0, total),
            |(index, ((bodies, bit), key))| {
                let mut errors = Generator::from_key(*key);
                maker.ggsw(index * Rows::OF_BIT, bit, bodies, &mut errors);
            },
        );

        let (of_steps, of_square) = others.split_at_mut(rows.steps * Rows::OF_STEP * rows.size);
        let steps: Vec<_> = of_steps
            .chunks_mut(Rows::OF_STEP * rows.size)
            .zip(&keys.expose()[rows.n..])
            .enumerate()
            .collect();
        in_parallel(
            steps,
            threads,
            progress,
            (rows.n, total),
            |(index, (bodies, key))| {
                let mut errors = Generator::from_key(*key);
                let message = maker.moved(rows.exponent(index + 1));
                let stream = rows.automorphisms() + index * Rows::OF_STEP;
                let weights = (1..).map(|level| weight(AUTOMORPHISM, level).wrapping_neg());
                maker.encrypt(stream, &message, weights, bodies, &mut errors);
            },
        );

        let mut errors = Generator::from_key(keys.expose()[rows.n + rows.steps]);
        let weights = (1..).map(|level| weight(SQUARE, level));
        maker.encrypt(
            rows.square(),
            &maker.square(),
            weights,
            of_square,
            &mut errors,
        );
        progress(total, total);
        Ok(Self {
            parameters,
            key_id: secret.key_id(),
            seed,
            bodies,
        })
    }
}

struct Maker<'a> {
    secret: &'a SecretKey,
    seed: &'a Seed,
}

impl Maker<'_> {
    /// Rows with the phase weight·message, one for each weight.
    fn encrypt(
        &self,
        stream: usize,
        message: &SecretBuffer<u64>,
        weights: impl Iterator<Item = u64>,
        bodies: &mut [u64],
        errors: &mut Generator,
    ) {
        let size = message.expose().len();
        for ((row, body), weight) in bodies.chunks_mut(size).enumerate().zip(weights) {
            self.encrypt_zero(stream + row, body, errors);
            for (x, message) in body.iter_mut().zip(message.expose()) {
                *x = x.wrapping_add(message.wrapping_mul(weight));
            }
        }
    }

    /// The rows of a bit of the small key.
    fn ggsw(&self, stream: usize, bit: &u8, bodies: &mut [u64], errors: &mut Generator) {
        let size = self.secret.big_bits().len();
        for (row, body) in bodies.chunks_mut(size).enumerate() {
            self.encrypt_zero(stream + row, body, errors);
            let message = weight(ROTATION, MORE[row / 2]).wrapping_mul(u64::from(*bit));
            if row % 2 == 1 {
                body[0] = body[0].wrapping_add(message);
            } else {
                for (x, &key) in body.iter_mut().zip(self.secret.big_bits()) {
                    *x = x.wrapping_sub(message.wrapping_mul(u64::from(key)));
                }
            }
        }
    }

    fn encrypt_zero(&self, stream: usize, body: &mut [u64], errors: &mut Generator) {
        let ring = self.secret.ring();
        let mut mask = vec![0; body.len()];
        MaskGenerator::new(self.seed, stream as u64).fill(&mut mask);
        ring.add_product(body, &mask, self.secret.big_spectrum(), &mut ring.work());
        errors.add_gaussian(body, self.secret.parameters().glwe_deviation());
    }

    fn key(&self) -> SecretBuffer<u64> {
        SecretBuffer::new(
            self.secret
                .big_bits()
                .iter()
                .map(|&bit| u64::from(bit))
                .collect(),
        )
    }

    /// S(X^`exponent`).
    fn moved(&self, exponent: usize) -> SecretBuffer<u64> {
        let key = self.key();
        let mut moved = SecretBuffer::new(vec![0; key.expose().len()]);
        automorphism(key.expose(), exponent, moved.expose_mut());
        moved
    }

    /// S².
    fn square(&self) -> SecretBuffer<u64> {
        let (key, ring) = (self.key(), self.secret.ring());
        let mut square = SecretBuffer::new(vec![0; key.expose().len()]);
        let spectrum = self.secret.big_spectrum();
        ring.add_product(
            square.expose_mut(),
            key.expose(),
            spectrum,
            &mut ring.work(),
        );
        square
    }
}
