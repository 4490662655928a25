//! From an expression to one circuit, and its evaluation.

use std::collections::HashMap;
use std::sync::Arc;

use circuits::library::{self, Shift, Signedness};
use circuits::passes::{self, Provenance};
use circuits::{Builder, ExecError, Gates, Pool, Profile, Wire};
use engines::tfhe_lookup::{self, TfheLookup};
use session::evaluator::Target;
use session::{Control, Error, ErrorKind};
use tfhe::{KeyId, LweCiphertext, Parameters};

use super::node::{Encrypted, EncryptedBit, Kind, Node, Operation};
use super::{Bit, Integer, Word};
use crate::ServerKey;
use crate::server_key::Computing;

/// What can be evaluated: a word, a bit, a pair or a list of such, whose parts are evaluated
/// together.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Error, Expression, Keys, Word};
///
/// /// The most expensive of some offers, evaluated by whoever has the server's key.
/// fn remotely<E: Expression>(keys: &Keys, offer: &E) -> Result<E, Error> {
///     keys.server.evaluate(offer)
/// }
///
/// let keys = Keys::generate()?;
/// let offers = [120_u8, 200, 70].map(|offer| keys.secret.encrypt_word(offer));
/// let offers: Vec<Word<u8>> = offers.into_iter().collect::<Result<_, _>>()?;
/// let best = offers[1..].iter().fold(offers[0].clone(), |best, offer| best.max(offer));
/// assert_eq!(keys.secret.decrypt_word(&remotely(&keys, &best)?)?, 200);
/// # Ok(())
/// # }
/// ```
pub trait Expression: Sized {
    /// Its nodes, in order.
    #[doc(hidden)]
    fn nodes(&self) -> Nodes;

    /// The same of evaluated nodes.
    #[doc(hidden)]
    fn with(nodes: &mut dyn Iterator<Item = Nodes>, like: &Self) -> Option<Self>;
}

/// Nodes of an expression.
#[doc(hidden)]
pub struct Nodes(Vec<Arc<Node>>);

impl<T: Integer> Expression for Word<T> {
    fn nodes(&self) -> Nodes {
        Nodes(vec![Arc::clone(&self.node)])
    }

    fn with(nodes: &mut dyn Iterator<Item = Nodes>, _: &Self) -> Option<Self> {
        nodes.next()?.0.pop().map(Word::of)
    }
}

impl Expression for Bit {
    fn nodes(&self) -> Nodes {
        Nodes(vec![Arc::clone(&self.node)])
    }

    fn with(nodes: &mut dyn Iterator<Item = Nodes>, _: &Self) -> Option<Self> {
        nodes.next()?.0.pop().map(|node| Bit { node })
    }
}

impl<A: Expression, B: Expression> Expression for (A, B) {
    fn nodes(&self) -> Nodes {
        let mut nodes = self.0.nodes();
        nodes.0.extend(self.1.nodes().0);
        nodes
    }

    fn with(nodes: &mut dyn Iterator<Item = Nodes>, like: &Self) -> Option<Self> {
        Some((A::with(nodes, &like.0)?, B::with(nodes, &like.1)?))
    }
}

impl<A: Expression> Expression for Vec<A> {
    fn nodes(&self) -> Nodes {
        Nodes(self.iter().flat_map(|one| one.nodes().0).collect())
    }

    fn with(nodes: &mut dyn Iterator<Item = Nodes>, like: &Self) -> Option<Self> {
        like.iter().map(|one| A::with(nodes, one)).collect()
    }
}

impl ServerKey {
    /// Evaluates an expression as one circuit, on all of the machine's threads.
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// let keys = blindcore::Keys::generate()?;
    /// let (a, b) = (keys.secret.encrypt_word(-7_i16)?, keys.secret.encrypt_word(9_i16)?);
    /// let (sum, less) = keys.server.evaluate(&(&a + &b, a.lt(&b)))?;
    /// assert_eq!(keys.secret.decrypt_word(&sum)?, 2);
    /// assert!(keys.secret.decrypt_bit(&less)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Division by zero gives what the processor's does: quotient 0, and the dividend as remainder.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] for words of another key than this one's pair.
    pub fn evaluate<E: Expression>(&self, expression: &E) -> Result<E, Error> {
        let control = Control::default();
        let mut drawing = self.drawing(&control)?;
        let roots = expression.nodes().0;
        let mut outputs = Vec::new();
        for root in &roots {
            outputs.extend(drawing.word(root)?);
        }
        let (parameters, key) = (drawing.parameters, drawing.key);
        let mut bits = self.finish(drawing, &outputs, &control)?.into_iter();
        let mut nodes = roots.iter().map(|root| {
            let encrypted = Encrypted {
                bits: bits.by_ref().take(root.width).collect(),
                parameters,
                key,
            };
            Nodes(vec![Node::leaf(Kind::Encrypted(encrypted), root.width)])
        });
        let evaluated = E::with(&mut nodes, expression);
        evaluated.ok_or_else(|| Error::internal("an expression changed while it was evaluated"))
    }

