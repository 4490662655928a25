//! Whatever is recorded, passes keep what it computes, and the promises of its target.

use std::sync::Arc;

use blindcore_circuits::passes::{
    cost, expand, growth, map_to_lookups, multiplicative_depth, noise, prepare, remove_dead,
};
use blindcore_circuits::sim::{self, Simulator};
use blindcore_circuits::{Circuit, Op, Pool, Profile, Wire, run};
use proptest::prelude::*;

use super::recorded::{INPUTS, LANES, record, step};
use super::targets::{gates, growing, levelled, lookups, narrow, selectors, small_noise};

/// The longest path, every operation but inputs counted.
fn levels(circuit: &Circuit) -> u32 {
    circuit
        .nodes()
        .map(|node| circuit.level(node))
        .max()
        .unwrap_or(0)
}

/// The most ANDs in a row without a refresh.
fn and_levels(circuit: &Circuit) -> u32 {
    let mut since = vec![0; circuit.len()];
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let operands = op
            .operands()
            .filter_map(|wire| circuit.source(wire.signal()));
        let below = operands
            .map(|source| since[source.index()])
            .max()
            .unwrap_or(0);
        since[node.index()] = match op {
            Op::Refresh(_) => 0,
            Op::And(..) | Op::Mux { .. } => below + 1,
            _ => below,
        };
    }
    since.into_iter().max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: 75 s"]
    fn prepare_keeps_what_is_computed(
        steps in prop::collection::vec(step(), 1..120),
        outputs in prop::collection::vec(any::<u16>(), 1..12),
    ) {
        let reference = record(&lookups(), &steps, &outputs);
        let expected = sim::evaluate(&reference, &LANES).unwrap();
        let profiles = [
            lookups(),
            gates(),
            small_noise(),
            narrow(7),
            narrow(2),
            selectors(1.0),
            selectors(20.0),
            levelled(),
            growing(),
            Profile::levelled_simulation(),
        ];
        for profile in profiles {
            for circuit in [reference.clone(), record(&profile, &steps, &outputs)] {
                let prepared = prepare(&circuit, &profile);
                prop_assert_eq!(&sim::evaluate(&prepared, &LANES).unwrap(), &expected);
                prop_assert_eq!(prepared.inputs(), INPUTS);
                let after = cost(&prepared, &profile);
                match profile.lookup {
                    Some(lookup) => {
                        let noise = noise(&prepared, &lookup.noise);
                        let at = noise.at.map(|node| prepared.op(node));
                        prop_assert!(noise.worst <= lookup.noise.limit, "{} at {at:?}", noise.worst);
                        prop_assert_eq!(after.and + after.xor + after.mux, 0);
                        let by_selectors =
                            after.selector + after.choice + after.load + after.store + after.linear;
                        prop_assert!(profile.selectors.is_some() || by_selectors == 0);
                        for node in prepared.nodes() {
                            let conditions: Vec<Wire> = match prepared.op(node) {
                                Op::Choose { select, .. } => vec![select],
                                Op::Load(load) => load.index().iter().map(|bit| bit.wire).collect(),
                                Op::Store(store) => {
                                    store.conditions().iter().map(|bit| bit.wire).collect()
                                }
                                _ => Vec::new(),
                            };
                            let op = prepared.op(node);
                            let is_half = |wire: Wire| prepared.is_half(wire.signal());
                            prop_assert!(op.reads_halves() || !op.operands().any(is_half));
                            for condition in conditions {
                                let made = prepared.source(condition.signal()).unwrap();
                                let is_selector = matches!(prepared.op(made), Op::Selector { .. });
                                prop_assert!(is_selector);
                            }
                            if let Op::Lookup { sum, .. } = prepared.op(node) {
                                let largest = match lookup.negacyclic && lookup.max_value == 15 {
                                    true => 31,
                                    false => lookup.max_value,
                                };
                                prop_assert!(sum.max <= largest);
                            }
                        }
                    }
                    None => prop_assert_eq!(after.lookup + after.mux, 0),
                }
                if let Some(bound) = profile.levels {
                    prop_assert!(and_levels(&prepared) <= bound);
                }
                if !profile.has_refresh() {
                    let plain = expand(&remove_dead(&circuit), &profile);
                    let depth = |circuit| multiplicative_depth(circuit).depth;
                    prop_assert!(depth(&prepared) <= depth(&plain));
                    prop_assert_eq!(after.refresh, 0);
                }
                if let Some(model) = &profile.growth {
                    prop_assert!(growth(&prepared, model).worst <= model.limit);
                }
                let engine = Simulator::new(profile.clone());
                let bits: Vec<_> = LANES.map(Arc::new).to_vec();
                let outputs = run(&engine, &prepared, &bits, &Pool::new(2)).unwrap();
                let outputs: Vec<u64> = outputs.iter().map(|bit| **bit).collect();
                prop_assert_eq!(&outputs, &expected);
            }
        }
    }

    #[test]
    fn mapping_never_adds_rotations_or_depth(
        steps in prop::collection::vec(step(), 1..120),
        outputs in prop::collection::vec(any::<u16>(), 1..12),
    ) {
        let circuit = record(&lookups(), &steps, &outputs);
        let mapped = map_to_lookups(&circuit, &lookups());
        prop_assert_eq!(sim::evaluate(&mapped, &LANES), sim::evaluate(&circuit, &LANES));
        prop_assert!(levels(&mapped) <= levels(&circuit));
        let count = |circuit: &Circuit| cost(circuit, &lookups()).bootstraps;
        prop_assert!(count(&mapped) <= count(&circuit), "{} > {}", count(&mapped), count(&circuit));
    }
}
