//! The peer: Zama's tfhe-rs, its boolean gates and its `FheUint32`, each with the
//! parameters that its documentation hands to a new user.

use clock::Failure;
use rayon::prelude::*;
use tfhe::boolean::ciphertext::Ciphertext;
use tfhe::boolean::parameters::BooleanParameters;
use tfhe::boolean::server_key::BinaryBooleanGates;
use tfhe::prelude::*;
use tfhe::shortint::AtomicPatternParameters;
use tfhe::{ConfigBuilder, FheBool, FheUint32};

use crate::contest::{Contestant, Promise};
use crate::operation::{Operands, Operation, words};

/// tfhe-rs chooses its sets for 132 bits of the lattice estimator, the smallest of primal
/// and dual-hybrid attacks; the comments beside the sets and its documentation say so.
const SECURITY: f64 = 132.0;

/// The boolean gates under one parameter set.
pub struct Gates {
    promise: Promise,
    client: tfhe::boolean::client_key::ClientKey,
    server: tfhe::boolean::server_key::ServerKey,
}

impl Gates {
    /// `log2_failure` is what the library's source states beside the set: the structure
    /// does not carry it.
    pub fn new(name: &str, parameters: &BooleanParameters, log2_failure: f64) -> Self {
        let client = tfhe::boolean::client_key::ClientKey::new(parameters);
        let server = tfhe::boolean::server_key::ServerKey::new(&client);
        let promise = Promise {
            set: format!("tfhe-rs 1.8.2 boolean {name}"),
            small_dimension: parameters.lwe_dimension.0,
            ring_degree: parameters.polynomial_size.0,
            big_dimension: parameters.glwe_dimension.0 * parameters.polynomial_size.0,
            security: SECURITY,
            log2_failure,
        };
        Self {
            promise,
            client,
            server,
        }
    }
}

impl Contestant for Gates {
    type Inputs = Vec<(Ciphertext, Ciphertext)>;
    type Output = Vec<Ciphertext>;

    fn promise(&self) -> Promise {
        self.promise.clone()
    }

    fn encrypt(&self, operation: Operation, values: Operands) -> Result<Self::Inputs, Failure> {
        Ok(values
            .gate_inputs(operation)
            .map(|(a, b)| (self.client.encrypt(a), self.client.encrypt(b)))
            .collect())
    }

    /// One call a gate, spread over rayon's global pool: the library has no wider one.
    fn evaluate(&self, _: Operation, inputs: &Self::Inputs) -> Result<Self::Output, Failure> {
        let gate = |(a, b): &(Ciphertext, Ciphertext)| self.server.nand(a, b);
        Ok(if rayon::current_num_threads() == 1 {
            inputs.iter().map(gate).collect()
        } else {
            inputs.par_iter().map(gate).collect()
        })
    }

    fn reveal(&self, _: Operation, output: &Self::Output) -> Result<Vec<u32>, Failure> {
        Ok(words(output.iter().map(|bit| self.client.decrypt(bit))))
    }
}

/// `FheUint32` with `ConfigBuilder::default()`.
pub struct Words {
    promise: Promise,
    client: tfhe::ClientKey,
}

/// Everything that any row needs, encrypted anew each round.
pub struct WordInputs {
    a: FheUint32,
    b: FheUint32,
    choice: FheBool,
}

pub enum WordOutput {
    Word(FheUint32),
    Truth(FheBool),
}

impl Words {
    /// Makes the keys and installs the server key for this thread. The library spreads the
    /// blocks of a word over rayon's global pool.
    pub fn new() -> Self {
        let client = tfhe::ClientKey::generate(ConfigBuilder::default());
        tfhe::set_server_key(client.generate_server_key());
        let parameters: AtomicPatternParameters = client.computation_parameters();
        let promise = Promise {
            set: "tfhe-rs 1.8.2 FheUint32 default".to_owned(),
            small_dimension: parameters.lwe_dimension().0,
            ring_degree: parameters.polynomial_size().0,
            big_dimension: parameters.glwe_dimension().0 * parameters.polynomial_size().0,
            security: SECURITY,
            log2_failure: parameters.log2_p_fail(),
        };
        Self { promise, client }
    }
}

impl Contestant for Words {
    type Inputs = WordInputs;
    type Output = WordOutput;

    fn promise(&self) -> Promise {
        self.promise.clone()
    }

    fn encrypt(&self, _: Operation, values: Operands) -> Result<WordInputs, Failure> {
        Ok(WordInputs {
            a: FheUint32::try_encrypt(values.a, &self.client)?,
            b: FheUint32::try_encrypt(values.b, &self.client)?,
            choice: FheBool::try_encrypt(values.choice, &self.client)?,
        })
    }

    fn evaluate(&self, operation: Operation, inputs: &WordInputs) -> Result<WordOutput, Failure> {
        let WordInputs { a, b, choice } = inputs;
        Ok(match operation {
            Operation::Add => WordOutput::Word(a + b),
            Operation::Subtract => WordOutput::Word(a - b),
            Operation::Less => WordOutput::Truth(a.lt(b)),
            Operation::Equal => WordOutput::Truth(a.eq(b)),
            Operation::And => WordOutput::Word(a & b),
            Operation::Or => WordOutput::Word(a | b),
            Operation::Xor => WordOutput::Word(a ^ b),
            Operation::Select => WordOutput::Word(choice.if_then_else(a, b)),
            Operation::Shift => WordOutput::Word(a << b),
            Operation::Multiply => WordOutput::Word(a * b),
            Operation::Divide => WordOutput::Word(a / b),
            Operation::Nand | Operation::TwoNands | Operation::Layer => {
                return Err("FheUint32 has no gates".into());
            }
        })
    }

    fn reveal(&self, _: Operation, output: &WordOutput) -> Result<Vec<u32>, Failure> {
        Ok(vec![match output {
            WordOutput::Word(word) => word.decrypt(&self.client),
            WordOutput::Truth(truth) => u32::from(truth.decrypt(&self.client)),
        }])
    }
}
