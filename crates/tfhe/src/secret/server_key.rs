//! The server's key, made from the owner's: encryptions of the key bits, row by row.
//!
//! [`crate::seeded_server_key`] says what the rows are and which mask each has. Each
//! costs one exact product by a secret polynomial (two for P16's key switch and
//! its parts).

use random::{Generator, MaskGenerator, Seed, StandardDeviation};

use crate::blind_rotation::RotationShape;
use crate::error::TfheError;
use crate::parallel::{Progress, in_parallel};
use crate::parameters::Parameters;
use crate::seeded_server_key::{Layout, SeededServerKey, rotation_shape};

use super::key::SecretKey;
use crate::exact::{Ring, SecretSpectrum};

impl SeededServerKey {
    /// Encrypts a secret key for the server, on `threads` threads (at least
    /// one), reporting rows done and rows in all.
    ///
    /// The result depends on the generator's state only, not on `threads`.
    ///
    /// # Errors
    /// [`TfheError::NoTransform`] if a ring has no transform.
    ///
    /// ```
    /// # use random::Generator;
    /// use blindcore_tfhe::{SecretKey, SeededServerKey, TOY_BLOCK};
    ///
    /// # let mut generator = Generator::from_key([1; 32]);
    /// # let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// let key = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// // Bodies and one seed are all that a file holds.
    /// let (bootstrap, key_switch) = SeededServerKey::body_counts(key.parameters());
    /// assert_eq!(key.bootstrap_bodies().len(), bootstrap);
    /// assert_eq!(key.key_switch_bodies().len(), key_switch);
    /// let again = SeededServerKey::from_parts(
    ///     *key.parameters(),
    ///     key.key_id(),
    ///     key.seed().clone(),
    ///     key.bootstrap_bodies().to_vec(),
    ///     key.key_switch_bodies().to_vec(),
    /// )?;
    /// assert_eq!(again.key_id(), secret.key_id());
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn generate(
        secret: &SecretKey,
        generator: &mut Generator,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Self, TfheError> {
        let parameters = *secret.parameters();
        let layout = Layout::new(&parameters);
        let seed = generator.seed();
        let mut key_switch = vec![0; layout.key_switch_words()];
        let small_ring = SmallRing::new(secret)?;
        let rows = Rows {
            threads,
            progress,
            total: layout.n + layout.pieces,
        };
        let ggsw = GgswKey {
            ring: secret.ring(),
            bits: secret.big_bits(),
            spectrum: secret.big_spectrum(),
            deviation: parameters.glwe_deviation(),
            shape: rotation_shape(&parameters),
        };
        let bootstrap = ggsw.key(secret.small_bits(), &seed, generator, &rows);

        let keys = generator.fork_keys(layout.pieces);
        let pieces: Vec<_> = key_switch
            .chunks_mut(layout.levels_k * layout.m)
            .zip(secret.big_bits().chunks(layout.m))
            .zip(keys.expose())
            .enumerate()
            .collect();
        in_parallel(
            pieces,
            threads,
            progress,
            (layout.n, rows.total),
            |(index, ((bodies, piece), key))| {
                let mut errors = Generator::from_key(*key);
                small_ring.key_switch_bodies(&parameters, &seed, index, piece, bodies, &mut errors);
            },
        );
        Ok(Self {
            parameters,
            key_id: secret.key_id(),
            seed,
            bootstrap,
            key_switch,
        })
    }
}

/// The big key, to make a bootstrapping key with.
pub(crate) struct GgswKey<'a> {
    pub(crate) ring: &'a Ring,
    pub(crate) bits: &'a [u8],
    pub(crate) spectrum: &'a SecretSpectrum,
    pub(crate) deviation: StandardDeviation,
    pub(crate) shape: RotationShape,
}

