//! From what a run leaves to an outputs file.

use circuits::Gates;
use engines::tfhe_lookup::TfheLookup;
use processor::{Bit, Outcome, Plan};
use tfhe::LweCiphertext;
use values::Type;
use wire::{OutputBit, Outputs, Variable};

use super::EvaluationError;

/// Whether the outputs that a plan foresees fit a file: for finding out before the work.
///
/// # Errors
/// [`EvaluationError::Wire`] for types, names and sizes that files do not have.
pub fn check_storable(plan: &Plan) -> Result<(), EvaluationError> {
    let planned = plan.outputs.iter();
    let planned = planned.map(|output| variable(&output.name, &output.ty));
    Ok(wire::check_variables(&planned.collect::<Vec<_>>())?)
}

/// A variable of a file.
#[must_use]
pub(crate) fn variable(name: &str, ty: &Type) -> Variable {
    Variable {
        name: name.to_owned(),
        kind: ty.clone(),
    }
}

/// The outputs of a run as a file's content, the secret ones shrunk.
///
/// # Errors
/// As for [`check_storable`], and [`EvaluationError::Scheme`].
pub fn outputs(
    engine: &TfheLookup,
    outcome: &Outcome<LweCiphertext>,
) -> Result<Outputs, EvaluationError> {
    let mut variables = Vec::new();
    let mut bits = Vec::new();
    for output in &outcome.outputs {
        variables.push(variable(&output.name, &output.ty));
        bits.extend(output.bits.iter());
    }
    shrunk(engine, variables, &bits)
}

/// Shrinks what leaves.
pub(super) fn shrunk(
    engine: &TfheLookup,
    variables: Vec<Variable>,
    bits: &[&Bit<LweCiphertext>],
) -> Result<Outputs, EvaluationError> {
    let mut secret: Vec<&LweCiphertext> = Vec::new();
    let mut kept = Vec::with_capacity(bits.len());
    for bit in bits {
        kept.push(match bit {
            Bit::Clear(value) => OutputBit::Clear(*value),
            Bit::Secret(ciphertext) => {
                secret.push(ciphertext);
                OutputBit::Secret
            }
        });
    }
    let shrunk = engine
        .key()
        .shrink(&mut engine.key().scratch(engine.profile().batch), &secret)?;
    Ok(Outputs::new(variables, kept, shrunk)?)
}