    /// Evaluates a circuit of your own, or of a file: `draw` is given the wires of the inputs and
    /// returns those of the outputs.
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// let keys = blindcore::Keys::generate()?;
    /// let votes = [true, false, true].map(|vote| keys.secret.encrypt_bit(vote));
    /// let votes = votes.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let majority = keys.server.evaluate_circuit(&votes, |build, wires| {
    ///     let (both, either) = (build.and(wires[0], wires[1]), build.xor(wires[0], wires[1]));
    ///     let third = build.and(either, wires[2]);
    ///     vec![build.or(both, third)]
    /// })?;
    /// assert!(keys.secret.decrypt_bit(&majority[0])?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`evaluate`](Self::evaluate).
    pub fn evaluate_circuit(
        &self,
        inputs: &[Bit],
        draw: impl FnOnce(&mut Builder, &[Wire]) -> Vec<Wire>,
    ) -> Result<Vec<Bit>, Error> {
        let control = Control::default();
        let mut drawing = self.drawing(&control)?;
        let mut wires = Vec::new();
        for input in inputs {
            wires.extend(drawing.word(&input.node)?);
        }
        let outputs = draw(&mut drawing.builder, &wires);
        let (parameters, key) = (drawing.parameters, drawing.key);
        let bits = self.finish(drawing, &outputs, &control)?.into_iter();
        let bits = bits.map(|bit| {
            let encrypted = Encrypted {
                bits: vec![bit],
                parameters,
                key,
            };
            let node = Node::leaf(Kind::Encrypted(encrypted), 1);
            Bit { node }
        });
        Ok(bits.collect())
    }

    /// An empty drawing for this key.
    fn drawing(&self, control: &Control) -> Result<Drawing, Error> {
        let Computing::Tfhe { seeded, .. } = &self.0 else {
            let message = "words take a server key of TFHE (Keys::generate)";
            return Err(Error::new(ErrorKind::Key, message));
        };
        let parameters = *seeded.parameters();
        let profile = tfhe_lookup::profile(&parameters).with_cores(control.threads.get());
        Ok(Drawing::new(profile, parameters, seeded.key_id()))
    }

    /// Evaluates what was drawn.
    fn finish(
        &self,
        drawing: Drawing,
        outputs: &[Wire],
        control: &Control,
    ) -> Result<Vec<EncryptedBit>, Error> {
        let Drawing {
            mut builder,
            profile,
            inputs,
            provenance,
            ..
        } = drawing;
        for wire in outputs {
            builder.output(*wire);
        }
        let circuit = passes::prepare_knowing(&builder.finish(), &profile, &provenance);
        if let Some(lookup) = profile.lookup
            && passes::noise(&circuit, &lookup.noise).worst > lookup.noise.limit
        {
            return Err(Error::internal("the circuit is too noisy"));
        }
        let key = self.tfhe(&Target::of(control))?;
        let engine = TfheLookup::new(key, profile);
        let pool = Pool::new(control.threads.get());
        let ciphertexts = circuits::run(&engine, &circuit, &inputs, &pool)
            .map_err(|error: ExecError<_>| Error::internal(error))?;

        let known = passes::provenance(&circuit, &provenance);
        let bits = circuit.outputs().iter().zip(ciphertexts);
        let bits = bits.map(|(wire, ciphertext)| match wire.as_constant() {
            Some(value) => EncryptedBit::Clear(value),
            None => EncryptedBit::Secret {
                // Without the inversion, which its provenance does not know.
                ciphertext: match wire.is_inverted() {
                    true => Arc::new(engine.not(&ciphertext)),
                    false => ciphertext,
                },
                provenance: known
                    .get(wire.signal().index())
                    .copied()
                    .unwrap_or_else(|| Provenance::original(u64::MAX)),
                inverted: wire.is_inverted(),
            },
        });
        Ok(bits.collect())
    }
}

/// A circuit in the making.
struct Drawing {
    builder: Builder,
    profile: Profile,
    parameters: Parameters,
    key: KeyId,
    /// Wires of nodes that are drawn.
    drawn: HashMap<*const Node, Vec<Wire>>,
    /// Ciphertexts of the circuit's inputs, and how they were made.
    inputs: Vec<Arc<LweCiphertext>>,
    provenance: Vec<Provenance>,
}

impl Drawing {
    fn new(profile: Profile, parameters: Parameters, key: KeyId) -> Self {
        Self {
            builder: Builder::new(&profile),
            profile,
            parameters,
            key,
            drawn: HashMap::new(),
            inputs: Vec::new(),
            provenance: Vec::new(),
        }
    }

