//! A question as it arrives, read back into the processor's terms and checked for shape.

use a32::Condition;
use processor::{Asked, Operands};
use wire::{OutputBit, Outputs};

use crate::evaluation::question_hash;
use crate::policy::Asking;
use crate::proto;

/// Why a message is no question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// Nothing is asked.
    #[error("question {number} asks nothing that is known")]
    Nothing {
        /// The question's number.
        number: u64,
    },
    /// An unknown condition.
    #[error("question {number} is about a condition {condition:?}, which there is not")]
    Condition {
        /// The question's number.
        number: u64,
        /// What was written.
        condition: String,
    },
    /// The hash is not that of the question.
    #[error("question {number} has another hash than its content")]
    Hash {
        /// The question's number.
        number: u64,
    },
    /// The ciphertexts are no outputs file, or not the bits that the question is about.
    #[error("question {number}: {reason}")]
    Record {
        /// The question's number.
        number: u64,
        /// What is wrong.
        reason: String,
    },
}

/// A question with its ciphertexts, to be held against a policy and then decrypted.
#[derive(Clone, Debug)]
pub struct ReceivedQuestion {
    job: String,
    number: u64,
    address: u32,
    asked: Asked,
    hash: [u8; 32],
    record: Outputs,
}

impl ReceivedQuestion {
    /// Reads a message.
    ///
    /// # Errors
    /// [`QuestionError`]: no honest server sends such a message.
    pub fn new(message: &proto::Question) -> Result<ReceivedQuestion, QuestionError> {
        let number = message.number;
        let hash = question_hash(message);
        if message.blake3 != hash {
            return Err(QuestionError::Hash { number });
        }
        let asked = asked(message)?;
        let wrong = |reason: String| QuestionError::Record { number, reason };
        let record: Outputs =
            wire::decode(&message.record).map_err(|error| wrong(error.to_string()))?;
        let expected = layout(&asked);
        let found = record.variables().iter();
        let found = found.map(|variable| (variable.name.as_str(), variable.kind.bits()));
        if !found.eq(expected.iter().map(|(name, _, bits)| (*name, *bits))) {
            return Err(wrong(
                "its variables are not those that it is about".to_owned(),
            ));
        }
        if !is_filled_with_zeros(&record, expected) {
            return Err(wrong(
                "the bits that only fill its bytes are not known zeros".to_owned(),
            ));
        }
        Ok(ReceivedQuestion {
            job: message.job.clone(),
            number,
            address: message.address,
            asked,
            hash,
            record,
        })
    }

    /// What a policy judges.
    pub fn asking(&self) -> Asking<'_> {
        Asking {
            job: &self.job,
            number: self.number,
            address: self.address,
            asked: self.asked,
            hash: self.hash,
        }
    }

    /// The ciphertexts, and what the server says about the other bits.
    pub fn record(&self) -> &Outputs {
        &self.record
    }

    /// The bits that the question is about, in the order of [`Asked`], out of all bits of the record
    /// ([`Outputs::merge`]).
    pub fn bits(&self, all: &[bool]) -> Vec<bool> {
        let mut rest = all;
        let mut bits = Vec::new();
        for (_, meant, width) in layout(&self.asked) {
            let (own, after) = rest.split_at(rest.len().min(*width));
            bits.extend_from_slice(&own[..own.len().min(*meant)]);
            rest = after;
        }
        bits
    }
}

/// Whether every bit that is not asked about is a zero that everybody knows. A secret one would be
/// decrypted with the rest, and what it says be seen in whether there is an answer.
fn is_filled_with_zeros(record: &Outputs, layout: &[(&str, usize, usize)]) -> bool {
    let mut rest = record.bits();
    layout.iter().all(|(_, meant, width)| {
        let (own, after) = rest.split_at(rest.len().min(*width));
        rest = after;
        let mut filling = own.iter().skip(*meant);
        filling.all(|bit| *bit == OutputBit::Clear(false))
    })
}

/// The variables of a question's record: name, how many of its lowest bits are meant, its bits.
fn layout(asked: &Asked) -> &'static [(&'static str, usize, usize)] {
    match asked {
        Asked::Condition(_) => &[("condition", 1, 8)],
        Asked::Operands {
            of: Operands::Sum, ..
        } => &[("a", 32, 32), ("b", 32, 32), ("carry", 1, 8)],
        Asked::Operands {
            of: Operands::Flags,
            ..
        } => &[("flags", 4, 8)],
        Asked::Target => &[("target", 32, 32)],
    }
}

fn asked(message: &proto::Question) -> Result<Asked, QuestionError> {
    use proto::question::Asked as Message;
    let number = message.number;
    let nothing = QuestionError::Nothing { number };
    match message.asked.as_ref().ok_or(nothing.clone())? {
        Message::Condition(asked) => Ok(Asked::Condition(condition(number, &asked.condition)?)),
        Message::Operands(asked) => Ok(Asked::Operands {
            condition: condition(number, &asked.condition)?,
            of: match asked.kind() {
                proto::OperandsKind::Sum => Operands::Sum,
                proto::OperandsKind::Flags => Operands::Flags,
                proto::OperandsKind::Unspecified => return Err(nothing),
            },
            holds: asked.holds,
            fails: asked.fails,
        }),
        Message::Target(_) => Ok(Asked::Target),
    }
}

fn condition(number: u64, name: &str) -> Result<Condition, QuestionError> {
    let mut all = Condition::ALL.into_iter();
    all.find(|condition| condition.to_string() == name)
        .ok_or_else(|| QuestionError::Condition {
            number,
            condition: super::error::printable(name),
        })
}
