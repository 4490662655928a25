//! A machine's own thresholds.
//!
//! Every size is timed by every algorithm in turn, the least of some rounds counts, and a threshold
//! is where the whole of the times would be least, in logarithms: one time that something else on
//! the machine spoilt moves it little.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Instant;

use super::{FAST_PRIMES, Lengths, Tuning};
use crate::modulus::Rings;
use crate::small::{self, Ladder};
use crate::transform::{Factor, Family, Transform};
use crate::{Error, Multiplier, Options};

const ROUNDS: usize = 12;
/// Limbs that the products of one measurement have, so that it takes some tens of microseconds.
const LIMBS: usize = 4_096;
/// Limbs of factors, for where transforms begin.
const FACTORS: [usize; 12] = [96, 128, 160, 192, 256, 320, 384, 448, 512, 640, 768, 1024];
/// Limbs of products, for where which transforms are faster.
const PRODUCTS: [usize; 14] = [
    768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768, 49_152, 65_536,
];
/// Limbs of moduli, for the same in rings.
const MODULI: [usize; 13] = [
    384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576,
];
/// Seconds where no rings fit: more than any.
const NONE: f64 = 1.0;

impl Tuning {
    /// Measures this machine, in one to two seconds. What else it does makes thresholds less exact,
    /// and never products wrong. Where exact transforms have no kernels, there is nothing to choose,
    /// and the constants stay.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if this machine cannot run a transform.
    pub fn measure() -> Result<Self, Error> {
        if !*FAST_PRIMES {
            return Ok(Self::default());
        }
        let two = NonZeroUsize::MIN.saturating_add(1);
        Ok(Self {
            product: crossing(&FACTORS, &beside_transforms(false)?),
            square: crossing(&FACTORS, &beside_transforms(true)?),
            float: [Lengths::measure(NonZeroUsize::MIN)?, Lengths::measure(two)?],
        })
    }
}

impl Lengths {
    fn measure(threads: NonZeroUsize) -> Result<Self, Error> {
        let products = least(&mut pairs(&PRODUCTS, threads)?, |[float, exact]| {
            Ok([float.seconds(false)?, exact.seconds(false)?])
        })?;
        let mut moduli = MODULI
            .iter()
            .map(|&limbs| Moduli::new(limbs, threads))
            .collect::<Result<Vec<_>, _>>()?;
        let rings = least(&mut moduli, Moduli::seconds)?;
        Ok(Self {
            products: interval(&PRODUCTS, &products),
            rings: interval(&MODULI, &rings),
        })
    }
}

/// Seconds of two ways to do the same.
type Pair = [f64; 2];

/// The least time of each way for each length. Rounds go over all of them: what disturbs the
/// machine for a while disturbs one round.
fn least<T>(
    ways: &mut [T],
    mut time: impl FnMut(&mut T) -> Result<Pair, Error>,
) -> Result<Vec<Pair>, Error> {
    let mut least = vec![[f64::INFINITY; 2]; ways.len()];
    for _ in 0..ROUNDS {
        for (least, way) in least.iter_mut().zip(&mut *ways) {
            let [first, second] = time(way)?;
            *least = [least[0].min(first), least[1].min(second)];
        }
    }
    Ok(least)
}

/// Products of two factors, or squares, without transforms and by the faster ones.
fn beside_transforms(square: bool) -> Result<Vec<Pair>, Error> {
    let mut products = pairs(&FACTORS.map(|limbs| 2 * limbs), NonZeroUsize::MIN)?;
    let mut scratch = Vec::new();
    least(&mut products, |pair| {
        let [
            Product {
                factors: [a, b],
                out,
                ..
            },
            _,
        ] = &mut *pair;
        let without = seconds(out.len(), || {
            if square {
                small::square(out, black_box(a), &mut scratch, Ladder::fastest());
            } else {
                small::multiply(out, black_box(a), b, &mut scratch, Ladder::fastest());
            }
            Ok(())
        })?;
        let [float, exact] = pair;
        Ok([without, float.seconds(square)?.min(exact.seconds(square)?)])
    })
}

/// For each length of a product, one of both families.
fn pairs(lengths: &[usize], threads: NonZeroUsize) -> Result<Vec<[Product; 2]>, Error> {
    let product = |family, limbs| Product::new(family, limbs, threads);
    let pair = |&limbs| {
        Ok([
            product(Family::Float, limbs)?,
            product(Family::Exact, limbs)?,
        ])
    };
    lengths.iter().map(pair).collect()
}

/// A product to be timed.
struct Product {
    transform: Transform,
    factors: [Vec<u64>; 2],
    out: Vec<u64>,
}

impl Product {
    fn new(family: Family, limbs: usize, threads: NonZeroUsize) -> Result<Self, Error> {
        Ok(Self {
            transform: Transform::new(family, false, limbs, 1, threads)?,
            factors: [numbers(1, limbs / 2), numbers(2, limbs / 2)],
            out: vec![0; limbs],
        })
    }

    fn seconds(&mut self, square: bool) -> Result<f64, Error> {
        let Self {
            transform,
            factors: [a, b],
            out,
        } = self;
        seconds(out.len(), || {
            let factor = if square {
                Factor::Same
            } else {
                Factor::Limbs(b)
            };
            transform
                .within(|| transform.product(out, black_box(a), factor))
                .map(|_| ())
        })
    }
}

