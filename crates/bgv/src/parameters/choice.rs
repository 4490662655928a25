//! The smallest set that serves a circuit.
//!
//! For each ring of the table, smallest first, lengths β of big primes and digits of key switching
//! are tried; special primes are as long as the noise of key switching asks for, and the chain as
//! long as security leaves. How many products in a row a chain allows is simulated with the
//! estimates and the policy that evaluation uses. Of the sets that suffice the one with the fewest
//! transforms per product is taken.

use std::sync::Arc;

use super::{Level, ParameterLiteral, Parameters, Security};
use crate::Error;
use crate::noise::{CUT, ERROR, policy, worst_error, worst_secret};
use transforms::cyclotomic::Index;

/// Rings with many slots, transforms of which every axis is a power of two, by degree.
const RINGS: [u32; 5] = [4369, 13_107, 21_845, 65_535, 65_537];
/// Bits of big primes that are tried.
const BIG_BITS: std::ops::RangeInclusive<u32> = 38..=50;
/// Primes of a digit that are tried.
const DIGITS: std::ops::RangeInclusive<u32> = 1..=8;
/// Bits of a special prime at most.
const SPECIAL_BITS: u32 = 50;

/// What a circuit asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Demand {
    /// Products in a row.
    pub depth: u32,
    /// How many ciphertexts are added, at most, to an operand of a product or to a result. 1 if
    /// sums are rare.
    pub terms: u32,
    /// Slots at least.
    pub slots: usize,
}

impl Demand {
    /// Of a circuit of this depth with a sum of two before each product, and any number of slots.
    #[must_use]
    pub fn of_depth(depth: u32) -> Self {
        Self {
            depth,
            terms: 2,
            slots: 1,
        }
    }
}

impl Parameters {
    /// The smallest ring, and for it the fastest set, that evaluates circuits of a depth.
    ///
    /// # Errors
    /// [`Error::TooDeep`] with the largest depth that is possible otherwise.
    pub fn for_circuit(demand: &Demand, security: Security) -> Result<Self, Error> {
        let mut most = 0;
        for m in RINGS {
            let Ok(index) = Index::new(m) else { continue };
            let Some(bits) = security.most_bits(index.degree()) else {
                continue;
            };
            if index.slots() < demand.slots {
                continue;
            }
            match best(&Arc::new(index), bits, demand, security) {
                Ok(parameters) => return Ok(parameters),
                Err(deepest) => most = most.max(deepest),
            }
        }
        Err(Error::TooDeep {
            depth: demand.depth,
            most,
            slots: demand.slots,
            terms: demand.terms,
            security,
        })
    }

    /// The fastest set of this ring that evaluates circuits of a depth.
    ///
    /// # Errors
    /// [`Error::InvalidParameters`] if there is no bound on record for the ring and this security;
    /// [`Error::TooDeep`]; [`Error::Ring`].
    pub fn for_circuit_in(m: u32, demand: &Demand, security: Security) -> Result<Self, Error> {
        let index = Index::new(m)?;
        let bits = security
            .most_bits(index.degree())
            .ok_or(Error::InvalidParameters {
                index: m,
                reason: "no bound is known for this degree and security",
            })?;
        best(&Arc::new(index), bits, demand, security).map_err(|most| Error::TooDeep {
            depth: demand.depth,
            most,
            slots: demand.slots,
            terms: demand.terms,
            security,
        })
    }

    /// How many products in a row this set allows, when before each of them `terms` terms are
    /// added.
    #[must_use]
    pub fn depth(&self, terms: u32) -> u32 {
        policy::depth_from(self, self.top(), terms, u32::from(u16::MAX))
    }

    /// Transforms of one row that a product takes with its relinearisation and the switch by a
    /// level of the circuit, at a level of the chain.
    #[must_use]
    pub fn transforms_of_product(&self, level: Level) -> usize {
        let (here, specials) = (self.primes_of(level), self.special_primes().len());
        let lifts = self.digits(level.shape()).into_iter().map(|digit| {
            let own = digit.iter().filter(|&number| here.contains(number)).count();
            if own == 0 {
                0
            } else {
                here.len() + specials - own
            }
        });
        let lower = level.lower().and_then(Level::lower);
        let to = lower.unwrap_or(Level::LEAST);
        let to = self.primes_of(to);
        let dropped = here.iter().filter(|number| !to.contains(number)).count();
        here.len() + lifts.sum::<usize>() + 2 * (specials + dropped) + 2 * to.len()
    }
}

