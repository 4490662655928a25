//! Functions and noise of selectors: what is chosen, at small and real parameters, and every variance of
//! [`super::noise`] from both sides.
//!
//! Tolerances are for the samples taken: the errors of a selector's levels are a few numbers, which all
//! its products have in common, so that its products count as eight samples and no more.

use random::{Generator, MaskGenerator};
use transforms::torus::Fft;

use super::circuit_bootstrap::LEVELS;
use super::gadgets::{MASK, weight};
use super::glwe::{Glwe, automorphism, turn};
use super::{LeveledKey, LeveledNoise, LeveledWork, SeededLeveledKey};
use crate::measured::samples::{Conditions, Samples};
use crate::parameters::{BIT_SCALE, P16, Parameters, TOY_BLOCK, TOY_UNIFORM};
use crate::{Lookup, LweCiphertext, SecretKey, SeededServerKey, ServerKey, TfheError, TruthTable};

pub(super) struct Parties {
    pub(super) secret: SecretKey,
    pub(super) server: ServerKey,
    pub(super) leveled: LeveledKey,
    pub(super) work: LeveledWork,
    pub(super) generator: Generator,
}

impl Parties {
    pub(super) fn new(parameters: Parameters, seed: u8) -> Self {
        let mut generator = Generator::from_key([seed; 32]);
        let secret = SecretKey::generate(parameters, &mut generator).unwrap();
        let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
        let second = SeededLeveledKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
        let server = ServerKey::expand(&seeded, 2, &|_, _| {}).unwrap();
        let leveled = LeveledKey::expand(&second, &server, 2, &|_, _| {}).unwrap();
        let work = leveled.work(&server, 4);
        Self {
            secret,
            server,
            leveled,
            work,
            generator,
        }
    }

    pub(super) fn size(&self) -> usize {
        self.secret.parameters().polynomial_size().get()
    }

    pub(super) fn encrypt(&mut self, bits: &[bool]) -> Vec<LweCiphertext> {
        self.secret.encrypt(bits, &mut self.generator).unpack()
    }

    pub(super) fn conditions(&self) -> Conditions {
        Conditions {
            set: self.secret.parameters().name(),
            fft: self.server.fft().name(),
        }
    }

    /// body − mask·S.
    pub(super) fn phase(&self, glwe: &Glwe) -> Vec<u64> {
        let mut product = vec![0; self.size()];
        let ring = self.secret.ring();
        let spectrum = self.secret.big_spectrum();
        ring.add_product(&mut product, glwe.mask(), spectrum, &mut ring.work());
        let pairs = glwe.body().iter().zip(product);
        pairs
            .map(|(body, product)| body.wrapping_sub(product))
            .collect()
    }

    /// A ciphertext of anything.
    fn uniform(&mut self) -> Glwe {
        let seed = self.generator.seed();
        let (mut mask, mut body) = (vec![0; self.size()], vec![0; self.size()]);
        MaskGenerator::new(&seed, 0).fill(&mut mask);
        MaskGenerator::new(&seed, 1).fill(&mut body);
        Glwe::of(&mask, &body)
    }

    /// The thermometers of a sum of two bits, and the sum.
    fn thermometers(&mut self) -> (Glwe, u32) {
        let values = [0, 1].map(|_| self.generator.below(2));
        let bits = self.encrypt(&values.map(|value| value == 1));
        let sum = Lookup {
            terms: &[(&bits[0], 1), (&bits[1], 2)],
            constant: 0,
            tables: &[],
        };
        let (leveled, work) = (&self.leveled, &mut self.work);
        let test = super::circuit_bootstrap::staircase(leveled.rows.size);
        let add_up = |sum: &Lookup<'_>, room: &mut [u64]| crate::lookup::weighted_sum(sum, room);
        let rotated = leveled
            .rotate(&self.server, work, &test, &[sum], add_up)
            .remove(0);
        let thermometers = leveled.thermometers(rotated, &mut work.product);
        (thermometers, values[0] + 2 * values[1])
    }
}

