//! The parameter sets.
//!
//! Security is the least of the attacks of `scripts/parameters/attacks` (dual hybrid with all its
//! parameters free and with the key's own structure, meet in the middle, primal) and of the lattice
//! estimator, on either key, in the cost model MATZOV.
//! `crates/session/src/parameters/security.json` has every figure, docs/parameters.md the
//! derivations.
//!
//! The estimates are those of plain LWE, and three things are assumed: that the big key, a ring
//! polynomial, gives nothing away (ring-LWE of degree 2,048, as everywhere in TFHE); nor does
//! the *key-switching key*, which sees the small key as 7 polynomials of degree 128 (module-LWE,
//! which is not what plain TFHE assumes); and *circular security*: the bootstrapping key encrypts
//! the small key under the big one, the key-switching key the big one under the small.
//!
//! The key switch's gadget, B = 2^2 and l = 8, takes a third more transforms than
//! 2^3 and 6 would, of a step that costs 3 % of a lookup; its smaller noise pays
//! for our transform's rounding errors, which exceed the published fit
//! ([`crate::noise`]).
//!
//! A set promises that a lookup whose input has at most the variance
//! [`crate::noise::NoiseBudget::largest_factor`] of that probability fails with at
//! most that probability. Whoever makes circuits has to keep to it.
//!
//! ```
//! use blindcore_tfhe::{
//!     P16, P16_128_PFAIL_2M100, P16_BLOCK_128_PFAIL_2M100, P16_UNIFORM, P16_UNIFORM_128_PFAIL_2M100,
//!     SETS, TOY_BLOCK, TOY_UNIFORM,
//! };
//!
//! assert_eq!((P16, P16_UNIFORM), (P16_BLOCK_128_PFAIL_2M100, P16_UNIFORM_128_PFAIL_2M100));
//! assert!(SETS.contains(&P16_128_PFAIL_2M100));
//! for toy in [TOY_BLOCK, TOY_UNIFORM] {
//!     assert!(toy.name().starts_with("TOY_") && toy.promise().security_bits == 0.0);
//! }
//! ```

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
/// | security | small key 128.6 bits (n = 896, deviation 2^-17.9), big key 129.1 (kN = 2048, 2^-49), both by dual hybrid |
/// | failure of a lookup | <= 2^-100 up to 489 units of noise; 2^-111 for an addition whose operands are each shifted by a bit against the slices (351 units) |
/// | transforms per lookup | 896 of 1,024 complex points |
/// | server key | 58.7 MB expanded, about 30 MB seeded |
///
/// The small key is block-binary (blocks of 4, at most one bit of each set; eprint 2023/958). The
/// figure counts what an attacker gains from that: five equally likely values of a block to guess,
/// and the block's covariance. Whoever prefers uniform binary keys all the same takes
/// [`P16_UNIFORM`], at four times the transforms. `scripts/parameters/search.py` finds the set
/// again and says what its neighbours cost.
pub const P16_BLOCK_128_PFAIL_2M100: Parameters = set(P16_LITERAL);

/// [`P16_BLOCK_128_PFAIL_2M100`].
pub const P16: Parameters = P16_BLOCK_128_PFAIL_2M100;

const P16_LITERAL: ParameterLiteral = ParameterLiteral {
    name: "P16_BLOCK_128_PFAIL_2M100",
    promise: Promise {
        security_bits: 128.0,
        log2_failure: -100.0,
    },
    lwe_dimension: 896,
    small_key: SmallKey::Block(4),
    glwe_dimension: 1,
    polynomial_size: 2048,
    log2_lwe_deviation: -17.9,
    log2_glwe_deviation: -49.0,
    bootstrap_base_log: 23,
    bootstrap_levels: 1,
    key_switch_base_log: 2,
    key_switch_levels: 8,
    key_switch_polynomial_size: 128,
};

/// The default before [`P16_BLOCK_128_PFAIL_2M100`], kept so that its keys and files stay readable:
/// **123.8 bits**, not what its name says.
///
/// Its small key, deviation 2^-18.8, was estimated as a sparse key of the same weight, which
/// charges the attacker for guesses that blocks make cheap. A lookup fails with at most 2^-100 up
/// to 602 units of noise. No new keys are made of it.
pub const P16_128_PFAIL_2M100: Parameters = set(ParameterLiteral {
    name: "P16_128_PFAIL_2M100",
    promise: Promise {
        security_bits: 123.8,
        log2_failure: -100.0,
    },
    log2_lwe_deviation: -18.8,
    log2_glwe_deviation: -48.3,
    ..P16_LITERAL
});

/// The conservative twin of [`P16`]: the same rings with a uniform binary small key, deviation
/// 2^-19.6: 128.1 bits, the big key (2^-48.3) 130.9. A lookup fails with at most 2^-100 up to 576
/// units of noise (2^-114 for the addition); 3,584 transforms per lookup.
pub const P16_UNIFORM_128_PFAIL_2M100: Parameters = set(ParameterLiteral {
    name: "P16_UNIFORM_128_PFAIL_2M100",
    small_key: SmallKey::Uniform,
    log2_lwe_deviation: -19.6,
    log2_glwe_deviation: -48.3,
    ..P16_LITERAL
});

/// [`P16_UNIFORM_128_PFAIL_2M100`].
pub const P16_UNIFORM: Parameters = P16_UNIFORM_128_PFAIL_2M100;

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
pub const SETS: [Parameters; 5] = [
    P16_BLOCK_128_PFAIL_2M100,
    P16_128_PFAIL_2M100,
    P16_UNIFORM_128_PFAIL_2M100,
    TOY_BLOCK,
    TOY_UNIFORM,
];
