//! Where the modulus is switched.
//!
//! What a ciphertext is worth for further products is log2 Q − 2·log2 B: the room that the square
//! of its noise, bounded by B, would leave. Switching to a smaller modulus scales B down with Q
//! until the rounding f takes over, so that the worth is greatest where the scaled noise meets f.
//! Levels are chosen to be worth most; among equals, the lower one is cheaper.

use super::Noise;
use crate::parameters::{Level, Parameters};

/// How far below a level others are tried: steps of 8 bits or more, several times what a product
/// needs.
const REACH: u16 = 12;

/// Of a ciphertext of `parts` parts after a switch between levels.
pub(crate) fn switched(
    parameters: &Parameters,
    noise: &Noise,
    from: Level,
    to: Level,
    parts: usize,
) -> Noise {
    if from == to {
        return *noise;
    }
    let bits = parameters.modulus_bits(to) - parameters.modulus_bits(from);
    noise
        .scaled(bits)
        .plus_independent(&Noise::of_rounding(parameters, parts))
}

/// Of a ciphertext after key switching at a level, fused with the switch to another one (or none).
pub(crate) fn key_switched(
    parameters: &Parameters,
    noise: &Noise,
    from: Level,
    to: Level,
) -> Noise {
    let bits = parameters.modulus_bits(to) - parameters.modulus_bits(from);
    noise
        .plus_independent(&Noise::of_switching(parameters, from))
        .scaled(bits)
        .plus_independent(&Noise::of_rounding(parameters, 2))
}

/// The levels from this one down that are tried.
fn candidates(from: Level) -> impl Iterator<Item = Level> {
    std::iter::successors(Some(from), |level| level.lower())
        .take_while(move |level| level.number() + REACH >= from.number())
}

/// At which level two ciphertexts are multiplied.
pub(crate) fn before_product(parameters: &Parameters, operands: [(&Noise, Level); 2]) -> Level {
    let [(a, at), (b, bt)] = operands;
    let common = at.min(bt);
    let worth = |level: Level| {
        let a = switched(parameters, a, at, level, 2).log2_bound();
        let b = switched(parameters, b, bt, level, 2).log2_bound();
        parameters.modulus_bits(level) - a - b
    };
    best(common, worth)
}

/// To which level the relinearisation of a product takes it.
pub(crate) fn after_product(parameters: &Parameters, noise: &Noise, from: Level) -> Level {
    let worth = |level: Level| {
        let after = key_switched(parameters, noise, from, level).log2_bound();
        if after > parameters.most_noise(level) {
            // Such a level is out of question; the one that exceeds its limit least is reported.
            return parameters.most_noise(level) - after - 1e6;
        }
        parameters.modulus_bits(level) - 2.0 * after
    };
    best(from, worth)
}

fn best(from: Level, worth: impl Fn(Level) -> f64) -> Level {
    let mut found = (from, f64::NEG_INFINITY);
    for level in candidates(from) {
        let here = worth(level);
        if here >= found.1 {
            found = (level, here);
        }
    }
    found.0
}

/// How many products in a row a fresh ciphertext of a level allows, when before each of them, and
/// at the end, `terms` terms are added.
pub(crate) fn depth_from(parameters: &Parameters, level: Level, terms: u32, most: u32) -> u32 {
    let summed = |noise: &Noise| noise.summed(terms);
    let mut noise = Noise::fresh_public(parameters);
    let mut at = level;
    for depth in 0..most {
        let operand = summed(&noise);
        let common = before_product(parameters, [(&operand, at), (&operand, at)]);
        let operand = switched(parameters, &operand, at, common, 2);
        let product = operand.times(&operand);
        at = after_product(parameters, &product, common);
        noise = key_switched(parameters, &product, common, at);
        let left = summed(&noise).log2_bound();
        if left.is_nan() || left > parameters.most_noise(at) {
            return depth;
        }
    }
    most
}
