//! Measuring an engine: no time counts before its answer was decrypted and is right.

use std::sync::Arc;
use std::time::Instant;

use circuits::{ExecError, Gates, Pool, run};
use random::Generator;
use serde::Serialize;

use super::super::super::internal;
use super::circuit::{self, Sum};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// An engine with the key that its bits are under.
pub(super) trait Bench {
    /// The engine.
    type Engine: Gates;

    /// What is measured.
    fn engine(&self) -> &Self::Engine;

    /// Fresh ciphertexts.
    fn encrypt(&self, bits: &[bool], generator: &mut Generator) -> Vec<Arc<BitOf<Self>>>;

    /// What a ciphertext says.
    fn decrypt(&self, bit: &BitOf<Self>) -> Result<bool, Failure>;

    /// Parameter set and processor, for messages.
    fn name(&self) -> String;
}

/// A ciphertext of an engine under measurement.
pub(super) type BitOf<B> = <<B as Bench>::Engine as Gates>::Bit;

/// Times of several rounds, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Times {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
    pub(super) rounds: usize,
}

impl Times {
    /// Of at least one round; `None` of none.
    pub(super) fn of(mut seconds: Vec<f64>) -> Option<Self> {
        seconds.sort_by(f64::total_cmp);
        let rounds = seconds.len();
        let (&least, &most) = (seconds.first()?, seconds.last()?);
        let median = f64::midpoint(seconds[(rounds - 1) / 2], seconds[rounds / 2]);
        Some(Self {
            median,
            least,
            most,
            rounds,
        })
    }
}

/// ANDs of all four pairs of bits in turn, after one that warms up.
pub(super) fn and<B: Bench>(
    bench: &B,
    rounds: usize,
    generator: &mut Generator,
    interrupt: &Interrupt,
) -> Result<Times, Failure> {
    let engine = bench.engine();
    let bits = bench.encrypt(&[false, true], generator);
    let [zero, one] = &bits[..] else {
        return Err(internal("two bits encrypt to two ciphertexts"));
    };
    let mut scratch = engine.scratch();
    let mut seconds = Vec::with_capacity(rounds);
    for round in 0..=rounds {
        interrupt.check()?;
        let (a, b) = (round & 1 == 1, round & 2 == 2);
        let pick = |bit: bool| if bit { one } else { zero };
        let start = Instant::now();
        let both = engine.and(&mut scratch, pick(a), pick(b));
        let elapsed = start.elapsed().as_secs_f64();
        let answer = bench.decrypt(&both.map_err(internal)?)?;
        if answer != (a && b) {
            return Err(wrong(bench, &format!("AND of {a} and {b} is {answer}")));
        }
        if round > 0 {
            seconds.push(elapsed);
        }
    }
    Times::of(seconds).ok_or_else(|| internal("no round was asked for"))
}

/// One whole sum of random numbers.
pub(super) fn sum<B: Bench>(
    bench: &B,
    sum: &Sum,
    pool: &Pool,
    generator: &mut Generator,
) -> Result<f64, Failure> {
    let operands: Vec<u32> = (0..sum.circuit.inputs() / circuit::WIDTH)
        .map(|_| generator.uniform() as u32)
        .collect();
    let inputs = bench.encrypt(&circuit::bits(&operands), generator);
    let start = Instant::now();
    let outputs = run(bench.engine(), &sum.circuit, &inputs, pool);
    let elapsed = start.elapsed().as_secs_f64();
    let outputs = outputs.map_err(|error| match error {
        ExecError::Cancelled => Failure::new(Code::Interrupted, "interrupted"),
        other => internal(other),
    })?;
    let bits: Result<Vec<bool>, Failure> = outputs.iter().map(|bit| bench.decrypt(bit)).collect();
    let (found, expected) = (circuit::number(&bits?), circuit::total(&operands));
    if found != expected {
        let what = format!("the sum of {operands:?} modulo 2^32 is {expected}, not {found}");
        return Err(wrong(bench, &what));
    }
    Ok(elapsed)
}

fn wrong<B: Bench>(bench: &B, what: &str) -> Failure {
    internal(format!("wrong answer of {}: {what}", bench.name()))
}

#[cfg(test)]
pub(super) mod tests {
    use circuits::Profile;
    use circuits::sim::Simulator;

    use super::*;

    /// The clear simulator; `faulty` makes it lie about every one.
    pub(crate) struct Clear {
        pub(crate) engine: Simulator,
        pub(crate) faulty: bool,
    }

    impl Clear {
        pub(crate) fn new(profile: Profile) -> Self {
            Self {
                engine: Simulator::new(profile),
                faulty: false,
            }
        }
    }

    impl Bench for Clear {
        type Engine = Simulator;

        fn engine(&self) -> &Simulator {
            &self.engine
        }

        fn encrypt(&self, bits: &[bool], _: &mut Generator) -> Vec<Arc<u64>> {
            bits.iter().map(|&bit| Arc::new(u64::from(bit))).collect()
        }

        fn decrypt(&self, bit: &u64) -> Result<bool, Failure> {
            Ok(bit & 1 == 1 && !self.faulty)
        }

        fn name(&self) -> String {
            "the simulator".to_owned()
        }
    }

    #[test]
    fn medians() {
        let times =
            |seconds: &[f64]| Times::of(seconds.to_vec()).map(|t| (t.least, t.median, t.most));
        assert_eq!(times(&[]), None);
        assert_eq!(times(&[2.0]), Some((2.0, 2.0, 2.0)));
        assert_eq!(times(&[3.0, 1.0, 2.0]), Some((1.0, 2.0, 3.0)));
        assert_eq!(times(&[4.0, 1.0, 2.0, 3.0]), Some((1.0, 2.5, 4.0)));
    }

    #[test]
    fn right_answers_have_times_and_wrong_ones_none() {
        let mut generator = Generator::from_key([1; 32]);
        let interrupt = Interrupt::never();
        let mut bench = Clear::new(Profile::gate_simulation());
        let block = std::num::NonZeroUsize::new(4).unwrap();
        let circuit = Sum::chained(bench.engine().profile(), 3, block);
        let times = and(&bench, 5, &mut generator, &interrupt).unwrap();
        assert_eq!(times.rounds, 5);
        assert!(sum(&bench, &circuit, &Pool::new(1), &mut generator).unwrap() > 0.0);

        bench.faulty = true;
        let error = and(&bench, 5, &mut generator, &interrupt).unwrap_err();
        assert!(
            error.message.contains("AND of true and true is false"),
            "{error}"
        );
        let error = sum(&bench, &circuit, &Pool::new(1), &mut generator).unwrap_err();
        assert!(
            error.message.contains("wrong answer of the simulator"),
            "{error}"
        );
    }
}
