//! Why files and a run do not fit together.

use processor::{Plan, StateError, Unset};
use tfhe::TfheError;
use wire::WireError;

/// Why files and a run do not fit together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The task takes another number of secret values than it says where to find.
    #[error("the task has {expected} secret variables and arguments, but {given} were placed")]
    Placements {
        /// Secrets of the task.
        expected: usize,
        /// Places given.
        given: usize,
    },
    /// A place in the inputs file that is not there, or that is used twice.
    #[error(
        "{secret}: variable {index} of the inputs {wrong}; there are {present}, and each goes to one place"
    )]
    Place {
        /// The variable or argument of the task.
        secret: String,
        /// The place in the inputs file, from 0.
        index: usize,
        /// What is wrong.
        wrong: &'static str,
        /// Variables in the file.
        present: usize,
    },
    /// A variable of the inputs file that goes nowhere.
    #[error("{name} of the inputs is not used by the task: leave it out, or say where it goes")]
    Unused {
        /// The variable.
        name: String,
    },
    /// A variable of the inputs file that has another size than its place.
    #[error("{secret}: {bits} bits are wanted, {name} of the inputs has {found}")]
    Size {
        /// The variable or argument of the task.
        secret: String,
        /// Its bits.
        bits: usize,
        /// The variable of the inputs file.
        name: String,
        /// Its bits.
        found: usize,
    },
    /// Variables that the program reads as 0 because nobody gave them.
    #[error(
        "{}: encrypt or give NAME=VALUE, or let --default-zero take 0",
        unset_message(.variables)
    )]
    Unset {
        /// These.
        variables: Vec<Unset>,
    },
    /// A question whose bits are not those that it is about.
    #[error("a question of {found} bits where {expected} are meant")]
    Question {
        /// As what is asked has it.
        expected: usize,
        /// What came.
        found: usize,
    },
    /// A checkpoint of another program, task or inputs.
    #[error(
        "a checkpoint of another run: program, entry, variables, inputs, branches or stack differ"
    )]
    OtherRun,
    /// The state in a checkpoint.
    #[error(transparent)]
    State(#[from] StateError),
    /// The scheme.
    #[error(transparent)]
    Scheme(#[from] TfheError),
    /// The file format.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// At most this many of the variables that nobody gave are named.
const UNSET_NAMED: usize = 12;

fn unset_message(variables: &[Unset]) -> String {
    let named = variables.iter().take(UNSET_NAMED);
    let mut names: Vec<String> = named
        .map(|variable| match variable.size {
            1 => format!("{} (1 byte)", variable.name),
            size => format!("{} ({size} bytes)", variable.name),
        })
        .collect();
    if let more @ 1.. = variables.len().saturating_sub(UNSET_NAMED) {
        names.push(format!("{more} more"));
    }
    let names = names.join(", ");
    match variables.len() {
        1 => format!("{names} is read, but nobody gave it, and the program never writes it"),
        _ => format!("{names} are read, but nobody gave them, and the program never writes them"),
    }
}

/// Refuses a run that reads variables which nobody gave ([`Plan::unset`]).
///
/// # Errors
/// [`EvaluationError::Unset`].
pub fn check_given(plan: &Plan) -> Result<(), EvaluationError> {
    match plan.unset.as_slice() {
        [] => Ok(()),
        variables => Err(EvaluationError::Unset {
            variables: variables.to_vec(),
        }),
    }
}
