//! A server's key of either engine as it is made: bodies and one seed.

use std::fmt;

use random::{KeyId, Seed};

use crate::parameters::{Literal, Set};

/// The server's key, compact: [`SeededServerKey`](crate::SeededServerKey) for lookups,
/// [`SeededGateServerKey`](crate::gate::SeededGateServerKey) for gates. Public: it lets its holder
/// compute, not read.
///
/// `L` describes the parameters, `W` is the word of the key-switching key.
#[derive(Clone, PartialEq)]
pub struct Seeded<L, W> {
    pub(crate) parameters: Set<L>,
    pub(crate) key_id: KeyId,
    pub(crate) seed: Seed,
    pub(crate) bootstrap: Vec<u64>,
    pub(crate) key_switch: Vec<W>,
}

/// Name and key only: the content is megabytes long.
impl<L: Literal, W> fmt::Debug for Seeded<L, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seeded")
            .field("parameters", &self.parameters.name())
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

impl<L, W> Seeded<L, W> {
    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Set<L> {
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
    pub fn key_switch_bodies(&self) -> &[W] {
        &self.key_switch
    }

    /// What it weighs, in bytes: the bodies of both keys and the seed.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.bootstrap.as_slice())
            + size_of_val(self.key_switch.as_slice())
            + Seed::LENGTH
    }
}
