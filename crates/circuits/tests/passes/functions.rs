//! Functions of few bits, written the long way.

use blindcore_circuits::library::{self, Word, constant};
use blindcore_circuits::passes::{self, cost};
use blindcore_circuits::{Builder, Circuit, Profile, Wire, sim};
use proptest::prelude::*;

/// All values of some bits, sixty-four a block.
fn all(bits: usize) -> Vec<Vec<u64>> {
    let lane = |at: usize, block: u64| {
        (0..64).fold(0, |all, lane| all | ((64 * block + lane) >> at & 1) << lane)
    };
    (0..1u64 << bits.saturating_sub(6))
        .map(|block| (0..bits).map(|at| lane(at, block)).collect())
        .collect()
}

/// What is made of a byte, prepared, and compared with what was recorded for all values.
fn prepared(
    profile: &Profile,
    make: impl Fn(&mut Builder, &[Wire]) -> Vec<Wire>,
) -> (Circuit, usize) {
    prepared_of(8, profile, make)
}

/// The same of so many bits.
fn prepared_of(
    bits: usize,
    profile: &Profile,
    make: impl Fn(&mut Builder, &[Wire]) -> Vec<Wire>,
) -> (Circuit, usize) {
    let mut b = Builder::new(profile);
    let inputs = b.inputs(bits);
    for wire in make(&mut b, &inputs) {
        b.output(wire);
    }
    let circuit = b.finish();
    let prepared = passes::prepare(&circuit, profile);
    for inputs in all(bits) {
        let [before, after] =
            [&circuit, &prepared].map(|circuit| sim::evaluate(circuit, &inputs).unwrap());
        assert_eq!(before, after);
    }
    let bootstraps = cost(&prepared, profile).bootstraps;
    (prepared, bootstraps)
}

fn profiles() -> [Profile; 2] {
    [Profile::lookup_simulation(), Profile::selector_simulation()]
}

/// Whether a byte is from one letter to another.
fn between(b: &mut Builder, byte: &[Wire], least: u8, most: u8) -> Wire {
    let [least, most] = [least, most].map(|letter| constant(letter.into(), 8));
    let below = library::less_than_unsigned(b, byte, &least);
    let above = library::less_than_unsigned(b, &most, byte);
    b.nor(below, above)
}

/// The byte less 32 where it is a small letter.
fn capital(b: &mut Builder, byte: &[Wire]) -> Word {
    let is_small = between(b, byte, b'a', b'z');
    let other = library::subtract(b, byte, &constant(32, 8));
    library::select(b, is_small, &other, byte)
}

#[test]
fn letters_take_three_lookups() {
    for profile in profiles() {
        let (_, taken) = prepared(&profile, |b, byte| vec![between(b, byte, b'a', b'z')]);
        assert!(taken <= 4, "{taken}");
        let (_, taken) = prepared(&profile, capital);
        assert!(taken <= 3, "{taken}");
        // A letter of either case, or a digit.
        let (_, taken) = prepared(&profile, |b, byte| {
            let kinds = [(b'a', b'z'), (b'A', b'Z'), (b'0', b'9')];
            let kinds = kinds.map(|(least, most)| between(b, byte, least, most));
            vec![b.any(&kinds)]
        });
        assert!(taken <= 3, "{taken}");
    }
}

/// Letters of a text stand beside each other, and lookups that are no functions of theirs may take parts of two.
#[test]
fn texts_take_what_their_letters_take() {
    for profile in profiles() {
        let mut b = Builder::new(&profile);
        let text: Vec<Word> = (0..16).map(|_| b.inputs(8)).collect();
        for byte in &text {
            let is_small = library::between(&mut b, byte, b'a'.into(), b'z'.into());
            let other = library::subtract(&mut b, byte, &constant(32, 8));
            for bit in library::select(&mut b, is_small, &other, byte) {
                b.output(bit);
            }
        }
        let circuit = b.finish();
        let prepared = passes::prepare(&circuit, &profile);
        let taken = cost(&prepared, &profile).bootstraps;
        assert!(taken <= 16 * 3, "{taken}");
        // Each letter is another one in each lane: all values at all places.
        for first in 0..4 {
            let value = |lane: u64, at: u64| 64 * first + lane + 7 * at;
            let bit = |at: u64, bit: u64| {
                (0..64).fold(0, |all, lane| all | (value(lane, at) >> bit & 1) << lane)
            };
            let inputs: Vec<u64> = (0..16)
                .flat_map(|at| (0..8).map(move |of| bit(at, of)))
                .collect();
            let [before, after] =
                [&circuit, &prepared].map(|circuit| sim::evaluate(circuit, &inputs).unwrap());
            assert_eq!(before, after);
        }
    }
}

/// Whether all three digits of four bits are decimal, and whether a date is one.
#[test]
fn dates_and_digits_take_few_lookups() {
    for profile in profiles() {
        let (_, taken) = prepared_of(12, &profile, |b, bits| {
            let digits: Vec<Wire> = (bits.chunks(4))
                .map(|digit| library::less_than_unsigned(b, digit, &constant(10, 4)))
                .collect();
            vec![b.all(&digits)]
        });
        assert!(taken <= 4, "{taken}");
        // A month of four bits, a day of five, a leap year or none: whether the month has that day.
        let (_, taken) = prepared_of(10, &profile, |b, bits| {
            let (month, day, leap) = (&bits[..4], &bits[4..9], bits[9]);
            let days = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0, 0, 0];
            let most = library::rom(b, month, 5, &days);
            let february = library::equal(b, month, &constant(2, 4));
            let more = b.and(february, leap);
            let most = library::add(b, &most, &[&[more][..], &[Wire::FALSE; 4]].concat());
            let too_late = library::less_than_unsigned(b, &most[..5], day);
            let some = b.any(day);
            vec![b.and(some, !too_late)]
        });
        assert!(taken <= 6, "{taken}");
    }
}

