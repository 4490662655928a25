//! Submissions: errors that can be found before the job is queued are found here.

use std::fs::{self, File};
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use processor::{Program, Task};
use session::evaluator::Target;
use session::schemes::tfhe::Selectors;
use tfhe::Parameters;
use tonic::Status;
use wire::container::HEADER_BYTES;
use wire::{Header, Inputs};

use crate::proto::{ErrorCode, Job, JobSpec};
use crate::server::board::{Board, Reached, Submission, lacking};
use crate::server::caller::Caller;
use crate::server::store::PlanRecord;
use crate::server::work::{Halt, Subject, plan};
use crate::task;
use session::evaluator;

/// How long a submission may be planned: others wait meanwhile.
const PLANNING: Duration = Duration::from_millis(300);
/// Most nodes of a short job: each takes a millisecond or three.
const SHORT: u64 = 4_096;
/// Most instructions of one: a million takes less than a tenth of a second.
const SHORT_INSTRUCTIONS: u64 = 1_000_000;

/// Accepts a job.
pub(super) fn submit(board: &Arc<Board>, caller: &Caller, spec: &JobSpec) -> Result<Job, Status> {
    let message = spec.task.clone().unwrap_or_default();
    let (task, places) = task::from_message(&message)
        .map_err(|error| Status::invalid_argument(format!("task: {error}")))?;
    let mut submission = Submission::read(spec, task.limits.instructions)?;
    // A repetition is answered even if its blobs are gone.
    if board.repeated(caller, &submission.request_id)?.is_none() {
        // Before any file is read.
        board.check_jobs(caller)?;
        let inputs = same_key(board, caller, &submission)?;
        let inputs: Vec<&Inputs> = inputs.iter().collect();
        evaluator::check_places(&inputs, &task, &places)
            .map_err(|error| Status::invalid_argument(format!("task: {error}")))?;
        if let Some(first) = inputs.first() {
            use wire::Record;
            let job = Planned {
                submission: &submission,
                task: &task,
                default_zero: message.default_zero,
                threads: spec.threads,
                parameters: first.parameters(),
            };
            let plan = job.admit(board, caller)?;
            submission.short = plan.is_some_and(|plan| is_short(&plan));
        }
    }
    let (id, repeated_request) = board.submit(caller, submission, spec)?;
    Ok(Job {
        id,
        repeated_request,
    })
}

/// What is planned before a job is accepted.
struct Planned<'a> {
    submission: &'a Submission,
    task: &'a Task,
    default_zero: bool,
    threads: u32,
    parameters: &'a Parameters,
}

impl Planned<'_> {
    /// Refuses a job that could not run within the bounds, if that is found out soon. What takes
    /// longer to plan is accepted, and refused when it has been planned. Gives the plan, if it is known.
    fn admit(&self, board: &Arc<Board>, caller: &Caller) -> Result<Option<PlanRecord>, Status> {
        let hash = &self.submission.program;
        let path = board.store.blob_path(&caller.id, hash);
        // Blobs that are gone, or of another kind, are found out and named when the job is made.
        let (Ok(bytes), Ok(hash)) = (fs::read(path), blake3::Hash::from_hex(hash)) else {
            return Ok(None);
        };
        let Ok(program) = Program::load(&bytes) else {
            return Ok(None);
        };
        let selectors = self.submission.selectors.as_ref();
        let selectors = selectors.map(|hash| board.store.blob_path(&caller.id, hash));
        let target = Target {
            threads: board.settings.share(self.threads),
            architectures: Default::default(),
            fft: None,
            selectors: selectors.map_or(Selectors::Unused, Selectors::In),
        };
        let subject = Subject {
            program: &program,
            hash: hash.into(),
            task: self.task,
            default_zero: self.default_zero,
            parameters: self.parameters,
            target: &target,
        };
        let over = |halt| match halt {
            Halt::Failed(ErrorCode::Quota, message) => Err(Status::resource_exhausted(message)),
            // Whatever else stops it is the job's own story, told when it runs.
            _ => Ok(None),
        };
        if let Err(halt) = subject.check(&caller.quota) {
            return over(halt);
        }
        let name = subject.name();
        let plan = match board.plans.look(&name) {
            Some(Some(plan)) => plan,
            Some(None) => return Ok(None),
            None => match subject.plan(&plan::for_at_most(PLANNING), &Reached::default()) {
                Ok(plan) => plan,
                Err(halt) => {
                    if matches!(halt, Halt::Stopped) {
                        board.plans.is_long(name);
                    }
                    return Ok(None);
                }
            },
        };
        board.plans.keep(plan.clone());
        match plan::check(board, &caller.quota, &plan) {
            Ok(()) => Ok(Some(plan)),
            Err(halt) => over(halt),
        }
    }
}

/// Whether a job with this plan ends within some seconds of a core: it asks nothing.
fn is_short(plan: &PlanRecord) -> bool {
    plan.is_end && plan.nodes <= SHORT && plan.instructions <= SHORT_INSTRUCTIONS
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
