//! Ours: the circuit of each row, recorded and prepared once, run on the lookup engine.
//!
//! Recording takes microseconds and is done when a program is planned; the clock sees what
//! the peer's operators do: ciphertexts in, ciphertexts out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use blindcore_tfhe::{LweCiphertext, P16, SecretKey, SeededServerKey, ServerKey};
use circuits::library::{self, Shift};
use circuits::{Builder, Circuit, Op, Pool, Profile, Wire, passes};
use engines::tfhe_lookup::TfheLookup;
use random::Generator;

use crate::contest::{Contestant, Failure, Promise};
use crate::operation::{Operands, Operation};

/// Keys of the default parameter set, and an engine on one thread.
pub struct Lookups {
    secret: SecretKey,
    engine: TfheLookup,
    pool: Pool,
    /// Encryption draws from it.
    generator: Mutex<Generator>,
    circuits: Mutex<HashMap<&'static str, Arc<Circuit>>>,
}

impl Lookups {
    pub fn new() -> Result<Self, Failure> {
        let mut generator = Generator::from_entropy()?;
        let secret = SecretKey::generate(P16, &mut generator)?;
        let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
        let engine = TfheLookup::new(Arc::new(ServerKey::expand(&seeded, 1, &|_, _| {})?));
        Ok(Self {
            secret,
            engine,
            pool: Pool::new(1),
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
            .or_insert_with(|| Arc::new(record(operation, circuits::Gates::profile(&self.engine))));
        Arc::clone(recorded)
    }
}

impl Contestant for Lookups {
    type Inputs = Vec<Arc<LweCiphertext>>;
    type Output = Vec<Arc<LweCiphertext>>;

    fn promise(&self) -> Promise {
        let set = self.engine.key().parameters();
        Promise {
            set: format!("Blindcore {}", set.name()),
            small_dimension: set.lwe_dimension().get(),
            big_dimension: set.big_lwe_dimension().get(),
            security: set.promise().security_bits,
            log2_failure: set.promise().log2_failure,
        }
    }

    fn bootstraps(&self, operation: Operation) -> Option<usize> {
        Some(bootstraps(&self.circuit(operation)))
    }

    fn encrypt(&self, operation: Operation, values: Operands) -> Result<Self::Inputs, Failure> {
        self.circuit(operation);
        let bits_of = |word: u32| (0..32).map(move |at| word >> at & 1 == 1);
        let bits: Vec<bool> = bits_of(values.a)
            .chain(bits_of(values.b))
            .chain([values.choice])
            .collect();
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

    fn reveal(&self, _: Operation, output: &Self::Output) -> Result<u32, Failure> {
        let bits = self.decrypt_bits(output)?;
        Ok(bits
            .iter()
            .enumerate()
            .map(|(at, &bit)| u32::from(bit) << at)
            .sum())
    }
}

/// Rotations that a prepared circuit takes: every node but its inputs.
pub fn bootstraps(circuit: &Circuit) -> usize {
    circuit
        .nodes()
        .filter(|&node| !matches!(circuit.op(node), Op::Input(_)))
        .count()
}

/// The circuit of a row: inputs a (32 bits), b (32 bits), choice.
fn record(operation: Operation, profile: &Profile) -> Circuit {
    let mut build = Builder::new(profile);
    let a = build.inputs(32);
    let b = build.inputs(32);
    let choice = build.input();
    let outputs: Vec<Wire> = match operation {
        Operation::Nand => vec![build.nand(a[0], b[0])],
        Operation::TwoNands => vec![build.nand(a[0], b[0]), build.nand(a[1], b[1])],
        Operation::Add => library::add(&mut build, &a, &b),
        Operation::Subtract => library::subtract(&mut build, &a, &b),
        Operation::Less => vec![library::less_than_unsigned(&mut build, &a, &b)],
        Operation::Equal => vec![library::equal(&mut build, &a, &b)],
        Operation::And => library::and(&mut build, &a, &b),
        Operation::Xor => library::xor(&mut build, &a, &b),
        Operation::Select => library::select(&mut build, choice, &a, &b),
        // The peer reads the amount modulo 32, so five of its bits are the same question.
        Operation::Shift => library::shift(&mut build, Shift::Left, &a, &b[..5], Wire::FALSE).0,
        Operation::Multiply => library::multiply(&mut build, &a, &b),
        Operation::Divide => {
            library::divide(&mut build, library::Signedness::Unsigned, &a, &b).quotient
        }
    };
    for wire in outputs {
        build.output(wire);
    }
    passes::prepare(&build.finish(), profile)
}
