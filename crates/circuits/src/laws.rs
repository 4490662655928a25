//! What every engine has to satisfy, as one function: a new engine is tested by one line.
//!
//! ```
//! use blindcore_circuits::{Profile, laws, sim::Simulator};
//!
//! let engine = Simulator::new(Profile::lookup_simulation());
//! laws::gates(&engine, &|bit| if bit { u64::MAX } else { 0 }, &|bits| bits & 1 == 1, 20);
//! ```
//!
//! The laws speak through an `encode` (encrypt a bit) and a `decode` (decrypt one) and compare
//! with ten-line definitions. They are deterministic but for the engine's own randomness.

use std::sync::Arc;

use crate::exec::{Gates, Job, LookupJob, Pool, run};
use crate::ir::table::{Function, LARGEST, LARGEST_NEGACYCLIC, is_negacyclic, normalise, up_to};
use crate::{Builder, Circuit, Tables, Wire, passes, sim};

/// All laws of an engine: the gates on all operands, `samples` lookups, as many parities and sums
/// of disjoint bits, as many mixed jobs in batches, and a small circuit through the scheduler.
///
/// # Panics
/// If the engine breaks a law.
pub fn gates<G: Gates>(
    engine: &G,
    encode: &dyn Fn(bool) -> G::Bit,
    decode: &dyn Fn(&G::Bit) -> bool,
    samples: usize,
) {
    truth_tables(engine, encode, decode);
    lookups(engine, encode, decode, samples);
    parities(engine, encode, decode, samples);
    sums(engine, encode, decode, samples);
    parts(engine, encode, decode);
    batches(engine, encode, decode, samples);
    let mut random = Random(3);
    let chosen = random_circuit(engine, &mut random, 6, samples.clamp(4, 40));
    let inputs: Vec<bool> = (0..6).map(|_| random.below(2) == 1).collect();
    circuit(engine, encode, decode, &chosen, &inputs);
}

/// Constants and every gate, on all values of its operands.
///
/// # Panics
/// If the engine breaks a law.
fn truth_tables<G: Gates>(
    engine: &G,
    encode: &dyn Fn(bool) -> G::Bit,
    decode: &dyn Fn(&G::Bit) -> bool,
) {
    let scratch = &mut engine.scratch();
    for a in [false, true] {
        let bit_a = encode(a);
        assert_eq!(decode(&bit_a), a, "decode(encode({a}))");
        assert_eq!(decode(&engine.constant(a)), a, "constant {a}");
        assert_eq!(decode(&engine.not(&bit_a)), !a, "not {a}");
        assert_eq!(decode(&engine.not(&engine.not(&bit_a))), a, "not not {a}");
        let value = |result: Result<G::Bit, G::Error>, what: &str| match result {
            Ok(bit) => decode(&bit),
            Err(error) => failed(&error, what),
        };
        if engine.profile().has_refresh() {
            assert_eq!(
                value(engine.refresh(scratch, &bit_a), "refresh"),
                a,
                "refresh {a}"
            );
        }
        for b in [false, true] {
            let bit_b = encode(b);
            assert_eq!(
                value(engine.and(scratch, &bit_a, &bit_b), "and"),
                a & b,
                "{a} and {b}"
            );
            assert_eq!(
                value(engine.xor(scratch, &bit_a, &bit_b), "xor"),
                a ^ b,
                "{a} xor {b}"
            );
            for c in [engine.constant(a), encode(!a)] {
                let expected = if b { a } else { decode(&c) };
                let mux = engine.mux(scratch, &bit_b, &bit_a, &c);
                assert_eq!(value(mux, "mux"), expected, "mux {b} {a}");
            }
        }
    }
}

