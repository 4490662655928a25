//! The server's key of the gate scheme as it is made: bodies and one seed.
//!
//! A bootstrapping key (a GGSW ciphertext of each bit of the small key under the
//! big one, exactly as in [`crate::SeededServerKey`]) and a classical
//! key-switching key (t LWE ciphertexts of each bit of the big key under the small
//! one). It lives in memory only: the gate scheme is here to be compared with,
//! and has no file format.
//!
//! Masks are streams of one public seed: those of the bootstrapping key first,
//! in the order of its rows, then those of the key switch.

use random::{Generator, Seed};

use crate::blind_rotation::RotationShape;
use crate::error::TfheError;
use crate::identity::KeyId;
use crate::parallel::{Progress, in_parallel};
use crate::seeded_server_key::GgswKey;

use super::key_switch;
use super::parameters::GateParameters;
use super::secret_key::GateSecretKey;

/// The server's key, compact. Public: it lets its holder compute, not read.
#[derive(Clone, PartialEq)]
pub struct SeededGateServerKey {
    parameters: GateParameters,
    key_id: KeyId,
    seed: Seed,
    bootstrap: Vec<u64>,
    key_switch: Vec<u32>,
}

/// Name and key only: the content is megabytes long.
impl std::fmt::Debug for SeededGateServerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeededGateServerKey")
            .field("parameters", &self.parameters.name())
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

impl SeededGateServerKey {
    /// Encrypts a secret key for the server, on `threads` threads (at least
    /// one), reporting parts done and parts in all.
    ///
    /// The result depends on the generator's state only, not on `threads`.
    ///
    /// # Errors
    /// [`TfheError::NoTransform`] if the ring has no transform.
    pub fn generate(
        secret: &GateSecretKey,
        generator: &mut Generator,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Self, TfheError> {
        let parameters = *secret.parameters();
        let shape = shape(&parameters);
        let levels_k = parameters.key_switch_decomposition().levels.get();
        let seed = generator.seed();
        let mut bootstrap = vec![0; shape.body_words()];
        let mut key_switch = vec![0; secret.big_bits().len() * levels_k];
        let total = shape.n + secret.big_bits().len();
        let ggsw = GgswKey {
            ring: secret.ring(),
            bits: secret.big_bits(),
            spectrum: secret.big_spectrum(),
            deviation: parameters.glwe_deviation(),
            shape,
        };

        // Jobs refer to secrets and to the keys of their errors' generators: a job
        // is moved between buffers that nobody wipes.
        let keys = generator.fork_keys(shape.n);
        let bits: Vec<_> = bootstrap
            .chunks_mut(shape.body_words() / shape.n)
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

        let keys = generator.fork_keys(secret.big_bits().len());
        let bits: Vec<_> = key_switch
            .chunks_mut(levels_k)
            .zip(secret.big_bits())
            .zip(keys.expose())
            .enumerate()
            .collect();
        in_parallel(
            bits,
            threads,
            progress,
            (shape.n, total),
            |(index, ((bodies, bit), key))| {
                let mut errors = Generator::from_key(*key);
                let stream = shape.streams() + (index * levels_k) as u64;
                key_switch::bodies(secret, &seed, stream, bit, bodies, &mut errors);
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

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &GateParameters {
        &self.parameters
    }

    /// The public name of the key pair.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// What it weighs, in bytes: the bodies of both keys and the seed.
    #[must_use]
    pub fn bytes(&self) -> usize {
        8 * self.bootstrap.len() + 4 * self.key_switch.len() + Seed::LENGTH
    }

    pub(super) fn seed(&self) -> &Seed {
        &self.seed
    }

    pub(super) fn bootstrap_bodies(&self) -> &[u64] {
        &self.bootstrap
    }

    pub(super) fn key_switch_bodies(&self) -> &[u32] {
        &self.key_switch
    }

    pub(super) fn first_key_switch_stream(&self) -> u64 {
        shape(&self.parameters).streams()
    }
}

/// The rotation of a gate: one bit of the key a step, from the constant
/// polynomial 1/8.
pub(super) fn shape(parameters: &GateParameters) -> RotationShape {
    RotationShape {
        n: parameters.lwe_dimension().get(),
        size: parameters.polynomial_size().get(),
        block_bits: 1,
        gadget: parameters.bootstrap_decomposition(),
        amplitude: 1 << 61,
    }
}
