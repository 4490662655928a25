//! From a run's checkpoint to a file and back.
//!
//! A checkpoint belongs to one run: this program, this task, these inputs. A hash of them stands in
//! the file, so that nobody goes on with another one; bounds on instructions, windows, memory and
//! threads may differ, since a run may go on under others.

use processor::{Start, State};
use tfhe::{KeyId, LweCiphertext, Parameters};

use super::EvaluationError;

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
