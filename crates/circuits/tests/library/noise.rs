//! What units do to noise: their own lookups keep within the limit on fresh operands, and on
//! operands that are themselves computed almost so: what passes still refresh is bounded here.

use super::harness::Tested;
use super::units::{unit, units};
use blindcore_circuits::library::catalogue::Unit;
use blindcore_circuits::library::{self, Word};
use blindcore_circuits::{Builder, Circuit, NoiseModel, Profile, passes};

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
            limit,
        };
        profile
    })
}

#[test]
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
