//! Tables at secret indexes: against their definition, and what they cost.

use blindcore_circuits::library::{self, Code, Word};
use blindcore_circuits::{Builder, Profile, Wire, passes, sim};

/// The lanes of bit `at` of a counter.
fn counter(at: usize, block: u64) -> u64 {
    (0..64)
        .map(|lane| ((block * 64 + lane) >> at & 1) << lane)
        .sum()
}

fn levelled() -> Profile {
    let mut profile = Profile::gate_simulation();
    profile.levels = Some(30);
    profile
}

fn profiles() -> [Profile; 5] {
    let mut small = Profile::lookup_simulation();
    if let Some(lookup) = &mut small.lookup {
        lookup.max_value = 7;
    }
    [
        Profile::lookup_simulation(),
        Profile::gate_simulation(),
        levelled(),
        small,
        Profile::selector_simulation(),
    ]
}

/// A deterministic stream (SplitMix64).
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

#[test]
fn lines_of_every_index_with_and_without_a_condition() {
    for profile in profiles() {
        for bits in 0..=9usize {
            for conditional in [false, true] {
                let mut b = Builder::new(&profile);
                let index = b.inputs(bits);
                let enable = if conditional { b.input() } else { Wire::TRUE };
                // All, and every third: what is not wanted leaves no trace.
                let every: Vec<u32> = (0..1u32 << bits).collect();
                let some: Vec<u32> = every.iter().copied().filter(|at| at % 3 == 1).collect();
                let mut wanted = every.clone();
                wanted.extend(&some);
                for set in [&every, &some] {
                    for line in library::decode(&mut b, &index, enable, set) {
                        b.output(line);
                    }
                }
                let circuit = passes::prepare(&b.finish(), &profile);
                for block in 0..(1u64 << (bits + 1)).div_ceil(64) {
                    let mut lanes: Vec<u64> = (0..bits).map(|at| counter(at, block)).collect();
                    if conditional {
                        lanes.push(counter(bits, block));
                    }
                    let found = sim::evaluate(&circuit, &lanes).unwrap();
                    for (line, value) in found.iter().zip(&wanted) {
                        let expected: u64 = (0..64)
                            .map(|lane| {
                                let count = block * 64 + lane;
                                let is = count & ((1 << bits) - 1) == u64::from(*value);
                                let enabled = !conditional || count >> bits & 1 == 1;
                                u64::from(is && enabled) << lane
                            })
                            .sum();
                        assert_eq!(*line, expected, "{} {bits} {value}", profile.name);
                    }
                }
            }
        }
    }
}

/// Constants, wires, wires that repeat; indexes with gaps.
fn mixed(b: &mut Builder, random: &mut Random, bits: usize, width: usize) -> Vec<(u32, Word)> {
    let pool = b.inputs(width + 3);
    let mut entries = Vec::new();
    for at in 0..1u32 << bits {
        if random.word().is_multiple_of(8) {
            continue;
        }
        let kind = random.word() % 3;
        let word = (0..width)
            .map(|_| {
                let word = random.word();
                match kind {
                    0 => Wire::constant(word & 1 == 1),
                    1 => pool[(word >> 8) as usize % pool.len()].invert_if(word & 1 == 1),
                    _ if word & 4 == 0 => Wire::constant(word & 1 == 1),
                    _ => b.input(),
                }
            })
            .collect();
        entries.push((at, word));
    }
    entries
}

/// The values of words that are outputs one after the other.
fn in_lane(words: &[Word], mut found: &[u64], lane: usize) -> Vec<u64> {
    let value = |word: &Word| {
        let (own, after) = found.split_at(word.len());
        found = after;
        let bit = |(at, lanes): (usize, &u64)| (lanes >> lane & 1) << at;
        own.iter().enumerate().map(bit).sum()
    };
    words.iter().map(value).collect()
}

#[test]
fn entries_of_any_kind_are_read_and_replaced() {
    let mut random = Random(1);
    for profile in profiles() {
        for bits in 0..=5usize {
            for round in 0..6 {
                let mut b = Builder::new(&profile);
                let index = b.inputs(bits);
                let enable = if round % 2 == 0 {
                    Wire::TRUE
                } else {
                    b.input()
                };
                let width = 1 + round;
                let entries = mixed(&mut b, &mut random, bits, width);
                let value: Word = (0..width)
                    .map(|at| match (round + at) % 4 {
                        0 => Wire::constant(at % 2 == 0),
                        _ => b.input(),
                    })
                    .collect();
                let read = library::select_from(&mut b, &index, enable, width, &entries);
                let after = library::replace_in(&mut b, &index, enable, &entries, &value);
                let words = [index.clone(), vec![enable], value.clone(), read];
                let before = entries.iter().map(|(_, word)| word.clone());
                let all: Vec<Word> = words.into_iter().chain(before).chain(after).collect();
                for wire in all.iter().flatten() {
                    b.output(*wire);
                }
                let circuit = passes::prepare(&b.finish(), &profile);
                let lanes: Vec<u64> = (0..circuit.inputs()).map(|_| random.word()).collect();
                let found = sim::evaluate(&circuit, &lanes).unwrap();
                for lane in 0..64 {
                    let mut words = in_lane(&all, &found, lane).into_iter();
                    let mut next = || words.next().unwrap();
                    let (at, enabled, value, read) = (next(), next() == 1, next(), next());
                    let before: Vec<u64> = entries.iter().map(|_| next()).collect();
                    let after: Vec<u64> = entries.iter().map(|_| next()).collect();
                    let place = entries.iter().position(|(own, _)| u64::from(*own) == at);
                    let place = place.filter(|_| enabled);
                    assert_eq!(
                        read,
                        place.map_or(0, |place| before[place]),
                        "{}",
                        profile.name
                    );
                    let mut expected = before;
                    if let Some(place) = place {
                        expected[place] = value;
                    }
                    assert_eq!(after, expected, "{}", profile.name);
                }
            }
        }
    }
}

