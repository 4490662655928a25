//! Two parties: one with the secret key, a policy and a record; and a server that has ciphertexts
//! of a secret number, and makes of them what it likes.

use std::cell::Cell;

use blindcore_service::proto::{
    ConditionAsked, OperandsAsked, OperandsKind, Question, question as asked,
};
use blindcore_service::question::question_hash;
use processor::{Answer, Program};
use random::Generator;
use session::policy::{Guard, Policy, Refusal, Rules};
use tfhe::{KeyId, LweCiphertext, SecretKey, SeededServerKey, ServerKey, ShrunkBits, TOY_BLOCK};
use values::{Element, Type};
use wire::{OutputBit, Outputs, Variable};

/// `bne` at the end of a loop in the function `branch`, and where it leads.
const PROGRAM: &[u8] = include_bytes!("../../../processor/tests/programs/refused.elf");
const LOOP: u32 = 0x30;
const LOOP_TARGET: u32 = 0x18;

/// What the server wants to know, and how many bits it has.
pub(crate) const SECRET: u16 = 4321;
pub(crate) const BITS: usize = 16;

/// One step between the phases of two values, in the words of a shrunk bit.
const STEP: u16 = 1 << 11;

pub(crate) const JOB: &str = "0123456789abcdef0123456789abcdef";

pub(crate) fn program() -> Program {
    Program::load(PROGRAM).unwrap()
}

/// Rules that allow the function `branch`, up to `bits` bits in one job.
pub(crate) fn rules(bits: u64) -> Rules {
    Rules {
        max_bits: Some(bits),
        allow: vec!["branch".parse().unwrap()],
        ..Rules::default()
    }
}

pub(crate) fn policy(program: &Program, rules: &Rules) -> Policy {
    Policy::new(rules, program).unwrap()
}

/// The owner of the secret key.
pub(crate) struct Owner {
    key: SecretKey,
    /// How many questions were decrypted.
    pub(crate) decrypted: Cell<u32>,
}

/// The server: everything but the secret key.
pub(crate) struct Server {
    key: KeyId,
    /// The secret number's bits, lowest first, n + 1 words each.
    bits: Vec<Vec<u16>>,
}

pub(crate) fn parties() -> (Owner, Server) {
    let mut generator = Generator::from_key([7; 32]);
    let key = SecretKey::generate(TOY_BLOCK, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&key, &mut generator, 1, &|_, _| {}).unwrap();
    let server = ServerKey::expand(&seeded, 1, &|_, _| {}).unwrap();
    let secret: Vec<bool> = (0..BITS).map(|bit| SECRET >> bit & 1 == 1).collect();
    let encrypted = key.encrypt(&secret, &mut generator).unpack();
    // By themselves: in a row they would leave with one mask.
    let alone: Vec<LweCiphertext> = encrypted.iter().map(|bit| bit.not().not()).collect();
    let encrypted: Vec<&LweCiphertext> = alone.iter().collect();
    let shrunk = server.shrink(&mut server.scratch(1), &encrypted).unwrap();
    let words = ShrunkBits::words_per_bit(&TOY_BLOCK);
    let bits = shrunk.elements().chunks(words).map(<[u16]>::to_vec);
    let server = Server {
        key: key.key_id(),
        bits: bits.collect(),
    };
    let owner = Owner {
        key,
        decrypted: Cell::new(0),
    };
    (owner, server)
}

impl Owner {
    pub(crate) fn key_id(&self) -> KeyId {
        self.key.key_id()
    }

    /// What comes back to the server: an answer, or none. `Err` is a message that was not even a
    /// question.
    pub(crate) fn answer(
        &self,
        guard: &mut Guard<'_>,
        message: &Question,
    ) -> Result<Result<Answer, Refusal>, String> {
        let question = blindcore_service::question::from_message(message)
            .map_err(|error| error.to_string())?;
        Ok(guard.answer(&question.asking(), || {
            self.decrypted.set(self.decrypted.get() + 1);
            let record = question.record();
            let secret = self.key.decrypt_shrunk(record.secret());
            let secret = secret.map_err(|error| error.to_string())?;
            let all = record.merge(&secret).ok_or("too few bits")?;
            Ok::<_, String>(question.bits(&all))
        }))
    }
}

/// One bit of a made question.
#[derive(Clone)]
pub(crate) enum Probe {
    Clear(bool),
    /// These words.
    Secret(Vec<u16>),
}

impl Server {
    /// The secret's bit as it is.
    pub(crate) fn bit(&self, index: usize) -> Probe {
        Probe::Secret(self.bits[index].clone())
    }

    /// What decrypts if the secret's bit is `guess`, and is out of every window if it is not.
    pub(crate) fn if_it_is(&self, index: usize, guess: bool) -> Probe {
        let mut words = self.bits[index].clone();
        let body = words.last_mut().unwrap();
        *body = match guess {
            true => body.wrapping_sub(STEP),
            false => body.wrapping_add(STEP),
        };
        Probe::Secret(words)
    }

    /// A question of one condition: its bit, then the seven that fill its byte.
    pub(crate) fn condition(&self, number: u64, bits: Vec<Probe>) -> Question {
        let condition = asked::Asked::Condition(ConditionAsked {
            condition: "ne".to_owned(),
        });
        self.question(number, condition, &[("condition", Element::Boolean)], bits)
    }

    /// A question about one sum: 32 bits, 32 bits and a carry in a byte.
    pub(crate) fn sum(&self, number: u64, bits: Vec<Probe>) -> Question {
        let base = program().function("branch").unwrap().address;
        let operands = asked::Asked::Operands(OperandsAsked {
            condition: "ne".to_owned(),
            kind: OperandsKind::Sum as i32,
            holds: base + LOOP_TARGET,
            fails: base + LOOP + 4,
        });
        let word = Element::U32;
        let layout = [("a", word), ("b", word), ("carry", Element::Boolean)];
        self.question(number, operands, &layout, bits)
    }

    fn question(
        &self,
        number: u64,
        asked: asked::Asked,
        layout: &[(&str, Element)],
        mut probes: Vec<Probe>,
    ) -> Question {
        let variables: Vec<Variable> = layout
            .iter()
            .map(|(name, element)| Variable {
                name: (*name).to_owned(),
                kind: Type::scalar(*element),
            })
            .collect();
        let total: u32 = layout.iter().map(|(_, element)| element.bits()).sum();
        probes.resize(total as usize, Probe::Clear(false));
        let mut bits = Vec::new();
        let mut elements = Vec::new();
        for probe in probes {
            bits.push(match probe {
                Probe::Clear(value) => OutputBit::Clear(value),
                Probe::Secret(words) => {
                    elements.extend(words);
                    OutputBit::Secret
                }
            });
        }
        let secret = ShrunkBits::from_parts(TOY_BLOCK, self.key, elements).unwrap();
        let record = Outputs::new(variables, bits, secret).unwrap();
        let mut question = Question {
            job: JOB.to_owned(),
            number,
            address: program().function("branch").unwrap().address + LOOP,
            asked: Some(asked),
            record: wire::encode(&record).unwrap().to_vec(),
            ..Question::default()
        };
        question.blake3 = question_hash(&question).to_vec();
        question
    }
}