fn errors(samples: &mut Samples, found: &[u64], expected: &[u64]) {
    for (found, expected) in found.iter().zip(expected) {
        samples.add(found.wrapping_sub(*expected));
    }
}

/// Every function of a sum in 0..4, at each sum: the refreshed bit, and both choices.
fn every_function_chooses(parameters: Parameters, seed: u8) {
    let mut parties = Parties::new(parameters, seed);
    let tables: Vec<TruthTable> = (0..16).map(TruthTable).collect();
    let bits = parties.encrypt(&[false, true, false, true]);
    for t in 0..4u32 {
        let terms = parties.encrypt(&[t & 1 == 1, t >= 2]);
        let sum = Lookup {
            terms: &[(&terms[0], 1), (&terms[1], 2)],
            constant: 0,
            tables: &tables,
        };
        let Parties {
            secret,
            server,
            leveled,
            work,
            ..
        } = &mut parties;
        let selectors = leveled.selectors(server, work, &[sum]).unwrap().remove(0);
        for (table, selector) in tables.iter().zip(&selectors) {
            assert_eq!(
                secret.decrypt(&selector.bit()),
                Ok(table.at(t)),
                "{table:?} {t}"
            );
            for (zero, one) in [(0, 1), (1, 0), (2, 3), (0, 2), (1, 3)] {
                let chosen = leveled
                    .choose(work, selector, &bits[zero], &bits[one])
                    .unwrap();
                let expected = if table.at(t) { one } else { zero } % 2 == 1;
                assert_eq!(secret.decrypt(&chosen), Ok(expected), "{table:?} {t}");
            }
        }
    }
}

#[test]
fn every_function_of_a_sum_chooses() {
    every_function_chooses(TOY_BLOCK, 1);
    every_function_chooses(TOY_UNIFORM, 2);
}

#[test]
#[ignore = "slow: 3 s"]
fn p16_every_function_of_a_sum_chooses() {
    every_function_chooses(P16, 3);
}

/// Ten choices in a row, more sums than a batch holds, and what was chosen goes into a lookup.
#[test]
#[ignore = "slow: 2 s"]
fn p16_choices_of_choices_go_into_lookups() {
    let mut parties = Parties::new(P16, 4);
    let index: Vec<bool> = (0..10).map(|_| parties.generator.below(2) == 1).collect();
    let bits = parties.encrypt(&index);
    let pairs: Vec<_> = bits
        .chunks(2)
        .map(|pair| [(&pair[0], 1), (&pair[1], 2)])
        .collect();
    let tables = [TruthTable(0b1010), TruthTable(0b1100)];
    let sums: Vec<_> = pairs
        .iter()
        .map(|terms| Lookup {
            terms,
            constant: 0,
            tables: &tables,
        })
        .collect();
    let words: Vec<bool> = (0..1024).map(|_| parties.generator.below(2) == 1).collect();
    let mut row = parties.encrypt(&words);
    let (server, leveled, work) = (&parties.server, &parties.leveled, &mut parties.work);
    let selectors = leveled.selectors(server, work, &sums).unwrap();
    for selector in selectors.iter().flatten() {
        let halves = row.chunks(2);
        let chosen = halves.map(|pair| leveled.choose(work, selector, &pair[0], &pair[1]));
        row = chosen.collect::<Result<_, _>>().unwrap();
    }
    let address = index
        .iter()
        .rev()
        .fold(0, |address, &bit| 2 * address + usize::from(bit));
    assert_eq!(parties.secret.decrypt(&row[0]), Ok(words[address]));
    let terms = [(&row[0], 1), (&bits[3], 2), (&bits[4], 4), (&bits[5], 8)];
    let tables = [TruthTable(0xaaaa)];
    let lookup = Lookup {
        terms: &terms,
        constant: 0,
        tables: &tables,
    };
    let read = server
        .lookup_many(&mut server.scratch(1), &[lookup])
        .unwrap();
    assert_eq!(parties.secret.decrypt(&read[0][0]), Ok(words[address]));
}

