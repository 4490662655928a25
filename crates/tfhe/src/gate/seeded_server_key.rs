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

use crate::blind_rotation::RotationShape;
use crate::seeded::Seeded;

use super::parameters::{GateLiteral, GateParameters};

/// The server's key of the gates, compact: see [`Seeded`].
pub type SeededGateServerKey = Seeded<GateLiteral, u32>;

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
