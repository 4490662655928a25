//! From what a run asks to a message, its bits as an outputs file of their own.
//!
//! | asked | variables of the record |
//! |---|---|
//! | does a condition hold? | `condition`: bool, 1 where it does |
//! | where does the branch go, by a sum? | `a`: u32, `b`: u32, `carry`: bool, of `AddWithCarry` |
//! | where does the branch go, by flags? | `flags`: u8, N Z C V in bits 0 to 3 |
//! | where does the jump go? | `target`: u32 |

use engines::tfhe_lookup::TfheLookup;
use processor::{Asked, Bit, Operands, Question};
use tfhe::LweCiphertext;
use values::{Element, Type};
use wire::{Outputs, Variable};

use super::EvaluationError;
use super::outputs::shrunk;
use crate::proto;

/// What a run of `job` asks, as it is sent to the owner of the secret key.
///
/// # Errors
/// [`EvaluationError::Question`] if the bits are not what is asked about, and
/// [`EvaluationError::Scheme`].
pub fn question(
    engine: &TfheLookup,
    job: &str,
    question: &Question<LweCiphertext>,
) -> Result<proto::Question, EvaluationError> {
    let record = wire::encode(&record(engine, question)?)?;
    let place = &question.site.place;
    let (symbol, offset) = place.symbol.clone().unwrap_or_default();
    let (file, line) = place.line.clone().unwrap_or_default();
    let mut message = proto::Question {
        job: job.to_owned(),
        number: question.number,
        address: question.address,
        symbol,
        offset,
        file,
        line,
        instruction: question.site.instruction.clone(),
        record: record.to_vec(),
        blake3: Vec::new(),
        asked: Some(asked(question.asked)),
    };
    message.blake3 = question_hash(&message).to_vec();
    Ok(message)
}

/// BLAKE3 of all that a question says, its own hash aside: the fields in the order of their numbers,
/// each after its length in eight bytes. Integers are little-endian, in their own width. What is
/// asked is one byte (1 a condition, 2 a sum, 3 flags, 4 a target, 0 none of these), then the
/// condition's name and the two addresses where it has them.
#[must_use]
pub fn question_hash(question: &proto::Question) -> [u8; 32] {
    use proto::question::Asked;
    let mut hasher = blake3::Hasher::new();
    let mut bytes = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    bytes(question.job.as_bytes());
    bytes(&question.number.to_le_bytes());
    bytes(&question.address.to_le_bytes());
    bytes(question.symbol.as_bytes());
    bytes(&question.offset.to_le_bytes());
    bytes(question.file.as_bytes());
    bytes(&question.line.to_le_bytes());
    bytes(question.instruction.as_bytes());
    match &question.asked {
        Some(Asked::Condition(asked)) => {
            bytes(&[1]);
            bytes(asked.condition.as_bytes());
        }
        Some(Asked::Operands(asked)) => {
            let code = match asked.kind() {
                proto::OperandsKind::Sum => 2,
                proto::OperandsKind::Flags => 3,
                proto::OperandsKind::Unspecified => 0,
            };
            bytes(&[code]);
            bytes(asked.condition.as_bytes());
            bytes(&asked.holds.to_le_bytes());
            bytes(&asked.fails.to_le_bytes());
        }
        Some(Asked::Target(_)) => bytes(&[4]),
        None => bytes(&[0]),
    }
    bytes(&question.record);
    hasher.finalize().into()
}

fn asked(asked: Asked) -> proto::question::Asked {
    use proto::question::Asked as Message;
    match asked {
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
    }
}

fn record(
    engine: &TfheLookup,
    question: &Question<LweCiphertext>,
) -> Result<Outputs, EvaluationError> {
    let word = Element::U32;
    // A variable's name, its type, and how many bits of the question are its lowest.
    let layout: &[(&str, Element, usize)] = match question.asked {
        Asked::Condition(_) => &[("condition", Element::Boolean, 1)],
        Asked::Operands {
            of: Operands::Sum, ..
        } => &[
            ("a", word, 32),
            ("b", word, 32),
            ("carry", Element::Boolean, 1),
        ],
        Asked::Operands {
            of: Operands::Flags,
            ..
        } => &[("flags", Element::U8, 4)],
        Asked::Target => &[("target", word, 32)],
    };
    let expected = layout.iter().map(|(.., bits)| bits).sum();
    if question.bits.len() != expected {
        return Err(EvaluationError::Question {
            expected,
            found: question.bits.len(),
        });
    }
    let zero = Bit::Clear(false);
    let mut given = question.bits.iter();
    let mut bits = Vec::new();
    let mut variables = Vec::new();
    for &(name, element, width) in layout {
        variables.push(Variable {
            name: name.to_owned(),
            kind: Type::scalar(element),
        });
        let rest = element.bits() as usize - width;
        bits.extend(given.by_ref().take(width));
        bits.extend(std::iter::repeat_n(&zero, rest));
    }
    shrunk(engine, variables, &bits)
}
