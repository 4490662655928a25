//! The errors of the server's key itself, row by row: they are most of its
//! security, and a quarter of a rotation's variance only, so that a rotation
//! without them would still pass for one.

use random::{Generator, MaskGenerator};

use super::samples::{Conditions, Samples};
use crate::exact::Ring;
use crate::parameters::{P16, P16_UNIFORM, Parameters};
use crate::seeded_server_key::Layout;
use crate::{SecretKey, SeededServerKey};

/// The key as it is sent: no processor has touched it.
fn conditions(parameters: &Parameters) -> Conditions {
    Conditions {
        set: parameters.name(),
        fft: "none",
    }
}

/// Decrypts every row of a key and judges what is left without its message:
/// body − mask·key − message, the message from the definition.
fn rows(parameters: Parameters, seed: u8) {
    let mut generator = Generator::from_key([seed; 32]);
    let secret = SecretKey::generate(parameters, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
    bootstrap_rows(&secret, &seeded);
    key_switch_rows(&secret, &seeded);
}

/// n·l·N = 1.8 million errors of each kind of row: a variance is known to 0.1 %,
/// the tolerance is ten of these. Products of the errors of neighbouring rows
/// have the mean 0 and the deviation σ²; 5.5 deviations of their sum are allowed.
fn bootstrap_rows(secret: &SecretKey, seeded: &SeededServerKey) {
    let parameters = secret.parameters();
    let layout = Layout::new(parameters);
    let gadget = parameters.bootstrap_decomposition();
    let mut work = secret.ring().work();
    let mut mask = vec![0; layout.size];
    let mut kinds = [(); 2].map(|()| Samples::default());
    // Errors of the row before: no two rows may share them.
    let (mut before, mut products) = (vec![0; layout.size], 0.0);
    for (number, body) in seeded.bootstrap_bodies().chunks(layout.size).enumerate() {
        let (bit, level, row) = (
            number / 2 / layout.levels,
            number / 2 % layout.levels,
            number % 2,
        );
        MaskGenerator::new(seeded.seed(), number as u64).fill(&mut mask);
        let mut expected = vec![0; layout.size];
        let spectrum = secret.big_spectrum();
        secret
            .ring()
            .add_product(&mut expected, &mask, spectrum, &mut work);
        let message = gadget.weight(level) * u64::from(secret.small_bits()[bit]);
        if row == 1 {
            expected[0] = expected[0].wrapping_add(message);
        } else {
            for (expected, &key) in expected.iter_mut().zip(secret.big_bits()) {
                *expected = expected.wrapping_sub(message * u64::from(key));
            }
        }
        for ((body, expected), before) in body.iter().zip(expected).zip(&mut before) {
            let error = body.wrapping_sub(expected);
            kinds[row].add(error);
            products += error as i64 as f64 * *before as i64 as f64;
            *before = error;
        }
    }
    let deviation = parameters.glwe_deviation().units();
    let of = conditions(parameters);
    for (samples, kind) in kinds.iter().zip(["mask", "body"]) {
        let name = format!("key, rows of the {kind}");
        samples.assert(of, &name, (deviation / 2_f64.powi(64)).powi(2), 0.01);
    }
    let count = seeded.bootstrap_bodies().len() as f64;
    let correlation = products / deviation.powi(2) / count.sqrt();
    assert!(correlation.abs() < 5.5, "{correlation} deviations");
}

/// 16,384 errors: a variance is known to 1.1 %, the tolerance is 5.4 of these.
fn key_switch_rows(secret: &SecretKey, seeded: &SeededServerKey) {
    let parameters = secret.parameters();
    let layout = Layout::new(parameters);
    let gadget = parameters.key_switch_decomposition();
    let ring = Ring::new(parameters.key_switch_polynomial_size()).unwrap();
    let parts: Vec<_> = secret
        .small_bits()
        .chunks(layout.m)
        .map(|part| ring.secret_spectrum(part))
        .collect();
    let mut work = ring.work();
    let mut masks = vec![0; layout.n];
    let mut samples = Samples::default();
    let streams = layout.key_switch_stream(0, 0)..;
    for ((row, body), stream) in (0..)
        .zip(seeded.key_switch_bodies().chunks(layout.m))
        .zip(streams)
    {
        MaskGenerator::new(seeded.seed(), stream).fill(&mut masks);
        let mut expected = vec![0; layout.m];
        for (mask, part) in masks.chunks(layout.m).zip(&parts) {
            ring.add_product(&mut expected, mask, part, &mut work);
        }
        let weight = gadget.weight(row % layout.levels_k);
        let piece = &secret.big_bits()[row / layout.levels_k * layout.m..][..layout.m];
        for ((body, expected), &bit) in body.iter().zip(expected).zip(piece) {
            samples.add(body.wrapping_sub(expected.wrapping_add(weight * u64::from(bit))));
        }
    }
    let deviation = parameters.lwe_deviation().units() / 2_f64.powi(64);
    let of = conditions(parameters);
    samples.assert(of, "key, rows of the key switch", deviation.powi(2), 0.06);
}

#[test]
fn p16_key_rows() {
    rows(P16, 5);
}

#[test]
fn p16_uniform_key_rows() {
    rows(P16_UNIFORM, 6);
}
