//! TFHE by gates, as the papers have it: one bootstrap for each gate of two inputs.
//!
//! A bit is an LWE ciphertext of ±1/8 under the small key; an AND or an XOR is one rotation and one
//! key switch, a multiplexer two rotations and one key switch, NOT is free. There is no lookup: the
//! builder writes circuits with AND, XOR and selections for this engine, and every result is as
//! fresh as any other, so that there are no noise classes either.
//!
//! The engine is the papers' yardstick: the same circuits on [`tfhe_lookup`](crate::tfhe_lookup)
//! take a fraction of the rotations. Rotations of independent gates pass over the key together.

mod calibrate;

use std::sync::Arc;

use circuits::{GateByGate, Gates, Job, OperationCosts, Profile};
use tfhe::TfheError;
use tfhe::gate::{Gate, GateCiphertext, GateJob, GateParameters, GateScratch, GateServerKey};

pub use calibrate::Calibration;

/// How many rotations one worker evaluates for one pass over both keys.
///
/// Neither the bootstrapping key nor the key-switching key fits a core's own cache; eight rotations
/// read them once (`cargo run --release -p blindcore-tfhe --example gate_time` shows what it
/// gains).
pub const BATCH: usize = 8;

/// Nanoseconds that a transform of 1,024 coefficients is taken to cost with its share of everything
/// else, on one thread; other sizes in proportion.
const NANOSECONDS_PER_TRANSFORM: f64 = 1_000.0;

/// The engine: a server key and what circuits have to know of it.
#[derive(Clone, Debug)]
pub struct TfheGate {
    key: Arc<GateServerKey>,
    profile: Profile,
}

impl TfheGate {
    /// An engine on a key, for circuits of a profile: [`profile()`] of the key's parameters, and
    /// what is known of threads and of the machine ([`TfheGate::calibrate`]).
    #[must_use]
    pub fn new(key: Arc<GateServerKey>, profile: Profile) -> Self {
        Self { key, profile }
    }

    /// The server key.
    #[must_use]
    pub fn key(&self) -> &Arc<GateServerKey> {
        &self.key
    }
}

/// What circuits have to know of a parameter set: costs in proportion to its transforms.
#[must_use]
pub fn profile(parameters: &GateParameters) -> Profile {
    let size = parameters.polynomial_size().get() as f64 / 1024.0;
    let transforms = parameters.transforms_per_rotation() as f64;
    let gate = NANOSECONDS_PER_TRANSFORM * size * transforms;
    let cost = OperationCosts {
        and: gate,
        xor: gate,
        mux: 2.0 * gate,
        lookup: 0.0,
        lookup_alone: 0.0,
        refresh: gate,
    };
    let name = format!("TFHE gates, {}", parameters.name());
    let mut profile = Profile::new(name, cost, parameters.bytes_per_bit());
    profile.batch = BATCH;
    profile
}

/// A job as a gate; `None` for what has to be written out in gates.
fn prepare<'a>(job: &Job<'a, GateCiphertext>) -> Option<GateJob<'a>> {
    Some(match job {
        Job::And(a, b) => GateJob::Two(Gate::And, a, b),
        Job::Xor(a, b) => GateJob::Two(Gate::Xor, a, b),
        Job::Mux {
            select,
            then,
            otherwise,
        } => GateJob::Mux {
            select,
            then,
            otherwise,
        },
        Job::Refresh(a) => GateJob::Refresh(a),
        Job::Lookup(_) | Job::Parity(_) | Job::Disjoint(_) | Job::Subtotal(_) | Job::Linear(_) => {
            return None;
        }
    })
}

impl Gates for TfheGate {
    type Bit = GateCiphertext;
    type Scratch = GateScratch;
    type Error = TfheError;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn scratch(&self) -> GateScratch {
        self.key.scratch(self.profile.batch)
    }

    fn constant(&self, value: bool) -> GateCiphertext {
        self.key.constant(value)
    }

    fn not(&self, a: &GateCiphertext) -> GateCiphertext {
        a.not()
    }

    fn apply_many(
        &self,
        scratch: &mut GateScratch,
        jobs: &[Job<'_, GateCiphertext>],
    ) -> Vec<Result<Vec<GateCiphertext>, TfheError>> {
        let prepared: Vec<Option<GateJob<'_>>> = jobs.iter().map(prepare).collect();
        let gates: Vec<GateJob<'_>> = prepared.iter().flatten().copied().collect();
        let Ok(results) = self.key.gates(scratch, &gates) else {
            // One operand of another key spoils the batch: find out whose it was.
            return self.one_by_one(scratch, jobs);
        };
        let mut results = results.into_iter();
        jobs.iter()
            .zip(&prepared)
            .map(|(job, gate)| match gate.and_then(|_| results.next()) {
                Some(bit) => Ok(vec![bit]),
                None => self.one(scratch, job),
            })
            .collect()
    }
}

impl GateByGate for TfheGate {
    fn and(
        &self,
        scratch: &mut GateScratch,
        a: &GateCiphertext,
        b: &GateCiphertext,
    ) -> Result<GateCiphertext, TfheError> {
        self.key.gate(scratch, Gate::And, a, b)
    }

    fn xor(
        &self,
        scratch: &mut GateScratch,
        a: &GateCiphertext,
        b: &GateCiphertext,
    ) -> Result<GateCiphertext, TfheError> {
        self.key.gate(scratch, Gate::Xor, a, b)
    }

    fn refresh(
        &self,
        scratch: &mut GateScratch,
        a: &GateCiphertext,
    ) -> Result<GateCiphertext, TfheError> {
        self.key.refresh(scratch, a)
    }

    fn mux(
        &self,
        scratch: &mut GateScratch,
        select: &GateCiphertext,
        then: &GateCiphertext,
        otherwise: &GateCiphertext,
    ) -> Result<GateCiphertext, TfheError> {
        self.key.mux(scratch, select, then, otherwise)
    }
}
