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

use random::Seed;

use crate::blind_rotation::RotationShape;
use random::KeyId;

use super::parameters::GateParameters;

/// The server's key, compact. Public: it lets its holder compute, not read.
#[derive(Clone, PartialEq)]
pub struct SeededGateServerKey {
    pub(super) parameters: GateParameters,
    pub(super) key_id: KeyId,
    pub(super) seed: Seed,
    pub(super) bootstrap: Vec<u64>,
    pub(super) key_switch: Vec<u32>,
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
