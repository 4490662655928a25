//! Right answers.

use super::harness::{Memory, Random, Tested, Value, low, profiles};
use super::units::units;
use blindcore_circuits::library::catalogue::Unit;
use blindcore_circuits::library::{self, Shift};
use blindcore_circuits::{Builder, Profile, Wire, passes, sim};

/// Operands together have at most this many bits in exhaustive tests.
const EXHAUSTIVE_BITS: usize = 17;

fn all_cases(widths: &[usize]) -> Vec<Vec<Value>> {
    let bits: usize = widths.iter().sum();
    let split = |mut number: Value| {
        let mut next = |&width: &usize| {
            let value = number & low(width);
            number >>= width;
            value
        };
        widths.iter().map(&mut next).collect()
    };
    (0..1 << bits).map(split).collect()
}

fn random_cases(random: &mut Random, unit: &Unit, n: usize, count: usize) -> Vec<Vec<Value>> {
    let widths = (unit.operands)(n);
    (0..count)
        .map(|_| widths.iter().map(|&width| random.value(width)).collect())
        .collect()
}

fn exhaustively(profile: &Profile) {
    let mut memory = Memory::default();
    for unit in units() {
        for n in 1..=8 {
            let widths = (unit.operands)(n);
            let built = unit.fresh(profile, n);
            memory.check(unit, &built, n, || {
                match widths.iter().sum::<usize>() <= EXHAUSTIVE_BITS {
                    true => all_cases(&widths),
                    false => random_cases(&mut Random(n as u64), unit, n, 4096),
                }
            });
        }
    }
}

#[test]
#[ignore = "slow: 3 s"]
fn small_words_exhaustively_with_lookups() {
    exhaustively(&Profile::lookup_simulation());
}

#[test]
#[ignore = "slow: 4 s"]
fn small_words_exhaustively_with_selectors() {
    exhaustively(&super::harness::selectors());
}

#[test]
#[ignore = "slow: 2 s"]
fn small_words_exhaustively_with_gates() {
    exhaustively(&Profile::gate_simulation());
}

#[test]
#[ignore = "slow: 3 s"]
fn small_words_exhaustively_with_few_levels() {
    exhaustively(&super::harness::levelled());
}

fn in_random_lanes<'a>(
    units: impl Iterator<Item = &'a Unit>,
    profiles: &[Profile],
    widths: &[usize],
) {
    let mut memory = Memory::default();
    for unit in units {
        for profile in profiles {
            for &n in widths {
                let built = unit.fresh(profile, n);
                memory.check(unit, &built, n, || {
                    random_cases(&mut Random(7), unit, n, 256)
                });
            }
        }
    }
}

#[test]
#[ignore = "slow: 14 s"]
fn wide_words_in_random_lanes() {
    // The kinds of gates that there are: what is forced does not depend on cores or levels.
    let kinds = [
        Profile::lookup_simulation(),
        Profile::gate_simulation(),
        super::harness::bootstrapped_gates(1),
    ];
    in_random_lanes(units().iter(), &kinds, &[16, 32, 64]);
    let defaults = || units().iter().filter(|unit| unit.is_default());
    in_random_lanes(defaults(), &kinds, &[11, 33, 63]);
    in_random_lanes(defaults(), &profiles(), &[16, 33]);
}

#[test]
#[ignore = "choices among circuits of 64 bits on many cores, half a minute"]
fn widest_words_on_every_target() {
    in_random_lanes(units().iter(), &profiles(), &[32, 63, 64]);
}

#[test]
#[ignore = "slow: 23 s"]
fn partly_clear_operands() {
    let mut random = Random(1);
    for profile in profiles() {
        for unit in units() {
            // Architectures of one operation fold by the same rules of the builder.
            for round in 0..if unit.is_default() { 12 } else { 3 } {
                let n = [5, 8, 16, 32][round % 4];
                let clear: Vec<(Value, Value)> = (unit.operands)(n)
                    .iter()
                    .map(|&width| match random.word() % 3 {
                        0 => (low(width), random.value(width)),
                        _ => (random.value(width), random.value(width)),
                    })
                    .collect();
                let built = unit.partly_clear(&profile, n, &clear);
                unit.check(&built, n, &random_cases(&mut random, unit, n, 64));
            }
        }
    }
}

