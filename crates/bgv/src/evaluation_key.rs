//! What whoever computes has: the keys of key switching.

use std::num::NonZeroUsize;
use std::sync::Arc;

use random::Seed;

use crate::key_switch::{SwitchKey, places};
use crate::ring::Ring;
use crate::{Error, KeyId, Parameters};
use work::Threads;

/// Keys for relinearisation and for rotations. Public: it says nothing about the secret that
/// ring-LWE and the circular assumption (a key encrypted under itself) do not say.
pub struct EvaluationKey {
    ring: Arc<Ring>,
    key_id: KeyId,
    seed: Seed,
    relinearisation: SwitchKey,
    rotations: Vec<(u32, SwitchKey)>,
}

/// Which stream of the seed masks of a key are: of relinearisation, of a rotation.
pub(crate) const RELINEARISATION: u64 = 1;

pub(crate) fn rotation_kind(exponent: u32) -> u64 {
    2 + u64::from(exponent)
}

impl EvaluationKey {
    /// Takes a key read from a file: the seed of its masks, the bodies of relinearisation and those
    /// of each rotation, as [`relinearisation`](Self::relinearisation) and
    /// [`rotations`](Self::rotations) gave them. Masks are expanded on `threads` threads.
    ///
    /// # Errors
    /// [`Error::WrongLength`], [`Error::NotReduced`], [`Error::NotAnAutomorphism`],
    /// [`Error::NoThreads`].
    pub fn from_parts(
        ring: &Arc<Ring>,
        key_id: KeyId,
        seed: Seed,
        relinearisation: Vec<Vec<Vec<u64>>>,
        rotations: Vec<(u32, Vec<Vec<Vec<u64>>>)>,
        threads: NonZeroUsize,
    ) -> Result<Self, Error> {
        let parameters = ring.parameters();
        let bodies = rotations.iter().map(|rotation| &rotation.1);
        for bodies in std::iter::once(&relinearisation).chain(bodies) {
            let layout = Self::layout(parameters);
            if bodies.len() != layout.len() {
                return Err(Error::WrongLength {
                    what: "digits of an evaluation key",
                    expected: layout.len(),
                    found: bodies.len(),
                });
            }
            for (chosen, body) in layout.iter().zip(bodies) {
                parameters.check_rows("evaluation key", chosen, body)?;
            }
        }
        for (exponent, _) in &rotations {
            check_automorphism(parameters, *exponent)?;
        }
        let threads = Threads::new(threads)?;
        Self::expand(ring, key_id, seed, relinearisation, rotations, &threads)
    }

    pub(crate) fn expand(
        ring: &Arc<Ring>,
        key_id: KeyId,
        seed: Seed,
        relinearisation: Vec<Vec<Vec<u64>>>,
        rotations: Vec<(u32, Vec<Vec<Vec<u64>>>)>,
        threads: &Threads,
    ) -> Result<Self, Error> {
        let relinearisation =
            SwitchKey::expand(ring, &seed, RELINEARISATION, relinearisation, threads)?;
        let rotations: Result<Vec<_>, Error> = rotations
            .into_iter()
            .map(|(exponent, bodies)| {
                let kind = rotation_kind(exponent);
                let key = SwitchKey::expand(ring, &seed, kind, bodies, threads)?;
                Ok((exponent, key))
            })
            .collect();
        Ok(Self {
            ring: Arc::clone(ring),
            key_id,
            seed,
            relinearisation,
            rotations: rotations?,
        })
    }

    /// The digits of a key: for each the numbers, in [`Parameters::primes`], of the primes of its
    /// rows.
    #[must_use]
    pub fn layout(parameters: &Parameters) -> Vec<Vec<usize>> {
        places(parameters)
            .into_iter()
            .map(|place| place.rows)
            .collect()
    }

    /// The tables it computes with.
    #[must_use]
    pub fn ring(&self) -> &Arc<Ring> {
        &self.ring
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The seed of its masks: what a file holds of them.
    #[must_use]
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The bodies of relinearisation, for a file: for each digit of [`layout`](Self::layout) its
    /// rows.
    pub fn relinearisation(&self) -> impl Iterator<Item = &[Vec<u64>]> {
        self.relinearisation.bodies()
    }

    /// The bodies of rotations, for a file: each rotation's exponent, and its digits.
    pub fn rotations(&self) -> impl Iterator<Item = (u32, Vec<&[Vec<u64>]>)> {
        let keys = self.rotations.iter();
        keys.map(|(exponent, key)| (*exponent, key.bodies().collect()))
    }

    pub(crate) fn relinearisation_key(&self) -> &SwitchKey {
        &self.relinearisation
    }

    pub(crate) fn rotation_key(&self, exponent: u32) -> Option<&SwitchKey> {
        let found = self.rotations.iter().find(|key| key.0 == exponent);
        found.map(|key| &key.1)
    }
}

/// That an exponent is below the index and prime to it.
pub(crate) fn check_automorphism(parameters: &Parameters, exponent: u32) -> Result<(), Error> {
    let index = parameters.index();
    if exponent < index.m() && index.position(exponent).is_some() {
        Ok(())
    } else {
        Err(Error::NotAnAutomorphism {
            exponent,
            index: index.m(),
        })
    }
}
