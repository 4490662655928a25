//! Ours: the circuit of each row, recorded and prepared once, run on the lookup engine.
//!
//! Recording takes microseconds and is done when a program is planned; the clock sees what
//! the peer's operators do: ciphertexts in, ciphertexts out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use blindcore_tfhe::leveled::{LeveledKey, SeededLeveledKey};
use blindcore_tfhe::{LweCiphertext, P16, SecretKey, SeededServerKey, ServerKey};
use circuits::library::{self, Shift};
use circuits::{Builder, Circuit, Gates, Pool, Profile, Wire, passes};
use clock::Failure;
use engines::tfhe_lookup::{self, TfheLookup};
use random::Generator;

use crate::contest::{Contestant, Promise};
use crate::operation::{Operands, Operation, words};

/// Keys of the default parameter set, perhaps with that for selectors, and an engine that has
/// measured this machine.
pub struct Lookups {
    secret: SecretKey,
    engine: TfheLookup,
    pool: Pool,
    /// Encryption draws from it.
    generator: Mutex<Generator>,
    circuits: Mutex<HashMap<&'static str, Arc<Circuit>>>,
}

impl Lookups {
    /// On `threads` threads, for which its circuits are made, too.
    pub fn new(threads: usize) -> Result<Self, Failure> {
        Self::of(threads, false)
    }

    /// The same with the second part of the server key.
    pub fn with_selectors(threads: usize) -> Result<Self, Failure> {
        Self::of(threads, true)
    }

    fn of(threads: usize, selectors: bool) -> Result<Self, Failure> {
        let mut generator = Generator::from_entropy()?;
        let secret = SecretKey::generate(P16, &mut generator)?;
        let seeded = SeededServerKey::generate(&secret, &mut generator, threads, &|_, _| {})?;
        let key = Arc::new(ServerKey::expand(&seeded, threads, &|_, _| {})?);
        let mut profile = tfhe_lookup::profile(&P16).with_cores(threads);
        if selectors {
            profile = tfhe_lookup::with_selectors(profile, &P16);
        }
        tfhe_lookup::calibrate(&P16)?.apply(&mut profile);
        let mut engine = TfheLookup::new(Arc::clone(&key), profile);
        if selectors {
            let second = SeededLeveledKey::generate(&secret, &mut generator, threads, &|_, _| {})?;
            let second = LeveledKey::expand(&second, &key, threads, &|_, _| {})?;
            engine = engine.with_leveled(Arc::new(second));
        }
        Ok(Self {
            secret,
            engine,
            pool: Pool::new(threads),
            generator: Mutex::new(generator),
            circuits: Mutex::new(HashMap::new()),
        })
    }

    pub fn engine(&self) -> &TfheLookup {
        &self.engine
    }

    /// Bits, encrypted as inputs travel and unpacked as they are computed with.
    pub fn encrypt_bits(&self, bits: &[bool]) -> Vec<Arc<LweCiphertext>> {
        let mut generator = self
            .generator
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let packed = self.secret.encrypt(bits, &mut generator);
        packed.unpack().into_iter().map(Arc::new).collect()
    }

    pub fn decrypt_bits(&self, bits: &[Arc<LweCiphertext>]) -> Result<Vec<bool>, Failure> {
        Ok(bits
            .iter()
            .map(|bit| self.secret.decrypt(bit))
            .collect::<Result<_, _>>()?)
    }

    fn circuit(&self, operation: Operation) -> Arc<Circuit> {
        let mut circuits = self.circuits.lock().unwrap_or_else(PoisonError::into_inner);
        let recorded = circuits
            .entry(operation.name())
            .or_insert_with(|| Arc::new(record(operation, self.engine.profile())));
        Arc::clone(recorded)
    }
}

impl Contestant for Lookups {
    type Inputs = Vec<Arc<LweCiphertext>>;
    type Output = Vec<Arc<LweCiphertext>>;

    fn promise(&self) -> Promise {
        let set = self.engine.key().parameters();
        let second = match self.engine.profile().selectors {
            Some(_) => " with selectors",
            None => "",
        };
        Promise {
            set: format!("Blindcore {}{second}", set.name()),
            small_dimension: set.lwe_dimension().get(),
            ring_degree: set.polynomial_size().get(),
            big_dimension: set.big_lwe_dimension().get(),
            security: set.promise().security_bits,
            log2_failure: set.promise().log2_failure,
        }
    }

    fn bootstraps(&self, operation: Operation) -> Option<usize> {
        Some(bootstraps(&self.circuit(operation), self.engine.profile()))
    }

    fn encrypt(&self, operation: Operation, values: Operands) -> Result<Self::Inputs, Failure> {
        self.circuit(operation);
        let bits = if operation.gates() > 0 {
            let (a, b): (Vec<bool>, Vec<bool>) = values.gate_inputs(operation).unzip();
            [a, b].concat()
        } else {
            values.bits()
        };
        Ok(self.encrypt_bits(&bits))
    }

    fn evaluate(
        &self,
        operation: Operation,
        inputs: &Self::Inputs,
    ) -> Result<Self::Output, Failure> {
        Ok(circuits::run(
            &self.engine,
            &self.circuit(operation),
            inputs,
            &self.pool,
        )?)
    }

    fn reveal(&self, _: Operation, output: &Self::Output) -> Result<Vec<u32>, Failure> {
        Ok(words(self.decrypt_bits(output)?))
    }
}

/// Rotations that a prepared circuit takes.
pub fn bootstraps(circuit: &Circuit, profile: &Profile) -> usize {
    passes::cost(circuit, profile).bootstraps
}

/// The circuit of a row. Its inputs are those of every gate, first operands first; or a (32
/// bits), b (32 bits), choice.
fn record(operation: Operation, profile: &Profile) -> Circuit {
    let mut build = Builder::new(profile);
    let width = match operation.gates() {
        0 => 32,
        gates => gates,
    };
    let a = build.inputs(width);
    let b = build.inputs(width);
    let outputs = if operation.gates() > 0 {
        let pairs = a.iter().zip(&b);
        pairs.map(|(&a, &b)| build.nand(a, b)).collect()
    } else {
        let choice = build.input();
        word(operation, &mut build, &a, &b, choice)
    };
    for wire in outputs {
        build.output(wire);
    }
    passes::prepare(&build.finish(), profile)
}

fn word(
    operation: Operation,
    build: &mut Builder,
    a: &[Wire],
    b: &[Wire],
    choice: Wire,
) -> Vec<Wire> {
    match operation {
        Operation::Add => library::add(build, a, b),
        Operation::Subtract => library::subtract(build, a, b),
        Operation::Less => vec![library::less_than_unsigned(build, a, b)],
        Operation::Equal => vec![library::equal(build, a, b)],
        Operation::And => library::and(build, a, b),
        Operation::Or => library::or(build, a, b),
        Operation::Xor => library::xor(build, a, b),
        Operation::Select => library::select(build, choice, a, b),
        // The peers read the amount modulo 32, so five of its bits are the same question.
        Operation::Shift => library::shift(build, Shift::Left, a, &b[..5], Wire::FALSE).0,
        Operation::Multiply => library::multiply(build, a, b),
        Operation::Divide => library::divide(build, library::Signedness::Unsigned, a, b).quotient,
        Operation::Nand | Operation::TwoNands | Operation::Layer => Vec::new(),
    }
}
