//! Depth, where it is what costs.

use blindcore_circuits::passes::{cost, multiplicative_depth, prepare, reduce_depth, remove_dead};
use blindcore_circuits::{Builder, Profile, library, sim};

use super::targets::{gates, lookups};

/// On many cores a circuit may take more rotations if it takes less time.
#[test]
fn depth_counts_where_cores_would_be_idle() {
    let mut build = Builder::new(&gates());
    let inputs = build.inputs(33);
    // Every step is an output, so that it cannot vanish into the next.
    let mut chain = inputs[0];
    for (at, &other) in inputs[1..].iter().enumerate() {
        chain = match at % 2 {
            0 => build.and(chain, other),
            _ => build.or(chain, other),
        };
        build.output(chain);
    }
    let circuit = build.finish();
    let on = |cores| {
        let profile = lookups().with_cores(cores);
        let prepared = prepare(&circuit, &profile);
        let values: Vec<u64> = (1..34)
            .map(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i))
            .collect();
        assert_eq!(
            sim::evaluate(&prepared, &values),
            sim::evaluate(&circuit, &values)
        );
        cost(&prepared, &profile)
    };
    let (one, many) = (on(1), on(64));
    assert!(many.depth < one.depth, "{one}; {many}");
    assert!(one.bootstraps <= many.bootstraps, "{one}; {many}");
}

/// What lowering the depth of the library's units comes to: depth and ANDs before and after.
#[test]
fn depth_is_lowered() {
    let profile = Profile::levelled_simulation();
    let found: Vec<_> = library::catalogue::catalogue()
        .iter()
        .filter_map(|unit| {
            let name = unit.name();
            let width = match name.as_str() {
                "add, ripple-two-and" | "subtract, borrow" | "shift_arithmetic_right" => 16,
                "multiply_long_unsigned, pencil-and-paper" | "divide_unsigned" => 8,
                "add" => 32,
                _ => return None,
            };
            let drawn = remove_dead(&unit.draw(&profile, width).circuit);
            let reduced = reduce_depth(&drawn, &profile);
            let values: Vec<u64> = (1..=drawn.inputs() as u64)
                .map(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i))
                .collect();
            assert_eq!(
                sim::evaluate(&reduced.circuit, &values),
                sim::evaluate(&drawn, &values),
                "{name}"
            );
            let depth = multiplicative_depth(&reduced.circuit).depth;
            assert_eq!(depth, reduced.after.0, "{name}");
            Some((name, reduced.before, reduced.after))
        })
        .collect();
    let found: Vec<_> = found
        .iter()
        .map(|(name, before, after)| (name.as_str(), *before, *after))
        .collect();
    assert_eq!(
        found,
        [
            ("add", (5, 129), (5, 129)),
            ("add, ripple-two-and", (15, 29), (5, 56)),
            ("subtract, borrow", (15, 15), (5, 56)),
            ("shift_arithmetic_right", (8, 72), (4, 140)),
            (
                "multiply_long_unsigned, pencil-and-paper",
                (15, 125),
                (13, 132)
            ),
            ("divide_unsigned", (48, 125), (33, 158)),
        ]
    );
}

/// A chain of ANDs becomes a tree, and takes no more of them.
#[test]
fn chains_of_ands_become_trees() {
    let profile = Profile::levelled_simulation();
    let mut build = Builder::new(&profile);
    let inputs = build.inputs(33);
    let all = inputs.into_iter().reduce(|a, b| build.and(a, b)).unwrap();
    build.output(!all);
    let prepared = prepare(&build.finish(), &profile);
    let found = cost(&prepared, &profile);
    assert_eq!((found.depth, found.and), (6, 32));
}
