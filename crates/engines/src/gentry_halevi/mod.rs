//! Gentry and Halevi's scheme: gates are sums and products modulo one integer of 195,000 bits or
//! more.
//!
//! An XOR takes microseconds and an AND less than a millisecond at dimension 2048, but every
//! product makes its result noisier, and a refresh, a recryption, takes as long as hundreds of
//! ANDs. So circuits are written with the fewest ANDs, selections and lookups included, and the
//! pass [`insert_refresh`](circuits::passes::insert_refresh) has values refreshed where they would
//! become too noisy, by the same bound that ciphertexts carry ([`Noise`]). A circuit that was
//! prepared for another target, or not at all, ends with [`Error::NoiseExhausted`], in which the
//! scheduler names the operation and its level, before any bit decrypts wrongly.
//!
//! Recryption uses all threads of its evaluator by itself; ANDs that do not depend on each other go
//! to the scheduler's threads.
//!
//! It is here to be compared with, and **protects nothing**.

mod calibrate;

use std::num::NonZeroUsize;
use std::sync::Arc;

use circuits::{GateByGate, Gates, Job, NoiseAmount, NoiseGrowth, OperationCosts, Profile};
use gentry_halevi::{Ciphertext, Error, Evaluator, Noise, Parameters, PublicKey, Transforms};

pub use calibrate::{Calibration, calibrate};

/// Nanoseconds that a sum is taken to cost for each limb.
const NANOSECONDS_PER_LIMB: f64 = 1.0;
/// How much longer a product with its reduction takes than a sum.
const SUMS_PER_PRODUCT: f64 = 60.0;
/// Products in the time of a recryption, which shares most of its transforms.
const PRODUCTS_PER_REFRESH: f64 = 300.0;

/// The engine: a public key and what circuits have to know of it.
#[derive(Clone)]
pub struct GentryHalevi {
    evaluator: Arc<Evaluator>,
    profile: Profile,
}

impl GentryHalevi {
    /// An engine on a key, for circuits of a profile: [`profile()`] of the key's parameters, and
    /// what is known of the machine ([`calibrate()`]). Recryptions use `threads` threads and, if
    /// transforms are kept, about six times the memory of the key.
    ///
    /// # Errors
    /// [`Error::NoThreads`], [`Error::Arithmetic`].
    pub fn new(
        key: &PublicKey,
        profile: Profile,
        transforms: Transforms,
        threads: NonZeroUsize,
    ) -> Result<Self, Error> {
        Ok(Self {
            profile,
            evaluator: Arc::new(Evaluator::new(key, transforms, threads)?),
        })
    }

    /// What computes.
    #[must_use]
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }
}

/// What circuits have to know of a parameter set: costs in proportion to the modulus, and how noise
/// grows.
#[must_use]
pub fn profile(parameters: &Parameters) -> Profile {
    let limbs = parameters.largest_modulus_bits().div_ceil(64);
    let xor = NANOSECONDS_PER_LIMB * limbs as f64;
    let and = SUMS_PER_PRODUCT * xor;
    let mut cost = OperationCosts {
        and,
        xor,
        mux: 0.0,
        lookup: 0.0,
        lookup_alone: 0.0,
        refresh: PRODUCTS_PER_REFRESH * and,
    };
    set_mux(&mut cost);
    let name = format!("Gentry–Halevi, {}", parameters.name());
    // One core: depth is degree, and degree is refreshes, so that circuits have the fewest ANDs,
    // however many threads there are.
    let mut profile = Profile::new(name, cost, 8 * limbs as u64);
    profile.growth = Some(growth(parameters));
    profile
}

/// A selection is one AND and two XORs; where it costs no less, circuits are written with these.
fn set_mux(cost: &mut OperationCosts) {
    cost.mux = cost.and + 2.0 * cost.xor;
}

/// How noise grows, in the terms of circuits: what [`Noise`] says in the scheme's.
fn growth(parameters: &Parameters) -> NoiseGrowth {
    let amount = |noise: Noise| NoiseAmount {
        bits: noise.log2_norm(),
        degree: noise.degree(),
    };
    // Recryption needs p + 1 bits of margin, which is what a constant has less its norm.
    let needed = parameters.precision() as f64 + 1.0;
    NoiseGrowth {
        fresh: amount(Noise::fresh(parameters)),
        refreshed: amount(Noise::recrypted(parameters)),
        limit: Noise::CONSTANT.margin(parameters) - needed,
    }
}

impl Gates for GentryHalevi {
    type Bit = Ciphertext;
    type Scratch = ();
    type Error = Error;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn scratch(&self) {}

    fn constant(&self, value: bool) -> Ciphertext {
        self.evaluator.constant(value)
    }

    fn not(&self, a: &Ciphertext) -> Ciphertext {
        self.evaluator.not(a)
    }

    fn apply_many(
        &self,
        (): &mut (),
        jobs: &[Job<'_, Ciphertext>],
    ) -> Vec<Result<Vec<Ciphertext>, Error>> {
        self.one_by_one(&mut (), jobs)
    }
}

impl GateByGate for GentryHalevi {
    fn and(&self, (): &mut (), a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.evaluator.and(a, b)
    }

    fn xor(&self, (): &mut (), a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.evaluator.xor(a, b)
    }

    fn refresh(&self, (): &mut (), a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.evaluator.recrypt(a)
    }
}
