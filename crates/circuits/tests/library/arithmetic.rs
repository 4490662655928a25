//! What is said of multipliers, dividers, constants, fields and counts of bits.

use super::formulas::count;
use super::harness::{Random, Tested, bootstrapped_gates};
use super::units::unit;
use blindcore_circuits::library::{self, Adder, Divider, Multiplier, Word};
use blindcore_circuits::{Builder, Profile, Wire};

/// Widths for which authors' counts are asserted.
const WIDTHS: std::ops::RangeInclusive<usize> = 3..=64;

/// Joins of Sklansky's adder for m columns with a carry out.
fn joins(m: usize) -> usize {
    (0..m).map(|at| at.count_ones() as usize).sum()
}

/// Full and half adders of a tree, given what its last adder of m columns takes.
fn adders_of(name: &str, n: usize, m: usize) -> (usize, usize) {
    let formula = unit(name).formula(n).unwrap();
    let ands = formula.ands - n * n - (2 * joins(m) + 1);
    let xors = formula.xors - (2 * m - 1 + joins(m));
    // A full adder has one AND and four XORs, a half adder one of each.
    let full = (xors - ands) / 3;
    (full, ands - full)
}

#[test]
fn dadda_counts_what_dadda_counted() {
    for n in WIDTHS {
        for name in [
            "multiply_long_unsigned, dadda",
            "multiply_long_signed, dadda",
        ] {
            let adders = adders_of(name, n, 2 * n - 2);
            assert_eq!(adders, (n * n + 3 - 4 * n, n - 1), "{name} {n}");
        }
    }
}

#[test]
fn trees_are_shallow() {
    // Full adders of gates, as the trees have.
    let mut profile = bootstrapped_gates(1);
    profile.cost.mux = 3.0 * profile.cost.and;
    for n in [16, 32, 64] {
        let depth = |name: &str| unit(name).formula(n).unwrap().depth;
        let columns = unit("multiply_long_unsigned, columns");
        let chain = count(&columns.draw(&profile, n).circuit);
        for name in ["wallace", "dadda"] {
            let tree = depth(&format!("multiply_long_unsigned, {name}"));
            assert!(2 * tree < chain.depth, "{name} {n}: {tree}");
        }
    }
}

/// The least number of digits −1, 0 and 1 that are not 0, for all numbers below a limit: by
/// dynamic programming, without a look at the non-adjacent form.
fn least_digits(limit: usize) -> Vec<u32> {
    let mut least = vec![0u32; limit];
    for number in 1..limit {
        least[number] = match number % 2 {
            0 => least[number / 2],
            _ => {
                let below = least[number / 2];
                // (number + 1) / 2 is below number from 3 on.
                let above = if number > 1 { least[number / 2 + 1] } else { 0 };
                1 + below.min(above)
            }
        };
    }
    least
}

#[test]
fn constants_take_the_fewest_signed_digits() {
    let bits = 16u32;
    let least = least_digits(1 << bits);
    for (number, &least) in least.iter().enumerate() {
        assert_eq!(library::copies_for(number as u64), least, "{number}");
    }
    let total: u64 = least.iter().map(|&digits| u64::from(digits)).sum();
    // w/3 + 4/9 on average, but for less than 2⁻ʷ.
    let average = total as f64 / f64::from(1 << bits);
    assert!((average - (f64::from(bits) / 3.0 + 4.0 / 9.0)).abs() < 1.0 / f64::from(1 << bits));
    assert_eq!(library::copies_for(u64::MAX), 2);
    assert_eq!(library::copies_for(0x5555_5555_5555_5555), 32);
}

#[test]
fn a_constant_costs_an_adder_for_each_further_digit() {
    let mut random = Random(11);
    let profile = Profile::gate_simulation();
    for n in [8, 16, 32, 64] {
        for _ in 0..32 {
            let factor = random.word() >> (random.word() % 64);
            let mut b = Builder::new(&profile);
            let x = b.inputs(n);
            let product = library::multiply_by(&mut b, &x, factor);
            product.iter().for_each(|&bit| b.output(bit));
            let ands = count(&b.finish()).ands;
            let most = (library::copies_for(factor).saturating_sub(1) as usize) * n;
            assert!(ands <= most, "{factor} times {n} bits: {ands} ANDs");
        }
    }
}

