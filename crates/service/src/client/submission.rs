//! A client's own record of a job that it submitted and that may ask.
//!
//! A server can claim that any job asks, also one that was never submitted, and each job has its
//! own budget of bits. So a job's questions are answered only by a client that holds the record of
//! its submission: a file that `submit` writes when the server has accepted the job, and that binds
//! its id to the program, the inputs, the task, the key pair and the rules of that moment. It is
//! JSON, mode 0600:
//!
//! ```json
//! {"job":"6f…","server":"compute.example:7410","request":"00…","key":"c4…","program":"11…","inputs":"22…","server_key":"33…","task":"44…","asks":"conditions","rules":{"max_bits":64,"max_bits_of_key":null,"allow":[{"site":"gcd","answers":null}]}}
//! ```
//!
//! `program`, `inputs`, `server_key` and `task` are BLAKE3 of what was sent, and so is `selectors`, which
//! is there if a selector key was. It holds no secret.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use files::{Access, Existing};
use prost::Message;
use serde::{Deserialize, Serialize};
use tfhe::KeyId;
use wire::WireError;

use crate::proto::JobSpec;
use session::policy::{Asks, Rules};

/// Largest record that is read.
const LIMIT: u64 = 1 << 20;

/// Why a job is not one to answer for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SubmissionError {
    /// There is no record of it.
    #[error(
        "job {job} is none that was submitted from here and may ask, so that nothing it asks is answered: a server can invent jobs. If you submitted it elsewhere, copy the file {name} from there to {}; if it is older than such records, cancel it and submit it again", .directory.display()
    )]
    Unknown {
        /// The job.
        job: String,
        /// The file's name.
        name: String,
        /// Where it would stand.
        directory: PathBuf,
    },
    /// The record cannot be used.
    #[error("{}: is no record of a submitted job: {reason}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The record is there, of another submission.
    #[error(
        "the server gave job {job} the id of another one that was submitted before: it deceives, or has lost its state. Nothing is answered for it; cancel it"
    )]
    Taken {
        /// The job.
        job: String,
    },
    /// Something is not what was submitted.
    #[error("job {job} was submitted with another {what}: take the one that was submitted")]
    Other {
        /// The job.
        job: String,
        /// What.
        what: &'static str,
    },
    /// The operating system refused.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: WireError,
    },
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    job: String,
    server: String,
    request: String,
    key: String,
    program: String,
    inputs: String,
    server_key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    selectors: Option<String>,
    task: String,
    /// Records of older clients do not say it.
    #[serde(default)]
    asks: Asks,
    rules: Rules,
}

impl Submission {
    /// Of a job that a server has accepted under this id.
    ///
    /// It is answered what it was submitted to ask, under the rules.
    pub fn new(
        job: &str,
        server: &str,
        spec: &JobSpec,
        key: KeyId,
        (asks, rules): (Asks, Rules),
    ) -> Submission {
        let task = spec.task.as_ref().map(Message::encode_to_vec);
        let task = blake3::hash(&task.unwrap_or_default());
        Submission {
            job: job.to_owned(),
            server: server.to_owned(),
            request: digits(&spec.request_id),
            key: key.to_string(),
            program: digits(&spec.program),
            inputs: digits(&spec.inputs),
            server_key: digits(&spec.key),
            selectors: (!spec.selectors.is_empty()).then(|| digits(&spec.selectors)),
            task: digits(task.as_bytes()),
            asks,
            rules,
        }
    }

    /// Writes the record. The same submission again, under other rules or to another name of the
    /// server, takes its place.
    ///
    /// # Errors
    /// [`SubmissionError::Taken`] if another submission stands there;
    /// [`SubmissionError::Malformed`], [`SubmissionError::File`].
    pub fn keep(&self, path: &Path) -> Result<(), SubmissionError> {
        match Submission::read(path, &self.job) {
            Ok(earlier) => {
                let (rules, server) = (self.rules.clone(), self.server.clone());
                // What it asks follows from the task.
                let same = Submission {
                    asks: self.asks,
                    rules,
                    server,
                    ..earlier
                };
                if same != *self {
                    let job = self.job.clone();
                    return Err(SubmissionError::Taken { job });
                }
            }
            Err(SubmissionError::Unknown { .. }) => {}
            Err(error) => return Err(error),
        }
        let failed = |error| SubmissionError::File {
            path: path.to_path_buf(),
            error,
        };
        let mut bytes = serde_json::to_vec(self)
            .map_err(|error| failed(WireError::io("write", &io::Error::from(error))))?;
        bytes.push(b'\n');
        files::write_atomically(path, &bytes, Access::OwnerOnly, Existing::Replace).map_err(failed)
    }

    /// Reads the record of a job.
    ///
    /// # Errors
    /// [`SubmissionError::Unknown`], [`SubmissionError::Malformed`], [`SubmissionError::File`].
    pub fn read(path: &Path, job: &str) -> Result<Submission, SubmissionError> {
        let failed = |operation, error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => SubmissionError::Unknown {
                job: job.to_owned(),
                name: path
                    .file_name()
                    .map_or(String::new(), |name| name.to_string_lossy().into_owned()),
                directory: path.parent().unwrap_or(Path::new("")).to_path_buf(),
            },
            _ => SubmissionError::File {
                path: path.to_path_buf(),
                error: WireError::io(operation, &error),
            },
        };
        let malformed = |reason: String| SubmissionError::Malformed {
            path: path.to_path_buf(),
            reason,
        };
        let file = File::open(path).map_err(|error| failed("open", error))?;
        let mut bytes = Vec::new();
        let read = file.take(LIMIT + 1).read_to_end(&mut bytes);
        read.map_err(|error| failed("read", error))?;
        if bytes.len() as u64 > LIMIT {
            return Err(malformed("it is too large".to_owned()));
        }
        let found: Submission =
            serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
        match found.job == job {
            true => Ok(found),
            false => Err(malformed(format!("it is that of job {}", found.job))),
        }
    }

    /// Holds what is at hand against what was submitted: the program's file, and the key pair.
    ///
    /// # Errors
    /// [`SubmissionError::Other`].
    pub fn check(&self, program: [u8; 32], key: KeyId) -> Result<(), SubmissionError> {
        let other = |what| SubmissionError::Other {
            job: self.job.clone(),
            what,
        };
        if self.program != digits(&program) {
            return Err(other("program"));
        }
        if self.key != key.to_string() {
            return Err(other("key"));
        }
        Ok(())
    }

    /// What it was submitted to ask.
    pub fn asks(&self) -> Asks {
        self.asks
    }

    /// The rules that it was submitted with.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
