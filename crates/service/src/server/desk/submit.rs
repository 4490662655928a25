//! Submissions: errors that can be found before the job is queued are found here.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use tonic::Status;
use wire::container::HEADER_BYTES;
use wire::{Header, Inputs};

use crate::proto::{Job, JobSpec};
use crate::server::board::{Board, Submission, lacking};
use crate::server::caller::Caller;
use crate::task;
use session::evaluator;

/// Accepts a job.
pub(super) fn submit(board: &Arc<Board>, caller: &Caller, spec: &JobSpec) -> Result<Job, Status> {
    let message = spec.task.clone().unwrap_or_default();
    let (task, places) = task::from_message(&message)
        .map_err(|error| Status::invalid_argument(format!("task: {error}")))?;
    let submission = Submission::read(spec, task.limits.instructions)?;
    // A repetition is answered even if its blobs are gone.
    if board.repeated(caller, &submission.request_id)?.is_none() {
        let inputs = same_key(board, caller, &submission)?;
        let inputs: Vec<&Inputs> = inputs.iter().collect();
        evaluator::check_places(&inputs, &task, &places)
            .map_err(|error| Status::invalid_argument(format!("task: {error}")))?;
    }
    let (id, repeated_request) = board.submit(caller, submission, spec)?;
    Ok(Job {
        id,
        repeated_request,
    })
}

/// The inputs, if they and the selectors belong to the key.
fn same_key(
    board: &Board,
    caller: &Caller,
    submission: &Submission,
) -> Result<Vec<Inputs>, Status> {
    use wire::Record;
    let head = |what: &str, hash: &str| {
        let lacking = |_| lacking(what, hash);
        let mut bytes = [0; HEADER_BYTES];
        let path = board.store.blob_path(&caller.id, hash);
        let mut file = File::open(path).map_err(lacking)?;
        file.read_exact(&mut bytes).map_err(lacking)?;
        let header = Header::parse(&bytes);
        header.map_err(|error| Status::failed_precondition(format!("{what}: {error}")))
    };
    let (key, _) = head("key", &submission.key)?;
    let (inputs, _) = head("inputs", &submission.inputs)?;
    let wrong = |error| Status::invalid_argument(format!("inputs: {error}"));
    let path = board.store.blob_path(&caller.id, &submission.inputs);
    inputs.expect(wire::Kind::INPUTS).map_err(wrong)?;
    key.expect(wire::Kind::SERVER_KEY)
        .map_err(|error| Status::invalid_argument(format!("key: {error}")))?;
    let parameters = key.fingerprint.parameters().map_err(wrong)?;
    let inputs: Vec<Inputs> = files::read_joined(&path).map_err(wrong)?;
    if let Some(selectors) = &submission.selectors {
        let (selectors, _) = head("selectors", selectors)?;
        let wrong = |error| Status::invalid_argument(format!("selectors: {error}"));
        selectors.expect(wire::Kind::SELECTOR_KEY).map_err(wrong)?;
        let theirs = selectors.fingerprint.parameters().map_err(wrong)?;
        let theirs = (&theirs, selectors.key);
        wire::match_keys(theirs, (&parameters, key.key)).map_err(|error| {
            Status::invalid_argument(format!(
                "selectors: {error}: a selector key belongs to one server key; submit with \
                 NAME.selectors beside its own NAME.server, or with --no-selectors"
            ))
        })?;
    }
    for file in &inputs {
        let theirs = (file.parameters(), file.key_id());
        wire::match_keys(theirs, (&parameters, key.key)).map_err(|error| {
            Status::invalid_argument(format!(
                "inputs: {error}: use the key pair that they were encrypted with"
            ))
        })?;
    }
    Ok(inputs)
}
