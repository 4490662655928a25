//! Our side: a key for what a row needs, and the row in every slot.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bgv::{Ciphertext, Demand, Keys, Parameters, SecretKey, Security};
use circuits::{Circuit, Gates as _, Pool, passes};
use clock::Failure;
use engines::bgv::{Bgv, Vector, choose, profile, profile_without_parameters};
use random::Generator;

use crate::rows::{Operation, Row, Work};

/// How often a gate is evaluated in a round.
pub const REPEATS: u32 = 20;

pub struct Ours {
    keys: Keys,
    engine: Bgv,
    contestant: Option<Contestant>,
    generator: Generator,
    threads: usize,
}

struct Contestant {
    circuit: Circuit,
    results: Vec<usize>,
    operation: Operation,
    width: usize,
}

impl Ours {
    /// `depth`: of the chain that a gate is measured with, the peer's.
    pub fn new(row: &Row, depth: u32, threads: usize) -> Result<Self, Failure> {
        let (parameters, contestant) = match row.work {
            Work::Circuit(operation) => {
                let profile = profile_without_parameters();
                let (circuit, results) = operation.circuit(row.width, &profile);
                let circuit = passes::prepare(&circuit, &profile);
                let choice = choose(&circuit, 1, Security::Bits128)?;
                let contestant = Contestant {
                    circuit,
                    results,
                    operation,
                    width: row.width,
                };
                (choice.parameters, Some(contestant))
            }
            _ => {
                let index = row.width as u32;
                // The peer's depth was counted without sums between its products.
                let demand = Demand {
                    terms: 1,
                    ..Demand::of_depth(depth)
                };
                let set = Parameters::for_circuit_in(index, &demand, Security::Bits128)?;
                (set, None)
            }
        };
        let mut generator = Generator::from_entropy()?;
        let both = NonZeroUsize::new(2).ok_or("two is not zero")?;
        let watch = |_: bgv::Progress| ControlFlow::Continue(());
        let keys = SecretKey::generate(&parameters, &[], &mut generator, both, &watch)?;
        let engine = Bgv::new(&keys.evaluation, profile(&parameters))?;
        Ok(Self {
            keys,
            engine,
            contestant,
            generator,
            threads,
        })
    }

    pub fn parameters(&self) -> &Parameters {
        self.keys.secret.parameters()
    }

    /// One round of a row.
    pub fn round(&mut self, work: Work) -> Result<Duration, Failure> {
        match &self.contestant {
            Some(_) => self.circuit(),
            None => self.gate(work),
        }
    }

    fn bits(&mut self) -> Vec<bool> {
        let slots = self.parameters().slots();
        (0..slots).map(|_| self.generator.below(2) == 1).collect()
    }

    fn encrypt(&mut self, bits: &[bool]) -> Result<Ciphertext, Failure> {
        Ok(self.keys.secret.encrypt(bits, &mut self.generator)?)
    }

    fn gate(&mut self, work: Work) -> Result<Duration, Failure> {
        let (mut a, mut b) = (self.bits(), self.bits());
        let (mut x, mut y) = (self.encrypt(&a)?, self.encrypt(&b)?);
        if work == Work::Second {
            for (clear, secret) in [(&mut a, &mut x), (&mut b, &mut y)] {
                let other = self.bits();
                let factor = self.encrypt(&other)?;
                *secret = self.engine.evaluator().and(secret, &factor)?;
                for (bit, other) in clear.iter_mut().zip(other) {
                    *bit &= other;
                }
            }
        }
        let evaluator = self.engine.evaluator();
        let mut total = Duration::ZERO;
        let mut last = None;
        for _ in 0..REPEATS {
            // In place for sums, as the peer adds; as there, the one before has gone.
            drop(last.take());
            let mut out = x.clone();
            let start = Instant::now();
            match work {
                Work::Xor => evaluator.xor_assign(&mut out, &y)?,
                _ => out = evaluator.and(&out, &y)?,
            }
            total += start.elapsed();
            last = Some(out);
        }
        let got = self.keys.secret.decrypt(&last.ok_or("no round")?)?;
        let expected = a.iter().zip(&b).map(|(a, b)| match work {
            Work::Xor => a ^ b,
            _ => a & b,
        });
        if !expected.eq(got) {
            return Err("our gate is wrong".into());
        }
        Ok(total / REPEATS)
    }

    fn circuit(&mut self) -> Result<Duration, Failure> {
        let Some(contestant) = self.contestant.take() else {
            return Err("the row has no circuit".into());
        };
        let slots = self.parameters().slots();
        let mask = u64::MAX >> (64 - contestant.width);
        let mut words = || -> Vec<u64> {
            (0..slots)
                .map(|_| self.generator.uniform() & mask)
                .collect()
        };
        let (x, y) = (words(), words());
        let mut inputs = Vec::new();
        for word in [&x, &y] {
            for bit in 0..contestant.width {
                let column: Vec<bool> = word.iter().map(|word| word >> bit & 1 == 1).collect();
                inputs.push(Arc::new(Vector::from(self.encrypt(&column)?)));
            }
        }
        let pool = Pool::new(self.threads);
        let start = Instant::now();
        let outputs = circuits::run(&self.engine, &contestant.circuit, &inputs, &pool)?;
        let elapsed = start.elapsed();
        let mut columns = outputs.iter();
        let mut results = vec![vec![0; slots]; contestant.results.len()];
        for (result, &width) in results.iter_mut().zip(&contestant.results) {
            for bit in 0..width {
                let column = columns.next().ok_or("too few outputs")?;
                let column = self.keys.secret.decrypt(column.ciphertext())?;
                for (word, value) in result.iter_mut().zip(column) {
                    *word |= u64::from(value) << bit;
                }
            }
        }
        for slot in 0..slots {
            let expected = contestant.operation.clear(x[slot], y[slot]);
            for ((expected, result), &width) in expected.iter().zip(&results).zip(&contestant.results)
            {
                if expected & (u64::MAX >> (64 - width)) != result[slot] {
                    return Err(format!("our slot {slot} is wrong").into());
                }
            }
        }
        self.contestant = Some(contestant);
        Ok(elapsed)
    }

    pub fn native(&self) -> usize {
        let profile = self.engine.profile();
        self.contestant
            .as_ref()
            .map_or(1, |contestant| passes::cost(&contestant.circuit, profile).and)
    }
}
