//! Circuits with selectors on real keys, and what they cost beside circuits without.

// What fails to unwrap here fails the test, outside `#[test]` functions too.
use std::sync::Arc;
use std::time::Instant;

use blindcore_engines::tfhe_lookup::{self, TfheLookup};
use circuits::library::{self, Shift, Word};
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
];

fn load(b: &mut Builder, w: &[circuits::Wire], bits: usize) -> Word {
    let words = (0..1u32 << bits).map(|at| (at, w[32 * at as usize..][..32].to_vec()));
    let words: Vec<(u32, Word)> = words.collect();
    let index = &w[32 << bits..];
    library::select_from(b, index, circuits::Wire::TRUE, 32, &words)
}

fn prepared((_, inputs, unit): &Unit, profile: &Profile) -> Circuit {
    let mut build = Builder::new(profile);
    let wires = build.inputs(*inputs);
    for wire in unit(&mut build, &wires) {
        build.output(wire);
    }
    passes::prepare(&build.finish(), profile)
}

/// Runs units with selectors, and without for comparison; answers as the simulator's.
fn computes(parameters: Parameters, units: &[Unit], rounds: usize) {
    let (secret, engine, mut generator) = key_pair(parameters);
    let plain = TfheLookup::new(Arc::clone(engine.key()), tfhe_lookup::profile(&parameters));
    for unit in units {
        let circuits = [&engine, &plain].map(|engine| prepared(unit, engine.profile()));
        let counts = passes::cost(&circuits[0], engine.profile());
        let mut times = [f64::INFINITY; 2];
        for round in 0..rounds {
            let values: Vec<u64> = (0..unit.1).map(|_| generator.uniform()).collect();
            let inputs: Vec<bool> = values.iter().map(|value| value >> 63 == 1).collect();
            let lanes: Vec<u64> = inputs.iter().map(|&bit| u64::from(bit)).collect();
            let expected = sim::evaluate(&circuits[1], &lanes).unwrap();
            let bits = secret.encrypt(&inputs, &mut generator).unpack();
            let bits: Vec<_> = bits.into_iter().map(Arc::new).collect();
            for (number, (engine, circuit)) in [&engine, &plain].iter().zip(&circuits).enumerate() {
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
        println!(
            "{}: {:.1} ms, {:.1} ms without selectors: {:.1} times; {counts}",
            unit.0,
            1e3 * times[0],
            1e3 * times[1],
            times[1] / times[0]
        );
    }
}

#[test]
fn toy_chooses() {
    computes(TOY_BLOCK, UNITS, 2);
}

#[test]
fn p16_chooses() {
    computes(P16, UNITS, 1);
}

#[test]
#[ignore = "a minute: loads from 256 and 1,024 words by lookups"]
fn p16_loads() {
    let units: &[Unit] = &[
        ("load, 256 words", 256 * 32 + 8, |b, w| load(b, w, 8)),
        ("load, 1,024 words", 1024 * 32 + 10, |b, w| load(b, w, 10)),
    ];
    computes(P16, units, 1);
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
    for _ in 0..3 {
        let start = Instant::now();
        let outputs = circuits::run(&engine, &circuit, &bits, &Pool::new(1)).unwrap();
        println!("{}: {:?}", unit.0, start.elapsed());
        let read = outputs.iter().map(|bit| secret.decrypt(bit));
        let read: Vec<bool> = read.collect::<Result<_, _>>().unwrap();
        assert_eq!(number(&read), number(&words[32 * at..][..32]));
    }
}