/// How rows are made, and reported.
pub(crate) struct Rows<'a> {
    pub(crate) threads: usize,
    pub(crate) progress: Progress<'a>,
    /// Parts of the whole server key; the bootstrapping key's come first, a part for each bit.
    pub(crate) total: usize,
}

impl GgswKey<'_> {
    /// The bodies of a bootstrapping key: of the GGSW ciphertexts of a small key's bits.
    pub(crate) fn key(
        &self,
        small_bits: &[u8],
        seed: &Seed,
        generator: &mut Generator,
        rows: &Rows<'_>,
    ) -> Vec<u64> {
        let mut bodies = vec![0; self.shape.body_words()];
        let keys = generator.fork_keys(small_bits.len());
        // Jobs refer to secrets and to the keys of their errors' generators: a job is moved between
        // buffers that nobody wipes.
        let bits: Vec<_> = bodies
            .chunks_mut(self.shape.body_words() / self.shape.n)
            .zip(small_bits)
            .zip(keys.expose())
            .enumerate()
            .collect();
        let span = (0, rows.total);
        in_parallel(
            bits,
            rows.threads,
            rows.progress,
            span,
            |(index, ((bodies, bit), key))| {
                let mut errors = Generator::from_key(*key);
                self.bodies(seed, index, bit, bodies, &mut errors);
            },
        );
        bodies
    }

    /// The rows of the GGSW ciphertext of bit number `index` of the small key.
    pub(crate) fn bodies(
        &self,
        seed: &Seed,
        index: usize,
        bit: &u8,
        bodies: &mut [u64],
        errors: &mut Generator,
    ) {
        let mut work = self.ring.work();
        let mut mask = vec![0; self.shape.size];
        for (number, body) in bodies.chunks_mut(self.shape.size).enumerate() {
            let (level, row) = (number / 2, number % 2);
            MaskGenerator::new(seed, self.shape.stream(index, number)).fill(&mut mask);
            self.ring.add_product(body, &mask, self.spectrum, &mut work);
            errors.add_gaussian(body, self.deviation);
            let message = self
                .shape
                .gadget
                .weight(level)
                .wrapping_mul(u64::from(*bit));
            if row == 1 {
                body[0] = body[0].wrapping_add(message);
            } else {
                for (element, &key) in body.iter_mut().zip(self.bits) {
                    *element = element.wrapping_sub(message.wrapping_mul(u64::from(key)));
                }
            }
        }
    }
}

/// The small key as polynomials.
struct SmallRing {
    ring: Ring,
    parts: Vec<SecretSpectrum>,
}

impl SmallRing {
    fn new(secret: &SecretKey) -> Result<Self, TfheError> {
        let size = secret.parameters().key_switch_polynomial_size();
        let ring = Ring::new(size)?;
        let parts = secret
            .small_bits()
            .chunks(size.get())
            .map(|part| ring.secret_spectrum(part))
            .collect();
        Ok(Self { ring, parts })
    }

    /// The rows that switch one piece of the big key.
    fn key_switch_bodies(
        &self,
        parameters: &Parameters,
        seed: &Seed,
        index: usize,
        piece: &[u8],
        bodies: &mut [u64],
        errors: &mut Generator,
    ) {
        let layout = Layout::new(parameters);
        let gadget = parameters.key_switch_decomposition();
        let mut work = self.ring.work();
        let mut masks = vec![0; layout.n];
        for (level, body) in bodies.chunks_mut(layout.m).enumerate() {
            MaskGenerator::new(seed, layout.key_switch_stream(index, level)).fill(&mut masks);
            for (mask, part) in masks.chunks(layout.m).zip(&self.parts) {
                self.ring.add_product(body, mask, part, &mut work);
            }
            errors.add_gaussian(body, parameters.lwe_deviation());
            let weight = gadget.weight(level);
            for (element, &bit) in body.iter_mut().zip(piece) {
                *element = element.wrapping_add(weight.wrapping_mul(u64::from(bit)));
            }
        }
    }
}
