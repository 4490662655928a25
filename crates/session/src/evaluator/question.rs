//! From what a run asks to a question for the owner of the secret key, its bits as an outputs file
//! of their own.
//!
//! | asked | variables of the record |
//! |---|---|
//! | does a condition hold? | `condition`: bool, 1 where it does |
//! | where does the branch go, by a sum? | `a`: u32, `b`: u32, `carry`: bool, of `AddWithCarry` |
//! | where does the branch go, by flags? | `flags`: u8, N Z C V in bits 0 to 3 |
//! | where does the jump go? | `target`: u32 |

use engines::tfhe_lookup::TfheLookup;
use processor::{Asked, Bit, Operands};
use tfhe::LweCiphertext;
use values::{Element, Type};
use wire::{Outputs, Variable};

use super::EvaluationError;
use super::outputs::shrunk;
use crate::question::Question;

/// What a run of `job` asks, as it goes to the owner of the secret key.
///
/// # Errors
/// [`EvaluationError::Question`] if the bits are not what is asked about, and
/// [`EvaluationError::Scheme`].
pub fn question(
    engine: &TfheLookup,
    job: &str,
    question: &processor::Question<LweCiphertext>,
) -> Result<Question, EvaluationError> {
    let record = wire::encode(&record(engine, question)?)?;
    let place = &question.site.place;
    Ok(Question {
        job: job.to_owned(),
        number: question.number,
        address: question.address,
        symbol: place.symbol.clone().unwrap_or_default(),
        line: place.line.clone().unwrap_or_default(),
        instruction: question.site.instruction.clone(),
        asked: question.asked,
        record: record.to_vec(),
    })
}

fn record(
    engine: &TfheLookup,
    question: &processor::Question<LweCiphertext>,
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
