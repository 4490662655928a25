//! A job as JSON names it: variables by name. The server finds them in the program and in the
//! inputs' header, as `blindcore run` does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use processor::{Branches, Content, Limits, Task};
use serde::Deserialize;
use session::evaluator::place;
use session::program::{Call, Execution, Placed, refuse_overlaps, whole};
use session::{ErrorKind, Program};
use tonic::Status;
use values::{Assignment, Literal, Value};
use wire::Inputs;

use super::json::{bytes, hash};
use crate::proto::{self, BlobKind, JobSpec};
use crate::server::board::{Board, storage};
use crate::server::caller::Caller;
use crate::task;

/// What messages call the program and the inputs, of which the server knows no file's name.
const PROGRAM: &str = "the program";
const INPUTS: &str = "the inputs";

/// The body of `POST /v1/jobs`, and of `POST /v1/plan`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobBody {
    request_id: Option<String>,
    name: Option<String>,
    pub(super) program: String,
    pub(super) inputs: Option<String>,
    key: Option<String>,
    pub(super) selectors: Option<String>,
    /// Of a plan: as if there was a selector key.
    pub(super) with_selectors: Option<bool>,
    entry: Option<String>,
    call: Option<String>,
    public: Option<BTreeMap<String, serde_json::Value>>,
    outputs: Option<Vec<String>>,
    pub(super) threads: Option<u32>,
    branches: Option<BranchWord>,
    instructions: Option<u64>,
    stack: Option<u32>,
    default_zero: Option<bool>,
}

/// What happens at secret branches. Questions travel over gRPC only.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BranchWord {
    Refuse,
    Both,
}

/// A task with the files that it is about.
pub(super) struct Resolved {
    pub(super) program: Program,
    pub(super) task: Task,
    pub(super) places: Vec<usize>,
    /// None for a plan of a program whose source says what is secret.
    pub(super) inputs: Vec<Inputs>,
}

impl JobBody {
    /// The job in the protocol's words.
    pub(super) fn spec(&self, board: &Board, caller: &Caller) -> Result<JobSpec, Status> {
        if self.with_selectors.is_some() {
            return Err(Status::invalid_argument(
                "with_selectors is for plans: a job names its selector key in selectors",
            ));
        }
        let request_id = match &self.request_id {
            Some(text) => bytes(text)
                .filter(|bytes| bytes.len() == 16)
                .ok_or_else(|| {
                    Status::invalid_argument(
                        "request_id: 32 lower-case hexadecimal digits, at random",
                    )
                })?,
            None => fresh_request()?,
        };
        let needed = |field: &str, text: &Option<String>| match text {
            Some(text) => digest(field, text),
            None => Err(Status::invalid_argument(format!("{field} is missing"))),
        };
        let spec = JobSpec {
            name: self.name.clone().unwrap_or_default(),
            program: digest("program", &self.program)?,
            inputs: needed("inputs", &self.inputs)?,
            key: needed("key", &self.key)?,
            task: None,
            threads: self.threads.unwrap_or(0),
            selectors: match &self.selectors {
                Some(text) => digest("selectors", text)?,
                None => Vec::new(),
            },
            request_id,
        };
        let task = match self.message(board, caller) {
            Ok(message) => message,
            // The job that the same request made before may be there when its blobs are not; the
            // board compares all else.
            Err(error) => earlier(board, caller, &spec)?.ok_or(error)?,
        };
        Ok(JobSpec {
            task: Some(task),
            ..spec
        })
    }

    fn message(&self, board: &Board, caller: &Caller) -> Result<proto::Task, Status> {
        let resolved = self.resolve(board, caller)?;
        Ok(proto::Task {
            default_zero: self.default_zero(),
            ..task::to_message(&resolved.task, &resolved.places)
        })
    }

    /// Finds in the program what the body names.
    pub(super) fn resolve(&self, board: &Board, caller: &Caller) -> Result<Resolved, Status> {
        let unreadable = |error: std::io::Error| {
            tracing::error!(%error, "cannot read a blob");
            Status::internal(
                "the server cannot read the program: ask its operator to look into its log",
            )
        };
        digest("program", &self.program)?;
        let path = board.blob_file(caller, "program", &self.program, BlobKind::Program)?;
        let bytes = fs::read(path).map_err(unreadable)?;
        let program = Program::from_bytes(Path::new(PROGRAM), &bytes).map_err(refused)?;
        let inputs: Vec<Inputs> = match &self.inputs {
            None => Vec::new(),
            Some(text) => {
                digest("inputs", text)?;
                let path = board.blob_file(caller, "inputs", text, BlobKind::Inputs)?;
                files::read_joined(&path)
                    .map_err(|error| Status::invalid_argument(format!("inputs: {error}")))?
            }
        };
        let execution = self.execution(caller)?;
        let call = execution.call.as_ref();
        let (mut placed, places) = match inputs.is_empty() {
            true => (program.declared(&[], call).map_err(refused)?, Vec::new()),
            false => {
                let variables = inputs.iter().flat_map(Inputs::variables);
                let variables: Vec<_> = variables.map(|variable| (INPUTS, variable)).collect();
                place(&program, call, &variables, std::iter::empty()).map_err(refused)?
            }
        };
        placed.extend(self.public(&program, call)?);
        refuse_overlaps(placed.iter().map(|(named, _)| (named, ""))).map_err(refused)?;
        let task = program.task(&execution, placed).map_err(refused)?;
        Ok(Resolved {
            program,
            task,
            places,
            inputs,
        })
    }