#[test]
#[ignore = "slow: 2 s"]
fn p16_parities_choose() {
    let mut parties = Parties::new(P16, 5);
    for count in [1, 2, 7, 32] {
        let values: Vec<bool> = (0..count)
            .map(|_| parties.generator.below(2) == 1)
            .collect();
        let odd = values.iter().fold(false, |odd, value| odd ^ value);
        let bits = parties.encrypt(&values);
        let bits: Vec<_> = bits.iter().collect();
        let (server, leveled, work) = (&parties.server, &parties.leveled, &mut parties.work);
        let selector = leveled
            .parity_selectors(server, work, &[&bits])
            .unwrap()
            .remove(0);
        assert_eq!(parties.secret.decrypt(&selector.bit()), Ok(odd), "{count}");
        let [zero, one] = [false, true].map(|bit| server.constant(bit));
        let chosen = leveled.choose(work, &selector, &zero, &one).unwrap();
        assert_eq!(parties.secret.decrypt(&chosen), Ok(odd), "{count}");
    }
}

#[test]
fn strange_keys_are_refused() {
    let mut own = Parties::new(TOY_BLOCK, 6);
    let mut other = Parties::new(TOY_BLOCK, 7);
    let (bits, strange) = (own.encrypt(&[true, false]), other.encrypt(&[true]));
    let tables = [TruthTable(0b10)];
    let sum = |bit| Lookup {
        terms: bit,
        constant: 0,
        tables: &tables,
    };
    let terms = [(&strange[0], 1)];
    let refused = own
        .leveled
        .selectors(&own.server, &mut own.work, &[sum(&terms)]);
    assert!(matches!(refused, Err(TfheError::WrongKey { .. })));
    let terms = [(&bits[0], 1)];
    let refused = own
        .leveled
        .selectors(&other.server, &mut own.work, &[sum(&terms)]);
    assert!(matches!(refused, Err(TfheError::WrongKey { .. })));
    let mut selectors = own
        .leveled
        .selectors(&own.server, &mut own.work, &[sum(&terms)])
        .unwrap();
    let selector = selectors.remove(0).remove(0);
    let refused = other
        .leveled
        .choose(&mut other.work, &selector, &strange[0], &strange[0]);
    assert!(matches!(refused, Err(TfheError::WrongKey { .. })));
    let refused = own
        .leveled
        .choose(&mut own.work, &selector, &bits[0], &strange[0]);
    assert!(matches!(refused, Err(TfheError::WrongKey { .. })));
}

/// Spectra of one processor mean something else to another.
#[test]
fn strange_processors_are_refused() {
    let mut generator = Generator::from_key([10; 32]);
    let secret = SecretKey::generate(TOY_BLOCK, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {}).unwrap();
    let second = SeededLeveledKey::generate(&secret, &mut generator, 1, &|_, _| {}).unwrap();
    let [one, other] = [Fft::Scalar, Fft::Ntt].map(|fft| {
        let server = ServerKey::expand_for(&seeded, fft, 1, &|_, _| {}).unwrap();
        let leveled = LeveledKey::expand(&second, &server, 1, &|_, _| {}).unwrap();
        (server, leveled)
    });
    let bit = secret.encrypt(&[true], &mut generator).unpack().remove(0);
    let group: &[&LweCiphertext] = &[&bit];
    let mut works = [&one, &other].map(|(server, leveled)| leveled.work(server, 1));
    let refused = |result: Result<(), TfheError>| {
        assert!(
            matches!(result, Err(TfheError::WrongProcessor { .. })),
            "{result:?}"
        );
    };
    let mixed = one.1.parity_selectors(&other.0, &mut works[1], &[group]);
    refused(mixed.map(|_| ()));
    for (index, (server, leveled)) in [&one, &other].into_iter().enumerate() {
        let made = leveled.parity_selectors(server, &mut works[index], &[group]);
        let selector = made.unwrap().remove(0);
        let own = leveled.choose(&mut works[index], &selector, &server.constant(false), &bit);
        assert_eq!(secret.decrypt(&own.unwrap()), Ok(true));
        let stranger = [&other.1, &one.1][index];
        refused(
            stranger
                .choose(&mut works[1 - index], &selector, &bit, &bit)
                .map(|_| ()),
        );
        refused(
            leveled
                .choose(&mut works[1 - index], &selector, &bit, &bit)
                .map(|_| ()),
        );
    }
}

