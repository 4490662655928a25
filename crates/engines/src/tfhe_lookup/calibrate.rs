//! How long a lookup takes on this machine, without anybody's key.
//!
//! A plan says what a run will take before there is a key. The key's content does not matter for
//! that, only its size, so the measurement runs on a pseudo-random one. The operands' content does:
//! with a mask of zeros a rotation would read one table entry over and over.

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
        cost.lookup_alone = self.alone.max(self.batched).as_nanos() as f64;
    }
}

/// Measures lookups of four functions on this machine: about a quarter of a second for the
/// default set, key expansion not counted.
///
/// # Errors
/// [`TfheError::NoTransform`] if a ring of the set has no transform.
pub fn calibrate(parameters: &Parameters) -> Result<Calibration, TfheError> {
    let key = ServerKey::for_timing(*parameters)?;
    let bits = (1..=4)
        .map(|number| arbitrary(&key, number))
        .collect::<Result<Vec<_>, _>>()?;
    let terms: Vec<_> = bits.iter().zip([1, 2, 4, 8]).collect();
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

/// A ciphertext of nothing, its mask as uneven as a real one's: the states of Knuth's linear
/// congruential generator (MMIX).
fn arbitrary(key: &ServerKey, number: u64) -> Result<LweCiphertext, TfheError> {
    let next = |state: &u64| {
        let product = state.wrapping_mul(6_364_136_223_846_793_005);
        Some(product.wrapping_add(1_442_695_040_888_963_407))
    };
    let elements = std::iter::successors(Some(number), next)
        .skip(1)
        .take(key.parameters().big_lwe_dimension().get() + 1)
        .collect();
    LweCiphertext::from_parts(key.parameters(), key.key_id(), elements)
}
