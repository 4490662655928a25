//! Questions of a run to the owner of the secret key: as they are sent, and as they arrive, checked
//! for shape.
//!
//! A run on this machine and one on another ask with the same words, so that records and limits of
//! answers count both alike.
//!
//! ```
//! use blindcore_session::question::{AskedWords, Question, QuestionError, ReceivedQuestion, QuestionContent};
//! use processor::Asked;
//!
//! let question = Question {
//!     job: "first".to_owned(),
//!     number: 3,
//!     address: 0x8010,
//!     symbol: ("main".to_owned(), 16),
//!     line: ("main.c".to_owned(), 7),
//!     instruction: "bx r3".to_owned(),
//!     asked: Asked::Target,
//!     record: vec![1, 2, 3],
//! };
//! // Known again by all that it says, wherever it comes from.
//! let content = QuestionContent {
//!     job: "first",
//!     number: 3,
//!     address: 0x8010,
//!     symbol: ("main", 16),
//!     line: ("main.c", 7),
//!     instruction: "bx r3",
//!     asked: AskedWords::Target,
//!     record: &[1, 2, 3],
//! };
//! assert_eq!(question.hash(), content.hash());
//! // Its ciphertexts are none.
//! assert!(matches!(ReceivedQuestion::new(&question), Err(QuestionError::Record { number: 3, .. })));
//! ```

mod hash;

use processor::{Asked, Operands};
use wire::{OutputBit, Outputs};

use crate::policy::Asking;

pub use hash::{AskedWords, QuestionContent};

/// A question as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The job that asks.
    pub job: String,
    /// The question's number within the job.
    pub number: u64,
    /// The instruction's address.
    pub address: u32,
    /// The symbol that the address lies in, and how far behind it; empty where there is none.
    pub symbol: (String, u32),
    /// File and line of the source; empty where nobody knows.
    pub line: (String, u32),
    /// The instruction in words.
    pub instruction: String,
    /// What is asked.
    pub asked: Asked,
    /// The ciphertexts, as an outputs file.
    pub record: Vec<u8>,
}

impl Question {
    /// A hash of all that it says, ciphertexts included.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        let name;
        let asked = match self.asked {
            Asked::Condition(condition) => {
                name = condition.to_string();
                AskedWords::Condition(&name)
            }
            Asked::Operands {
                condition,
                of,
                holds,
                fails,
            } => {
                name = condition.to_string();
                AskedWords::Operands {
                    of: match of {
                        Operands::Sum => 2,
                        Operands::Flags => 3,
                    },
                    condition: &name,
                    holds,
                    fails,
                }
            }
            Asked::Target => AskedWords::Target,
        };
        let content = QuestionContent {
            job: &self.job,
            number: self.number,
            address: self.address,
            symbol: (&self.symbol.0, self.symbol.1),
            line: (&self.line.0, self.line.1),
            instruction: &self.instruction,
            asked,
            record: &self.record,
        };
        content.hash()
    }
}

/// Why what came is no question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
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
    /// Checks what came.
    ///
    /// # Errors
    /// [`QuestionError::Record`]: no honest evaluator sends such a question.
    pub fn new(question: &Question) -> Result<ReceivedQuestion, QuestionError> {
        let number = question.number;
        let wrong = |reason: String| QuestionError::Record { number, reason };
        let record: Outputs =
            wire::decode(&question.record).map_err(|error| wrong(error.to_string()))?;
        let expected = layout(&question.asked);
        let found = record.variables().iter();
        let found = found.map(|variable| (variable.name.as_str(), variable.kind.bits()));
        if !found.eq(expected.iter().map(|part| (part.name, part.bits))) {
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
            job: question.job.clone(),
            number,
            address: question.address,
            asked: question.asked,
            hash: question.hash(),
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

    /// The ciphertexts, and what the evaluator says about the other bits.
    pub fn record(&self) -> &Outputs {
        &self.record
    }

    /// The bits that the question is about, in the order of [`Asked`], out of all bits of the
    /// record ([`Outputs::merge`]).
    pub fn bits(&self, all: &[bool]) -> Vec<bool> {
        let mut rest = all;
        let mut bits = Vec::new();
        for part in layout(&self.asked) {
            let (own, after) = rest.split_at(rest.len().min(part.bits));
            bits.extend_from_slice(&own[..own.len().min(part.asked)]);
            rest = after;
        }
        bits
    }
}

/// Whether every bit that is not asked about is a known zero. A secret one would be decrypted with
/// the rest, and whether there is an answer would reveal it.
fn is_filled_with_zeros(record: &Outputs, layout: &[Part]) -> bool {
    let mut rest = record.bits();
    layout.iter().all(|part| {
        let (own, after) = rest.split_at(rest.len().min(part.bits));
        rest = after;
        let mut filling = own.iter().skip(part.asked);
        filling.all(|bit| *bit == OutputBit::Clear(false))
    })
}

/// A variable of a question's record.
struct Part {
    name: &'static str,
    /// How many of its lowest bits are asked about.
    asked: usize,
    /// All its bits.
    bits: usize,
}

const fn part(name: &'static str, asked: usize, bits: usize) -> Part {
    Part { name, asked, bits }
}

/// The variables of a question's record.
fn layout(asked: &Asked) -> &'static [Part] {
    match asked {
        Asked::Condition(_) => const { &[part("condition", 1, 8)] },
        Asked::Operands {
            of: Operands::Sum, ..
        } => const { &[part("a", 32, 32), part("b", 32, 32), part("carry", 1, 8)] },
        Asked::Operands {
            of: Operands::Flags,
            ..
        } => const { &[part("flags", 4, 8)] },
        Asked::Target => const { &[part("target", 32, 32)] },
    }
}