/// For every processor, of uniform ciphertexts: exact ones agree to the bit, others but for rounding.
#[test]
fn a_choice_is_the_constant_coefficient_of_a_product() {
    let mut generator = Generator::from_key([12; 32]);
    let secret = SecretKey::generate(TOY_BLOCK, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {}).unwrap();
    let second = SeededLeveledKey::generate(&secret, &mut generator, 1, &|_, _| {}).unwrap();
    let size = TOY_BLOCK.polynomial_size().get();
    let uniform = [0, 1, 2].map(|stream| {
        let mut elements = vec![0; size + 1];
        MaskGenerator::new(second.seed(), 1 << 40 | stream).fill(&mut elements);
        LweCiphertext::from_parts(&TOY_BLOCK, secret.key_id(), elements).unwrap()
    });
    let [zero, ones @ ..] = &uniform;
    for fft in Fft::available() {
        let server = ServerKey::expand_for(&seeded, fft, 1, &|_, _| {}).unwrap();
        let leveled = LeveledKey::expand(&second, &server, 1, &|_, _| {}).unwrap();
        let mut work = leveled.work(&server, 1);
        let bit = secret.encrypt(&[true], &mut generator).unpack().remove(0);
        let made = leveled.parity_selectors(&server, &mut work, &[&[&bit]]);
        let selector = made.unwrap().remove(0);
        for one in ones {
            let chosen = leveled.choose(&mut work, &selector, zero, one).unwrap();
            let [mut expected, mut difference] = [zero, one].map(|bit| {
                let mut glwe = Glwe::zero(size);
                let [mask, body] = glwe.both_mut();
                turn(&bit.elements()[..size], mask);
                body[0] = bit.elements()[size];
                glwe
            });
            difference.subtract(&expected);
            let work = &mut work.product;
            leveled.add_whole_product(&selector, &difference, &mut expected, work);
            // The digits' 2^4 times the torus, 7N of them, to 53 bits: 2^-40 is far above.
            let permitted = if leveled.plan.is_exact() { 0 } else { 1 << 24 };
            for (x, y) in chosen.elements().iter().zip(&*expected.bit()) {
                let error = x.wrapping_sub(*y) as i64;
                assert!(error.unsigned_abs() <= permitted, "{fft}: {error}");
            }
        }
    }
}

/// Automorphisms and products by S² of uniform ciphertexts, every coefficient. Rounding in the transform
/// is most of an automorphism's error: with fused multiply-add 0.85 of what is predicted for all.
#[test]
#[ignore = "slow: 2 s"]
fn p16_switches_have_their_noise() {
    let mut parties = Parties::new(P16, 8);
    let (noise, of, size) = (
        LeveledNoise::new(&P16),
        parties.conditions(),
        parties.size(),
    );
    let mut samples = Samples::default();
    for step in (1..=11).cycle().take(44) {
        let glwe = parties.uniform();
        let mut expected = vec![0; size];
        let exponent = parties.leveled.rows.exponent(step);
        automorphism(&parties.phase(&glwe), exponent, &mut expected);
        let (leveled, work) = (&parties.leveled, &mut parties.work.product);
        let found = leveled.automorphism(&glwe, step, work);
        errors(&mut samples, &parties.phase(&found), &expected);
    }
    // Rounding errors of a mask reach all coefficients alike.
    samples.assert_grouped(of, "automorphism", noise.automorphism, 0.5, size);
    let mut samples = Samples::default();
    for _ in 0..400 {
        let glwe = parties.uniform();
        let row = parties.leveled.mask_row(&glwe, &mut parties.work.product);
        // −S times the phase: the phase of (phase, 0).
        let expected = parties.phase(&Glwe::of(&parties.phase(&glwe), &vec![0; size]));
        errors(&mut samples, &parties.phase(&row), &expected);
    }
    // What the digits leave out is multiplied by S², whose coefficients depend on the key's weight: the
    // formula is for a key of mean weight.
    let key: Vec<u64> = parties
        .secret
        .big_bits()
        .iter()
        .map(|&bit| bit.into())
        .collect();
    let square = transforms::torus::oracle::negacyclic_product(&key, &key);
    let of_key: f64 = square.iter().map(|&x| (x as i64 as f64).powi(2)).sum();
    let mean = (size as f64).powi(3) / 48.0;
    samples.assert_grouped(
        of,
        "product by S^2",
        noise.square * of_key / mean,
        0.3,
        size,
    );
}

