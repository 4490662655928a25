//! The second part of the server's key as it is used.

use std::sync::Arc;

use std::fmt;

use random::KeyId;
use transforms::torus::{Fft, Plan};

use super::gadgets::{AUTOMORPHISM, SQUARE};
use super::glwe::Glwe;
use super::ring_switch::{ProductWork, RingSwitch};
use super::rotation::{MoreRows, RotationWork};
use super::seeded::{Rows, SeededLeveledKey};
use super::selector::ChoiceWork;
use crate::duet::Duet;
use crate::error::TfheError;
use crate::lwe::same_key;
use crate::parallel::Progress;
use crate::parameters::Parameters;
use crate::ring;
use crate::scratch::Scratch;
use crate::server_key::ServerKey;

/// What makes selectors and chooses by them, ready to compute: 122 MB for P16. It holds no secret, and
/// is shared between threads; whoever computes brings [`LeveledWork`].
pub struct LeveledKey {
    pub(crate) parameters: Parameters,
    pub(crate) key_id: KeyId,
    pub(crate) plan: Plan,
    pub(crate) rows: Rows,
    pub(crate) rotation: MoreRows,
    automorphisms: Vec<RingSwitch>,
    pub(crate) square: RingSwitch,
}

/// Name and key only: the content is megabytes long.
impl fmt::Debug for LeveledKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeveledKey")
            .field("parameters", &self.parameters.name())
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

/// Work buffers, owned by the worker. Ciphertexts pass through them; they never hold a secret.
#[derive(Clone, Debug)]
pub struct LeveledWork {
    pub(crate) scratch: Scratch,
    pub(crate) rotation: RotationWork,
    pub(crate) product: ProductWork,
    pub(crate) choice: ChoiceWork,
}

impl LeveledWork {
    /// [`Scratch::set_partner`] for rotations that make selectors.
    pub fn set_partner(&mut self, partner: Option<Arc<Duet>>) {
        self.scratch.set_partner(partner);
    }
}

impl LeveledKey {
    /// Expands a stored key on `threads` threads (at least one) for the processor of the first part,
    /// reporting parts done and parts in all.
    ///
    /// # Errors
    /// [`TfheError::WrongKey`] or [`TfheError::WrongParameters`] if the first part is of another key;
    /// [`TfheError::NoTransform`] if the ring has no transform.
    pub fn expand(
        seeded: &SeededLeveledKey,
        server: &ServerKey,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Self, TfheError> {
        let parameters = *seeded.parameters();
        let rows = Rows::new(&parameters);
        let plan = ring::plan(parameters.polynomial_size(), server.fft())?;
        check(server, &parameters, seeded.key_id())?;
        let bodies =
            |first: usize, count: usize| &seeded.bodies()[first * rows.size..][..count * rows.size];
        let blocks = rows.n / parameters.block_bits();
        let rotation = MoreRows::expand(
            &plan,
            (rows, parameters.block_bits()),
            seeded.seed(),
            bodies(0, rows.automorphisms()),
            threads,
            (progress, blocks + 1),
        );
        let automorphisms = (0..rows.steps).map(|step| {
            let first = rows.automorphisms() + step * Rows::OF_STEP;
            let bodies = bodies(first, Rows::OF_STEP);
            RingSwitch::expand(&plan, AUTOMORPHISM, seeded.seed(), first, bodies)
        });
        let automorphisms = automorphisms.collect();
        let bodies = bodies(rows.square(), Rows::OF_SQUARE);
        let square = RingSwitch::expand(&plan, SQUARE, seeded.seed(), rows.square(), bodies);
        progress(blocks + 1, blocks + 1);
        Ok(Self {
            parameters,
            key_id: seeded.key_id(),
            plan,
            rows,
            rotation,
            automorphisms,
            square,
        })
    }
}

/// Refuses a first part of another key or set.
pub(crate) fn check(
    server: &ServerKey,
    parameters: &Parameters,
    key_id: KeyId,
) -> Result<(), TfheError> {
    let what = "first part of the server key";
    if server.parameters() != parameters {
        return Err(TfheError::WrongParameters {
            what,
            expected: parameters.name(),
            found: server.parameters().name(),
        });
    }
    same_key(what, key_id, server.key_id())
}

impl LeveledKey {
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

    /// Work buffers for this key and the first part, for batches of at most `batch` rotations (at
    /// least one): for P16 about 0.2 MB a rotation, and 0.4 MB.
    #[must_use]
    pub fn work(&self, server: &ServerKey, batch: usize) -> LeveledWork {
        let scratch = server.scratch(batch);
        let batch = scratch.batch();
        LeveledWork {
            rotation: RotationWork::new(&server.bootstrap, batch, self.parameters.block_bits()),
            product: ProductWork::new(&self.plan, AUTOMORPHISM.levels() as usize),
            choice: ChoiceWork::new(&self.plan),
            scratch,
        }
    }

    /// Refuses what was made for another FFT processor, whose spectra mean something else.
    pub(crate) fn check_processor(&self, what: &'static str, found: Fft) -> Result<(), TfheError> {
        let expected = self.plan.fft();
        if expected == found {
            return Ok(());
        }
        Err(TfheError::WrongProcessor {
            what,
            expected: expected.name(),
            found: found.name(),
        })
    }

    /// Refuses work buffers of another set or processor.
    pub(crate) fn check_work(&self, work: &LeveledWork) -> Result<(), TfheError> {
        let (expected, found) = (self.parameters.name(), work.scratch.parameters.name());
        if work.scratch.parameters != self.parameters {
            return Err(TfheError::WrongScratch { expected, found });
        }
        self.check_processor("work buffer", work.scratch.fft)
    }

    /// The automorphism of a step of the trace, under the same key.
    pub(crate) fn automorphism(&self, glwe: &Glwe, step: usize, work: &mut ProductWork) -> Glwe {
        let mut moved = glwe.automorphed(self.rows.exponent(step));
        let [mask, _] = moved.both_mut();
        let of_key = mask.to_vec();
        mask.fill(0);
        self.automorphisms[step - 1].add(&self.plan, &of_key, &mut moved, work);
        moved
    }
}
