//! Additions of sums are one sum, and what is read besides stays.

use blindcore_circuits::passes::{self, cost};
use blindcore_circuits::{Builder, Profile, Wire, library, sim};

const WIDTH: usize = 32;

/// A sum of words.
type Sum<'a> = &'a dyn Fn(&mut Builder, &[Vec<Wire>]) -> Vec<Wire>;

/// A generator of numbers (PCG's multiplier).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }
}

/// A word as wires, and as numbers in 64 lanes.
#[derive(Clone)]
struct Value {
    wires: Vec<Wire>,
    lanes: Vec<u32>,
}

impl Value {
    fn new(wires: Vec<Wire>, a: &Self, b: &Self, of: impl Fn(u32, u32) -> u32) -> Self {
        let lanes = a.lanes.iter().zip(&b.lanes).map(|(&a, &b)| of(a, b));
        Self {
            wires,
            lanes: lanes.collect(),
        }
    }
}

/// Words that are made of others at random, additions above all.
struct Program {
    b: Builder,
    inputs: Vec<u64>,
    values: Vec<Value>,
}

impl Program {
    fn new(profile: &Profile, words: usize, random: &mut Random) -> Self {
        let mut b = Builder::new(profile);
        let mut inputs = Vec::new();
        let mut values = Vec::new();
        for _ in 0..words {
            let wires = b.inputs(WIDTH);
            let lanes: Vec<u32> = (0..64).map(|_| random.next() as u32).collect();
            let column = |at: usize| {
                let bit = |(lane, word): (usize, &u32)| u64::from(word >> at & 1) << lane;
                lanes.iter().enumerate().map(bit).sum::<u64>()
            };
            inputs.extend((0..WIDTH).map(column));
            values.push(Value { wires, lanes });
        }
        Self { b, inputs, values }
    }

    fn step(&mut self, random: &mut Random) {
        // Mostly of the last, so that chains come about.
        let recent = self.values.len().min(3);
        let first = self.values[self.values.len() - 1 - random.below(recent)].clone();
        let second = self.values[random.below(self.values.len())].clone();
        let (x, y) = (&first.wires, &second.wires);
        let b = &mut self.b;
        let by = 1 + random.below(9);
        let number = random.next() as u32 >> random.below(32);
        let value = match random.below(12) {
            0..=4 => Value::new(library::add(b, x, y), &first, &second, u32::wrapping_add),
            5 => Value::new(
                library::subtract(b, x, y),
                &first,
                &second,
                u32::wrapping_sub,
            ),
            6 => Value::new(library::subtract(b, y, x), &first, &second, |a, b| {
                b.wrapping_sub(a)
            }),
            7 => {
                // Both of them, now and then.
                let other = by * (number as usize % 2);
                let moved =
                    |word: &[Wire], by| [&vec![Wire::FALSE; by], &word[..WIDTH - by]].concat();
                let (x, y) = (moved(x, by), moved(y, other));
                Value::new(library::add(b, &x, &y), &first, &second, |a, b| {
                    (a << by).wrapping_add(b << other)
                })
            }
            8 => {
                // Its lowest bits pass on those of the word.
                let number = number >> by << by;
                let constant = library::constant(number.into(), WIDTH);
                Value::new(library::add(b, x, &constant), &first, &second, |a, _| {
                    a.wrapping_add(number)
                })
            }
            9 => {
                let masked = (0..WIDTH).map(|at| match number >> at & 1 {
                    1 => x[at],
                    _ => Wire::FALSE,
                });
                Value::new(masked.collect(), &first, &second, |a, _| a & number)
            }
            10 => {
                let carry = library::add_with_carry(b, x, y, Wire::TRUE);
                let mut wires = carry.sum;
                wires[0] = carry.carry;
                Value::new(wires, &first, &second, |a, b| {
                    let whole = u64::from(a) + u64::from(b) + 1;
                    whole as u32 & !1 | (whole >> 32) as u32
                })
            }
            _ => Value::new(library::and(b, x, y), &first, &second, |a, b| a & b),
        };
        self.values.push(value);
    }

