//! What a node was recorded for survives all passes, and changes nothing else.

use std::collections::BTreeSet;

use blindcore_circuits::passes::{cost, prepare};
use blindcore_circuits::{Builder, Cause, Circuit, Profile, library};
use proptest::prelude::*;

use super::recorded::{record, record_for, step};
use super::targets::{gates, growing, levelled, lookups, narrow, small_noise};

fn causes(circuit: &Circuit) -> BTreeSet<Option<Cause>> {
    circuit.nodes().map(|node| circuit.cause(node)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: 37 s"]
    fn every_node_keeps_a_cause_and_nothing_else_changes(
        steps in prop::collection::vec(step(), 1..120),
        outputs in prop::collection::vec(any::<u16>(), 1..12),
    ) {
        let profiles = [
            lookups(), gates(), small_noise(), narrow(7), narrow(2), levelled(), growing(),
            Profile::levelled_simulation(),
        ];
        for profile in profiles {
            let plain = record(&profile, &steps, &outputs);
            let recorded = record_for(&profile, &steps, &outputs, |step| Some(Cause(step as u32)));
            prop_assert!(causes(&plain).iter().all(Option::is_none));
            // Whatever is left stands for something that an output depended on.
            let known = causes(&recorded);
            prop_assert!(!known.contains(&None));
            let (expected, prepared) = (prepare(&plain, &profile), prepare(&recorded, &profile));
            prop_assert!(causes(&prepared).is_subset(&known));
            prop_assert_eq!(prepared.len(), expected.len());
            let pairs = prepared.nodes().zip(expected.nodes());
            for (own, other) in pairs {
                prop_assert_eq!(prepared.op(own), expected.op(other));
            }
            prop_assert_eq!(prepared.outputs(), expected.outputs());
            let bootstraps = prepared.nodes().filter(|&node| prepared.op(node).is_bootstrap(&profile));
            prop_assert_eq!(bootstraps.count(), cost(&prepared, &profile).bootstraps);
        }
    }
}

/// Units that have nothing in common are charged exactly what they cost alone.
#[test]
fn units_apart_are_charged_what_they_cost() {
    let profile = lookups();
    type Unit = fn(&mut Builder) -> Vec<blindcore_circuits::Wire>;
    let units: [Unit; 3] = [
        |build| {
            let (x, y) = (build.inputs(32), build.inputs(32));
            library::add(build, &x, &y)
        },
        |build| {
            let (x, y) = (build.inputs(16), build.inputs(16));
            library::multiply(build, &x, &y)
        },
        |build| {
            let (x, y) = (build.inputs(32), build.inputs(32));
            library::subtract(build, &x, &y)
        },
    ];
    let mut all = Builder::new(&profile);
    for (number, unit) in units.iter().enumerate() {
        all.attribute_to(Cause(number as u32));
        let outputs = unit(&mut all);
        outputs.into_iter().for_each(|wire| all.output(wire));
    }
    let circuit = prepare(&all.finish(), &profile);
    let mut together = 0;
    for (number, unit) in units.iter().enumerate() {
        let mut alone = Builder::new(&profile);
        let outputs = unit(&mut alone);
        outputs.into_iter().for_each(|wire| alone.output(wire));
        let alone = cost(&prepare(&alone.finish(), &profile), &profile).bootstraps;
        let charged = circuit.nodes().filter(|&node| {
            circuit.op(node).is_bootstrap(&profile)
                && circuit.cause(node) == Some(Cause(number as u32))
        });
        let charged = charged.count();
        // A small lookup at the end of one unit may ride on one of another.
        assert!(
            charged.abs_diff(alone) <= 2,
            "unit {number}: {charged} of {alone}"
        );
        together += charged;
    }
    assert_eq!(together, cost(&circuit, &profile).bootstraps);
}
