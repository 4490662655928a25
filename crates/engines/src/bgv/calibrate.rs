//! How long gates take on this machine, without anybody's key.
//!
//! The content of a key does not matter for that, but its size does: products are measured with a
//! key whose bodies are zero, at the top of the chain and in its middle, and laid to the transforms
//! that they consist of.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bgv::{Ciphertext, Error, EvaluationKey, Evaluator, KeyId, Level, Parameters, Ring};
use random::Seed;

use super::CircuitForecast;

/// How often a gate is timed.
const ROUNDS: usize = 3;

/// Measured costs of a parameter set on this machine, on one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// A product with key switching, by transforms that it takes.
    pub transform: Duration,
    /// A sum, by rows of one part of a ciphertext.
    pub row: Duration,
    /// A product at the top of the chain.
    pub and: Duration,
    /// A sum there.
    pub xor: Duration,
}

impl Calibration {
    /// Time for all gates of an evaluation, on one thread.
    #[must_use]
    pub fn time(&self, forecast: &CircuitForecast, parameters: &Parameters) -> Duration {
        let level = |units: usize| Level::from_number(u16::try_from(units).unwrap_or(u16::MAX));
        let counted = |counts: &[usize], cost: &dyn Fn(Level) -> usize| -> f64 {
            let used = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            used.map(|(units, &count)| (count * cost(level(units))) as f64)
                .sum()
        };
        let transforms = counted(&forecast.products, &|level| {
            parameters.transforms_of_product(level)
        });
        let rows = counted(&forecast.sums, &|level| {
            2 * parameters.primes_of(level).len()
        });
        self.transform.mul_f64(transforms) + self.row.mul_f64(rows)
    }
}

/// Measures sums and products: a second or so for the largest rings. A key is made up, which takes
/// as much memory as a real one.
///
/// # Errors
/// [`Error::Ring`], [`Error::NoThreads`].
pub fn calibrate(parameters: &Parameters) -> Result<Calibration, Error> {
    let ring = Ring::new(parameters)?;
    let id = KeyId::from_bytes([0; KeyId::LENGTH]);
    let zeros = |rows: usize| vec![vec![0; parameters.degree()]; rows];
    let bodies = EvaluationKey::layout(parameters)
        .into_iter()
        .map(|rows| zeros(rows.len()))
        .collect();
    let key = EvaluationKey::from_parts(
        &ring,
        id,
        Seed::from_bytes([0; Seed::LENGTH]),
        bodies,
        Vec::new(),
        NonZeroUsize::MIN,
    )?;
    let evaluator = Evaluator::new(&Arc::new(key), NonZeroUsize::MIN)?;
    let bit = |level: Level| -> Result<Ciphertext, Error> {
        let rows = parameters.primes_of(level).len();
        let noise = bgv::Forecast::fresh(parameters, 0).noise();
        Ciphertext::from_parts(parameters, id, level, noise, vec![zeros(rows), zeros(rows)])
    };
    let top = parameters.top();
    let middle = Level::from_number((top.number() / 2).max(Level::LEAST.number()));
    let (mut times, mut transforms) = (Duration::ZERO, 0);
    let mut and = Duration::ZERO;
    for level in [middle, top] {
        let operand = bit(level)?;
        // What does not fit at this level is not timed there.
        if operand
            .forecast()
            .and(&operand.forecast(), parameters)
            .is_err()
        {
            continue;
        }
        let multiplied = operand
            .forecast()
            .level_of_product(&operand.forecast(), parameters);
        and = fastest(|| evaluator.and(&operand, &operand))?;
        times += and;
        transforms += parameters.transforms_of_product(multiplied);
    }
    let operand = bit(top)?;
    let xor = fastest(|| evaluator.xor(&operand, &operand))?;
    let rows = 2 * parameters.primes_of(top).len() as u32;
    Ok(Calibration {
        transform: times / u32::try_from(transforms.max(1)).unwrap_or(u32::MAX),
        row: xor / rows.max(1),
        and,
        xor,
    })
}

/// The shortest time of several.
fn fastest<T>(mut work: impl FnMut() -> Result<T, Error>) -> Result<Duration, Error> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        std::hint::black_box(work()?);
        best = best.min(start.elapsed());
    }
    Ok(best)
}