/// Lookups of random sums (positive and negative weights, constants, promised bounds) and tables.
///
/// # Panics
/// If the engine breaks a law.
fn lookups<G: Gates>(
    engine: &G,
    encode: &dyn Fn(bool) -> G::Bit,
    decode: &dyn Fn(&G::Bit) -> bool,
    samples: usize,
) {
    let scratch = &mut engine.scratch();
    let mut random = Random(1);
    for _ in 0..samples {
        let limit = match engine.profile().lookup {
            Some(lookup) if lookup.negacyclic => LARGEST_NEGACYCLIC,
            Some(lookup) => lookup.max_value,
            None => LARGEST,
        };
        let drawn = RandomLookup::draw(&mut random, limit);
        let bits: Vec<G::Bit> = drawn.values.iter().map(|&value| encode(value)).collect();
        match engine.lookup(scratch, &drawn.job(bits.iter())) {
            Ok(results) => drawn.check(results.iter().map(decode)),
            Err(error) => failed(&error, "lookup"),
        }
    }
}

/// Parities of no bits, of one, and of random ones, up to forty: far more than a lookup takes.
///
/// # Panics
/// If the engine breaks a law.
fn parities<G: Gates>(
    engine: &G,
    encode: &dyn Fn(bool) -> G::Bit,
    decode: &dyn Fn(&G::Bit) -> bool,
    samples: usize,
) {
    let scratch = &mut engine.scratch();
    let mut random = Random(4);
    for sample in 0..samples {
        let count = if sample < 4 { sample } else { random.below(41) };
        let values: Vec<bool> = (0..count).map(|_| random.below(2) == 1).collect();
        let bits: Vec<G::Bit> = values.iter().map(|&value| encode(value)).collect();
        let expected = values.iter().fold(false, |odd, value| odd ^ value);
        match engine.parity(scratch, &bits.iter().collect::<Vec<_>>()) {
            Ok(found) => assert_eq!(decode(&found), expected, "parity of {values:?}"),
            Err(error) => failed(&error, "parity"),
        }
    }
}

/// Sums of no bits, of one, and of up to eight, of which none or one is 1; and of computed bits.
///
/// # Panics
/// If the engine breaks a law.
fn sums<G: Gates>(
    engine: &G,
    encode: &dyn Fn(bool) -> G::Bit,
    decode: &dyn Fn(&G::Bit) -> bool,
    samples: usize,
) {
    let scratch = &mut engine.scratch();
    let mut random = Random(5);
    for sample in 0..samples {
        let count = if sample < 4 { sample } else { random.below(9) };
        // The place beyond the last stands for none.
        let one = random.below(count + 1);
        let mut bits: Vec<G::Bit> = (0..count).map(|at| encode(at == one)).collect();
        if sample % 2 == 1 && engine.profile().has_refresh() {
            for bit in &mut bits {
                match engine.refresh(scratch, bit) {
                    Ok(computed) => *bit = computed,
                    Err(error) => failed(&error, "refresh"),
                }
            }
        }
        match engine.disjoint(scratch, &bits.iter().collect::<Vec<_>>()) {
            Ok(found) => assert_eq!(decode(&found), one < count, "{one} of {count} bits"),
            Err(error) => failed(&error, "disjoint"),
        }
    }
}

/// What a parity reads may have been added before, whatever it came to.
///
/// # Panics
/// If the engine breaks a law.
fn parts<G: Gates>(engine: &G, encode: &dyn Fn(bool) -> G::Bit, decode: &dyn Fn(&G::Bit) -> bool) {
    let scratch = &mut engine.scratch();
    for count in [2, 5, 20] {
        for ones in [0, 1, count - 1, count] {
            let bits: Vec<G::Bit> = (0..count).map(|at| encode(at < ones)).collect();
            let total = match engine.apply(scratch, &Job::Subtotal(bits.iter().collect())) {
                Ok(total) => total,
                Err(error) => failed(&error, "subtotal"),
            };
            let other = encode(true);
            let read: Vec<&G::Bit> = total.iter().chain([&other]).collect();
            match engine.parity(scratch, &read) {
                Ok(odd) => assert_eq!(decode(&odd), ones % 2 == 0, "{ones} of {count} bits, and 1"),
                Err(error) => failed(&error, "parity"),
            }
        }
    }
}

