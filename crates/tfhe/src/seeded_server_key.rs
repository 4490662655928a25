//! The server's key as it is made, stored and sent: bodies and one seed.
//!
//! Two keys in one. The *bootstrapping key* encrypts each bit s of the small key
//! as a GGSW ciphertext under the big key S: for each level j with weight g a
//! row with the phase −s·g·S (the one that meets mask digits) and a row with the
//! phase s·g. The *key-switching key* encrypts the big key under the small one,
//! seen as n/M polynomials of degree M (the structure keeps it at 1 MB, and a
//! key switch at 3 % of a lookup): for each polynomial z of S cut into pieces
//! of M, and each level, a row with phase z·g.
//!
//! Every mask is a stream of one public seed, so only bodies are kept: for P16
//! n·2·l·N words = 29.4 MB, and 131 KB.
//!
//! Row r of bit i at level j is stream (i·l + j)·2 + r, and row number the same;
//! the rows of the key switch follow, piece by piece, level by level.

use random::{Generator, MaskGenerator, Seed, StandardDeviation};

use crate::blind_rotation::RotationShape;
use crate::error::TfheError;
use crate::identity::KeyId;
use crate::parallel::{Progress, in_parallel};
use crate::parameters::{BIT_SCALE, Parameters};
use crate::ring::{Ring, SecretSpectrum};
use crate::secret_key::SecretKey;

/// The server's key, compact. Public: it lets its holder compute, not read.
#[derive(Clone, PartialEq)]
pub struct SeededServerKey {
    parameters: Parameters,
    key_id: KeyId,
    seed: Seed,
    bootstrap: Vec<u64>,
    key_switch: Vec<u64>,
}

/// Name and key only: the content is megabytes long.
impl std::fmt::Debug for SeededServerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeededServerKey")
            .field("parameters", &self.parameters.name())
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

impl SeededServerKey {
    /// Encrypts a secret key for the server, on `threads` threads (at least
    /// one), reporting rows done and rows in all.
    ///
    /// The result depends on the generator's state only, not on `threads`.
    ///
    /// # Errors
    /// [`TfheError::NoTransform`] if a ring has no transform.
    pub fn generate(
        secret: &SecretKey,
        generator: &mut Generator,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Self, TfheError> {
        let parameters = *secret.parameters();
        let layout = Layout::new(&parameters);
        let seed = generator.seed();
        let mut bootstrap = vec![0; layout.bootstrap_words()];
        let mut key_switch = vec![0; layout.key_switch_words()];
        let small_ring = SmallRing::new(secret)?;
        let total = layout.n + layout.pieces;

        // Jobs refer to secrets and to the keys of their errors' generators: a job
        // is moved between buffers that nobody wipes.
        let ggsw = GgswKey {
            ring: secret.ring(),
            bits: secret.big_bits(),
            spectrum: secret.big_spectrum(),
            deviation: parameters.glwe_deviation(),
            shape: rotation_shape(&parameters),
        };
        let keys = generator.fork_keys(layout.n);
        let bits: Vec<_> = bootstrap
            .chunks_mut(layout.bootstrap_words() / layout.n)
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
                ggsw.bodies(&seed, index, bit, bodies, &mut errors);
            },
        );

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
            (layout.n, total),
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

    /// A key from what a file holds.
    ///
    /// # Errors
    /// [`TfheError::WrongLength`] unless the bodies are as many as
    /// [`SeededServerKey::body_counts`] says.
    pub fn from_parts(
        parameters: Parameters,
        key_id: KeyId,
        seed: Seed,
        bootstrap: Vec<u64>,
        key_switch: Vec<u64>,
    ) -> Result<Self, TfheError> {
        let (expected_bootstrap, expected_switch) = Self::body_counts(&parameters);
        for (what, expected, found) in [
            ("the bootstrapping key", expected_bootstrap, bootstrap.len()),
            ("the key-switching key", expected_switch, key_switch.len()),
        ] {
            if expected != found {
                return Err(TfheError::WrongLength {
                    what,
                    expected,
                    found,
                });
            }
        }
        Ok(Self {
            parameters,
            key_id,
            seed,
            bootstrap,
            key_switch,
        })
    }

    /// How many words the bodies of the bootstrapping and of the key-switching
    /// key have: what a reader checks before it allocates.
    #[must_use]
    pub fn body_counts(parameters: &Parameters) -> (usize, usize) {
        let layout = Layout::new(parameters);
        (layout.bootstrap_words(), layout.key_switch_words())
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The public name of the key pair.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The masks' seed. Public.
    #[must_use]
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// Bodies of the bootstrapping key, row after row.
    #[must_use]
    pub fn bootstrap_bodies(&self) -> &[u64] {
        &self.bootstrap
    }

    /// Bodies of the key-switching key, row after row.
    #[must_use]
    pub fn key_switch_bodies(&self) -> &[u64] {
        &self.key_switch
    }
}

/// Shapes of both keys, computed once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Bits of the small key.
    pub(crate) n: usize,
    /// Coefficients of a big polynomial.
    pub(crate) size: usize,
    /// Levels of the bootstrapping key.
    pub(crate) levels: usize,
    /// Levels of the key-switching key.
    pub(crate) levels_k: usize,
    /// Coefficients of a small polynomial, M.
    pub(crate) m: usize,
    /// Small polynomials in the big key.
    pub(crate) pieces: usize,
    /// Small polynomials in the small key.
    pub(crate) parts: usize,
}

impl Layout {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let n = parameters.lwe_dimension().get();
        let m = parameters.key_switch_polynomial_size().get();
        Self {
            n,
            size: parameters.polynomial_size().get(),
            levels: parameters.bootstrap_decomposition().levels.get(),
            levels_k: parameters.key_switch_decomposition().levels.get(),
            m,
            pieces: parameters.big_lwe_dimension().get() / m,
            parts: n / m,
        }
    }

    fn bootstrap_words(&self) -> usize {
        self.n * self.levels * 2 * self.size
    }

    fn key_switch_words(&self) -> usize {
        self.pieces * self.levels_k * self.m
    }

    /// How many streams of the seed masks take.
    pub(crate) fn streams(&self) -> u64 {
        self.key_switch_stream(self.pieces, 0)
    }

    /// Stream of the masks of a key-switching row.
    pub(crate) fn key_switch_stream(&self, piece: usize, level: usize) -> u64 {
        ((self.n * self.levels * 2) + piece * self.levels_k + level) as u64
    }
}

/// The rotation of a lookup.
pub(crate) fn rotation_shape(parameters: &Parameters) -> RotationShape {
    RotationShape {
        n: parameters.lwe_dimension().get(),
        size: parameters.polynomial_size().get(),
        block_bits: parameters.block_bits(),
        gadget: parameters.bootstrap_decomposition(),
        amplitude: BIT_SCALE / 2,
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

impl GgswKey<'_> {
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
