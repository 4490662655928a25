//! What a job left: fetched, checked, and only then given its name.

use std::path::Path;

use files::{Access, Existing, PendingFile, Reservation};
use service::client::Client;
use service::proto::{JobStatus, Part};
use tfhe::{KeyId, Parameters};
use wire::{Kind, Outputs, Record};

use super::failure_of_job;
use crate::commands::bytes;
use crate::failure::{Code, Failure};

/// Most clear bytes of a program that are fetched.
const WRITTEN_LIMIT: u64 = 1 << 30;

/// The key pair that outputs have to belong to.
pub(super) struct Expected<'a> {
    pub(super) parameters: &'a Parameters,
    pub(super) key: KeyId,
}

/// Fetches the outputs of a job that is done into a place that was made sure of before. Gives a
/// line about them.
pub(super) fn fetch_outputs(
    client: &Client,
    status: &JobStatus,
    place: Reservation,
    path: &Path,
    expected: Option<&Expected<'_>>,
) -> Result<String, Failure> {
    let limit = Kind::OUTPUTS.payload_limit() + wire::container::HEADER_BYTES as u64;
    let fetched = client
        .fetch(&status.id, Part::Outputs, limit)
        .map_err(|error| failure_of_job(&status.id, &error))?;
    let wrong = |error| {
        let mut failure = Failure::file(path, &error);
        failure.code = Code::Server;
        failure
            .message
            .push_str(": the server sent this, and it was not kept");
        failure
    };
    let outputs: Outputs = wire::decode(&fetched.bytes).map_err(wrong)?;
    if let Some(expected) = expected {
        wire::match_keys(
            (outputs.parameters(), outputs.key_id()),
            (expected.parameters, expected.key),
        )
        .map_err(wrong)?;
    }
    let written = place.fill(&fetched.bytes).and_then(PendingFile::commit);
    written.map_err(|error| {
        let mut failure = Failure::file(path, &error);
        let job = &status.id;
        failure.message.push_str(&format!(
            "; the outputs are still on the server: `blindcore fetch {job} --out FILE`"
        ));
        failure
    })?;
    let names = outputs.variables().iter();
    let names: Vec<&str> = names.map(|variable| variable.name.as_str()).collect();
    Ok(format!(
        "{}: {}, {}",
        path.display(),
        super::show::printable(&names.join(", ")),
        bytes(fetched.bytes.len() as u64)
    ))
}

/// Fetches what the program wrote in the clear.
pub(super) fn fetch_written(
    client: &Client,
    status: &JobStatus,
    path: &Path,
) -> Result<(), Failure> {
    let bytes = match status.written_length {
        0 => Vec::new(),
        _ => {
            client
                .fetch(&status.id, Part::Written, WRITTEN_LIMIT)
                .map_err(|error| failure_of_job(&status.id, &error))?
                .bytes
        }
    };
    files::write_atomically(path, &bytes, Access::Shared, Existing::Replace)
        .map_err(|error| Failure::file(path, &error))
}