/// Multipliers and dividers that add two words do so by any adder.
#[test]
fn drawn_circuits_take_any_adder() {
    let multipliers = Multiplier::all().into_iter().map(|multiplier| {
        let forced = library::Architectures {
            multiplier: Some(multiplier),
            ..Default::default()
        };
        (["multiply", "multiply_long_signed"], forced)
    });
    let dividers = Divider::all().into_iter().map(|divider| {
        let forced = library::Architectures {
            divider: Some(divider),
            ..Default::default()
        };
        (["divide_unsigned", "divide_signed"], forced)
    });
    let forced: Vec<_> = multipliers.chain(dividers).collect();
    for adder in Adder::all() {
        for (names, forced) in &forced {
            let mut profile = bootstrapped_gates(1);
            profile.architectures = *forced;
            profile.architectures.adder = Some(adder);
            for name in names {
                let unit = unit(name);
                for n in [1, 2, 3, 6, 13] {
                    let built = unit.fresh(&profile, n);
                    let mut random = Random(n as u64);
                    let case = |_| {
                        (unit.operands)(n)
                            .iter()
                            .map(|&w| random.value(w))
                            .collect()
                    };
                    let cases: Vec<Vec<u128>> = (0..128).map(case).collect();
                    unit.check(&built, n, &cases);
                }
            }
        }
    }
}

#[test]
fn counts_of_ones_need_no_more_ands_than_any() {
    for n in 1..=64usize {
        let circuit = unit("population_count").draw(&Profile::gate_simulation(), n);
        let least = n - n.count_ones() as usize;
        assert_eq!(count(&circuit.circuit).ands, least, "{n}");
        let halves = unit("population_count, halves").formula(n).unwrap();
        if n.is_power_of_two() {
            assert_eq!(halves.ands, 2 * n - n.ilog2() as usize - 2, "{n}");
        }
    }
}

/// The value of a word whose bits are wires of known positions.
fn moved(bits: &[Wire], word: &[Wire], value: u64) -> u64 {
    let bit = |wire: &Wire| match wire.as_constant() {
        Some(value) => u64::from(value),
        None => {
            let from = word.iter().position(|other| other == wire).unwrap();
            value >> from & 1
        }
    };
    (0..).zip(bits).map(|(at, wire)| bit(wire) << at).sum()
}

#[test]
fn fields_and_orders_are_wires() {
    let mut b = Builder::new(&Profile::gate_simulation());
    let (x, field): (Word, Word) = (b.inputs(32), b.inputs(5));
    let before = b.len();
    let mut random = Random(3);
    for value in (0..64).map(|_| random.word() & 0xffff_ffff) {
        let (low_half, high_half) = (value as u16, (value >> 16) as u16);
        let halves = u64::from(low_half.swap_bytes()) | u64::from(high_half.swap_bytes()) << 16;
        let signed = i32::from(low_half.swap_bytes() as i16) as u32;
        let value32 = value as u32;
        for (found, expected) in [
            (library::reverse_bits(&x), value32.reverse_bits().into()),
            (library::reverse_bytes(&x), value32.swap_bytes().into()),
            (library::reverse_bytes_of_halfwords(&x), halves),
            (library::reverse_bytes_signed(&x), signed.into()),
            (library::clear_field(&x, 7, 11), value & !(0x7ff << 7)),
        ] {
            assert_eq!(moved(&found, &x, value), expected, "{value:x}");
        }
    }
    let inserted = library::insert_field(&x, &field, 27);
    assert_eq!(inserted[..27], x[..27]);
    assert_eq!(inserted[27..], field[..]);
    assert_eq!(b.len(), before);
}

#[test]
#[should_panic(expected = "a field of 9 bits from bit 24 on in a word of 32 bits")]
fn fields_end_within_their_word() {
    let mut b = Builder::new(&Profile::gate_simulation());
    let x = b.inputs(32);
    let _ = library::clear_field(&x, 24, 9);
}