    /// Outputs some values, and compares them with the numbers.
    fn check(mut self, profile: &Profile, wanted: &[usize]) {
        for &number in wanted {
            for &wire in &self.values[number].wires {
                self.b.output(wire);
            }
        }
        let circuit = passes::prepare(&self.b.finish(), profile);
        let found = sim::evaluate(&circuit, &self.inputs).unwrap();
        for (bits, &number) in found.chunks(WIDTH).zip(wanted) {
            for (lane, &right) in self.values[number].lanes.iter().enumerate() {
                let bit = |(at, bits): (usize, &u64)| ((bits >> lane & 1) as u32) << at;
                let found: u32 = bits.iter().enumerate().map(bit).sum();
                assert_eq!(found, right, "value {number}, lane {lane}");
            }
        }
    }
}

#[test]
fn sums_that_only_additions_read_are_gathered() {
    for profile in [Profile::lookup_simulation(), Profile::selector_simulation()] {
        let bootstraps = |words: usize, sum: Sum<'_>| {
            let mut b = Builder::new(&profile);
            let words: Vec<Vec<Wire>> = (0..words).map(|_| b.inputs(WIDTH)).collect();
            for wire in sum(&mut b, &words) {
                b.output(wire);
            }
            cost(&passes::prepare(&b.finish(), &profile), &profile).bootstraps
        };
        for words in [3, 4, 6, 10, 14] {
            let at_once = bootstraps(words, &|b, words| {
                let words: Vec<&[Wire]> = words.iter().map(Vec::as_slice).collect();
                library::add_all(b, WIDTH, &words)
            });
            let chain = bootstraps(words, &|b, words| {
                let (first, rest) = words.split_first().unwrap();
                rest.iter()
                    .fold(first.clone(), |sum, word| library::add(b, &sum, word))
            });
            assert_eq!(chain, at_once, "{words}");
            // From the other end, subtracted, and moved: as many.
            let mixed = bootstraps(words, &|b, words| {
                let (first, rest) = words.split_first().unwrap();
                rest.iter().fold(first.clone(), |sum, word| {
                    let difference = library::subtract(b, word, &sum);
                    std::iter::once(Wire::FALSE)
                        .chain(difference)
                        .take(WIDTH)
                        .collect()
                })
            });
            assert!(mixed <= at_once, "{words}: {mixed}");
            // Clear numbers between them, whose lowest bits pass on a sum's.
            let constants = bootstraps(words, &|b, words| {
                let (first, rest) = words.split_first().unwrap();
                let number = library::constant(0x9ab4_1a70, WIDTH);
                rest.iter().fold(first.clone(), |sum, word| {
                    let sum = library::add(b, &sum, word);
                    library::add(b, &sum, &number)
                })
            });
            assert!(constants <= at_once + 14, "{words}: {constants}");
            // A sum that others read is there anyway.
            let read = bootstraps(words, &|b, words| {
                let (first, rest) = words.split_first().unwrap();
                let sum = library::add(b, first, &rest[0]);
                let all = rest[1..]
                    .iter()
                    .fold(sum.clone(), |sum, word| library::add(b, &sum, word));
                [library::and(b, &sum, first), all].concat()
            });
            assert!(read <= at_once + 11 + 16, "{words}: {read}");
        }
    }
}

#[test]
fn random_programs_of_additions_are_right() {
    for profile in [Profile::lookup_simulation(), Profile::selector_simulation()] {
        for seed in 0..100 {
            let mut random = Random(seed);
            let words = 2 + random.below(5);
            let mut program = Program::new(&profile, words, &mut random);
            for _ in 0..12 {
                program.step(&mut random);
            }
            let last = program.values.len() - 1;
            let other = random.below(last);
            program.check(&profile, &[last, other]);
        }
    }
}