/// Montgomery's products for a modulus by both families, to be timed.
struct Moduli {
    rings: [Option<Rings>; 2],
    factors: [Vec<u64>; 2],
    out: Vec<u64>,
    memory: Multiplier,
}

impl Moduli {
    fn new(limbs: usize, threads: NonZeroUsize) -> Result<Self, Error> {
        let options = Options {
            threads,
            ..Options::default()
        };
        let modulus = numbers(3, limbs);
        let rings = |family| Rings::without_inverse(&modulus, family, options);
        Ok(Self {
            rings: [rings(Family::Float)?, rings(Family::Exact)?],
            factors: [numbers(1, limbs), numbers(2, limbs)],
            out: vec![0; limbs + 1],
            memory: Multiplier::default(),
        })
    }

    fn seconds(&mut self) -> Result<Pair, Error> {
        let Self {
            rings,
            factors: [a, b],
            out,
            memory,
        } = self;
        let mut times = [NONE; 2];
        for (time, rings) in times.iter_mut().zip(rings) {
            if let Some(rings) = rings {
                *time = seconds(3 * out.len(), || {
                    rings.within(|| rings.multiply(out, black_box(a), b, memory))?;
                    Ok(())
                })?;
            }
        }
        Ok(times)
    }
}

/// Of one product of that many limbs, the mean of as many as take long enough to be timed.
fn seconds(limbs: usize, mut run: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    let repeats = (LIMBS / limbs).max(1);
    let start = Instant::now();
    for _ in 0..repeats {
        run()?;
    }
    Ok(start.elapsed().as_secs_f64() / repeats as f64)
}

/// Limbs that look random.
fn numbers(seed: u64, limbs: usize) -> Vec<u64> {
    let mixed = |at: u64| at.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ at << 32;
    (0..limbs as u64)
        .map(|at| mixed(at + 1 + (seed << 40)))
        .collect()
}

/// How much longer the first way takes than the second, in logarithms.
fn gain([first, second]: Pair) -> f64 {
    (first / second).ln()
}

/// The length from which on the second way is the faster one.
fn crossing(lengths: &[usize], times: &[Pair]) -> usize {
    let above = lengths.last().map_or(0, |last| last + last / 4);
    let (mut sum, mut most, mut from) = (0.0, 0.0, above);
    for (&length, &times) in lengths.iter().zip(times).rev() {
        sum += gain(times);
        if sum > most {
            (most, from) = (sum, length);
        }
    }
    from
}

/// The lengths between which the first way is the faster one. What is found for the shortest holds
/// below it, and what is found for the longest above.
fn interval(lengths: &[usize], times: &[Pair]) -> Range<usize> {
    let (mut sum, mut start) = (0.0, 0);
    let (mut most, mut best) = (0.0, 0..0);
    for (at, &times) in times.iter().enumerate() {
        if sum <= 0.0 {
            (sum, start) = (0.0, at);
        }
        sum -= gain(times);
        if sum > most {
            (most, best) = (sum, start..at + 1);
        }
    }
    let from = if best.start == 0 {
        0
    } else {
        lengths[best.start]
    };
    let to = match lengths.get(best.end) {
        Some(&length) => length,
        None => usize::MAX,
    };
    if best.is_empty() { 0..0 } else { from..to }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [usize; 5] = [10, 20, 30, 40, 50];

    /// Twice as fast by the first (1) or the second way (2), or slightly, as one time may be.
    fn times(faster: [f64; 5]) -> [Pair; 5] {
        faster.map(|way| [way, 3.0 - way])
    }

    #[test]
    fn one_spoilt_time_moves_no_crossing() {
        assert_eq!(crossing(&LENGTHS, &times([1.0, 1.0, 2.0, 2.0, 2.0])), 30);
        assert_eq!(crossing(&LENGTHS, &times([1.0, 1.0, 2.0, 1.4, 2.0])), 30);
        assert_eq!(crossing(&LENGTHS, &times([2.0; 5])), 10);
        assert_eq!(crossing(&LENGTHS, &times([1.0; 5])), 62);
    }

    #[test]
    fn one_spoilt_time_moves_no_interval() {
        assert_eq!(
            interval(&LENGTHS, &times([2.0, 1.0, 1.0, 1.0, 2.0])),
            20..50
        );
        assert_eq!(
            interval(&LENGTHS, &times([2.0, 1.0, 1.6, 1.0, 2.0])),
            20..50
        );
        assert_eq!(interval(&LENGTHS, &times([1.0, 1.0, 1.0, 2.0, 2.0])), 0..40);
        assert_eq!(
            interval(&LENGTHS, &times([2.0, 2.0, 2.0, 1.0, 1.0])),
            40..usize::MAX
        );
        assert_eq!(interval(&LENGTHS, &times([2.0; 5])), 0..0);
    }

    #[test]
    #[ignore = "slow: 3 s"]
    fn this_machine_has_thresholds() {
        let tuning = Tuning::measure().unwrap();
        assert!((96..=1_280).contains(&tuning.product), "{tuning:?}");
        assert!((96..=1_280).contains(&tuning.square), "{tuning:?}");
        for lengths in &tuning.float {
            for range in [&lengths.products, &lengths.rings] {
                assert!(range.start <= range.end, "{tuning:?}");
            }
        }
    }
}
