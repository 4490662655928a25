//! Refusals: a gRPC status as HTTP says it.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tonic::{Code, Status};

use super::json::document;
use crate::server::board::RETRY;
use crate::server::calls::CallId;

/// Seconds after which a refusal that passes may have passed.
const PATIENCE: u64 = 5;

/// Why a call is refused.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: Status,
    /// Where HTTP has a better word than the status would become.
    word: Option<StatusCode>,
}

impl Refusal {
    /// A refusal by a word that only HTTP has.
    pub(super) fn with(word: StatusCode, message: impl Into<String>) -> Self {
        let code = match word {
            StatusCode::METHOD_NOT_ALLOWED => Code::Unimplemented,
            _ => Code::InvalidArgument,
        };
        Self {
            status: Status::new(code, message),
            word: Some(word),
        }
    }

    /// What was sent is wrong.
    pub(super) fn wrong(message: impl Into<String>) -> Self {
        Status::invalid_argument(message).into()
    }

    fn word(&self) -> StatusCode {
        self.word.unwrap_or(match self.status.code() {
            Code::InvalidArgument | Code::OutOfRange => StatusCode::BAD_REQUEST,
            Code::Unauthenticated => StatusCode::UNAUTHORIZED,
            Code::PermissionDenied => StatusCode::FORBIDDEN,
            Code::NotFound => StatusCode::NOT_FOUND,
            Code::DeadlineExceeded => StatusCode::REQUEST_TIMEOUT,
            Code::AlreadyExists | Code::FailedPrecondition | Code::Aborted => StatusCode::CONFLICT,
            Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
            Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        })
    }
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Self {
        Self { status, word: None }
    }
}

/// Whether trying again later helps, with nothing else done. A quota of bytes does not pass: its
/// client has to forget something.
fn passes(status: &Status) -> bool {
    match status.code() {
        Code::Unavailable => true,
        Code::ResourceExhausted => status.metadata().contains_key(RETRY),
        _ => false,
    }
}

/// The code's name, as gRPC writes it.
pub(super) fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let word = self.word();
        let status = &self.status;
        let mut error = json!({"code": name(status.code()), "message": status.message()});
        if let Some(id) = CallId::current() {
            error["request"] = id.into();
        }
        let error = json!({ "error": error });
        let mut response = document(word, &error);
        let headers = response.headers_mut();
        if word == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if passes(status) {
            headers.insert(header::RETRY_AFTER, PATIENCE.into());
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_becomes_what_http_has_for_it() {
        for (status, word, retry) in [
            (Status::invalid_argument("x"), 400, false),
            (Status::unauthenticated("x"), 401, false),
            (Status::permission_denied("x"), 403, false),
            (Status::not_found("x"), 404, false),
            (Status::already_exists("x"), 409, false),
            (Status::failed_precondition("x"), 409, false),
            (Status::resource_exhausted("x"), 429, false),
            (Status::internal("x"), 500, false),
            (Status::unavailable("x"), 503, true),
        ] {
            let response = Refusal::from(status).into_response();
            assert_eq!(response.status().as_u16(), word);
            assert_eq!(response.headers().contains_key("retry-after"), retry);
        }
        let mut quota = Status::resource_exhausted("x");
        quota.metadata_mut().insert(RETRY, "5".parse().unwrap());
        let response = Refusal::from(quota).into_response();
        assert!(response.headers().contains_key("retry-after"));
    }
}
