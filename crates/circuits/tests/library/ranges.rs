//! Whether a word lies between two numbers: every range of short words, and the ends of long ones.

use blindcore_circuits::library;
use blindcore_circuits::{Builder, Circuit, Profile, sim};

use super::harness::{Random, low, profiles};

fn between(profile: &Profile, width: usize, first: u64, last: u64) -> Circuit {
    let mut b = Builder::new(profile);
    let word = b.inputs(width);
    let inside = library::between(&mut b, &word, first, last);
    b.output(inside);
    b.finish()
}

/// Compares with the definition, at most 64 values.
fn check(circuit: &Circuit, width: usize, values: &[u64], is_inside: impl Fn(u64) -> bool) {
    let lanes = |of: &dyn Fn(u64) -> bool| {
        let bits = values.iter().enumerate();
        bits.fold(0, |lanes, (at, &value)| lanes | u64::from(of(value)) << at)
    };
    let inputs: Vec<u64> = (0..width)
        .map(|bit| lanes(&|value| value >> bit & 1 == 1))
        .collect();
    let found = sim::evaluate(circuit, &inputs).unwrap()[0];
    let wrong = found ^ lanes(&is_inside);
    let wrong = (0..values.len()).find(|at| wrong >> at & 1 == 1);
    assert_eq!(wrong.map(|at| values[at]), None, "of {width} bits");
}

#[test]
fn every_range_of_short_words() {
    for profile in profiles() {
        for width in 1..=5 {
            let values: Vec<u64> = (0..1 << width).collect();
            for &first in &values {
                for &last in &values[first as usize..] {
                    let circuit = between(&profile, width, first, last);
                    check(&circuit, width, &values, |value| {
                        (first..=last).contains(&value)
                    });
                }
            }
        }
    }
}

#[test]
fn ends_of_ranges_of_long_words() {
    let mut random = Random(9);
    for profile in profiles() {
        for width in [32, 63, 64] {
            for _ in 0..8 {
                // Ends that differ in as many bits as chance has it.
                let one = random.value(width) as u64;
                let other = one ^ (random.value(width) as u64 >> (random.value(6) as u32));
                let (first, last) = (one.min(other), one.max(other));
                let mask = low(width) as u64;
                let near = [first, last, 0, mask].into_iter();
                let near = near.flat_map(|end| {
                    (0..5).map(move |off: u64| end.wrapping_add(off).wrapping_sub(2))
                });
                let mut values: Vec<u64> = near.map(|value| value & mask).collect();
                values.extend(
                    (0..width)
                        .map(|bit| first ^ 1 << bit)
                        .take(64 - values.len()),
                );
                let circuit = between(&profile, width, first, last);
                check(&circuit, width, &values, |value| {
                    (first..=last).contains(&value)
                });
            }
        }
    }
}
