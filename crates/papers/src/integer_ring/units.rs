//! The rows of the table as circuits: as §3 of the paper draws them, and as the library builds them
//! for a scheme in which depth is what costs.
//!
//! The paper's ripple adder has one AND for each bit; its look-ahead adder is a tree of groups of
//! four; the product adds rows in pairs, only the columns that count; the division does not
//! restore, and computes −b once, by half adders.

use circuits::library::{self, Architectures, Divider, Multiplier, Signedness, Subtractor};
use circuits::{Builder, Profile};
use serde::Serialize;

use super::super::bench::{CheckedCircuit, Definition};
use super::paper::{Operation, Row};
use crate::error::PapersError;

/// Who draws a row's circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Drawing {
    Paper,
    Ours,
}

impl Drawing {
    pub(super) const ALL: [Self; 2] = [Self::Paper, Self::Ours];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Paper => "the paper's circuit",
            Self::Ours => "ours",
        }
    }
}

/// What is forced to draw a row as the paper does.
fn forced(row: &Row) -> Result<Architectures, PapersError> {
    let name = match row.circuit {
        "CLA" => "look-ahead-groups",
        _ => "ripple",
    };
    let adder = name.parse().map_err(crate::error::internal)?;
    let subtractor = match row.operation {
        Operation::Subtraction if row.circuit == "RCS" => Subtractor::Borrow,
        _ => Subtractor::Complement(adder),
    };
    Ok(Architectures {
        adder: Some(adder),
        subtractor: Some(subtractor),
        multiplier: Some(Multiplier::PencilAndPaper),
        divider: Some(Divider::Precomputed),
        ..Architectures::default()
    })
}

/// A row's circuit for a target.
pub(super) fn checked(
    row: &Row,
    drawing: Drawing,
    profile: &Profile,
) -> Result<CheckedCircuit, PapersError> {
    let mut profile = profile.clone();
    if drawing == Drawing::Paper {
        profile.architectures = forced(row)?;
    }
    let operation = row.operation;
    let definition: Definition = match operation {
        Operation::Addition => Box::new(|w| vec![w[0].wrapping_add(w[1])]),
        Operation::Subtraction => Box::new(|w| vec![w[0].wrapping_sub(w[1])]),
        Operation::Multiplication => Box::new(|w| vec![w[0].wrapping_mul(w[1])]),
        // Division by zero has the quotient 0 and the remainder x, as A32 has it.
        Operation::Division => Box::new(|w| {
            let quotient = w[0].checked_div(w[1]).unwrap_or(0);
            vec![quotient, w[0] - quotient * w[1]]
        }),
    };
    let unit = |b: &mut Builder, w: &[library::Word]| match operation {
        Operation::Addition => vec![library::add(b, &w[0], &w[1])],
        Operation::Subtraction => vec![library::subtract(b, &w[0], &w[1])],
        Operation::Multiplication => vec![library::multiply(b, &w[0], &w[1])],
        Operation::Division => {
            let divided = library::divide(b, Signedness::Unsigned, &w[0], &w[1]);
            vec![divided.quotient, divided.remainder]
        }
    };
    Ok(CheckedCircuit::build(
        &profile,
        vec![row.bits; 2],
        unit,
        definition,
    ))
}