/// Batches of mixed jobs, of all sizes up to a few more than the profile's, answer in order and as
/// the single operations do.
///
/// # Panics
/// If the engine breaks a law.
fn batches<G: Gates>(
    engine: &G,
    encode: &dyn Fn(bool) -> G::Bit,
    decode: &dyn Fn(&G::Bit) -> bool,
    samples: usize,
) {
    let scratch = &mut engine.scratch();
    assert!(
        engine.apply_many(scratch, &[]).is_empty(),
        "no jobs have no results"
    );
    let mut random = Random(2);
    let limit = engine.profile().max_value().unwrap_or(15);
    let (mut size, mut left) = (1, samples);
    while left > 0 {
        let count = size.min(left);
        let drawn: Vec<RandomLookup> = (0..count)
            .map(|_| RandomLookup::draw(&mut random, limit))
            .collect();
        let bits: Vec<Vec<G::Bit>> = drawn
            .iter()
            .map(|drawn| drawn.values.iter().map(|&value| encode(value)).collect())
            .collect();
        let (other, zero) = (encode(true), encode(false));
        let jobs: Vec<Job<'_, G::Bit>> = drawn
            .iter()
            .zip(&bits)
            .enumerate()
            .map(|(i, (drawn, bits))| match i % 8 {
                1 => Job::And(&bits[0], &other),
                2 => Job::Xor(&bits[0], &other),
                3 => Job::Refresh(&bits[0]),
                4 => Job::Mux {
                    select: &other,
                    then: &bits[0],
                    otherwise: &other,
                },
                5 => Job::Parity(vec![&bits[0], &other, &other, &other]),
                6 if i % 16 < 8 => Job::Disjoint(vec![&bits[0], &zero]),
                6 => Job::Subtotal(vec![&bits[0], &zero]),
                _ => Job::Lookup(drawn.job(bits.iter())),
            })
            .collect();
        let results = engine.apply_many(scratch, &jobs);
        assert_eq!(results.len(), jobs.len(), "one answer for each job");
        for (i, (result, drawn)) in results.into_iter().zip(&drawn).enumerate() {
            match result {
                Ok(results) if matches!(i % 8, 1..=6) => {
                    let values: Vec<bool> = results.iter().map(decode).collect();
                    assert_eq!(
                        values,
                        [drawn.values[0] ^ matches!(i % 8, 2 | 5)],
                        "job {i} of {count}"
                    );
                }
                Ok(results) => drawn.check(results.iter().map(decode)),
                Err(error) => failed(&error, "batch"),
            }
        }
        left -= count;
        size = if size > engine.profile().batch + 2 {
            1
        } else {
            size + 1
        };
    }
}

/// A circuit, prepared for the engine's profile and run on two workers, agrees with the simulator.
///
/// # Panics
/// If it does not.
fn circuit<G: Gates>(
    engine: &G,
    encode: &dyn Fn(bool) -> G::Bit,
    decode: &dyn Fn(&G::Bit) -> bool,
    circuit: &Circuit,
    inputs: &[bool],
) {
    let clear: Vec<u64> = inputs.iter().map(|&bit| u64::from(bit)).collect();
    let expected = match sim::evaluate(circuit, &clear) {
        Ok(values) => values
            .iter()
            .map(|value| value & 1 == 1)
            .collect::<Vec<bool>>(),
        Err(error) => failed(&error, "simulation"),
    };
    let prepared = passes::prepare(circuit, engine.profile());
    let bits: Vec<Arc<G::Bit>> = inputs.iter().map(|&bit| Arc::new(encode(bit))).collect();
    match run(engine, &prepared, &bits, &Pool::new(2)) {
        Ok(outputs) => {
            let values: Vec<bool> = outputs.iter().map(|bit| decode(bit)).collect();
            assert_eq!(
                values, expected,
                "outputs of the scheduler and of the simulator"
            );
        }
        Err(error) => failed(&error, "run"),
    }
}

