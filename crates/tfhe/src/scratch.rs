//! Work buffers of lookups: owned by the worker, never by the key.

use std::sync::Arc;

use crate::blind_rotation::Rotations;
use crate::duet::Duet;
use crate::key_switch::KeySwitchWork;
use crate::parameters::Parameters;
use crate::seeded_server_key::Layout;
use crate::server_key::ServerKey;
use transforms::torus::Fft;

/// Buffers for batches of lookups under one parameter set, by one FFT processor.
/// Ciphertexts pass through it; it never holds a secret.
#[derive(Clone, Debug)]
pub struct Scratch {
    pub(crate) parameters: Parameters,
    pub(crate) fft: Fft,
    pub(crate) batch: usize,
    /// The weighted sum of one lookup, kN + 1 words.
    pub(crate) sum: Box<[u64]>,
    /// The same under the small key, n + 1 words.
    pub(crate) small: Box<[u64]>,
    pub(crate) key_switch: KeySwitchWork,
    /// For each lookup n + 1 elements modulo 2N.
    pub(crate) switched: Vec<u16>,
    pub(crate) rotations: Rotations,
    /// 2N words: see [`crate::extraction`].
    pub(crate) doubled: Vec<u64>,
    /// Another thread that helps with single rotations.
    pub(crate) partner: Partner,
}

/// The duet that another thread accompanies; it ends when it is forgotten. Copies of buffers have none.
#[derive(Debug, Default)]
pub(crate) struct Partner(Option<Arc<Duet>>);

impl Partner {
    pub(crate) fn duet(&self) -> Option<&Duet> {
        self.0.as_deref()
    }
}

impl Clone for Partner {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        if let Some(duet) = &self.0 {
            duet.end();
        }
    }
}

impl Scratch {
    pub(crate) fn new(key: &ServerKey, batch: usize) -> Self {
        let batch = batch.clamp(1, Self::LARGEST_BATCH);
        let layout = Layout::new(key.parameters());
        Self {
            parameters: *key.parameters(),
            fft: key.fft(),
            batch,
            sum: vec![0; layout.size + 1].into_boxed_slice(),
            small: vec![0; layout.n + 1].into_boxed_slice(),
            key_switch: key.key_switch.work(),
            switched: vec![0; batch * (layout.n + 1)],
            rotations: key.bootstrap.rotations(batch),
            doubled: vec![0; 2 * layout.size],
            partner: Partner::default(),
        }
    }

    /// From now on single rotations are shared with a thread that accompanies this duet
    /// ([`ServerKey::accompany`]), or with none. The one before ends.
    pub fn set_partner(&mut self, partner: Option<Arc<Duet>>) {
        self.partner = Partner(partner);
    }

    /// The duet that single rotations are shared in.
    #[must_use]
    pub fn partner(&self) -> Option<&Arc<Duet>> {
        self.partner.0.as_ref()
    }

    /// The largest batch that buffers are made for; more are processed in turn.
    pub const LARGEST_BATCH: usize = 64;

    /// Lookups that pass over the key together.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }
}
