//! The protocol's messages as JSON: names of fields as there, hashes in hexadecimal.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use crate::proto::{AboutReply, BlobHeader, BlobKind, JobStatus, Usage};
use crate::server::board::hexadecimal;

/// A document as an answer.
pub(super) fn document(word: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = word;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// A document as an answer to what went well.
pub(super) fn found(value: &Value) -> Response {
    document(StatusCode::OK, value)
}

pub(super) fn about(about: &AboutReply, operator: bool) -> Value {
    json!({
        "version": about.version,
        "client": about.client,
        "operator": operator,
        "parameters": about.parameters,
        "threads": about.threads,
        "jobs_at_once": about.jobs_at_once,
        "quota": about.quota.as_ref().map(usage),
        "used": about.used.as_ref().map(usage),
        "running": about.running,
        "queued": about.queued,
        "draining": about.draining,
    })
}

fn usage(usage: &Usage) -> Value {
    json!({
        "bytes": usage.bytes,
        "jobs": usage.jobs,
        "instructions": usage.instructions,
        "wall_seconds": usage.wall_seconds,
    })
}

pub(super) fn status(status: &JobStatus) -> Value {
    json!({
        "id": status.id,
        "name": status.name,
        "state": word(status.state().as_str_name(), "JOB_STATE_").to_lowercase(),
        "instructions": status.instructions,
        "instructions_planned": status.instructions_planned,
        "nodes": status.nodes,
        "nodes_planned": status.nodes_planned,
        "windows": status.windows,
        "windows_planned": status.windows_planned,
        "end_known": status.end_known,
        "nodes_per_second": status.nodes_per_second,
        "seconds_left": status.seconds_left,
        "questions": status.questions,
        "question_open": status.question_open,
        "error": status.error.as_ref().map(|error| json!({
            "code": word(error.code().as_str_name(), "ERROR_CODE_"),
            "message": error.message,
        })),
        "accepted_at": status.accepted_at,
        "started_at": status.started_at,
        "ended_at": status.ended_at,
        "run_seconds": status.run_seconds,
        "ahead": status.ahead,
        "threads": status.threads,
        "outputs_length": status.outputs_length,
        "written_length": status.written_length,
        "recoveries": status.recoveries,
    })
}

pub(super) fn blob(header: &BlobHeader) -> Value {
    json!({
        "kind": kind_name(header.kind()),
        "blake3": hexadecimal(&header.blake3),
        "length": header.length,
    })
}

fn kind_name(kind: BlobKind) -> String {
    word(kind.as_str_name(), "BLOB_KIND_").to_lowercase()
}

/// The kind of this name, of those that are uploaded.
pub(super) fn kind(name: &str) -> Option<BlobKind> {
    let uploaded = [
        BlobKind::Program,
        BlobKind::Inputs,
        BlobKind::ServerKey,
        BlobKind::SelectorKey,
    ];
    uploaded.into_iter().find(|kind| kind_name(*kind) == name)
}

fn word<'a>(name: &'a str, prefix: &str) -> &'a str {
    name.strip_prefix(prefix).unwrap_or(name)
}

/// 32 bytes from lower-case hexadecimal.
pub(super) fn hash(text: &str) -> Option<Vec<u8>> {
    bytes(text).filter(|bytes| bytes.len() == 32)
}

/// Bytes from lower-case hexadecimal.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |letter: u8| match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    };
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    pairs.map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{ErrorCode, JobError, JobState};

    #[test]
    fn words_are_those_of_the_interface() {
        let done = JobStatus {
            state: JobState::Failed as i32,
            error: Some(JobError {
                code: ErrorCode::Secret as i32,
                message: "m".to_owned(),
            }),
            ..JobStatus::default()
        };
        let value = status(&done);
        assert_eq!(value["state"], "failed");
        assert_eq!(value["error"], json!({"code": "SECRET", "message": "m"}));
        assert_eq!(value["seconds_left"], Value::Null);
        assert_eq!(kind("selector_key"), Some(BlobKind::SelectorKey));
        assert_eq!(kind("outputs"), None);
        assert_eq!(kind("unspecified"), None);
    }

    #[test]
    fn hexadecimal_is_lower_case_and_whole() {
        assert_eq!(bytes("00ff10"), Some(vec![0, 255, 16]));
        assert_eq!(bytes(""), Some(Vec::new()));
        for wrong in ["0", "0g", "FF", "000", "é", " 0"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
        assert_eq!(hash("00"), None);
        assert_eq!(hash(&"ab".repeat(32)), Some(vec![0xab; 32]));
    }
}
