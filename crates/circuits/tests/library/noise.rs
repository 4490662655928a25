//! What units do to noise: their own lookups keep within the limit on fresh operands, and on
//! operands that are themselves computed almost so: what passes still refresh is bounded here.

use crate::harness::Unit;
use crate::units::{UNITS, unit};
use circuits::library::{self, Word};
use circuits::{Builder, Circuit, Profile, passes};

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
    let results = (unit.build)(&mut b, &operands);
    results.iter().flatten().for_each(|&wire| b.output(wire));
    b.finish()
}

/// The largest variance of a sum, in parts of the limit.
fn worst(circuit: &Circuit, profile: &Profile) -> f64 {
    let model = profile.lookup.unwrap().noise;
    passes::noise(circuit, &model).worst / model.limit
}

#[test]
fn lookups_keep_within_the_limit() {
    let profile = Profile::lookup_simulation();
    for unit in UNITS {
        for n in [3, 8, 16, 32] {
            let fresh = worst(&unit.build(&profile, n).circuit, &profile);
            assert!(fresh <= 1.0, "{} of {n} fresh bits: {fresh}", unit.name);
            let computed = worst(&on_sums(unit, &profile, n), &profile);
            assert!(
                computed <= 1.0,
                "{} of {n} computed bits: {computed}",
                unit.name
            );
        }
    }
}

/// Lookups and refreshes of a unit on computed operands, less those of the operands.
fn own_cost(name: &str, n: usize) -> usize {
    let profile = Profile::lookup_simulation();
    let unit = unit(name);
    let operands = (unit.operands)(n);
    let sums: usize = operands.iter().map(|width| (width + 1).div_ceil(3)).sum();
    let prepared = passes::prepare(&on_sums(unit, &profile, n), &profile);
    assert!(worst(&prepared, &profile) <= 1.0);
    passes::cost(&prepared, &profile).bootstraps - sums
}

#[test]
fn computed_operands_need_few_refreshes() {
    assert_eq!(own_cost("add", 32), 11);
    assert_eq!(own_cost("subtract", 32), 11);
    assert_eq!(own_cost("equal", 32), 12);
    for name in ["and", "or", "xor"] {
        assert_eq!(own_cost(name, 32), 16, "{name}");
    }
    // Some digits of the word with the large weights.
    assert!(own_cost("multiply", 32) <= 196 + 16);
    // Some bits of the amount.
    assert!(own_cost("shift_left_without_carry", 32) <= 81 + 4);
    assert!(own_cost("divide_unsigned", 32) <= 440);
}
