//! From a run's checkpoint to a file and back.
//!
//! A checkpoint belongs to one run: this program, this task, these inputs. A hash of them stands in
//! the file, so that nobody goes on with another one; bounds on instructions, windows, memory and
//! threads may differ, since a run may go on under others.

use processor::{Limits, Start, State, Task};
use prost::Message;
use tfhe::{KeyId, LweCiphertext, Parameters};

use super::EvaluationError;
use crate::task;

/// The name of a run: BLAKE3 of the hashes of the program's and the inputs' files and of the task's
/// message, bounds aside. `places` is what [`secret_bits`](super::secret_bits) takes.
#[must_use]
pub fn run_hash(program: [u8; 32], inputs: [u8; 32], task: &Task, places: &[usize]) -> [u8; 32] {
    let limits = Limits {
        stack: task.limits.stack,
        ..Limits::default()
    };
    let task = Task {
        limits,
        ..task.clone()
    };
    let message = task::to_message(&task, places).encode_to_vec();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&program).update(&inputs).update(&message);
    hasher.finalize().into()
}

/// The checkpoint of the run that `run` names, as a file's content. The ciphertexts are shared.
///
/// # Errors
/// [`EvaluationError::Wire`].
pub fn checkpoint(
    parameters: &Parameters,
    key: KeyId,
    run: [u8; 32],
    checkpoint: &processor::Checkpoint<'_, LweCiphertext>,
) -> Result<wire::Checkpoint, EvaluationError> {
    let state = checkpoint.state.to_bytes();
    let bits = checkpoint.bits.to_vec();
    Ok(wire::Checkpoint::new(*parameters, key, run, state, bits)?)
}

/// Where the run that `run` names goes on.
///
/// # Errors
/// [`EvaluationError::OtherRun`], [`EvaluationError::State`].
pub fn resume(
    checkpoint: wire::Checkpoint,
    run: [u8; 32],
) -> Result<(State, Start<LweCiphertext>), EvaluationError> {
    if *checkpoint.run() != run {
        return Err(EvaluationError::OtherRun);
    }
    let state = State::from_bytes(checkpoint.state())?;
    let start = Start::Resumed {
        state: Box::new(state.clone()),
        bits: checkpoint.into_bits(),
    };
    Ok((state, start))
}

#[cfg(test)]
mod tests {
    use processor::{Entry, Limits, Task};

    use super::run_hash;

    #[test]
    fn a_run_is_its_program_inputs_and_task_whatever_its_bounds() {
        let task = Task::default();
        let limits = |limits| Task {
            limits,
            ..Task::default()
        };
        let of = |task: &Task| run_hash([1; 32], [2; 32], task, &[]);
        let defaults = Limits::default();
        assert_eq!(
            of(&task),
            of(&limits(Limits {
                window: 100,
                instructions: 7,
                ..defaults
            }))
        );
        let others = [
            of(&limits(Limits {
                stack: 1 << 16,
                ..defaults
            })),
            of(&Task {
                entry: Entry::Image,
                ..Task::default()
            }),
            run_hash([2; 32], [1; 32], &task, &[]),
            run_hash([1; 32], [3; 32], &task, &[]),
        ];
        assert!(others.iter().all(|other| *other != of(&task)));
    }
}