#[test]
fn a_code_knows_which_numbers_are_meant() {
    let mut random = Random(2);
    for profile in profiles() {
        for round in 0..40 {
            let mut b = Builder::new(&profile);
            let inputs = b.inputs(1 + (random.word() % 7) as usize);
            // Distinct bits, repeated ones (as a sign has), constants.
            let bits: Vec<Wire> = (0..12)
                .map(|at| match random.word() % 8 {
                    0 => Wire::constant(random.word() & 1 == 1),
                    1 => !inputs[random.word() as usize % inputs.len()],
                    _ => inputs[at.min(inputs.len() - 1)],
                })
                .collect();
            let first = (random.word() % 4096) as u32;
            let wanted: Vec<u32> = (0..1 + round % 20)
                .map(|step| first.wrapping_add(step * (1 + round % 3)) & 0xfff)
                .collect();
            let code = Code::new(&mut b, &bits, &wanted);
            let values: Vec<u32> = code.values.iter().map(|(read, _)| *read).collect();
            assert!(values.is_sorted_by(|x, y| x < y));
            let lines = library::decode(&mut b, &code.index, code.valid, &values);
            for wire in bits.iter().chain(&lines) {
                b.output(*wire);
            }
            let circuit = b.finish();
            for block in 0..(1u64 << inputs.len()).div_ceil(64) {
                let lanes: Vec<u64> = (0..inputs.len()).map(|at| counter(at, block)).collect();
                let found = sim::evaluate(&circuit, &lanes).unwrap();
                for lane in 0..64 {
                    let (bits, lines) = found.split_at(bits.len());
                    let number: u32 = (0..12)
                        .map(|at| ((bits[at] >> lane & 1) as u32) << at)
                        .sum();
                    for (place, value) in wanted.iter().enumerate() {
                        let line = code.values.iter().position(|(_, own)| *own == place);
                        let set = line.is_some_and(|line| lines[line] >> lane & 1 == 1);
                        assert_eq!(set, number == *value, "{} {number} {value}", profile.name);
                    }
                }
            }
        }
    }
}

/// Bootstraps and depth of these bits.
fn cost(mut b: Builder, bits: &[Wire]) -> (usize, usize) {
    let profile = b.profile().clone();
    bits.iter().for_each(|bit| b.output(*bit));
    let cost = passes::cost(&passes::prepare(&b.finish(), &profile), &profile);
    (cost.bootstraps, cost.depth)
}

#[test]
fn decoding_takes_a_lookup_for_nine_lines() {
    let counts: Vec<_> = (1..=12)
        .map(|bits| {
            let mut b = Builder::new(&Profile::lookup_simulation());
            let index = b.inputs(bits);
            let wanted: Vec<u32> = (0..1 << bits).collect();
            let lines = library::decode(&mut b, &index, Wire::TRUE, &wanted);
            cost(b, &lines)
        })
        .collect();
    let expected = [
        (0, 0),
        (1, 1),
        (1, 1),
        (1, 1),
        (4, 2),
        (7, 2),
        (15, 3),
        (29, 3),
        (58, 4),
        (115, 4),
        (229, 5),
        (457, 5),
    ];
    assert_eq!(counts, expected);
}

#[test]
fn tables_at_one_index_share_its_lines() {
    let mut b = Builder::new(&Profile::lookup_simulation());
    let index = b.inputs(8);
    let table = |seed: u64| -> Vec<u64> {
        let mut random = Random(seed);
        (0..256).map(|_| random.word()).collect()
    };
    let mut bits = Vec::new();
    for seed in 0..4 {
        bits.extend(library::rom(&mut b, &index, 8, &table(seed)));
    }
    // Four tables of eight columns: the decoding of one.
    assert_eq!(cost(b, &bits), (29, 3));
}

#[test]
fn bits_of_entries_are_masked_three_at_once() {
    let read = |bits: usize, width: usize| {
        let mut b = Builder::new(&Profile::lookup_simulation());
        let index = b.inputs(bits);
        let entries: Vec<_> = (0..1u32 << bits).map(|at| (at, b.inputs(width))).collect();
        let word = library::select_from(&mut b, &index, Wire::TRUE, width, &entries);
        cost(b, &word)
    };
    assert_eq!(read(4, 32), (1 + 16 * 11, 2));
    assert_eq!(read(6, 8), (7 + 64 * 3, 3));
}
