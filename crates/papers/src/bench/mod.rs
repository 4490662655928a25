//! Measuring engines, for every study alike: no time counts before its answer was decrypted and is
//! right.
//!
//! A [`Bench`] is an engine with the key that its bits are under; a [`CheckedCircuit`] is a circuit
//! with its definition on integers. [`run`] evaluates one on the other with random operands.

mod checked_circuit;
mod engines;
mod outcome;
mod records;
mod session;
mod set;
mod slots;
mod times;

pub(crate) use checked_circuit::{CheckedCircuit, Definition, Size};
pub(crate) use engines::{GateKeys, LookupKeys};
pub(crate) use outcome::{Outcome, on};
pub(crate) use records::{Recorded, tfhe_library};
pub(crate) use session::{Session, is_complete};
pub(crate) use set::Set;
pub(crate) use slots::run_slots;
pub(crate) use times::{Figure, Times};

use std::sync::Arc;
use std::time::Instant;

use circuits::{ExecError, Gates, Pool};
use random::Generator;

use crate::control::Control;
use crate::error::{PapersError, internal};

/// An engine with the key that its bits are under.
pub(crate) trait Bench {
    /// The engine.
    type Engine: Gates;

    /// What is measured.
    fn engine(&self) -> &Self::Engine;

    /// Fresh ciphertexts.
    fn encrypt(&self, bits: &[bool], generator: &mut Generator) -> Vec<Arc<BitOf<Self>>>;

    /// What a ciphertext says.
    fn decrypt(&self, bit: &BitOf<Self>) -> Result<bool, PapersError>;

    /// Parameter set and processor, for messages.
    fn name(&self) -> String;
}

/// A ciphertext of an engine under measurement.
pub(crate) type BitOf<B> = <<B as Bench>::Engine as Gates>::Bit;

/// ANDs of all four pairs of bits in turn, after one that warms up.
pub(crate) fn and<B: Bench>(
    bench: &B,
    rounds: usize,
    generator: &mut Generator,
    control: &Control,
) -> Result<Times, PapersError> {
    let engine = bench.engine();
    let bits = bench.encrypt(&[false, true], generator);
    let [zero, one] = &bits[..] else {
        return Err(internal("two bits encrypt to two ciphertexts"));
    };
    let mut scratch = engine.scratch();
    let mut seconds = Vec::with_capacity(rounds);
    for round in 0..=rounds {
        control.check()?;
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

/// One evaluation on random operands, in seconds.
pub(crate) fn run<B: Bench>(
    bench: &B,
    checked: &CheckedCircuit,
    pool: &Pool,
    generator: &mut Generator,
) -> Result<f64, PapersError> {
    let operands = checked.random(generator);
    let inputs = bench.encrypt(&checked.bits(&operands), generator);
    let start = Instant::now();
    let outputs = circuits::run(bench.engine(), &checked.circuit, &inputs, pool);
    let elapsed = start.elapsed().as_secs_f64();
    let outputs = outputs.map_err(|error| match error {
        ExecError::Cancelled => PapersError::Interrupted,
        other => internal(other),
    })?;
    let bits: Result<Vec<bool>, PapersError> =
        outputs.iter().map(|bit| bench.decrypt(bit)).collect();
    match checked.wrong_bits(&operands, &bits?) {
        Some(what) => Err(wrong(bench, &what)),
        None => Ok(elapsed),
    }
}

fn wrong<B: Bench>(bench: &B, what: &str) -> PapersError {
    internal(format!("wrong answer of {}: {what}", bench.name()))
}

#[cfg(test)]
pub(crate) mod tests {
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

        fn decrypt(&self, bit: &u64) -> Result<bool, PapersError> {
            Ok(bit & 1 == 1 && !self.faulty)
        }

        fn name(&self) -> String {
            "the simulator".to_owned()
        }
    }

    #[test]
    fn right_answers_have_times_and_wrong_ones_none() {
        let mut generator = Generator::from_key([1; 32]);
        let control = Control::silent();
        let mut bench = Clear::new(Profile::gate_simulation());
        let circuit = checked_circuit::tests::sum(bench.engine().profile());
        let times = and(&bench, 5, &mut generator, &control).unwrap();
        assert_eq!(times.rounds, 5);
        assert!(run(&bench, &circuit, &Pool::new(1), &mut generator).unwrap() > 0.0);

        bench.faulty = true;
        let error = and(&bench, 5, &mut generator, &control).unwrap_err();
        assert!(
            error.to_string().contains("AND of true and true is false"),
            "{error}"
        );
        let error = run(&bench, &circuit, &Pool::new(1), &mut generator).unwrap_err();
        assert!(
            error.to_string().contains("wrong answer of the simulator"),
            "{error}"
        );
    }
}
