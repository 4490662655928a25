//! What units do to noise: their own lookups keep within the limit on fresh operands, and on
//! operands that are themselves computed almost so: what passes still refresh is bounded here.

use super::harness::{Random, Tested};
use super::units::{unit, units};
use blindcore_circuits::library::catalogue::Unit;
use blindcore_circuits::library::{self, Word};
use blindcore_circuits::{Builder, Circuit, NoiseModel, Profile, Wire, passes, sim};

/// The unit on operands that are sums, shifted against their slices.
fn on_sums(unit: &Unit, profile: &Profile, n: usize) -> Circuit {
    let mut b = Builder::new(profile);
    let operands: Vec<Word> = (unit.operands)(n)
        .iter()
        .map(|&width| {
            let (x, y) = (b.inputs(width + 1), b.inputs(width + 1));
            library::add(&mut b, &x, &y)[1..].to_vec()
        })
        .collect();
    let results = unit.build(&mut b, &operands);
    results.iter().flatten().for_each(|&wire| b.output(wire));
    b.finish()
}

/// The largest variance of a sum, in parts of the limit.
fn worst(circuit: &Circuit, profile: &Profile) -> f64 {
    let model = profile.lookup.unwrap().noise;
    passes::noise(circuit, &model).worst / model.limit
}

/// The simulation's noise, all of it independent, and that of the TFHE engine's parameter sets: a
/// share common to all coefficients, another limit (`engines` holds the sets themselves to this).
fn profiles() -> [Profile; 4] {
    [
        (0.0, 580.0, 1.0),
        (0.389, 602.0, 1e-14),
        (0.451, 489.0, 1e-14),
        (0.421, 576.0, 1e-14),
    ]
    .map(|(common, limit, fresh)| {
        let mut profile = Profile::lookup_simulation();
        profile.lookup.as_mut().unwrap().noise = NoiseModel {
            fresh,
            common,
            choice: None,
            limit,
        };
        profile
    })
}

#[test]
#[ignore = "slow: 31 s"]
fn lookups_keep_within_the_limit() {
    // On one core chains, on many carries computed ahead.
    let on_cores = |mut profile: Profile, cores| {
        profile.cores = cores;
        profile
    };
    let profiles = profiles()
        .into_iter()
        .flat_map(|profile| [1, 2, 64].map(|cores| on_cores(profile.clone(), cores)));
    for profile in profiles {
        for unit in units() {
            // Forced architectures are made of the same lookups, or of gates.
            let widths: &[usize] = match unit.is_default() {
                true => &[3, 8, 16, 32],
                false => &[3, 16],
            };
            for &n in widths {
                let common = profile.lookup.unwrap().noise.common;
                let fresh = worst(&unit.fresh(&profile, n).circuit, &profile);
                let name = unit.name();
                assert!(fresh <= 1.0, "{name} of {n} fresh bits, {common}: {fresh}");
                let computed = worst(&on_sums(unit, &profile, n), &profile);
                assert!(
                    computed <= 1.0,
                    "{name} of {n} computed bits, {common}: {computed}"
                );
            }
        }
    }
}

/// Lookups and refreshes of a unit on computed operands, less those of the operands.
fn own_cost(profile: &Profile, name: &str, n: usize) -> usize {
    let unit = unit(name);
    let operands = (unit.operands)(n);
    let sums: usize = operands.iter().map(|width| (width + 1).div_ceil(3)).sum();
    let prepared = passes::prepare(&on_sums(unit, profile, n), profile);
    assert!(worst(&prepared, profile) <= 1.0);
    passes::cost(&prepared, profile).bootstraps - sums
}

#[test]
fn computed_operands_need_few_refreshes() {
    for profile in profiles() {
        let own_cost = |name| own_cost(&profile, name, 32);
        assert_eq!(own_cost("add"), 11);
        assert_eq!(own_cost("subtract"), 11);
        assert_eq!(own_cost("equal"), 12);
        for name in ["and", "or", "xor"] {
            assert_eq!(own_cost(name), 16, "{name}");
        }
        assert!(own_cost("multiply") <= 148 + 8);
        // The amount's first bit, which the first stage reads as it is.
        assert!(own_cost("shift_left_without_carry") <= 46 + 1);
        // The condition takes the largest weight.
        assert!(own_cost("select") <= 22 + 1);
        assert!(own_cost("divide_unsigned") <= 440);
    }
}

/// Words that a secret index chose from `entries` others: each bit the sum of as many, so that one
/// alone may leave no room for a second in a lookup.
fn loaded(b: &mut Builder, widths: &[usize], entries: u32) -> Vec<Word> {
    let index = b.inputs(6);
    let word = |b: &mut Builder, width: &usize| {
        let words = (0..entries).map(|value| (value, b.inputs(*width)));
        let words: Vec<(u32, Word)> = words.collect();
        library::select_from(b, &index, Wire::TRUE, *width, &words)
    };
    widths.iter().map(|width| word(b, width)).collect()
}

/// What is computed of loaded words is what is computed of fresh ones with their values.
#[track_caller]
fn computes_as_on_fresh_words(
    what: &str,
    widths: &[usize],
    compute: &dyn Fn(&mut Builder, &[Word]) -> Word,
) {
    let profile = Profile::lookup_simulation();
    for entries in [12, 18, 27, 40, 64] {
        let mut b = Builder::new(&profile);
        let operands = loaded(&mut b, widths, entries);
        let results = compute(&mut b, &operands);
        let bits: usize = widths.iter().sum();
        let outputs = operands.iter().flatten().chain(&results);
        outputs.for_each(|&wire| b.output(wire));
        let noisy = b.finish();
        let mut b = Builder::new(&profile);
        let operands: Vec<Word> = widths.iter().map(|&width| b.inputs(width)).collect();
        let results = compute(&mut b, &operands);
        results.iter().for_each(|&wire| b.output(wire));
        let fresh = b.finish();
        let mut random = Random(u64::from(entries));
        for _ in 0..4 {
            let lanes: Vec<u64> = (0..noisy.inputs()).map(|_| random.word()).collect();
            let found = sim::evaluate(&noisy, &lanes).unwrap();
            let (operands, found) = found.split_at(bits);
            let expected = sim::evaluate(&fresh, operands).unwrap();
            assert_eq!(found, expected, "{what}, {entries} entries");
        }
    }
}

#[test]
#[ignore = "slow: 9 s"]
fn units_compute_the_same_on_loaded_words() {
    for unit in units() {
        for n in [5, 8] {
            // Divisors may be 0, as they may be anywhere.
            let widths = (unit.operands)(n);
            computes_as_on_fresh_words(&unit.name(), &widths, &|b, operands| {
                unit.build(b, operands).concat()
            });
        }
    }
}

/// Columns of a product by a constant were planned without a bit that was too noisy for two of them
/// to be added at once.
#[test]
fn products_by_constants_are_the_same_on_loaded_words() {
    for factor in [3, 5, 7, 11, 13, 0x55, 0xcccd] {
        for width in [6, 8, 16] {
            computes_as_on_fresh_words(&format!("{factor} times"), &[width], &|b, operands| {
                let sign = operands[0][width - 1];
                let signs = std::iter::repeat_n(sign, 32 - width);
                let word: Word = operands[0].iter().copied().chain(signs).collect();
                library::multiply_by(b, &word, factor)
            });
        }
    }
}
