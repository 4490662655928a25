//! Evaluation in every slot at once: operands are drawn for each slot, and each slot's answer is
//! checked.

use std::sync::Arc;
use std::time::Instant;

use bgv::Keys;
use circuits::{ExecError, Pool};
use engines::bgv::{Bgv, Vector};
use random::Generator;

use super::CheckedCircuit;
use crate::error::{PapersError, internal};

/// One evaluation in all slots.
pub(crate) struct SlotRun {
    /// Without encryption and decryption.
    pub(crate) seconds: f64,
    /// log2 of the least room that was left for noise in an output.
    pub(crate) room: f64,
}

/// Evaluates a circuit once.
pub(crate) fn run_slots(
    engine: &Bgv,
    keys: &Keys,
    checked: &CheckedCircuit,
    pool: &Pool,
    generator: &mut Generator,
) -> Result<SlotRun, PapersError> {
    let slots = keys.secret.parameters().slots();
    let operands: Vec<Vec<u128>> = (0..slots).map(|_| checked.random(generator)).collect();
    let bits: Vec<Vec<bool>> = operands.iter().map(|words| checked.bits(words)).collect();
    let inputs: Result<Vec<Arc<Vector>>, PapersError> = (0..checked.circuit.inputs())
        .map(|input| {
            let column: Vec<bool> = bits.iter().map(|bits| bits[input]).collect();
            let vector = keys.secret.encrypt(&column, generator).map_err(internal)?;
            Ok(Arc::new(Vector::from(vector)))
        })
        .collect();
    let inputs = inputs?;
    let start = Instant::now();
    let outputs = circuits::run(engine, &checked.circuit, &inputs, pool);
    let seconds = start.elapsed().as_secs_f64();
    let outputs = outputs.map_err(|error| match error {
        ExecError::Cancelled => PapersError::Interrupted,
        other => internal(other),
    })?;
    let mut room = f64::INFINITY;
    let mut columns = Vec::with_capacity(outputs.len());
    for output in &outputs {
        let ciphertext = output.ciphertext();
        room = room.min(keys.secret.room(ciphertext).map_err(internal)?);
        columns.push(keys.secret.decrypt(ciphertext).map_err(internal)?);
    }
    for (slot, operands) in operands.iter().enumerate() {
        let bits: Vec<bool> = columns.iter().map(|column| column[slot]).collect();
        if let Some(what) = checked.wrong_bits(operands, &bits) {
            let set = keys.secret.parameters().name();
            return Err(internal(format!(
                "wrong answer of {set} in slot {slot}: {what}"
            )));
        }
    }
    Ok(SlotRun { seconds, room })
}
