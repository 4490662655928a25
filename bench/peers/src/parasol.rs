//! The peer: Sunscreen's Parasol, its circuit processor with its default parameters.
//!
//! A word rests as one GLWE ciphertext a bit. Every operation turns the bits of its operands
//! into GGSW ciphertexts, which takes a circuit bootstrap each, and walks trees of
//! multiplexers, which is cheap: an addition of two words is 64 circuit bootstraps, a
//! selection by one bit is one, and an XOR, the sum of ciphertexts, none. The results are as
//! noisy as the tree was deep and are refreshed by the next operation that bootstraps them.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use clock::Failure;
use mux_circuits::or::make_or_circuit;
use parasol_runtime::fluent::{Bit, BitNode, FheCircuitCtx, UInt, UIntGraphNodes};
use parasol_runtime::{
    CircuitProcessor, ComputeKey, DEFAULT_128, Encryption, Evaluation, FheEdge, FheOp,
    L1GgswCiphertext, L1GlweCiphertext, SecretKey,
};

use crate::contest::{Contestant, Promise};
use crate::operation::{Operands, Operation};

/// What the library's parameters are named for; its own check of them is disabled and waits
/// for the newest estimator.
const CLAIMED_SECURITY: f64 = 128.0;
/// As the documentation of the set states for a tree of 256 multiplexers.
const LOG2_FAILURE: f64 = -300.0;

type Word = UInt<32, L1GlweCiphertext>;

/// Keys and the processor, which works on rayon's global pool.
pub struct Words {
    secret: SecretKey,
    encryption: Encryption,
    processor: Mutex<(CircuitProcessor, Receiver<()>)>,
}

/// A graph from encrypted inputs to room for the outputs: recording it is not on the clock,
/// nor is it on our side.
pub struct Graph {
    context: FheCircuitCtx,
    output: Output,
}

#[derive(Clone)]
pub enum Output {
    Word(Word),
    Truth(Bit<L1GlweCiphertext>),
}

impl Words {
    pub fn new() -> Self {
        let secret = SecretKey::generate(&DEFAULT_128);
        let compute = Arc::new(ComputeKey::generate(&secret, &DEFAULT_128));
        let encryption = Encryption::new(&DEFAULT_128);
        let evaluation = Evaluation::new(compute, &DEFAULT_128, &encryption);
        // As many tasks in flight as the library's own benchmarks allow.
        let processor = CircuitProcessor::new(16_384, None, &evaluation, &encryption);
        Self {
            secret,
            encryption,
            processor: Mutex::new(processor),
        }
    }

    fn word(&self, value: u32) -> Word {
        Word::encrypt_secret(u128::from(value), &self.encryption, &self.secret)
    }

    fn record(
        &self,
        operation: Operation,
        values: Operands,
        context: &FheCircuitCtx,
    ) -> Result<Output, Failure> {
        type Ggsw<'a> = UIntGraphNodes<'a, 32, L1GgswCiphertext>;
        type Glwe<'a> = UIntGraphNodes<'a, 32, L1GlweCiphertext>;

        let (a, b) = (self.word(values.a), self.word(values.b));
        let (a, b) = (a.graph_inputs(context), b.graph_inputs(context));
        if operation == Operation::Xor {
            return Ok(self.sums(a.bits, b.bits, context));
        }
        if operation == Operation::Shift {
            return Ok(self.shifted(a.bits, &b.bits[..5], context));
        }
        if operation == Operation::Select {
            let (a, b): (Glwe<'_>, Glwe<'_>) = (a.into(), b.into());
            let choice = Bit::<L1GlweCiphertext>::encrypt_secret(
                values.choice,
                &self.encryption,
                &self.secret,
            );
            let choice = choice
                .graph_input(context)
                .convert::<L1GgswCiphertext>(context);
            let selected = choice.select(&a, &b, context);
            return Ok(Output::Word(
                selected.collect_outputs(context, &self.encryption).into(),
            ));
        }

        let a: Ggsw<'_> = a.convert(context).into();
        let b: Ggsw<'_> = b.convert(context).into();
        let encryption = &self.encryption;
        Ok(match operation {
            Operation::Add => Output::Word(
                a.add(&b, context)
                    .collect_outputs(context, encryption)
                    .into(),
            ),
            Operation::Subtract => Output::Word(
                a.sub(&b, context)
                    .collect_outputs(context, encryption)
                    .into(),
            ),
            Operation::And => Output::Word(
                a.and(&b, context)
                    .collect_outputs(context, encryption)
                    .into(),
            ),
            Operation::Multiply => Output::Word(
                a.mul(&b, context)
                    .collect_outputs(context, encryption)
                    .into(),
            ),
            Operation::Less => Output::Truth(a.lt(&b, context).collect_output(context, encryption)),
            Operation::Equal => {
                Output::Truth(a.eq(&b, context).collect_output(context, encryption))
            }
            Operation::Or => {
                let pairs = a.bits.iter().zip(b.bits.iter());
                let inputs: Vec<_> = pairs.flat_map(|(a, b)| [a.node, b.node]).collect();
                let bits = context
                    .circuit
                    .borrow_mut()
                    .insert_mux_circuit_l1glwe_outputs(&make_or_circuit(32), &inputs, encryption);
                Output::Word(Word::from_bits_shallow(bits))
            }
            _ => return Err(format!("Parasol has no row {}", operation.name()).into()),
        })
    }