/// Levels, rows and products of selectors of both bits of a sum and of their XOR.
fn selectors_have_their_noise(rotations: usize, tolerance: f64) {
    let mut parties = Parties::new(P16, 9);
    let (noise, of, size) = (
        LeveledNoise::new(&P16),
        parties.conditions(),
        parties.size(),
    );
    for (name, table) in [("t & 1", 0b1010), ("XOR", 0b0110), ("t >= 2", 0b1100)] {
        let table = TruthTable(table);
        let [mut constants, mut rows] = [Samples::default(); 2];
        let mut products = [Samples::default(); 2];
        for _ in 0..rotations {
            let (thermometers, t) = parties.thermometers();
            let bit = table.at(t);
            let levels = parties
                .leveled
                .levels(&thermometers, table, &mut parties.work.product);
            for (level, number) in levels.iter().zip(1..) {
                let message = u64::from(bit) * weight(MASK, number);
                let phase = parties.phase(level);
                constants.add(phase[0].wrapping_sub(message));
                let row = parties.leveled.mask_row(level, &mut parties.work.product);
                let mut expected = vec![0; size];
                for (x, key) in expected.iter_mut().zip(parties.secret.big_bits()) {
                    *x = message.wrapping_mul(u64::from(*key)).wrapping_neg();
                }
                errors(&mut rows, &parties.phase(&row), &expected);
            }
            let selector = parties.leveled.selector(&levels, &mut parties.work.product);
            for _ in 0..2 {
                let glwe = parties.uniform();
                let mut product = Glwe::zero(size);
                let (leveled, work) = (&parties.leveled, &mut parties.work.product);
                leveled.add_whole_product(&selector, &glwe, &mut product, work);
                let expected = match bit {
                    true => parties.phase(&glwe),
                    false => vec![0; size],
                };
                errors(
                    &mut products[usize::from(bit)],
                    &parties.phase(&product),
                    &expected,
                );
            }
        }
        let what = |what: &str| format!("{what} of {name}");
        constants.assert(of, &what("a level's constant"), noise.bit(table), tolerance);
        rows.assert_grouped(
            of,
            &what("row for the mask"),
            noise.mask_row(table),
            tolerance,
            size,
        );
        for (samples, bit) in products.iter().zip([false, true]) {
            let what = what(&format!("product by {}", u8::from(bit)));
            samples.assert_grouped(of, &what, noise.product(table, bit), tolerance, size);
        }
    }
}

/// 24 rotations, 96 constants: 14 %, and a product has about 48 samples of each bit, 20 %. With 90 % the
/// false alarm is below 10^-4 of a fresh seed.
#[test]
#[ignore = "slow: 7 s"]
fn p16_selectors_have_their_noise() {
    selectors_have_their_noise(24, 0.9);
}

/// Eight times as many.
#[test]
#[ignore = "192 rotations of three levels for each function, 20 seconds"]
fn p16_selectors_of_192_rotations_have_their_noise() {
    selectors_have_their_noise(192, 0.35);
}

/// Of the bit at scale 1/32, nothing more than what it says.
#[test]
fn a_level_is_a_bit() {
    assert_eq!(weight(MASK, 1), BIT_SCALE);
    assert_eq!(LEVELS, 4);
}
