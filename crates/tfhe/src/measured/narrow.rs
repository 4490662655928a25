//! How narrow the key may be stored: rounding its spectra on purpose, against the formula of
//! [`crate::noise`].

use super::parties::Parties;
use super::steps::rotations;
use crate::P16;
use crate::noise::NoiseBudget;
use crate::parameters::Parameters;

/// The variance that one coefficient of a key row's phase gains if spectra are stored as multiples
/// of 2^`log2_step` units of 2^-64: Δ²/12 on both parts of each of M = N/2 points is Δ²/(12M) on a
/// coefficient, of the body and of the mask; the latter times the big key, of which half the bits
/// are set.
fn rounding(parameters: &Parameters, log2_step: i32) -> f64 {
    let size = parameters.polynomial_size().get() as f64;
    let step = f64::from(log2_step - 64).exp2();
    step * step / (12.0 * size / 2.0) * (1.0 + size / 2.0)
}

/// What that adds to the variance of a rotation: the rounding of the key's rows counts like their
/// errors.
fn additional(parameters: &Parameters, budget: &NoiseBudget, log2_step: i32) -> f64 {
    let deviation = parameters.glwe_deviation().log2().exp2();
    let product = budget.external_product;
    product.products * product.errors * rounding(parameters, log2_step) / (deviation * deviation)
}

/// 160 rotations at each step, from one that the noise does not notice to one that it drowns in.
/// Tolerances as for every processor: 11 % for an output's variance, 5 % for that over all
/// coefficients.
#[test]
#[ignore = "slow: 12 s"]
fn a_coarser_key_adds_what_the_formula_says() {
    for log2_step in [15, 17, 19] {
        let mut parties = Parties::new(P16, 17);
        parties.additional = additional(&P16, &parties.budget(), log2_step);
        parties.server.bootstrap.round(log2_step);
        println!("the key in steps of 2^{log2_step}");
        rotations(&mut parties, 160, [0.3, 1.1]);
    }
}

/// The coarsest step that costs P16 at most a fiftieth of its rotations' variance, in bits of a
/// fixed-point number, sign included, that holds points of six or of seven deviations: a point's
/// parts have the deviation √(N/24) of a torus.
#[test]
fn p16_needs_a_key_of_seven_bytes_or_eight() {
    let budget = NoiseBudget::new(&P16);
    let cost = |log2_step| additional(&P16, &budget, log2_step) / budget.rotation;
    let coarsest = (0..32).rev().find(|&step| cost(step) <= 0.02);
    println!("{:.4} {:.4}", cost(15), cost(16));
    assert_eq!(coarsest, Some(15));
    let bits = |deviations: f64| {
        let range = (deviations * (2048.0_f64 / 24.0).sqrt()).log2();
        (range + 64.0 - 15.0 + 1.0).ceil()
    };
    assert_eq!([6.0, 7.0].map(bits), [56.0, 57.0]);
}
