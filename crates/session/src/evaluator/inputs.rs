//! From files of inputs to the secret bits of a task.

use std::sync::Arc;

use processor::Task;
use tfhe::LweCiphertext;
use wire::{Inputs, Variable, variables_of};

use super::EvaluationError;

/// The ciphertexts in the order in which the task takes them ([`Task::secrets`]). `places` says for
/// each of the task's secrets which variable it is, from 0, where the files' variables are counted
/// one file after the other; every variable is used exactly once.
///
/// # Errors
/// [`EvaluationError::Placements`], [`EvaluationError::Place`], [`EvaluationError::Size`],
/// [`EvaluationError::Unused`].
pub fn secret_bits(
    files: &[&Inputs],
    task: &Task,
    places: &[usize],
) -> Result<Vec<Arc<LweCiphertext>>, EvaluationError> {
    let bits = files.iter().flat_map(|file| file.bits().unpack());
    placed(&variables_of(files), bits.map(Arc::new), task, places)
}

/// As [`secret_bits`], for ciphertexts of any scheme: `bits` are those of the variables, one after
/// the other.
///
/// # Errors
/// As there.
pub fn placed<B>(
    variables: &[Variable],
    mut bits: impl Iterator<Item = Arc<B>>,
    task: &Task,
    places: &[usize],
) -> Result<Vec<Arc<B>>, EvaluationError> {
    check_variables(variables, task, places)?;
    let mut of_variable: Vec<Vec<Arc<B>>> = variables
        .iter()
        .map(|variable| bits.by_ref().take(variable.kind.bits()).collect())
        .collect();
    let taken = places.iter().flat_map(|place| {
        of_variable
            .get_mut(*place)
            .map(std::mem::take)
            .unwrap_or_default()
    });
    Ok(taken.collect())
}

/// Whether [`secret_bits`] would succeed.
///
/// # Errors
/// As there.
pub fn check_places(
    files: &[&Inputs],
    task: &Task,
    places: &[usize],
) -> Result<(), EvaluationError> {
    check_variables(&variables_of(files), task, places)
}

/// Whether variables of files of any scheme go where they are said to.
///
/// # Errors
/// As for [`secret_bits`].
pub fn check_variables(
    variables: &[Variable],
    task: &Task,
    places: &[usize],
) -> Result<(), EvaluationError> {
    let secrets = task.secrets();
    if secrets.len() != places.len() {
        return Err(EvaluationError::Placements {
            expected: secrets.len(),
            given: places.len(),
        });
    }
    let mut used = vec![false; variables.len()];
    for (secret, &index) in secrets.iter().zip(places) {
        let wrong = |wrong| EvaluationError::Place {
            secret: secret.name.clone(),
            index,
            wrong,
            present: variables.len(),
        };
        let (Some(variable), Some(used)) = (variables.get(index), used.get_mut(index)) else {
            return Err(wrong("is not there"));
        };
        if std::mem::replace(used, true) {
            return Err(wrong("is used twice"));
        }
        if variable.kind.bits() != secret.bits {
            return Err(EvaluationError::Size {
                secret: secret.name.clone(),
                bits: secret.bits,
                name: variable.name.clone(),
                found: variable.kind.bits(),
            });
        }
    }
    match variables.iter().zip(used).find(|(_, used)| !used) {
        Some((variable, _)) => Err(EvaluationError::Unused {
            name: variable.name.clone(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use processor::{Content, Input, Task};
    use values::{Element, Type};

    use super::*;

    fn file(names: &[(&str, Element)]) -> Vec<Variable> {
        let variable = |(name, element): &(&str, Element)| Variable {
            name: (*name).to_owned(),
            kind: Type::scalar(*element),
        };
        names.iter().map(variable).collect()
    }

    fn task(types: &[&str]) -> Task {
        let input = |ty: &&str| {
            let element = ty.parse().unwrap();
            let ty = Type::scalar(element);
            Input {
                variable: processor::Variable {
                    name: format!("x_{ty}"),
                    address: 0,
                    size: ty.size(),
                    shift: 0,
                    ty: Some(ty),
                    fields: Vec::new(),
                    global: true,
                    opacity: None,
                },
                content: Content::Secret,
            }
        };
        Task {
            inputs: types.iter().map(input).collect(),
            ..Task::default()
        }
    }

    #[test]
    fn every_variable_goes_to_one_place_of_its_size() {
        let variables = file(&[("a", Element::U8), ("b", Element::U32)]);
        let refusal = |types: &[&str], places: &[usize]| {
            check_variables(&variables, &task(types), places)
                .err()
                .map(|error| error.to_string())
        };
        assert_eq!(refusal(&["u32", "u8"], &[1, 0]), None);
        for (types, places, part) in [
            (vec!["u32", "u8"], vec![1], "2 secret variables"),
            (vec!["u8", "u32"], vec![0, 2], "is not there"),
            (vec!["u8", "u8"], vec![0, 0], "is used twice"),
            (vec!["u8", "u16"], vec![0, 1], "b of the inputs has 32"),
            (vec!["u8"], vec![0], "b of the inputs is not used"),
        ] {
            let error = refusal(&types, &places).unwrap();
            assert!(error.contains(part), "{error}");
        }
    }
}