    /// Draws a node after its operands, however deep they lie.
    fn word(&mut self, root: &Arc<Node>) -> Result<Vec<Wire>, Error> {
        let mut waiting = vec![root.as_ref()];
        while let Some(&node) = waiting.last() {
            let missing = node
                .operands
                .iter()
                .find(|operand| !self.drawn.contains_key(&Arc::as_ptr(operand)));
            match missing {
                Some(operand) => waiting.push(operand),
                None => {
                    waiting.pop();
                    if !self.drawn.contains_key(&std::ptr::from_ref(node)) {
                        let wires = self.one(node)?;
                        self.drawn.insert(node, wires);
                    }
                }
            }
        }
        Ok(self.wires(root))
    }

    fn wires(&self, node: &Arc<Node>) -> Vec<Wire> {
        self.drawn
            .get(&Arc::as_ptr(node))
            .cloned()
            .unwrap_or_default()
    }

    /// Draws a node whose operands are drawn.
    fn one(&mut self, node: &Node) -> Result<Vec<Wire>, Error> {
        let operation = match &node.kind {
            Kind::Encrypted(encrypted) => return self.encrypted(encrypted),
            Kind::Clear(value) => return Ok(library::constant(*value, node.width)),
            Kind::Operation(operation) => *operation,
        };
        let operands: Vec<Vec<Wire>> = node.operands.iter().map(|one| self.wires(one)).collect();
        let b = &mut self.builder;
        let signedness = |signed| match signed {
            true => Signedness::Signed,
            false => Signedness::Unsigned,
        };
        Ok(match (operation, operands.as_slice()) {
            (Operation::Add, [x, y]) => library::add(b, x, y),
            (Operation::Subtract, [x, y]) => library::subtract(b, x, y),
            (Operation::Multiply, [x, y]) => library::multiply(b, x, y),
            (Operation::Divide { signed, remainder }, [x, y]) => {
                let divided = library::divide(b, signedness(signed), x, y);
                match remainder {
                    true => divided.remainder,
                    false => divided.quotient,
                }
            }
            (Operation::And, [x, y]) => library::and(b, x, y),
            (Operation::Or, [x, y]) => library::or(b, x, y),
            (Operation::Xor, [x, y]) => library::xor(b, x, y),
            (Operation::Not, [x]) => library::not(x),
            (Operation::ShiftLeft(places), [x]) => {
                library::shift_by(Shift::Left, x, places, Wire::FALSE).0
            }
            (Operation::ShiftRight { places, signed }, [x]) => {
                let kind = match signed {
                    true => Shift::ArithmeticRight,
                    false => Shift::LogicalRight,
                };
                library::shift_by(kind, x, places, Wire::FALSE).0
            }
            (Operation::Equal, [x, y]) => vec![library::equal(b, x, y)],
            (Operation::Less { signed: true }, [x, y]) => {
                vec![library::less_than_signed(b, x, y)]
            }
            (Operation::Less { signed: false }, [x, y]) => {
                vec![library::less_than_unsigned(b, x, y)]
            }
            (Operation::Select, [condition, then, otherwise]) => match condition.as_slice() {
                [condition] => library::select(b, *condition, then, otherwise),
                _ => return Err(Error::internal("a condition is one bit")),
            },
            (Operation::Extend { signed }, [x]) => {
                let above = match (signed, x.last()) {
                    (true, Some(sign)) => *sign,
                    _ => Wire::FALSE,
                };
                let mut word = x.clone();
                word.resize(node.width, above);
                word
            }
            (Operation::Place(place), [x]) => x.get(place).copied().into_iter().collect(),
            (Operation::Join, parts) => parts.concat(),
            _ => return Err(Error::internal("an operation without its operands")),
        })
    }

    /// Ciphertexts become inputs; the same one becomes the same input when the circuit is prepared.
    fn encrypted(&mut self, encrypted: &Encrypted) -> Result<Vec<Wire>, Error> {
        if encrypted.key != self.key || encrypted.parameters != self.parameters {
            let (found, expected) = (encrypted.key, self.key);
            let message = format!(
                "a word is of key {found}, the server's key of {expected}: use keys of one pair"
            );
            return Err(Error::new(ErrorKind::Key, message));
        }
        let bits = encrypted.bits.iter().map(|bit| match bit {
            EncryptedBit::Clear(value) => Wire::constant(*value),
            EncryptedBit::Secret {
                ciphertext,
                provenance,
                inverted,
            } => {
                self.inputs.push(Arc::clone(ciphertext));
                self.provenance.push(*provenance);
                self.builder.input().invert_if(*inverted)
            }
        });
        Ok(bits.collect())
    }
}
