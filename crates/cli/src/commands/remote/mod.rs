//! Jobs on a server: to submit and attend to, to look at, to fetch and to end; and to administer it.

mod admin;
mod attend;
mod jobs;
mod results;
mod show;
mod submit;
mod top;

pub(crate) use admin::admin;
pub(crate) use attend::attend;
pub(crate) use jobs::{cancel, fetch, jobs, status};
pub(crate) use submit::submit;
pub(crate) use top::top;

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use service::client::{Client, ClientError, Notice, Settings, SubmissionError};
use service::proto::{ErrorCode, JobState, JobStatus};

use crate::arguments::Remote;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// Connects, and reports on standard error when the connection is lost and found again.
fn connect(remote: &Remote, interrupt: &Interrupt, quiet: bool) -> Result<Client, Failure> {
    let terminal = std::io::stderr().is_terminal();
    let settings = Settings {
        server: remote.server.clone(),
        patience: Duration::from_secs(remote.patience),
        cancel: interrupt.cancel(),
        notice: Arc::new(move |notice| {
            let text = match notice {
                Notice::Lost(reason) => format!("connection lost ({reason}), trying again"),
                Notice::Back => "connected again".to_owned(),
            };
            if !quiet {
                // Past what a bar has left on the line.
                let clear = if terminal { "\r\x1b[K" } else { "" };
                let _ = writeln!(std::io::stderr(), "{clear}blindcore: {text}");
            }
        }),
    };
    Client::connect(settings, &remote.tls).map_err(|error| failure(&error))
}

/// An error of the client half, with its exit code.
fn failure(error: &ClientError) -> Failure {
    let code = match error {
        ClientError::Address { .. } => Code::Usage,
        ClientError::Tls(_)
        | ClientError::ServerCertificate { .. }
        | ClientError::OwnCertificate { .. } => Code::Certificate,
        ClientError::Unreachable { .. } | ClientError::Lost { .. } => Code::Unreachable,
        ClientError::Refused { .. }
        | ClientError::NoSelectors { .. }
        | ClientError::Protocol { .. } => Code::Server,
        ClientError::Question { .. } => Code::Answer,
        ClientError::Interrupted => Code::Interrupted,
        _ => Code::Internal,
    };
    Failure::new(code, error.to_string())
}

/// A job whose questions are not to be answered at all.
fn refused(error: &SubmissionError) -> Failure {
    let code = match error {
        SubmissionError::Malformed { .. } => Code::File,
        SubmissionError::File { .. } => Code::Io,
        SubmissionError::Taken { .. } => Code::Server,
        _ => Code::Answer,
    };
    Failure::new(code, error.to_string())
}

/// A failure while a job goes on elsewhere: says how to find it again.
fn failure_of_job(job: &str, error: &ClientError) -> Failure {
    let mut failure = failure(error);
    failure.message = match error {
        ClientError::Interrupted => format!(
            "interrupted: job {job} goes on; `blindcore fetch {job}` has its outputs later, `blindcore cancel {job}` ends it"
        ),
        ClientError::Question { waits: true, .. } => format!(
            "job {job}: {error}. It waits: answer with `blindcore attend {job}` and other rules, or end it with `blindcore cancel {job}`"
        ),
        ClientError::Question { .. } => format!("job {job}: {error}"),
        _ => failure.message,
    };
    failure
}

/// What a job that has not succeeded means for the command that waited for it.
fn check_done(status: &JobStatus) -> Result<(), Failure> {
    let job = &status.id;
    match status.state() {
        JobState::Done => Ok(()),
        JobState::Cancelled => {
            let why = status.error.as_ref().map_or(String::new(), |error| {
                format!(": {}", show::printable(&error.message))
            });
            let message = format!("job {job} was cancelled{why}");
            Err(Failure::new(Code::Cancelled, message))
        }
        JobState::Failed => {
            let error = status.error.clone().unwrap_or_default();
            let code = match error.code() {
                ErrorCode::Unspecified | ErrorCode::Internal | ErrorCode::Storage => Code::Server,
                ErrorCode::Input => Code::Input,
                ErrorCode::Program => Code::Program,
                ErrorCode::Fault => Code::Fault,
                ErrorCode::Limit => Code::Limit,
                ErrorCode::Secret => Code::Secret,
                ErrorCode::Refused => Code::Answer,
                ErrorCode::Quota => Code::Server,
                ErrorCode::Administrator => Code::Cancelled,
            };
            let message = show::printable(&error.message);
            Err(Failure::new(code, format!("job {job} failed: {message}")))
        }
        _ => Err(Failure::new(
            Code::Server,
            format!(
                "job {job} is {}: wait for it with --wait, or look with `blindcore status {job} --watch`",
                show::state(status)
            ),
        )),
    }
}
