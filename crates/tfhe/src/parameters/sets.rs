//! The parameter sets.
//!
//! Security is that of the lattice estimator (malb/lattice-estimator 27a581b,
//! June 2026, cost model MATZOV; the least of uSVP, BDD, dual and dual-hybrid).
//! Deviations under the small key carry a margin of 0.04 (uniform) and 0.28 bits
//! (blocks) over the 132-bit line.
//!
//! The estimates are those of plain LWE, and two structures are assumed to give
//! nothing away: the big key is a ring polynomial (ring-LWE of degree 2,048, as
//! everywhere in TFHE), and the *key-switching key* is module-LWE, for it sees
//! the small key as 7 polynomials of degree 128. No attack is known that uses
//! either, but the second is not what plain TFHE assumes.
//!
//! The key switch's gadget, B = 2^2 and l = 8, takes a third more transforms than
//! 2^3 and 6 would, of a step that costs 3 % of a lookup; its smaller noise pays
//! for our transform's rounding errors, which exceed the published fit
//! ([`crate::noise`]).
//!
//! A set promises that a lookup whose input has at most the variance
//! [`crate::noise::NoiseBudget::largest_factor`] of that probability fails with at
//! most that probability. Whoever makes circuits has to keep to it.

use super::{ParameterLiteral, Parameters, Promise, SmallKey};

#[expect(
    clippy::panic,
    reason = "evaluated at compile time: a bad set does not build"
)]
pub(super) const fn set(literal: ParameterLiteral) -> Parameters {
    match Parameters::check(literal) {
        Ok(set) => set,
        Err(_) => panic!("invalid parameter set"),
    }
}

/// The default: sixteen values per lookup, at least 128 bits of security, every
/// allowed lookup wrong with probability at most 2^-100.
///
/// | | |
/// |---|---|
/// | security | >= 132 bits: small key n = 896, deviation 2^-18.8 (the 132-bit line is at 2^-19.08); big key kN = 2048, 2^-48.3 |
/// | failure of a lookup | <= 2^-100 up to 602 units of noise; 2^-123 for an addition whose operands are each shifted by a bit against the slices (380 units) |
/// | transforms per lookup | 896 of 1,024 complex points |
/// | server key | 58.7 MB expanded, about 30 MB seeded |
///
/// The small key is block-binary (blocks of 4). The estimator models it as a
/// sparse binary secret of weight n/5; that the set bits are one per block is a
/// younger assumption than a uniform binary key, with no better attack known
/// than guessing a constant number of bits per block. Whoever prefers the older
/// assumption takes [`P16_UNIFORM`], at four times the transforms.
pub const P16_128_PFAIL_2M100: Parameters = set(P16_LITERAL);

/// [`P16_128_PFAIL_2M100`].
pub const P16: Parameters = P16_128_PFAIL_2M100;

/// The conservative twin of [`P16`]: the same rings with a uniform binary small
/// key, deviation 2^-19.6. At least 132 bits; a lookup fails with at most 2^-100 up
/// to 576 units of noise (2^-114 for the addition); 3,584 transforms per lookup.
pub const P16_UNIFORM_128_PFAIL_2M100: Parameters = set(ParameterLiteral {
    name: "P16_UNIFORM_128_PFAIL_2M100",
    small_key: SmallKey::Uniform,
    log2_lwe_deviation: -19.6,
    ..P16_LITERAL
});

/// [`P16_UNIFORM_128_PFAIL_2M100`].
pub const P16_UNIFORM: Parameters = P16_UNIFORM_128_PFAIL_2M100;

const P16_LITERAL: ParameterLiteral = ParameterLiteral {
    name: "P16_128_PFAIL_2M100",
    promise: Promise {
        security_bits: 132.0,
        log2_failure: -100.0,
    },
    lwe_dimension: 896,
    small_key: SmallKey::Block(4),
    glwe_dimension: 1,
    polynomial_size: 2048,
    log2_lwe_deviation: -18.8,
    log2_glwe_deviation: -48.3,
    bootstrap_base_log: 23,
    bootstrap_levels: 1,
    key_switch_base_log: 2,
    key_switch_levels: 8,
    key_switch_polynomial_size: 128,
};

/// For tests only, **no security**: small rings and tiny errors, so that every
/// path runs in microseconds.
pub const TOY_BLOCK: Parameters = set(TOY_LITERAL);

/// For tests only, **no security**: [`TOY_BLOCK`] with a uniform small key.
pub const TOY_UNIFORM: Parameters = set(ParameterLiteral {
    name: "TOY_UNIFORM",
    small_key: SmallKey::Uniform,
    ..TOY_LITERAL
});

const TOY_LITERAL: ParameterLiteral = ParameterLiteral {
    name: "TOY_BLOCK",
    promise: Promise {
        security_bits: 0.0,
        log2_failure: -100.0,
    },
    lwe_dimension: 64,
    small_key: SmallKey::Block(4),
    glwe_dimension: 1,
    polynomial_size: 512,
    log2_lwe_deviation: -30.0,
    log2_glwe_deviation: -50.0,
    bootstrap_base_log: 23,
    bootstrap_levels: 1,
    key_switch_base_log: 4,
    key_switch_levels: 5,
    key_switch_polynomial_size: 32,
};

/// Every set, to be found by name.
pub const SETS: [Parameters; 4] = [
    P16_128_PFAIL_2M100,
    P16_UNIFORM_128_PFAIL_2M100,
    TOY_BLOCK,
    TOY_UNIFORM,
];
