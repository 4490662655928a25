//! Questions as messages: [`session::question::Question`] to its message and back.

use a32::Condition;
use processor::{Asked, Operands};
use session::question::{AskedWords, Question, QuestionContent, ReceivedQuestion};

use crate::client::printable;
use crate::proto;
use crate::proto::question::Asked as Message;

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
    #[error(transparent)]
    Shape(#[from] session::question::QuestionError),
}

/// A question as a message.
#[must_use]
pub fn to_message(question: &Question) -> proto::Question {
    proto::Question {
        job: question.job.clone(),
        number: question.number,
        address: question.address,
        symbol: question.symbol.0.clone(),
        offset: question.symbol.1,
        file: question.line.0.clone(),
        line: question.line.1,
        instruction: question.instruction.clone(),
        record: question.record.clone(),
        blake3: question.hash().to_vec(),
        asked: Some(match question.asked {
            Asked::Condition(condition) => Message::Condition(proto::ConditionAsked {
                condition: condition.to_string(),
            }),
            Asked::Operands {
                condition,
                of,
                holds,
                fails,
            } => Message::Operands(proto::OperandsAsked {
                condition: condition.to_string(),
                kind: match of {
                    Operands::Sum => proto::OperandsKind::Sum,
                    Operands::Flags => proto::OperandsKind::Flags,
                } as i32,
                holds,
                fails,
            }),
            Asked::Target => Message::Target(proto::TargetAsked {}),
        }),
    }
}

/// Reads a message and checks it for shape.
///
/// # Errors
/// [`QuestionError`]: no honest server sends such a message.
pub fn from_message(message: &proto::Question) -> Result<ReceivedQuestion, QuestionError> {
    let number = message.number;
    if message.blake3 != question_hash(message) {
        return Err(QuestionError::Hash { number });
    }
    let question = Question {
        job: message.job.clone(),
        number,
        address: message.address,
        symbol: (message.symbol.clone(), message.offset),
        line: (message.file.clone(), message.line),
        instruction: message.instruction.clone(),
        asked: kind(message)?,
        record: message.record.clone(),
    };
    Ok(ReceivedQuestion::new(&question)?)
}

/// The hash of a message, its own hash aside: [`QuestionContent::hash`].
#[must_use]
pub fn question_hash(question: &proto::Question) -> [u8; 32] {
    let content = QuestionContent {
        job: &question.job,
        number: question.number,
        address: question.address,
        symbol: (&question.symbol, question.offset),
        line: (&question.file, question.line),
        instruction: &question.instruction,
        asked: match &question.asked {
            Some(Message::Condition(asked)) => AskedWords::Condition(&asked.condition),
            Some(Message::Operands(asked)) => AskedWords::Operands {
                of: match asked.kind() {
                    proto::OperandsKind::Sum => 2,
                    proto::OperandsKind::Flags => 3,
                    proto::OperandsKind::Unspecified => 0,
                },
                condition: &asked.condition,
                holds: asked.holds,
                fails: asked.fails,
            },
            Some(Message::Target(_)) => AskedWords::Target,
            None => AskedWords::Nothing,
        },
        record: &question.record,
    };
    content.hash()
}

/// What a question asks for.
fn kind(message: &proto::Question) -> Result<Asked, QuestionError> {
    let number = message.number;
    let nothing = || QuestionError::Nothing { number };
    match message.asked.as_ref().ok_or_else(nothing)? {
        Message::Condition(asked) => Ok(Asked::Condition(condition(number, &asked.condition)?)),
        Message::Operands(asked) => Ok(Asked::Operands {
            condition: condition(number, &asked.condition)?,
            of: match asked.kind() {
                proto::OperandsKind::Sum => Operands::Sum,
                proto::OperandsKind::Flags => Operands::Flags,
                proto::OperandsKind::Unspecified => return Err(nothing()),
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
            condition: printable(name),
        })
}
