//! How long a lookup takes on this machine, without anybody's key.
//!
//! A plan says what a run will take before there is a key. The key's content does not matter for
//! that, only its size, so the measurement runs on a pseudo-random one. The operands' content does:
//! with a mask of zeros a rotation would read one table entry over and over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use circuits::{Gates as _, Job, LookupJob, Profile, Tables, Timing};
use tfhe::{Fft, Lookup, LweCiphertext, Parameters, Scratch, ServerKey, TfheError, TruthTable};

use super::{TfheLookup, batch, profile};
use crate::timing::measure;

/// Measured costs of a parameter set on this machine, one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// A lookup evaluated alone.
    pub alone: Duration,
    /// A lookup's share of a [`batch`].
    pub batched: Duration,
}

impl Calibration {
    /// Puts the measured costs into a profile.
    pub fn apply(&self, profile: &mut Profile) {
        let nanoseconds = self.batched.as_nanos() as f64;
        // A table of batches would contradict these.
        profile.timing = None;
        if let Some(selectors) = &mut profile.selectors {
            selectors.scale(nanoseconds / profile.cost.lookup);
        }
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
    calibrate_on(parameters, Fft::detect())
}

/// As [`calibrate`], by an FFT processor of the caller's choice.
///
/// # Errors
/// [`TfheError::NoTransform`] also if this machine cannot run the processor.
pub fn calibrate_on(parameters: &Parameters, fft: Fft) -> Result<Calibration, TfheError> {
    let mut timer = LookupTimer::new(parameters, fft)?;
    // The least of three: what the machine can do when nobody disturbs it.
    for _ in 0..3 {
        timer.time()?;
    }
    Ok(timer.best)
}

/// Measures several processors in turn, `rounds` times each and at least once, so that whatever
/// else the machine does meets all of them alike. Their keys are in memory at once, 60 to 120 MB
/// each for the default set. `progress` is told the number of each round as it begins.
///
/// # Errors
/// As [`calibrate_on`].
pub fn compare(
    parameters: &Parameters,
    processors: &[Fft],
    rounds: usize,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<Calibration>, TfheError> {
    let timers = processors
        .iter()
        .map(|&fft| LookupTimer::new(parameters, fft));
    let mut timers = timers.collect::<Result<Vec<_>, _>>()?;
    for round in 0..rounds.max(1) {
        progress(round);
        for timer in &mut timers {
            timer.time()?;
        }
    }
    Ok(timers.into_iter().map(|timer| timer.best).collect())
}

/// Measures batches of every size on 1 to `threads` threads: a second or two for each
/// thread with the default set, key expansion not counted.
///
/// # Errors
/// As [`calibrate_on`].
pub fn timing(parameters: &Parameters, fft: Fft, threads: usize) -> Result<Timing, TfheError> {
    let key = ServerKey::for_timing_on(*parameters, fft)?;
    TfheLookup::new(Arc::new(key), profile(parameters)).timing(threads)
}

impl TfheLookup {
    /// As [`timing()`], on the engine's own key.
    ///
    /// # Errors
    /// None that a sound key has: [`TfheError`] of the lookups evaluated.
    pub fn timing(&self, threads: usize) -> Result<Timing, TfheError> {
        // Adders of two columns: the lookup of the middling circuit. Each has bits of its own,
        // since rotations by the same amounts would find what they read in the cache.
        let batch = self.profile().batch;
        let bits = (1..=5 * batch as u64)
            .map(|number| arbitrary(self.key(), number))
            .collect::<Result<Vec<_>, _>>()?;
        let jobs: Vec<_> = bits.chunks(5).map(adder).collect();
        match measure(self, &jobs, threads)?.timing() {
            Some(timing) => Ok(timing),
            None => unreachable!("a batch holds a lookup"),
        }
    }
}

/// A key that is measured, and the shortest times so far.
struct LookupTimer {
    key: ServerKey,
    scratch: Scratch,
    batch: usize,
    bits: Vec<LweCiphertext>,
    best: Calibration,
}

impl LookupTimer {
    fn new(parameters: &Parameters, fft: Fft) -> Result<Self, TfheError> {
        let key = ServerKey::for_timing_on(*parameters, fft)?;
        let bits = (1..=4)
            .map(|number| arbitrary(&key, number))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            scratch: key.scratch(batch(parameters)),
            batch: batch(parameters),
            bits,
            best: Calibration {
                alone: Duration::MAX,
                batched: Duration::MAX,
            },
            key,
        })
    }

    fn time(&mut self) -> Result<(), TfheError> {
        let terms: Vec<_> = self.bits.iter().zip([1, 2, 4, 8]).collect();
        let tables = [0, 1, 2, 3].map(|index| TruthTable::of(|t| t >> index & 1 == 1));
        let lookups = vec![
            Lookup {
                terms: &terms,
                constant: 0,
                tables: &tables
            };
            self.batch
        ];
        let mut measure = |count: usize| -> Result<Duration, TfheError> {
            let start = Instant::now();
            std::hint::black_box(self.key.lookup_many(&mut self.scratch, &lookups[..count])?);
            Ok(start.elapsed() / count as u32)
        };
        let (alone, batched) = (measure(1)?, measure(self.batch)?);
        self.best.alone = self.best.alone.min(alone);
        self.best.batched = self.best.batched.min(batched);
        Ok(())
    }
}

fn adder(bits: &[LweCiphertext]) -> Job<'_, LweCiphertext> {
    Job::Lookup(LookupJob {
        terms: bits.iter().zip([1, 2, 1, 2, 1]).collect(),
        constant: 0,
        max: 7,
        tables: Tables::new(&[0xaa, 0xcc, 0xf0]),
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
