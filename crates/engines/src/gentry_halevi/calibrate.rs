//! How long gates take on this machine, without anybody's key.
//!
//! The content of a key does not matter for that, but its size does: products and recryptions are
//! measured on pseudo-random numbers below a pseudo-random modulus. Keys whose recryption is not
//! needed have zeros for all that only recryption reads, which takes no memory.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use circuits::Profile;
use gentry_halevi::{Ciphertext, Error, Evaluator, Noise, Parameters, PublicKey, Transforms};

use super::set_mux;

/// How often a gate is timed.
const ROUNDS: usize = 5;

/// Measured costs of a parameter set on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// An XOR, on one thread.
    pub xor: Duration,
    /// An AND, on one thread.
    pub and: Duration,
    /// A recryption on as many threads as were asked for; `None` where it was not measured.
    pub refresh: Option<Duration>,
}

impl Calibration {
    /// Puts the measured costs into a profile; a recryption that was not measured keeps its
    /// proportion to an AND.
    pub fn apply(&self, profile: &mut Profile) {
        let nanoseconds = |time: Duration| time.as_nanos() as f64;
        let cost = &mut profile.cost;
        let ratio = cost.refresh / cost.and;
        cost.xor = nanoseconds(self.xor);
        cost.and = nanoseconds(self.and);
        cost.refresh = match self.refresh {
            Some(time) => nanoseconds(time),
            None => ratio * cost.and,
        };
        set_mux(cost);
    }
}

/// Measures an XOR and an AND: milliseconds. With `recryption` one of these, too, on its threads
/// and with transforms kept or not: then a key is made up, which takes as much memory as a real
/// one.
///
/// # Errors
/// [`Error::NoThreads`], [`Error::Arithmetic`].
pub fn calibrate(
    parameters: &Parameters,
    recryption: Option<(Transforms, NonZeroUsize)>,
) -> Result<Calibration, Error> {
    let mut numbers = Numbers(1);
    let part = parameters.largest_modulus_bits().div_ceil(64);
    let parts = parameters.public_parts();
    let mut limbs = vec![0; part * parts];
    let used = if recryption.is_some() { parts } else { 2 };
    for number in limbs.chunks_exact_mut(part).take(used) {
        numbers.fill(number);
        // Below the modulus, whatever it is.
        number[part - 1] = 0;
    }
    // Odd, and as long as a modulus of the set is: the parameters' limit is a whole number of limbs
    // and a little less than it.
    let spare = 64 * part - parameters.largest_modulus_bits();
    limbs[0] |= 1;
    limbs[part - 1] = u64::MAX >> spare >> 1;
    let key = PublicKey::from_limbs(*parameters, Arc::new(limbs))?;
    let (transforms, threads) = recryption.unwrap_or((Transforms::Computed, NonZeroUsize::MIN));
    let evaluator = Evaluator::new(&key, transforms, threads)?;
    let mut bit = || -> Result<Ciphertext, Error> {
        let mut limbs = vec![0; part];
        numbers.fill(&mut limbs[..part - 1]);
        key.ciphertext(limbs, Noise::fresh(parameters))
    };
    let (a, b) = (bit()?, bit()?);
    let xor = fastest(ROUNDS, || evaluator.xor(&a, &b))?;
    let and = fastest(ROUNDS, || evaluator.and(&a, &b))?;
    let refresh = match recryption {
        Some(_) => Some(fastest(1, || evaluator.recrypt(&a))?),
        None => None,
    };
    Ok(Calibration { xor, and, refresh })
}

/// The shortest time of several.
fn fastest<T>(
    rounds: usize,
    mut work: impl FnMut() -> Result<T, Error>,
) -> Result<Duration, Error> {
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        std::hint::black_box(work()?);
        best = best.min(start.elapsed());
    }
    Ok(best)
}

/// Knuth's linear congruential generator (MMIX): numbers as uneven as real ones.
struct Numbers(u64);

impl Numbers {
    fn fill(&mut self, limbs: &mut [u64]) {
        for limb in limbs {
            let next = |state: u64| {
                let product = state.wrapping_mul(6_364_136_223_846_793_005);
                product.wrapping_add(1_442_695_040_888_963_407)
            };
            let high = next(self.0);
            self.0 = next(high);
            *limb = high >> 32 << 32 | self.0 >> 32;
        }
    }
}