/// The fastest set, or the largest depth there is.
fn best(
    index: &Arc<Index>,
    bits: u32,
    demand: &Demand,
    security: Security,
) -> Result<Parameters, u32> {
    let mut deepest = 0;
    let mut found: Option<(f64, ParameterLiteral)> = None;
    for big_bits in BIG_BITS {
        for digit in DIGITS {
            let Some(trial) = longest(index, bits, big_bits, digit) else {
                continue;
            };
            let reached = policy::depth_from(&trial, trial.top(), demand.terms, demand.depth);
            deepest = deepest.max(reached);
            if reached < demand.depth {
                continue;
            }
            let suffices = |number: &u16| {
                let level = Level::from_number(*number);
                policy::depth_from(&trial, level, demand.terms, demand.depth) >= demand.depth
            };
            let Some(top) = (Level::LEAST.number()..=trial.top().number()).find(suffices) else {
                continue;
            };
            let levels = Level::LEAST.number()..=top;
            let transforms: usize = levels
                .map(|number| trial.transforms_of_product(Level::from_number(number)))
                .sum();
            let cost = transforms as f64 / f64::from(top);
            if found.is_none_or(|(least, _)| cost < least) {
                let literal = ParameterLiteral {
                    top: Level::from_number(top),
                    security,
                    ..trial.literal()
                };
                found = Some((cost, literal));
            }
        }
    }
    let Some((_, literal)) = found else {
        return Err(deepest);
    };
    Parameters::in_ring(index, literal).map_err(|_| deepest)
}

/// The longest chain that security allows for these lengths, as a toy: its own bound is checked
/// later.
fn longest(index: &Arc<Index>, bits: u32, big_bits: u32, digit: u32) -> Option<Parameters> {
    let needed = special_length(index, big_bits, digit);
    let specials = needed.div_ceil(SPECIAL_BITS);
    let room = f64::from(bits) - f64::from(needed);
    if room < 0.0 {
        return None;
    }
    // The lowest moduli are fewer than their fifths say, so this is not too few.
    let fifths = (5.0 * room / f64::from(big_bits)).ceil();
    let mut top = fifths.clamp(
        f64::from(Level::LEAST.number()),
        f64::from(Level::MOST.number()),
    ) as u16;
    let mut small_bits = (4 * big_bits).div_ceil(5);
    let mut special_bits = needed.div_ceil(specials);
    // Where primes are rare, longer ones take the place of those that do not exist.
    while top >= Level::LEAST.number() {
        let literal = ParameterLiteral {
            index: index.m(),
            big_bits,
            small_bits,
            top: Level::from_number(top),
            specials,
            special_bits,
            digit,
            security: Security::Toy,
        };
        match Parameters::in_ring(index, literal) {
            Ok(parameters) if parameters.key_bits() <= f64::from(bits) => return Some(parameters),
            Ok(_) => top -= 1,
            Err(Error::Ring(transforms::cyclotomic::CyclotomicError::TooFewPrimes {
                bits,
                ..
            })) => {
                if bits == small_bits && small_bits + 1 < big_bits {
                    small_bits += 1;
                } else if bits == special_bits && special_bits < SPECIAL_BITS {
                    special_bits += 1;
                } else {
                    return None;
                }
            }
            Err(_) => return None,
        }
    }
    None
}

/// Bits of the special primes' product: as many as keep the noise of key switching below a quarter
/// of a product's at the rounding floor.
fn special_length(index: &Index, big_bits: u32, digit: u32) -> u32 {
    let degree = index.degree() as f64;
    let floor = degree / 3.0 * (1.0 + worst_secret(index.degree()));
    let product = CUT * CUT * floor;
    // Some ten digits; each below 2^(digit·β).
    let error = 4.0 * f64::from(index.m()) * ERROR * ERROR;
    let switching = CUT * (10.0 * degree / 12.0 * error * worst_error(index.degree())).sqrt();
    let excess = (4.0 * switching / product).log2();
    let bits = f64::from(digit * big_bits) + excess;
    bits.ceil().max(20.0) as u32
}
