//! Circuits with selectors on real keys, and what they cost beside circuits without.

// What fails to unwrap here fails the test, outside `#[test]` functions too.
use std::sync::Arc;
use std::time::Instant;

use blindcore_engines::tfhe_lookup::{self, TfheLookup};
use circuits::library::{self, Shift, Signedness, Word};
use circuits::{Builder, Circuit, Gates as _, Pool, Profile, passes, sim};
use random::Generator;
use tfhe::leveled::{LeveledKey, SeededLeveledKey};
use tfhe::{P16, Parameters, SecretKey, SeededServerKey, ServerKey, TOY_BLOCK};

/// A key pair from a fixed seed, and its engine with both parts of the key.
fn key_pair(parameters: Parameters) -> (SecretKey, TfheLookup, Generator) {
    let mut generator = Generator::from_key([12; 32]);
    let secret = SecretKey::generate(parameters, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
    let server = ServerKey::expand(&seeded, 2, &|_, _| {}).unwrap();
    let second = SeededLeveledKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
    let leveled = LeveledKey::expand(&second, &server, 2, &|_, _| {}).unwrap();
    let profile = tfhe_lookup::with_selectors(tfhe_lookup::profile(&parameters), &parameters);
    let engine = TfheLookup::new(Arc::new(server), profile);
    (secret, engine.with_leveled(Arc::new(leveled)), generator)
}

/// What is drawn, and how many bits it reads.
type Unit = (
    &'static str,
    usize,
    fn(&mut Builder, &[circuits::Wire]) -> Word,
);

const UNITS: &[Unit] = &[
    ("select, 32 bits", 65, |b, w| {
        library::select(b, w[64], &w[..32], &w[32..64])
    }),
    ("shift left, 32 bits by 5", 37, |b, w| {
        library::shift(b, Shift::Left, &w[..32], &w[32..37], circuits::Wire::FALSE).0
    }),
    ("load, 16 words", 16 * 32 + 4, |b, w| load(b, w, 4)),
    ("minimum, 32 bits", 64, |b, w| {
        let less = library::less_than_signed(b, &w[..32], &w[32..]);
        library::select(b, less, &w[..32], &w[32..])
    }),
    // Shifted words go into sums, whose bits are shifted again.
    ("shift, add, shift", 69, |b, w| {
        let (x, y) = (&w[..32], &w[32..64]);
        let one = library::shift(b, Shift::ArithmeticRight, x, &w[64..69], x[0]).0;
        let sum = library::add(b, &one, y);
        let again = library::shift(b, Shift::RotateRight, &sum, &y[..5], x[0]).0;
        library::add(b, &again, &one)
    }),
    // From three rows, the last of them half; index bits inverted, entries and columns not all there.
    ("load, 160 words", 160 * 32 + 8, |b, w| {
        let (entries, index) = w.split_at(160 * 32);
        let index: Word = [!index[0], index[1], !index[2], index[3], index[4], index[5]]
            .into_iter()
            .chain([index[6], !index[7]])
            .collect();
        let words = (0..160).filter(|at| at % 7 != 3);
        let words = words.map(|at| (at, entries[32 * at as usize..][..32].to_vec()));
        let words: Vec<(u32, Word)> = words.collect();
        library::select_from(b, &index, circuits::Wire::TRUE, 32, &words)
    }),
    ("table, 8 bits to 8", 8, |b, w| {
        let values: Vec<u64> = (0..256u64).map(|at| ((at * at + 7) / 3) & 0xff).collect();
        library::rom(b, w, 8, &values)
    }),
    // Loaded words go into sums, and index the array again.
    ("load, add, load", 64 * 8 + 14, |b, w| {
        let (entries, index) = w.split_at(64 * 8);
        let words = |at: usize| entries[8 * at..][..8].to_vec();
        let words: Vec<(u32, Word)> = (0..64).map(|at| (at as u32, words(at))).collect();
        let read = |b: &mut Builder, index: &[circuits::Wire]| {
            library::select_from(b, index, circuits::Wire::TRUE, 8, &words)
        };
        let first = read(b, &index[..6]);
        let second = read(b, &index[6..12]);
        let sum = library::add(b, &first, &second);
        let last = read(b, &sum[..6]);
        library::add(b, &last, &first)
    }),
    // What was computed is brought into rows, once for both loads.
    ("load from sums", 64 * 16 + 12, |b, w| {
        let (entries, index) = w.split_at(64 * 16);
        let sums: Vec<Word> = (0..8)
            .map(|at| {
                let (x, y) = entries[16 * at..][..16].split_at(8);
                library::add(b, x, y)
            })
            .collect();
        let entries: Word = sums.concat();
        let mut read = b.load(&index[..3], 8, &entries);
        read.extend(b.load(&index[3..6], 8, &entries));
        read
    }),
    ("multiply, 32 bits", 64, |b, w| {
        library::multiply(b, &w[..32], &w[32..])
    }),
    // Of sums, whose bits share rotations.
    ("add, multiply long signed, 24 bits", 72, |b, w| {
        let sum = library::add(b, &w[..24], &w[48..]);
        library::multiply_long(b, Signedness::Signed, &sum, &w[24..48])
    }),
    ("square, 32 bits", 32, |b, w| {
        library::square(b, Signedness::Unsigned, w)
    }),
    // Sums at scale 1/2 are outputs as they are.
    ("xor of three, 32 bits", 96, |b, w| {
        let once = library::xor(b, &w[..32], &w[32..64]);
        library::xor(b, &once, &w[64..])
    }),
    // Counted twice, so that the second count finds what the first one stored; the whole array at last.
    ("count in 64 words", 64 * 32 + 13, |b, w| {
        let (entries, index) = w.split_at(64 * 32);
        let mut words = words_of(entries, 64);
        for index in [&index[..6], &index[6..12], &index[..6]] {
            let old = library::select_from(b, index, circuits::Wire::TRUE, 32, &words);
            let one = library::constant(1, 32);
            let new = library::add(b, &old, &one);
            let after = library::replace_in(b, index, w[64 * 32 + 12], &words, &new);
            words = (0..64).zip(after).collect();
        }
        words.into_iter().flat_map(|(_, word)| word).collect()
    }),
    // A word that was loaded is an index, and an operand of sums, choices, XORs.
    ("follow pointers", 128 * 8 + 14, |b, w| {
        let (entries, index) = w.split_at(128 * 8);
        let words: Vec<(u32, Word)> = (0..128u32)
            .map(|at| (at, entries[8 * at as usize..][..8].to_vec()))
            .collect();
        let after = library::replace_in(b, &index[..7], circuits::Wire::TRUE, &words, &w[..8]);
        let words: Vec<(u32, Word)> = (0..128).zip(after).collect();
        let read = |b: &mut Builder, index: &[circuits::Wire]| {
            library::select_from(b, index, circuits::Wire::TRUE, 8, &words)
        };
        let first = read(b, &index[7..]);
        let second = read(b, &first[..7]);
        let third = read(b, &second[..7]);
        let sum = library::add(b, &third, &first);
        let odd = library::xor(b, &third, &second);
        let chosen = library::select(b, sum[0], &odd, &first);
        [sum, odd, chosen, third].concat()
    }),
];

fn words_of(bits: &[circuits::Wire], count: u32) -> Vec<(u32, Word)> {
    let words = (0..count).map(|at| (at, bits[32 * at as usize..][..32].to_vec()));
    words.collect()
}

fn load(b: &mut Builder, w: &[circuits::Wire], bits: usize) -> Word {
    let words = words_of(w, 1 << bits);
    let index = &w[32 << bits..];
    library::select_from(b, index, circuits::Wire::TRUE, 32, &words)
}

fn prepared(unit: &Unit, profile: &Profile) -> Circuit {
    passes::prepare(&recorded(unit, profile), profile)
}

fn recorded((_, inputs, unit): &Unit, profile: &Profile) -> Circuit {
    let mut build = Builder::new(profile);
    let wires = build.inputs(*inputs);
    for wire in unit(&mut build, &wires) {
        build.output(wire);
    }
    build.finish()
}

/// Runs units with selectors, and where asked without them; answers as the simulator's.
fn computes(parameters: Parameters, units: &[Unit], rounds: usize, beside: bool) {
    let (secret, engine, mut generator) = key_pair(parameters);
    let plain = TfheLookup::new(Arc::clone(engine.key()), tfhe_lookup::profile(&parameters));
    let engines = if beside {
        &[&engine, &plain][..]
    } else {
        &[&engine]
    };
    for unit in units {
        let circuits: Vec<Circuit> = engines
            .iter()
            .map(|engine| prepared(unit, engine.profile()))
            .collect();
        let counts = passes::cost(&circuits[0], engine.profile());
        let mut times = [f64::INFINITY; 2];
        for round in 0..rounds {
            let values: Vec<u64> = (0..unit.1).map(|_| generator.uniform()).collect();
            let inputs: Vec<bool> = values.iter().map(|value| value >> 63 == 1).collect();
            let lanes: Vec<u64> = inputs.iter().map(|&bit| u64::from(bit)).collect();
            let expected = sim::evaluate(&recorded(unit, engine.profile()), &lanes).unwrap();
            let bits = secret.encrypt(&inputs, &mut generator).unpack();
            let bits: Vec<_> = bits.into_iter().map(Arc::new).collect();
            for (number, (engine, circuit)) in engines.iter().zip(&circuits).enumerate() {
                let start = Instant::now();
                let outputs = circuits::run(*engine, circuit, &bits, &Pool::new(1)).unwrap();
                times[number] = times[number].min(start.elapsed().as_secs_f64());
                for (bit, expected) in outputs.iter().zip(&expected) {
                    let found = secret.decrypt(bit).unwrap();
                    assert_eq!(
                        u64::from(found),
                        expected & 1,
                        "{} {round} {number}",
                        unit.0
                    );
                }
            }
        }
        print!("{}: {:.1} ms; {counts}", unit.0, 1e3 * times[0]);
        match beside {
            true => println!(
                "; {:.1} ms without selectors, {:.1} times",
                1e3 * times[1],
                times[1] / times[0]
            ),
            false => println!(),
        }
    }
}

#[test]
#[ignore = "slow: 6 s"]
fn toy_chooses() {
    computes(TOY_BLOCK, UNITS, 2, true);
}

#[test]
#[ignore = "slow: 10 s"]
fn p16_chooses() {
    computes(P16, UNITS, 1, false);
}

#[test]
#[ignore = "loads of 256 and 1,024 words by lookups, 1 minute"]
fn times_beside_lookups() {
    let units: &[Unit] = &[
        ("load, 256 words", 256 * 32 + 8, |b, w| load(b, w, 8)),
        ("load, 1,024 words", 1024 * 32 + 10, |b, w| load(b, w, 10)),
    ];
    computes(P16, UNITS, 1, true);
    computes(P16, units, 1, true);
}

/// Random programs on two arrays and some words: loads, stores under conditions, sums, XORs, choices,
/// indices that were loaded; what comes out as the simulator's.
#[test]
fn toy_runs_random_programs_on_arrays() {
    let (secret, engine, mut generator) = key_pair(TOY_BLOCK);
    let (mut stores, mut sums) = (0, 0);
    for round in 0..40 {
        let (log2, width) = [(3, 8), (4, 5), (6, 16), (2, 32), (5, 1)][round % 5];
        let count = 1_u32 << log2;
        let profile = engine.profile();
        let mut b = Builder::new(profile);
        let size = count as usize * width;
        let inputs: Vec<_> = b.inputs(2 * size + 6 * width);
        let (arrays, words) = inputs.split_at(2 * size);
        let array = |bits: &[circuits::Wire]| -> Vec<(u32, Word)> {
            let words = bits.chunks(width).map(<[_]>::to_vec);
            (0..count).zip(words).collect()
        };
        let mut arrays: [Vec<(u32, Word)>; 2] = [array(&arrays[..size]), array(&arrays[size..])];
        let mut words: Vec<Word> = words.chunks(width).map(<[_]>::to_vec).collect();
        for _ in 0..12 {
            let pick = |generator: &mut Generator| generator.below(6) as usize;
            let mut some = || words[pick(&mut generator)].clone();
            let (x, y, z) = (some(), some(), some());
            // Indices of narrow words are bits of several.
            let index: Word = x
                .iter()
                .chain(&y)
                .chain(&z)
                .chain(&x)
                .copied()
                .take(log2)
                .collect();
            let from = generator.below(2) as usize;
            let made = match generator.below(7) {
                0 | 1 => {
                    library::select_from(&mut b, &index, circuits::Wire::TRUE, width, &arrays[from])
                }
                2..=4 => {
                    let enable = match generator.below(3) {
                        0 => circuits::Wire::TRUE,
                        1 => z[0],
                        _ => !z[width - 1],
                    };
                    let entries = &arrays[from];
                    let after = library::replace_in(&mut b, &index, enable, entries, &z);
                    arrays[from] = (0..count).zip(after).collect();
                    continue;
                }
                5 => library::xor(&mut b, &x, &z),
                _ => {
                    let sum = library::add(&mut b, &x, &y);
                    library::select(&mut b, z[0], &sum, &y)
                }
            };
            let at = pick(&mut generator);
            words[at] = made;
        }
        let left = arrays.iter().flatten().map(|(_, word)| word);
        for bit in left.chain(&words).flatten() {
            b.output(*bit);
        }
        let recorded = b.finish();
        let circuit = passes::prepare(&recorded, profile);
        let cost = passes::cost(&circuit, profile);
        (stores, sums) = (stores + cost.store, sums + cost.linear);
        let values: Vec<bool> = (0..inputs.len())
            .map(|_| generator.uniform() >> 63 == 1)
            .collect();
        let lanes: Vec<u64> = values.iter().map(|&bit| u64::from(bit)).collect();
        let expected = sim::evaluate(&recorded, &lanes).unwrap();
        let bits = secret.encrypt(&values, &mut generator).unpack();
        let bits: Vec<_> = bits.into_iter().map(Arc::new).collect();
        let outputs = circuits::run(&engine, &circuit, &bits, &Pool::new(2)).unwrap();
        for (number, (bit, expected)) in outputs.iter().zip(&expected).enumerate() {
            let found = secret.decrypt(bit).unwrap();
            assert_eq!(
                u64::from(found),
                expected & 1,
                "round {round}, output {number}"
            );
        }
    }
    assert!(stores > 40 && sums > 40, "{stores} {sums}");
}

/// Ten minutes by lookups, so that they are not compared.
#[test]
#[ignore = "half a gigabyte of bits"]
fn p16_loads_from_64_kilobytes() {
    let (secret, engine, mut generator) = key_pair(P16);
    let unit: Unit = ("load, 16,384 words", 16_384 * 32 + 14, |b, w| {
        load(b, w, 14)
    });
    let circuit = prepared(&unit, engine.profile());
    let inputs: Vec<bool> = (0..unit.1)
        .map(|_| generator.uniform() >> 63 == 1)
        .collect();
    let bits = secret.encrypt(&inputs, &mut generator).unpack();
    let bits: Vec<_> = bits.into_iter().map(Arc::new).collect();
    let (words, index) = inputs.split_at(16_384 * 32);
    let number = |bits: &[bool]| bits.iter().rev().fold(0, |n, &bit| 2 * n + u64::from(bit));
    let at = number(index) as usize;
    let start = Instant::now();
    let outputs = circuits::run(&engine, &circuit, &bits, &Pool::new(2)).unwrap();
    println!("{}: {:?}", unit.0, start.elapsed());
    let read = outputs.iter().map(|bit| secret.decrypt(bit));
    let read: Vec<bool> = read.collect::<Result<_, _>>().unwrap();
    assert_eq!(number(&read), number(&words[32 * at..][..32]));
}

/// Times of a count in an array: a load, what makes bits of what was loaded, an addition and a store; what
/// one more takes, of a chain of them at secret indices.
#[test]
#[ignore = "times of chains of counts, 15 seconds"]
fn times_of_counts() {
    let (secret, engine, mut generator) = key_pair(P16);
    let profile = engine.profile();
    for log2 in [4, 8, 10, 12] {
        const CHAIN: usize = 5;
        let words = 1_u32 << log2;
        let unit = |count: usize| {
            let mut b = Builder::new(profile);
            let (array, indices) = (b.inputs(32 << log2), b.inputs(log2 * CHAIN));
            let mut entries = words_of(&array, words);
            for index in indices.chunks(log2).take(count) {
                let old = library::select_from(&mut b, index, circuits::Wire::TRUE, 32, &entries);
                let new = library::add(&mut b, &old, &library::constant(1, 32));
                let after =
                    library::replace_in(&mut b, index, circuits::Wire::TRUE, &entries, &new);
                entries = (0..words).zip(after).collect();
            }
            entries
                .into_iter()
                .flat_map(|(_, word)| word)
                .for_each(|bit| b.output(bit));
            passes::prepare(&b.finish(), profile)
        };
        let circuits = [1, CHAIN].map(unit);
        let inputs: Vec<bool> = (0..(32 << log2) + log2 * CHAIN)
            .map(|_| generator.uniform() >> 63 == 1)
            .collect();
        let lanes: Vec<u64> = inputs.iter().map(|&bit| u64::from(bit)).collect();
        let bits = secret.encrypt(&inputs, &mut generator).unpack();
        let bits: Vec<_> = bits.into_iter().map(Arc::new).collect();
        let mut each: Vec<f64> = Vec::new();
        for _ in 0..5 {
            let times = circuits.each_ref().map(|circuit| {
                let start = Instant::now();
                let outputs = circuits::run(&engine, circuit, &bits, &Pool::new(1)).unwrap();
                let time = start.elapsed().as_secs_f64();
                let expected = sim::evaluate(circuit, &lanes).unwrap();
                for (bit, expected) in outputs.iter().zip(&expected) {
                    assert_eq!(u64::from(secret.decrypt(bit).unwrap()), expected & 1);
                }
                time
            });
            each.push(1e3 * (times[1] - times[0]) / (CHAIN - 1) as f64);
        }
        each.sort_by(f64::total_cmp);
        println!(
            "a count in {words} words: {:.1} ms ({:.1} to {:.1}); {}",
            each[2],
            each[0],
            each[4],
            passes::cost(&circuits[1], profile)
        );
    }
}
