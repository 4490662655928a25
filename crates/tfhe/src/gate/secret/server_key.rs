//! The server's key of the gate scheme, made from the owner's.
//!
//! The bootstrapping key is made as [`crate::SeededServerKey`]'s, the key switch bit by
//! bit: a row of level j is an encryption of S_i·2^-bj, whose body alone is kept.

use random::{Generator, Seed};

use crate::error::TfheError;
use crate::gate::seeded_server_key::{SeededGateServerKey, shape};
use crate::parallel::{Progress, in_parallel};
use crate::secret::{GgswKey, Rows};

use super::key::GateSecretKey;

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
        let mut key_switch = vec![0; secret.big_bits().len() * levels_k];
        let ggsw = GgswKey {
            ring: secret.ring(),
            bits: secret.big_bits(),
            spectrum: secret.big_spectrum(),
            deviation: parameters.glwe_deviation(),
            shape,
        };

        let rows = Rows {
            threads,
            progress,
            total: shape.n + secret.big_bits().len(),
        };
        let bootstrap = ggsw.key(secret.small_bits(), &seed, generator, &rows);

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
            (shape.n, rows.total),
            |(index, ((bodies, bit), key))| {
                let mut errors = Generator::from_key(*key);
                let stream = shape.streams() + (index * levels_k) as u64;
                key_switch_bodies(secret, &seed, stream, bit, bodies, &mut errors);
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

/// Writes the bodies of the rows of one bit of the big key, whose masks are the
/// streams from `stream` on.
fn key_switch_bodies(
    secret: &GateSecretKey,
    seed: &Seed,
    stream: u64,
    bit: &u8,
    bodies: &mut [u32],
    errors: &mut Generator,
) {
    let gadget = secret.parameters().key_switch_decomposition();
    let mut row = vec![0; secret.parameters().lwe_dimension().get() + 1];
    for ((level, body), stream) in bodies.iter_mut().enumerate().zip(stream..) {
        // Weights of at most 31 bits in all: whole numbers of 2^-32.
        let weight = (gadget.weight(level) >> 32) as u32;
        let message = weight.wrapping_mul(u32::from(*bit));
        secret.encrypt_phase(&mut row, message, seed, stream, errors);
        *body = row.last().copied().unwrap_or(0);
    }
}
