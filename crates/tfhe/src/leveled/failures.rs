//! Failures counted: how often what reads a choice or a load goes wrong, on sets weakened until it is
//! once in 2^10 times.
//!
//! A product's error is normal for one selector and not over all of them, so that every sample has
//! selectors and data of its own. Four figures stand beside each other.
//!
//! | | |
//! |---|---|
//! | the count | of sums that were read as another value |
//! | the law | the probability of a normal number and products of two, exactly: it says whether the model is right |
//! | the bound | [`log2_tail`], which circuits count with |
//! | erfc | what a normal number of the same variance promises |
//!
//! What reads is a circuit bootstrap: it adds up, switches and rounds as a lookup does, and has the
//! lookup's window, but its gadget of three levels leaves a result that can be told on a key this noisy.

use random::Generator;

use super::circuit_bootstrap::LEVELS;
use super::gadgets::{BODY, MASK};
use super::measured::Parties;
use super::noise::{LeveledNoise, log2_tail};
use super::{Entry, Selector};
use crate::measured::failures::interval;
use crate::measured::samples::append;
use crate::noise::{HALF_WINDOW, NoiseBudget, log2_two_sided};
use crate::parameters::{ParameterLiteral, Parameters, Promise, SmallKey, TOY_BLOCK};
use crate::{Lookup, LweCiphertext, TruthTable};

/// A small ring with a key of a few bits. Deviations are log2, under the small and the big key.
fn weak(name: &'static str, [small, big]: [f64; 2]) -> Parameters {
    let set = Parameters::new(ParameterLiteral {
        name,
        promise: Promise {
            security_bits: 0.0,
            log2_failure: -10.0,
        },
        lwe_dimension: 16,
        small_key: SmallKey::Block(4),
        polynomial_size: 256,
        log2_lwe_deviation: small,
        log2_glwe_deviation: big,
        key_switch_polynomial_size: 16,
        ..*TOY_BLOCK.literal()
    });
    set.unwrap()
}