/// A machine that tells words from numbers, a letter after the other: a state of two bits beside eight.
#[test]
fn a_state_beside_a_letter() {
    const LETTERS: usize = 6;
    for profile in profiles() {
        let mut b = Builder::new(&profile);
        let text: Vec<Word> = (0..LETTERS).map(|_| b.inputs(8)).collect();
        let mut state = [Wire::FALSE; 2];
        for letter in &text {
            // Outside, in a word, in a number, in something else.
            let is_letter = between(&mut b, letter, b'a', b'z');
            let is_digit = between(&mut b, letter, b'0', b'9');
            let is_blank = between(&mut b, letter, b' ', b' ');
            let [low, high] = state;
            let was_word = b.and(low, !high);
            let was_number = b.and(!low, high);
            let is_outside = b.nor(low, high);
            let word = b.or(was_word, is_outside);
            let word = b.and(word, is_letter);
            let number = b.or(was_number, is_outside);
            let number = b.and(number, is_digit);
            let other = b.nor(word, number);
            let other = b.and(other, !is_blank);
            state = [b.or(word, other), b.or(number, other)];
        }
        state.into_iter().for_each(|bit| b.output(bit));
        let circuit = b.finish();
        let prepared = passes::prepare(&circuit, &profile);
        let mut seed = 1u64;
        for _ in 0..200 {
            // Letters of the kinds that matter, and others.
            let mut inputs = vec![0u64; 8 * LETTERS];
            for lane in 0..64 {
                for letter in inputs.chunks_mut(8) {
                    seed = seed
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    let random = (seed >> 33) as usize;
                    let known = b"az09 `{/:!";
                    let value = match random % 3 {
                        0 => random >> 8,
                        _ => usize::from(known[(random >> 8) % known.len()]),
                    };
                    for (at, bit) in letter.iter_mut().enumerate() {
                        *bit |= (value as u64 >> at & 1) << lane;
                    }
                }
            }
            assert_eq!(
                sim::evaluate(&circuit, &inputs).unwrap(),
                sim::evaluate(&prepared, &inputs).unwrap()
            );
        }
        let taken = cost(&prepared, &profile).bootstraps;
        assert!(taken <= 26, "{taken}");
    }
}

/// What is no such function stays as it is, and so does what others share.
#[test]
fn others_stay() {
    for profile in profiles() {
        let (_, sum) = prepared(&profile, |b, byte| library::add(b, &byte[..4], &byte[4..]));
        assert!(sum <= 2, "{sum}");
        let (_, product) = prepared(&profile, |b, byte| {
            library::multiply(b, &byte[..4], &byte[4..])
        });
        let (_, both) = prepared(&profile, |b, byte| {
            let mut product = library::multiply(b, &byte[..4], &byte[4..]);
            product.push(between(b, byte, b'a', b'z'));
            product
        });
        assert!(both <= product + 4, "{both} {product}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Random functions of a byte by tables of constants, random ranges, random mixtures of both.
    #[test]
    fn random_functions(
        table in prop::collection::vec(any::<u8>(), 256),
        few in 1..5u8,
        ranges in prop::collection::vec(any::<(u8, u8)>(), 1..5),
    ) {
        for profile in profiles() {
            prepared(&profile, |b, byte| {
                let words: Vec<u64> = table.iter().map(|&word| (word % (few + 1)).into()).collect();
                let bits = library::rom(b, byte, 3, &words);
                let within: Vec<Wire> = (ranges.iter())
                    .map(|&(from, to)| between(b, byte, from.min(to), from.max(to)))
                    .collect();
                let odd = b.parity(&within);
                let some = b.any(&within);
                let mixed = b.mux(odd, bits[0], some);
                [bits, vec![odd, some, mixed]].concat()
            });
        }
    }

    /// Of twelve bits: functions of classes of four, and mixtures that are none.
    #[test]
    #[ignore = "slow: 2 s"]
    fn random_functions_of_twelve_bits(
        classes in prop::collection::vec(0..3u8, 48),
        last in prop::collection::vec(any::<u8>(), 27),
        mixed in any::<[u16; 3]>(),
    ) {
        for profile in profiles() {
            prepared_of(12, &profile, |b, bits| {
                let numbers: Vec<Word> = (bits.chunks(4).zip(classes.chunks(16)))
                    .map(|(digit, classes)| {
                        let words: Vec<u64> = classes.iter().map(|&class| class.into()).collect();
                        library::rom(b, digit, 2, &words)
                    })
                    .collect();
                let index = numbers.concat();
                let words: Vec<u64> = (0..64)
                    .map(|at: usize| {
                        let digits = [at & 3, at >> 2 & 3, at >> 4].map(|it| it.min(2));
                        u64::from(last[digits[0] + 3 * digits[1] + 9 * digits[2]])
                    })
                    .collect();
                let made = library::rom(b, &index, 3, &words);
                let above = mixed.map(|least| {
                    library::less_than_unsigned(b, &constant(u64::from(least >> 4), 12), bits)
                });
                let odd = b.parity(&above);
                let both = b.and(odd, made[0]);
                [made, vec![odd, both]].concat()
            });
        }
    }
}