#[test]
#[ignore = "slow: 43 s"]
fn prepared_circuits_answer_alike() {
    for profile in profiles() {
        for unit in units() {
            let widths: &[usize] = if unit.is_default() {
                &[4, 16, 32]
            } else {
                &[5, 16]
            };
            for &n in widths {
                let mut built = unit.fresh(&profile, n);
                built.circuit = passes::prepare(&built.circuit, &profile);
                unit.check(&built, n, &random_cases(&mut Random(3), unit, n, 128));
            }
        }
    }
}

#[test]
#[ignore = "slow: 2 s"]
fn wholly_clear_operands_leave_no_gate() {
    let mut random = Random(2);
    for profile in profiles() {
        for unit in units() {
            let clear: Vec<(Value, Value)> = (unit.operands)(32)
                .iter()
                .map(|&width| (low(width), random.value(width)))
                .collect();
            let built = unit.partly_clear(&profile, 32, &clear);
            assert_eq!(built.circuit.len(), 0, "{}", unit.name());
            unit.check(&built, 32, &random_cases(&mut random, unit, 32, 1));
        }
    }
}

#[test]
fn clear_shifts_are_free_and_equal_secret_ones() {
    let kinds = [
        Shift::Left,
        Shift::LogicalRight,
        Shift::ArithmeticRight,
        Shift::RotateRight,
    ];
    for (n, kind) in [1usize, 5, 8, 32]
        .into_iter()
        .flat_map(|n| kinds.map(|kind| (n, kind)))
    {
        for amount in 0..=255u32 {
            let mut b = Builder::new(&Profile::lookup_simulation());
            let (x, carry) = (b.inputs(n), b.input());
            let by_number = library::shift_by(kind, &x, amount, carry);
            let word = library::constant(amount.into(), 8);
            assert_eq!(
                library::shift(&mut b, kind, &x, &word, carry),
                by_number,
                "{kind:?} {amount}"
            );
            assert_eq!(b.len(), n + 1);
        }
    }
}

#[test]
fn division_by_every_clear_number() {
    let divide = super::units::unit("divide_unsigned");
    let signed = super::units::unit("divide_signed");
    for profile in [Profile::lookup_simulation(), Profile::gate_simulation()] {
        for divisor in 0..256 {
            for unit in [divide, signed] {
                let clear = [(0, 0), (0xff, divisor)];
                let built = unit.partly_clear(&profile, 8, &clear);
                unit.check(&built, 8, &all_cases(&[8, 0]));
            }
        }
        let mut random = Random(5);
        for _ in 0..32 {
            let clear = [(0, 0), (low(32), random.value(32))];
            let built = divide.partly_clear(&profile, 32, &clear);
            divide.check(&built, 32, &random_cases(&mut random, divide, 32, 256));
        }
    }
}

#[test]
fn rotation_with_extend_moves_the_carry_in() {
    let mut b = Builder::new(&Profile::gate_simulation());
    let (x, carry) = (b.inputs(4), b.input());
    let expected = (vec![x[1], x[2], x[3], carry], x[0]);
    assert_eq!(library::rotate_right_extended(&x, carry), expected);
}

#[test]
fn every_adder_on_every_target() {
    let adders = library::Adder::all();
    for (profile, adder) in profiles()
        .iter()
        .flat_map(|p| adders.iter().map(move |&adder| (p, adder)))
    {
        for n in [1, 2, 3, 7, 8] {
            let mut b = Builder::new(profile);
            let (x, y, carry) = (b.inputs(n), b.inputs(n), b.input());
            let added = library::add_with(&mut b, adder, &x, &y, carry);
            added
                .sum
                .iter()
                .chain([&added.carry, &added.overflow])
                .for_each(|&w| b.output(w));
            let circuit = b.finish();
            let mut random = Random(n as u64);
            let inputs: Vec<u64> = (0..=2 * n).map(|_| random.word()).collect();
            let outputs = sim::evaluate(&circuit, &inputs).unwrap();
            for lane in 0..64 {
                let read = |bits: &[u64]| -> u64 {
                    bits.iter()
                        .enumerate()
                        .map(|(at, bit)| (bit >> lane & 1) << at)
                        .sum()
                };
                let sum = read(&inputs[..n]) + read(&inputs[n..2 * n]) + read(&inputs[2 * n..]);
                assert_eq!(read(&outputs[..=n]), sum, "{adder:?}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "operands of different widths")]
fn widths_must_agree() {
    let mut b = Builder::new(&Profile::gate_simulation());
    let (x, y): (Vec<Wire>, Vec<Wire>) = (b.inputs(4), b.inputs(5));
    library::add(&mut b, &x, &y);
}