    /// What everybody may know.
    fn public(&self, program: &Program, call: Option<&Call>) -> Result<Placed, Status> {
        let mut assignments = Vec::new();
        for (name, value) in self.public.iter().flatten() {
            let literal = Literal::from_json(value).ok_or_else(|| {
                Status::invalid_argument(format!("public: {name}: null is no value"))
            })?;
            assignments.push(Assignment {
                name: name.clone(),
                ty: None,
                value: Value::Ready(literal),
            });
        }
        let assignments = program.take_apart(assignments).map_err(refused)?;
        let placed = assignments.iter().map(|assignment| {
            let named = program.find_input(&assignment.name, None, call)?;
            let (bytes, _) = whole(&named, assignment)?;
            Ok((named, Content::Clear(bytes)))
        });
        placed.collect::<Result<_, _>>().map_err(refused)
    }

    fn execution(&self, caller: &Caller) -> Result<Execution, Status> {
        let call = self.call.as_deref().map(str::parse::<Call>).transpose();
        let call = call.map_err(|error| refused(error.into()))?;
        let default = Limits::default();
        // What is not said should not be what is refused.
        let instructions = match caller.quota.instructions {
            0 => default.instructions,
            quota => default.instructions.min(quota),
        };
        let branches = match self.branches {
            None | Some(BranchWord::Refuse) => Branches::default(),
            Some(BranchWord::Both) => Branches {
                both: Some(Branches::MERGE_LIMIT),
                ..Branches::default()
            },
        };
        Ok(Execution {
            entry: self.entry.clone(),
            call,
            outputs: self.outputs.clone().unwrap_or_default(),
            limits: Limits {
                instructions: self.instructions.unwrap_or(instructions),
                stack: self.stack.unwrap_or(default.stack),
                ..default
            },
            branches,
            ..Execution::default()
        })
    }

    /// Whether variables that nobody gave are 0.
    pub(super) fn default_zero(&self) -> bool {
        self.default_zero.unwrap_or(false)
    }
}

/// The task of the job that the same request made before.
fn earlier(board: &Board, caller: &Caller, spec: &JobSpec) -> Result<Option<proto::Task>, Status> {
    let request = crate::server::board::hexadecimal(&spec.request_id);
    let Some(id) = board.repeated(caller, &request)? else {
        return Ok(None);
    };
    let earlier = board.store.spec(&id).map_err(storage)?;
    Ok(earlier.and_then(|earlier| earlier.task))
}

fn digest(field: &str, text: &str) -> Result<Vec<u8>, Status> {
    hash(text).ok_or_else(|| {
        Status::invalid_argument(format!(
            "{field}: a BLAKE3 hash is 64 lower-case hexadecimal digits"
        ))
    })
}

fn fresh_request() -> Result<Vec<u8>, Status> {
    let mut id = vec![0; 16];
    getrandom::fill(&mut id).map_err(|error| {
        Status::internal(format!("the system gives no random numbers: {error}"))
    })?;
    Ok(id)
}

/// An error of a session, as a client hears of it.
pub(super) fn refused(error: session::Error) -> Status {
    match error.kind {
        ErrorKind::Internal | ErrorKind::Io => Status::internal(error.message),
        ErrorKind::Fault | ErrorKind::Limit | ErrorKind::Secret => {
            Status::failed_precondition(error.message)
        }
        _ => Status::invalid_argument(error.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_are_refused_by_name() {
        let read = |text: &str| serde_json::from_str::<JobBody>(text);
        let program = "\"program\":\"00\"";
        assert!(read(&format!("{{{program},\"selectors\":null}}")).is_ok());
        for (rest, part) in [
            ("\"windows\":1", "windows"),
            ("\"branches\":\"ask\"", "`ask`"),
            ("\"threads\":-1", "-1"),
            ("\"program\":\"11\"", "duplicate"),
        ] {
            let error = read(&format!("{{{program},{rest}}}")).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
