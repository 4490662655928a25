//! Noise is counted, and refreshed where a target's limit asks for it and nowhere else.

use blindcore_circuits::passes::{
    cost, growth, insert_refresh, multiplicative_depth, noise, prepare,
};
use blindcore_circuits::{Builder, NoiseAmount, NoiseGrowth, Profile, Wire, sim};

use super::recorded::{LANES, additions};
use super::targets::{FRESH, gates, growing, lookups, small_noise};

#[test]
fn noise_of_adder_slices_is_exact() {
    let model = lookups().lookup.unwrap().noise;
    // Both operands and the carry are outputs of slices: 112 + 112 + 2 aligned, 280 + 280 + 2 when
    // shifted by one bit.
    for (offset, expected) in [(0, 226.0), (1, 562.0), (2, 2.0 * 196.0 + 2.0)] {
        let mut build = Builder::new(&lookups());
        let slice = |build: &mut Builder, count: usize| {
            let wires: Vec<Wire> = (0..count)
                .flat_map(|_| {
                    let inputs = build.inputs(4);
                    let terms: Vec<_> = inputs.into_iter().zip([1, 2, 4, 8]).collect();
                    build.lookup(&terms, 0, &[0xaaaa, 0xcccc, 0xf0f0])
                })
                .collect();
            wires
        };
        let (a, b) = (slice(&mut build, 2), slice(&mut build, 2));
        let pair = build.inputs(2);
        let carry = build.lookup(&[(pair[0], 1), (pair[1], 1)], 0, &[0b100])[0];
        let mut terms = vec![(carry, 1)];
        for place in 0..3 {
            terms.extend([
                (a[offset + place], 1 << place),
                (b[offset + place], 1 << place),
            ]);
        }
        let out = build.lookup(&terms, 0, &[0xff00])[0];
        build.output(out);
        let noise = noise(&build.finish(), &model);
        assert_eq!(noise.worst, expected, "offset {offset}");
    }
}

#[test]
fn refreshes_come_only_where_noise_asks() {
    let circuit = additions(33, 6, 1);
    let prepared = prepare(&circuit, &lookups());
    assert_eq!(cost(&prepared, &lookups()).bootstraps, 66);
    let quiet = small_noise();
    let model = quiet.lookup.unwrap().noise;
    assert!(noise(&circuit, &model).worst > model.limit);
    let refreshed = insert_refresh(&circuit, &quiet);
    assert!(noise(&refreshed, &model).worst <= model.limit);
    assert!(cost(&refreshed, &quiet).bootstraps > 66);
    let values: Vec<u64> = (0..circuit.inputs() as u64)
        .map(|i| {
            (i + 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(i as u32)
        })
        .collect();
    assert_eq!(
        sim::evaluate(&refreshed, &values),
        sim::evaluate(&circuit, &values)
    );
}

#[test]
fn sums_too_heavy_for_any_refresh_are_written_in_gates() {
    let mut build = Builder::new(&lookups());
    let inputs = build.inputs(4);
    // One-hot bits of an index, with weights up to 15.
    let hot: Vec<Wire> = (0..15u16)
        .map(|index| {
            let bits: Vec<Wire> = (0..4)
                .map(|i| inputs[i].invert_if(index >> i & 1 == 0))
                .collect();
            build.all(&bits)
        })
        .collect();
    let terms: Vec<(Wire, i8)> = hot.iter().copied().zip(1..).collect();
    for wire in build.lookup_within(&terms, 0, 15, &[0xaaaa, 0xcccc, 0x1234]) {
        build.output(wire);
    }
    let circuit = build.finish();
    let model = lookups().lookup.unwrap().noise;
    assert!(noise(&circuit, &model).worst > model.limit);
    let prepared = prepare(&circuit, &lookups());
    assert!(noise(&prepared, &model).worst <= model.limit);
    assert_eq!(
        sim::evaluate(&prepared, &LANES[..4]),
        sim::evaluate(&circuit, &LANES[..4])
    );
}

/// Refreshes of a circuit on a target whose refreshes leave so much of 380 bits.
fn refreshes(record: impl Fn(&mut Builder), refreshed: f64) -> usize {
    let mut profile = gates();
    profile.growth = Some(NoiseGrowth {
        fresh: FRESH,
        refreshed: NoiseAmount {
            bits: refreshed,
            degree: 15,
        },
        limit: 380.0,
    });
    let mut build = Builder::new(&profile);
    record(&mut build);
    let prepared = prepare(&build.finish(), &profile);
    cost(&prepared, &profile).refresh
}

#[test]
fn refreshes_are_put_off_until_a_product_would_exceed_the_limit() {
    let chain = |length: usize| {
        move |build: &mut Builder| {
            let first = build.input();
            let last = (1..length).fold(first, |product, _| {
                let next = build.input();
                build.and(product, next)
            });
            build.output(last);
        }
    };
    // n independent bits have 3n + ½·log2 n!, a refreshed one with k more 170 + 3k + ½·log2 (15 +
    // k)!/15!.
    for (length, count) in [(2, 0), (70, 0), (71, 1), (108, 1), (109, 2)] {
        assert_eq!(refreshes(chain(length), 170.0), count, "{length} factors");
    }
}

#[test]
fn what_is_refreshed_once_serves_all_readers() {
    // A product of as many bits as there may be, read by five others.
    let count = refreshes(
        |build| {
            let bits = build.inputs(70);
            let noisy = bits.iter().copied().reduce(|a, b| build.and(a, b));
            let noisy = noisy.unwrap_or(Wire::FALSE);
            for _ in 0..5 {
                let other = build.input();
                let read = build.and(noisy, other);
                build.output(read);
            }
        },
        170.0,
    );
    assert_eq!(count, 1);
}

#[test]
fn degrees_count_and_not_depth() {
    // The carry of a ripple depends on all bits below it once: 33 columns need no refresh although
    // their ANDs follow each other.
    let circuit = additions(33, 1, 0);
    let mut profile = growing();
    let model = NoiseGrowth {
        limit: 380.0,
        ..profile.growth.unwrap()
    };
    profile.growth = Some(model);
    let prepared = prepare(&circuit, &profile);
    assert_eq!(cost(&prepared, &profile).refresh, 0);
    let worst = growth(&prepared, &model).worst;
    // Of degree 34 in bits of 3 bits each.
    assert!((34.0 * 3.0..380.0).contains(&worst), "{worst}");
}

#[test]
fn a_refresh_that_would_add_noise_is_dropped() {
    let record = |build: &mut Builder| {
        let (a, b) = (build.input(), build.input());
        let quiet = build.and(a, b);
        let refreshed = build.refresh(quiet);
        build.output(refreshed);
    };
    assert_eq!(refreshes(record, 170.0), 0);
    assert_eq!(refreshes(record, 5.0), 1);
}

/// Nothing is refreshed where nothing can be.
#[test]
fn levelled_schemes_have_no_refresh() {
    let mut profile = Profile::levelled_simulation();
    profile.levels = Some(2);
    let mut build = Builder::new(&profile);
    let inputs = build.inputs(33);
    let all = build.all(&inputs);
    build.output(all);
    let prepared = prepare(&build.finish(), &profile);
    assert_eq!(cost(&prepared, &profile).refresh, 0);
    let depth = multiplicative_depth(&prepared);
    assert_eq!((depth.depth, depth.deepest), (6, Some(0)));
}