#[expect(
    clippy::panic,
    reason = "laws are for tests: a broken one fails its test"
)]
fn failed(error: &dyn std::error::Error, what: &str) -> ! {
    panic!("{what} failed: {error}")
}

/// A circuit of random gates and lookups for an engine.
fn random_circuit<G: Gates>(
    engine: &G,
    random: &mut Random,
    inputs: usize,
    size: usize,
) -> Circuit {
    let mut build = Builder::new(engine.profile());
    let mut wires = build.inputs(inputs);
    for i in 0..size {
        let mut pick = || {
            let wire: Wire = wires[random.below(wires.len())];
            if random.below(2) == 1 { !wire } else { wire }
        };
        let (a, b, c) = (pick(), pick(), pick());
        match i % 6 {
            0 => wires.push(build.and(a, b)),
            1 => wires.push(build.xor(a, b)),
            2 => wires.push(build.mux(a, b, c)),
            3 => {
                let newest = &wires[wires.len() - wires.len().min(12)..].to_vec();
                wires.push(build.parity(newest));
            }
            4 => {
                let apart = [build.and(a, b), build.and(!a, c)];
                wires.push(build.disjoint(&apart));
            }
            _ => wires.extend(build.lookup(&[(a, 1), (b, 1), (c, 1)], 0, &[0b1010, 0b1100])),
        }
    }
    for &wire in wires.iter().rev().take(inputs) {
        build.output(wire);
    }
    build.finish()
}

/// A lookup with the values of its bits.
struct RandomLookup {
    weights: Vec<i8>,
    values: Vec<bool>,
    constant: i8,
    max: u8,
    masks: Vec<u16>,
}

impl RandomLookup {
    fn draw(random: &mut Random, limit: u8) -> Self {
        let mut weights: Vec<i8> = vec![1];
        let mut room = i32::from(limit) - 1;
        while room > 0 && weights.len() < 15 && random.below(6) != 0 {
            let size = 1 + random.below(room.min(8) as usize) as i32;
            room -= size;
            weights.push(if random.below(3) == 0 { -size } else { size } as i8);
        }
        let constant: i8 = weights.iter().map(|weight| -weight.min(&0)).sum();
        let max: i8 = weights.iter().map(|weight| weight.abs()).sum();
        let values = weights.iter().map(|_| random.below(2) == 1).collect();
        let masks = (0..1 + random.below(4))
            .map(|_| {
                let (mask, care) = (random.below(1 << 16) as u16, up_to(max as u8) as u16);
                normalise(mask, care, is_negacyclic(max as u8)).0
            })
            .collect();
        Self {
            weights,
            values,
            constant,
            max: max as u8,
            masks,
        }
    }

    fn job<'a, B: 'a>(&'a self, bits: impl Iterator<Item = &'a B>) -> LookupJob<'a, B> {
        LookupJob {
            terms: bits.zip(self.weights.iter().copied()).collect(),
            constant: self.constant,
            max: self.max,
            tables: Tables::new(&self.masks),
        }
    }

    fn check(&self, results: impl Iterator<Item = bool>) {
        let ones = self
            .weights
            .iter()
            .zip(&self.values)
            .filter(|(_, value)| **value);
        let t = i32::from(self.constant) + ones.map(|(weight, _)| i32::from(*weight)).sum::<i32>();
        let is_negacyclic = is_negacyclic(self.max);
        let at = |&mask: &u16| {
            Function {
                mask,
                is_negacyclic,
            }
            .at(t)
        };
        let expected: Vec<bool> = self.masks.iter().map(at).collect();
        let found: Vec<bool> = results.collect();
        let (weights, masks) = (&self.weights, &self.masks);
        assert_eq!(
            found, expected,
            "weights {weights:?}, sum {t}, tables {masks:04x?}"
        );
    }
}

/// Knuth's MMIX generator: laws need variety, not quality.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % bound
    }
}
