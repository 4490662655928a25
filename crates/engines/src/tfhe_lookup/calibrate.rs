//! How long a lookup takes on this machine, without anybody's key.
//!
//! A plan says what a run will take before there is a key. The key's content does not matter for
//! that, only its size, so the measurement runs on a pseudo-random one.

use std::time::{Duration, Instant};

use circuits::Profile;
use tfhe::{Lookup, LweCiphertext, Parameters, ServerKey, TfheError, TruthTable};

use super::BATCH;

/// Measured costs of a parameter set on this machine, one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// A lookup evaluated alone.
    pub alone: Duration,
    /// A lookup's share of a batch of [`BATCH`].
    pub batched: Duration,
}

impl Calibration {
    /// Puts the measured costs into a profile.
    pub fn apply(&self, profile: &mut Profile) {
        let nanoseconds = self.batched.as_nanos() as f64;
        let cost = &mut profile.cost;
        for field in [
            &mut cost.and,
            &mut cost.xor,
            &mut cost.mux,
            &mut cost.lookup,
            &mut cost.refresh,
        ] {
            *field = nanoseconds;
        }
    }
}

/// Measures lookups of four functions on this machine: about a quarter of a second for the
/// default set, key expansion not counted.
///
/// # Errors
/// [`TfheError::NoTransform`] if a ring of the set has no transform.
pub fn calibrate(parameters: &Parameters) -> Result<Calibration, TfheError> {
    let key = ServerKey::for_timing(*parameters)?;
    let bit = LweCiphertext::trivial(parameters, key.key_id(), true);
    let terms = [(&bit, 1), (&bit, 2), (&bit, 4), (&bit, 8)];
    let tables = [0, 1, 2, 3].map(|index| TruthTable::of(|t| t >> index & 1 == 1));
    let lookups = vec![
        Lookup {
            terms: &terms,
            constant: 0,
            tables: &tables
        };
        BATCH
    ];
    let mut scratch = key.scratch(BATCH);
    let mut measure = |count: usize| -> Result<Duration, TfheError> {
        // The least of three: what the machine can do when nobody disturbs it.
        let mut best = Duration::MAX;
        for _ in 0..3 {
            let start = Instant::now();
            std::hint::black_box(key.lookup_many(&mut scratch, &lookups[..count])?);
            best = best.min(start.elapsed());
        }
        Ok(best / count as u32)
    };
    Ok(Calibration {
        alone: measure(1)?,
        batched: measure(BATCH)?,
    })
}
