//! The library's choice against every architecture that there is: no more than a twentieth slower
//! in the model, on one core and on many, with lookups and with gates.

use super::harness::bootstrapped_gates;
use super::units::units;
use blindcore_circuits::library::catalogue::{Family, Unit};
use blindcore_circuits::{Profile, passes};

/// What the default may take, in parts of the best architecture's time: dividers are chosen by their
/// quotients alone.
const MARGIN: f64 = 1.07;

/// Lookups that cost 1.6 times as much alone as in a batch of eight.
fn lookups(cores: usize) -> Profile {
    let mut profile = Profile::lookup_simulation();
    profile.name = format!("lookups, {cores} cores");
    profile.cost.lookup_alone = 1.6;
    profile.batch = 8;
    profile.cores = cores;
    profile
}

fn time(unit: &Unit, profile: &Profile, n: usize) -> f64 {
    let circuit = passes::prepare(&unit.draw(profile, n).circuit, profile);
    passes::makespan(&circuit, profile)
}

/// Units by operation: the default, and the others.
fn operations(family: Family) -> Vec<(&'static Unit, Vec<&'static Unit>)> {
    let mut operations: Vec<(&Unit, Vec<&Unit>)> = Vec::new();
    for unit in units().iter().filter(|unit| unit.family == family) {
        match operations.last_mut() {
            Some((_, others)) if !unit.is_default() => others.push(unit),
            _ => operations.push((unit, Vec::new())),
        }
    }
    operations
}

/// Targets that the choice is held to: units alone on one core and on many; and, with lookups,
/// units of circuits that have width of their own, where the fewest lookups are the best.
fn targets() -> Vec<Profile> {
    let mut wide = lookups(1).for_wide_circuits();
    wide.name = "lookups, wide circuits".to_owned();
    let mut targets = vec![wide];
    for cores in [1, 2, 16, 48] {
        targets.extend([lookups(cores), bootstrapped_gates(cores)]);
    }
    targets
}

fn defaults_are_near_the_best(family: Family, widths: &[usize]) {
    let mut slow = Vec::new();
    for profile in targets() {
        for &n in widths {
            for (default, others) in operations(family) {
                let own = time(default, &profile, n);
                let times = others.iter().map(|unit| (time(unit, &profile, n), unit));
                let Some((best, unit)) = times.min_by(|a, b| a.0.total_cmp(&b.0)) else {
                    continue;
                };
                if own > MARGIN * best {
                    slow.push(format!(
                        "{}, {n} bits: {own:.1}, {:.2} times {} ({best:.1})",
                        profile.name,
                        own / best,
                        unit.name()
                    ));
                }
            }
        }
    }
    assert!(slow.is_empty(), "{}: {slow:#?}", slow.len());
}

const WIDTHS: [usize; 4] = [8, 16, 32, 64];

#[test]
#[ignore = "slow: 4 s"]
fn additions() {
    defaults_are_near_the_best(Family::Addition, &WIDTHS);
}

#[test]
#[ignore = "slow: 2 s"]
fn subtractions() {
    defaults_are_near_the_best(Family::Subtraction, &WIDTHS);
}

#[test]
#[ignore = "slow: 25 s"]
fn sums_of_many() {
    defaults_are_near_the_best(Family::Summation, &[8, 16, 32]);
}

#[test]
#[ignore = "sums of 64 bits, 15 s"]
fn wide_sums_of_many() {
    defaults_are_near_the_best(Family::Summation, &[64]);
}

#[test]
#[ignore = "slow: 2 s"]
fn comparisons() {
    defaults_are_near_the_best(Family::Comparison, &WIDTHS);
}

#[test]
fn bits_and_fields() {
    defaults_are_near_the_best(Family::Bitwise, &WIDTHS);
}

#[test]
#[ignore = "slow: 2 s"]
fn shifts() {
    defaults_are_near_the_best(Family::Shift, &WIDTHS);
}

#[test]
#[ignore = "slow: 9 s"]
fn products() {
    defaults_are_near_the_best(Family::Multiplication, &[8, 16]);
}

#[test]
#[ignore = "products of 32 bits, 10 s"]
fn wide_products() {
    defaults_are_near_the_best(Family::Multiplication, &[32]);
}

#[test]
#[ignore = "products of 64 bits, 50 s"]
fn widest_products() {
    defaults_are_near_the_best(Family::Multiplication, &[64]);
}

#[test]
#[ignore = "slow: 7 s"]
fn quotients() {
    defaults_are_near_the_best(Family::Division, &[8, 16]);
}

#[test]
#[ignore = "quotients of 32 bits, 10 s"]
fn wide_quotients() {
    defaults_are_near_the_best(Family::Division, &[32]);
}

#[test]
#[ignore = "quotients of 64 bits, 50 s"]
fn widest_quotients() {
    defaults_are_near_the_best(Family::Division, &[64]);
}
