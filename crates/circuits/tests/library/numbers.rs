//! Comparisons with known numbers: all of short words, random ones of long words, of words that are themselves
//! extended, masked or made of each other's bits.

use blindcore_circuits::passes;
use blindcore_circuits::{Builder, Circuit, Profile, Wire, library, sim};

use super::harness::{Random, low, profiles};

/// What a word is.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Inputs,
    /// Its upper half is the bit below.
    Extended,
    /// Every third bit is clear.
    Masked,
    /// Sums and ANDs of other bits.
    Tangled,
    /// Bits, the same ones again and their opposites, side by side.
    Opposite,
}

const KINDS: [Kind; 5] = [
    Kind::Inputs,
    Kind::Extended,
    Kind::Masked,
    Kind::Tangled,
    Kind::Opposite,
];

fn word(b: &mut Builder, kind: Kind, width: usize) -> Vec<Wire> {
    let inputs = b.inputs(width);
    let middle = width / 2;
    match kind {
        Kind::Inputs => inputs,
        Kind::Extended => (0..width).map(|at| inputs[at.min(middle)]).collect(),
        Kind::Opposite => (0..width)
            .map(|at| inputs[at - at % 3 % 2].invert_if(at % 3 == 1 || at % 7 == 5))
            .collect(),
        Kind::Masked => {
            let clear = |at: usize| Wire::constant(at % 2 == 1);
            let bit = |at: usize| if at % 3 == 1 { clear(at) } else { inputs[at] };
            (0..width).map(bit).collect()
        }
        Kind::Tangled => {
            let mut turned = inputs.clone();
            turned.rotate_left(middle);
            let sum = library::add(b, &inputs, &turned);
            let both = library::and(b, &inputs, &sum);
            (0..width)
                .map(|at| if at % 4 < 2 { sum[at] } else { both[at] })
                .collect()
        }
    }
}

/// The word, and every way to compare it with a number: as unsigned and signed numbers, on either side.
fn compared(b: &mut Builder, word: &[Wire], number: u64) -> [Wire; 4] {
    let number = library::constant(number, word.len());
    [
        library::less_than_unsigned(b, word, &number),
        library::less_than_unsigned(b, &number, word),
        library::less_than_signed(b, word, &number),
        library::less_than_signed(b, &number, word),
    ]
}

fn signed(value: u64, width: usize) -> i64 {
    let beyond = 64 - width as u32;
    (value << beyond) as i64 >> beyond
}

/// Compares 64 values at a time with integers.
fn check(circuit: &Circuit, width: usize, inputs: &[u64], number: u64, label: &str) {
    let found = sim::evaluate(circuit, inputs).unwrap();
    let (word, answers) = found.split_at(width);
    for lane in 0..64 {
        let bits = word.iter().enumerate();
        let value = bits.fold(0, |all, (at, bit)| all | (bit >> lane & 1) << at);
        let (as_signed, number_signed) = (signed(value, width), signed(number, width));
        let expected = [
            value < number,
            number < value,
            as_signed < number_signed,
            number_signed < as_signed,
        ];
        let answer: Vec<bool> = answers.iter().map(|bit| bit >> lane & 1 == 1).collect();
        assert_eq!(
            answer, expected,
            "{label}: {value} and {number} of {width} bits"
        );
    }
}

fn circuit(profile: &Profile, kind: Kind, width: usize, number: u64) -> Circuit {
    let mut b = Builder::new(profile);
    let word = word(&mut b, kind, width);
    let answers = compared(&mut b, &word, number);
    for wire in word.into_iter().chain(answers) {
        b.output(wire);
    }
    b.finish()
}

#[test]
fn every_number_beside_short_words() {
    for profile in profiles() {
        for width in 1..=7 {
            for number in 0..1 << width {
                let circuit = circuit(&profile, Kind::Inputs, width, number);
                for block in 0..(1u64 << width).div_ceil(64) {
                    let lane = |at: usize| {
                        (0..64).fold(0, |all, lane| all | ((block * 64 + lane) >> at & 1) << lane)
                    };
                    let inputs: Vec<u64> = (0..width).map(lane).collect();
                    check(&circuit, width, &inputs, number, "short");
                }
            }
        }
    }
}

/// Numbers with few changes from bit to bit, and any numbers.
fn number(random: &mut Random, width: usize) -> u64 {
    let edges = random.value(5);
    let any = random.value(width) as u64;
    match edges % 4 {
        0 => any,
        few => (0..few).fold(0, |number, _| {
            number ^ low(random.value(7) as usize % (width + 1)) as u64
        }),
    }
}

#[test]
#[ignore = "slow: 3 s"]
fn random_numbers_beside_long_words() {
    let mut random = Random(19);
    for profile in profiles() {
        for kind in KINDS {
            for width in [9, 16, 29, 32, 64] {
                for _ in 0..12 {
                    let number = number(&mut random, width) & low(width) as u64;
                    let circuit = circuit(&profile, kind, width, number);
                    let prepared = passes::prepare(&circuit, &profile);
                    // Lanes near the number, where most bits of the words are its own, and any.
                    let inputs: Vec<u64> = (0..width)
                        .map(|at| {
                            let own = 0u64.wrapping_sub(number >> at & 1);
                            let mut flips = u64::MAX;
                            for _ in 0..4 {
                                flips &= random.value(64) as u64;
                            }
                            own ^ flips ^ random.value(16) as u64
                        })
                        .collect();
                    for circuit in [&circuit, &prepared] {
                        check(circuit, width, &inputs, number, &format!("{kind:?}"));
                    }
                }
            }
        }
    }
}

#[test]
fn a_bit_and_its_opposite_decide() {
    for profile in profiles() {
        let mut b = Builder::new(&profile);
        let inputs = b.inputs(10);
        // A lookup of bits 2 and 3 gives no carry but a constant, and the next one goes on with their run.
        let mut word = inputs.clone();
        word.insert(3, !inputs[2]);
        let answers = compared(&mut b, &word, 1923);
        for wire in word.into_iter().chain(answers) {
            b.output(wire);
        }
        let circuit = b.finish();
        for block in 0..16 {
            let lane = |at: usize| {
                (0..64).fold(0, |all, lane| all | ((block * 64 + lane) >> at & 1) << lane)
            };
            let inputs: Vec<u64> = (0..10).map(lane).collect();
            check(&circuit, 11, &inputs, 1923, "opposite");
        }
    }
}

#[test]
fn numbers_with_few_changes_take_few_lookups() {
    let profile = Profile::selector_simulation();
    let lookups = |number: u64, is_signed: bool| {
        let mut b = Builder::new(&profile);
        let (word, number) = (b.inputs(32), library::constant(number, 32));
        let less = match is_signed {
            true => library::less_than_signed(&mut b, &word, &number),
            false => library::less_than_unsigned(&mut b, &word, &number),
        };
        b.output(less);
        let prepared = passes::prepare(&b.finish(), &profile);
        passes::cost(&prepared, &profile).bootstraps
    };
    let numbers = [1, 256, 1 << 16, 128, 10, 100, 1000];
    assert_eq!(numbers.map(|it| lookups(it, false)), [3, 2, 2, 2, 3, 3, 3]);
    assert_eq!(numbers.map(|it| lookups(it, true)), [3, 3, 2, 3, 4, 4, 4]);
}
