//! The parameter sets.
//!
//! Security is that of the lattice estimator (malb/lattice-estimator 27a581b,
//! June 2026, cost model MATZOV; the least of uSVP, BDD, dual and dual-hybrid).
//! Deviations under the small key carry a margin of 0.04 (uniform) and 0.28 bits
//! (blocks) over the 132-bit line. The key switch's gadget, B = 2^2 and l = 8, is
//! not the reference's 2^3 and 6: it takes a third more transforms, of a step
//! that costs 3 % of a lookup, and buys back what our transform's rounding
//! errors, 40 % above the fit that the reference uses, take. Failure probabilities are those of [`crate::noise`], for the
//! worst lookup that the circuits make: two addition operands, each shifted by
//! one bit against the slices (562 units; see [`crate::noise::NoiseBudget`]).

use super::{ParameterLiteral, Parameters, Promise, SmallKey};

#[expect(
    clippy::panic,
    reason = "evaluated at compile time: a bad set does not build"
)]
const fn set(literal: ParameterLiteral) -> Parameters {
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
/// | worst lookup | 2^-107 |
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
/// key, deviation 2^-19.6. At least 132 bits; worst lookup 2^-102; 3,584
/// transforms per lookup.
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
