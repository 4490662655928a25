//! The server's key of the gate scheme as it is used, with work buffers.

use transforms::torus::Fft;

use crate::blind_rotation::{BootstrapKey, Rotations};
use crate::error::TfheError;
use crate::expanded::Expanded;
use crate::parallel::Progress;

use super::ciphertext::GateCiphertext;
use super::key_switch::GateKeySwitchKey;
use super::parameters::{GateLiteral, GateParameters};
use super::seeded_server_key::{SeededGateServerKey, shape};

/// The server's key of the gates, ready to compute: for the library's set 62 MB to rotate and 21 MB
/// to switch. See [`Expanded`].
pub type GateServerKey = Expanded<GateLiteral, GateKeySwitchKey>;

impl GateServerKey {
    /// Expands a key on `threads` threads (at least one), reporting parts done
    /// and parts in all, for this machine's fastest FFT processor.
    ///
    /// # Errors
    /// [`TfheError::NoTransform`] if the ring has no transform.
    pub fn expand(
        seeded: &SeededGateServerKey,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Self, TfheError> {
        Self::expand_for(seeded, Fft::detect(), threads, progress)
    }

    /// As [`GateServerKey::expand`], for an FFT processor of the caller's choice.
    ///
    /// # Errors
    /// [`TfheError::NoTransform`] also if this machine has no such processor.
    pub fn expand_for(
        seeded: &SeededGateServerKey,
        fft: Fft,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Self, TfheError> {
        let parameters = *seeded.parameters();
        Ok(Self {
            parameters,
            key_id: seeded.key_id(),
            bootstrap: BootstrapKey::expand(
                shape(&parameters),
                seeded.seed(),
                seeded.bootstrap_bodies(),
                fft,
                threads,
                progress,
            )?,
            key_switch: GateKeySwitchKey::expand(seeded),
        })
    }

    /// A known bit as a ciphertext of this key; no noise, no secrecy.
    #[must_use]
    pub fn constant(&self, bit: bool) -> GateCiphertext {
        GateCiphertext::trivial(&self.parameters, self.key_id, bit)
    }

    /// Work buffers for this key, for `batch` rotations over the key together (at
    /// least two, those of a multiplexer): about 0.1 MB each for the library's set.
    #[must_use]
    pub fn scratch(&self, batch: usize) -> GateScratch {
        let batch = batch.clamp(2, GateScratch::LARGEST_BATCH);
        let n = self.parameters.lwe_dimension().get();
        let size = self.parameters.polynomial_size().get();
        GateScratch {
            parameters: self.parameters,
            fft: self.fft(),
            batch,
            sum: vec![0; n + 1],
            switched: vec![0; batch * (n + 1)],
            rotations: self.bootstrap.rotations(batch),
            doubled: vec![0; 2 * size],
            big: vec![0; batch * (size + 1)],
            small: vec![0; batch * (n + 1)],
        }
    }
}

/// Buffers for batches of gates under one parameter set, by one FFT processor.
/// Ciphertexts pass through it; it never holds a secret.
#[derive(Clone, Debug)]
pub struct GateScratch {
    pub(super) parameters: GateParameters,
    pub(super) fft: Fft,
    pub(super) batch: usize,
    /// The linear form of one rotation, n + 1 words of 64 bits.
    pub(super) sum: Vec<u64>,
    /// For each rotation n + 1 elements modulo 2N.
    pub(super) switched: Vec<u16>,
    pub(super) rotations: Rotations,
    /// 2N words: see `extraction`.
    pub(super) doubled: Vec<u64>,
    /// For each gate N + 1 words, on its way to the key switch.
    pub(super) big: Vec<u64>,
    /// For each gate n + 1 words, switched.
    pub(super) small: Vec<u32>,
}

impl GateScratch {
    /// The largest batch that buffers are made for; more are processed in turn.
    pub const LARGEST_BATCH: usize = 64;

    /// Rotations that pass over the key together; a multiplexer takes two.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }
}