    /// A stage of its multiplexers for each bit of the amount. Its own circuit for shifts is a tree
    /// of decisions, which for words of 32 bits does not fit a machine's memory.
    fn shifted(
        &self,
        word: &[BitNode<L1GlweCiphertext>],
        amount: &[BitNode<L1GlweCiphertext>],
        context: &FheCircuitCtx,
    ) -> Output {
        let amount = amount.iter();
        let amount = amount.map(|bit| bit.convert::<L1GgswCiphertext>(context).node);
        let amount: Vec<_> = amount.collect();
        let mut word: Vec<_> = word.iter().map(|bit| bit.node).collect();
        let result = Word::new(&self.encryption);
        let mut circuit = context.circuit.borrow_mut();
        let zero = circuit.add_node(FheOp::ZeroGlwe1);
        for (stage, &bit) in amount.iter().enumerate() {
            let stays = word.iter();
            let moves = std::iter::repeat_n(&zero, 1 << stage).chain(&word);
            let places = stays.zip(moves).map(|(&stays, &moves)| {
                let chosen = circuit.add_node(FheOp::CMux);
                circuit.add_edge(bit, chosen, FheEdge::Sel);
                circuit.add_edge(stays, chosen, FheEdge::Low);
                circuit.add_edge(moves, chosen, FheEdge::High);
                chosen
            });
            word = places.collect();
        }
        for (&node, bit) in word.iter().zip(&result.bits) {
            let output = circuit.add_node(FheOp::OutputGlwe1(Arc::clone(bit)));
            circuit.add_edge(node, output, FheEdge::Unary);
        }
        drop(circuit);
        Output::Word(result)
    }

    /// As its processor computes an XOR: sums of ciphertexts, bit by bit.
    fn sums(
        &self,
        a: &[BitNode<L1GlweCiphertext>],
        b: &[BitNode<L1GlweCiphertext>],
        context: &FheCircuitCtx,
    ) -> Output {
        let result = Word::new(&self.encryption);
        let mut circuit = context.circuit.borrow_mut();
        for ((a, b), bit) in a.iter().zip(b).zip(&result.bits) {
            let sum = circuit.add_node(FheOp::GlweAdd);
            circuit.add_edge(a.node, sum, FheEdge::Left);
            circuit.add_edge(b.node, sum, FheEdge::Right);
            let output = circuit.add_node(FheOp::OutputGlwe1(Arc::clone(bit)));
            circuit.add_edge(sum, output, FheEdge::Unary);
        }
        drop(circuit);
        Output::Word(result)
    }
}

impl Contestant for Words {
    type Inputs = Graph;
    type Output = Output;

    fn promise(&self) -> Promise {
        let ring = DEFAULT_128.l1_params.dim;
        Promise {
            set: "Parasol 0.10.0 DEFAULT_128".to_owned(),
            small_dimension: DEFAULT_128.l0_params.dim.0,
            ring_degree: ring.polynomial_degree.0,
            big_dimension: ring.size.0 * ring.polynomial_degree.0,
            security: CLAIMED_SECURITY,
            log2_failure: LOG2_FAILURE,
        }
    }

    fn encrypt(&self, operation: Operation, values: Operands) -> Result<Graph, Failure> {
        let context = FheCircuitCtx::new();
        let output = self.record(operation, values, &context)?;
        Ok(Graph { context, output })
    }

    fn evaluate(&self, _: Operation, inputs: &Graph) -> Result<Output, Failure> {
        let mut guard = self
            .processor
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (processor, flow) = &mut *guard;
        processor
            .run_graph_blocking(&inputs.context.circuit.borrow(), flow)
            .map_err(|error| format!("Parasol: {error:?}"))?;
        Ok(inputs.output.clone())
    }

    fn reveal(&self, _: Operation, output: &Output) -> Result<Vec<u32>, Failure> {
        Ok(vec![match output {
            Output::Word(word) => word.decrypt(&self.encryption, &self.secret) as u32,
            Output::Truth(bit) => u32::from(bit.decrypt(&self.encryption, &self.secret)),
        }])
    }
}
