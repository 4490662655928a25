//! One run of one job, from its files to its files.

use std::fs;
use std::sync::Arc;

use circuits::exec::Cancel;
use processor::{Control, ErrorClass, Expected, Program, RunError, Start, Task};
use tfhe::{LweCiphertext, Parameters, SeededServerKey};
use wire::{Checkpoint, Inputs, WireError};

use super::crew::Crew;
use super::files::JobFiles;
use super::host::{Halt, JobHost, Shared, halt};
use super::plan::{self, Subject};
use super::{Keys, distant};
use crate::proto::ErrorCode;
use crate::server::board::{Assignment, End};
use crate::server::store::{JobRecord, OUTPUTS, PlanRecord, checkpoint_file, is_transient};
use crate::task;
use session::evaluator::{self, EvaluationError, Target};
use session::schemes;
use session::schemes::tfhe::{ExpandedKey, Selectors};

/// What one job's ciphertexts should take at most: as `blindcore run` has it by default, both parts of
/// the key and circuits beside it.
pub(super) const CIPHERTEXT_BYTES: u64 = 800_000_000;

/// Runs a job until it ends or is set aside.
pub(super) fn run(
    board: &Shared,
    keys: &Keys,
    crew: Option<&Crew>,
    assignment: &Assignment,
) -> End {
    match go(board, keys, crew, assignment) {
        Ok(end) => end,
        Err(Halt::Paused(pause)) => End::Paused(pause),
        Err(Halt::Stopped) => End::Stopped,
        Err(Halt::Full(reason)) => End::Postponed(reason),
        Err(Halt::Postponed(reason)) => {
            board.store.met(&reason);
            End::Postponed(reason)
        }
        Err(Halt::Failed(code, message)) => End::Failed(code, message),
    }
}

/// The program and the task of a job.
pub(super) struct LoadedJob {
    program: Program,
    /// The program's file.
    pub(super) bytes: Vec<u8>,
    pub(super) task: Task,
    pub(super) places: Vec<usize>,
    /// Whether variables that nobody gave are 0.
    default_zero: bool,
    /// Of the program.
    hash: [u8; 32],
    /// What a checkpoint belongs to.
    pub(super) run: [u8; 32],
}

fn go(
    board: &Shared,
    keys: &Keys,
    crew: Option<&Crew>,
    assignment: &Assignment,
) -> Result<End, Halt> {
    let Assignment {
        record, threads, ..
    } = assignment;
    let loaded = load(board, assignment)?;
    let path = |hash: &str| board.store.blob_path(&record.client, hash);
    if let Some(crew) = crew
        && let Some(plan) = plan_for_workers(board, assignment, &loaded)?
    {
        return distant::run(board, crew, assignment, &loaded, &plan);
    }
    let (key, expanded) = tracing::error_span!("key").in_scope(|| {
        keys.of(&record.client, &record.key, &path(&record.key), *threads)
            .map_err(unusable)
    })?;
    if expanded {
        board.metrics.expanded();
        board.metrics.keys(keys.held());
    }
    let selectors = record.selectors.as_ref().map(|hash| (hash, path(hash)));
    let target = Target {
        threads: *threads,
        architectures: Default::default(),
        fft: None,
        selectors: selectors
            .as_ref()
            .map_or(Selectors::Unused, |(_, path)| Selectors::In(path.clone())),
    };
    let parameters = *key.lookups.parameters();
    let plan = tracing::error_span!("plan")
        .in_scope(|| planned(board, assignment, &loaded, &parameters, &target))?;
    let mut parts = ExpandedKey::from(Arc::clone(&key.lookups));
    // A plan ends at the first question; behind it there may be selectors.
    let may_use = plan.has_selectors || !plan.is_end;
    if let Some((hash, path)) = selectors.filter(|_| may_use) {
        let (made, expanded) = key.selectors(hash, &path, *threads).map_err(unusable)?;
        if expanded {
            board.metrics.expanded_selectors();
        }
        parts.selectors = Some(made);
    }
    let engine = schemes::tfhe::engine_again(plan.is_wide, &parameters, &target, parts);
    let mut record = record.clone();
    let start = start(board, &mut record, &loaded)?;
    let files = JobFiles::open(board, &record)?;
    let mut host = JobHost::new(files, &engine, loaded.run);
    let reached = Arc::clone(&assignment.reached);
    let control = Control {
        threads: threads.get(),
        observer: Some(Arc::new(move |progress| {
            reached.update(&progress);
        })),
        cancel: resting(board, assignment),
        memory: Some(CIPHERTEXT_BYTES.min(bound(board, &record).saturating_sub(plan.beside))),
    };
    let computes = tracing::error_span!(
        "compute",
        windows = plan.windows,
        bootstraps = plan.bootstraps
    );
    let computes = computes.entered();
    let outcome = processor::Run::new(&loaded.program, &loaded.task, &engine)
        .host(&mut host)
        .control(&control)
        .expecting(Expected {
            windows: plan.windows as usize,
            instructions: plan.instructions,
            nodes: plan.nodes as usize,
            is_end: plan.is_end,
        })
        .start(start)
        .map_err(failed)?;
    drop(computes);
    let written = host.settle()?;
    let outputs = evaluator::outputs(&engine, &outcome).map_err(unusable)?;
    let bytes = wire::encode(&outputs).map_err(|error| unusable(error.into()))?;
    let outputs_length = bytes.len() as u64;
    let room = board.check_room(&record.client, &record.client_name, outputs_length);
    room.map_err(Halt::no_room)?;
    board.store.keep_job_file(&record.id, OUTPUTS, &bytes)?;
    board.wrote(&record.id, written);
    Ok(End::Done {
        outputs_length,
        instructions: outcome.instructions,
    })
}

/// Bytes that a job may take.
pub(super) fn bound(board: &Shared, record: &JobRecord) -> u64 {
    let quotas = board.settings.policy.now();
    let quota = quotas.limits(&record.client_name, &record.client);
    match quota.memory {
        0 => board.settings.memory,
        own => own.min(board.settings.memory),
    }
}

/// A token that lets others have their turn.
fn resting(board: &Shared, assignment: &Assignment) -> Cancel {
    let (board, reached) = (Arc::clone(board), Arc::clone(&assignment.reached));
    let id = assignment.record.id.clone();
    assignment.cancel.clone().resting(move || {
        if reached.should_rest() {
            board.rest(&id);
        }
    })
}

/// What the job comes to: as it was planned before, or planned now.
fn planned(
    board: &Shared,
    assignment: &Assignment,
    loaded: &LoadedJob,
    parameters: &Parameters,
    target: &Target,
) -> Result<PlanRecord, Halt> {
    let record = &assignment.record;
    let subject = Subject {
        program: &loaded.program,
        hash: loaded.hash,
        task: &loaded.task,
        default_zero: loaded.default_zero,
        parameters,
        target,
    };
    let of = subject.name();
    let quotas = board.settings.policy.now();
    let quota = quotas.limits(&record.client_name, &record.client);
    subject.check(&quota)?;
    if let Some(known) = record.plan.clone().filter(|plan| plan.of == of) {
        plan::check(board, &quota, &known)?;
        return Ok(known);
    }
    let plan = match board.plans.of(&of) {
        Some(known) => known,
        None => {
            board.planning(&record.id, true);
            let made = subject.plan(&resting(board, assignment), &assignment.reached);
            board.planning(&record.id, false);
            made?
        }
    };
    plan::check(board, &quota, &plan)?;
    board.plans.keep(plan.clone());
    let planned = board.planned(&record.id, &plan)?;
    planned.map_err(|message| Halt::Failed(ErrorCode::Quota, message))?;
    Ok(plan)
}

fn load(board: &Shared, assignment: &Assignment) -> Result<LoadedJob, Halt> {
    let record = &assignment.record;
    let defect = |what: &str| {
        tracing::error!(job = %record.id, what, "a stored job cannot be read");
        let message = format!("the server has lost {what} of the job: submit it again");
        Halt::Failed(ErrorCode::Storage, message)
    };
    let spec = board.store.spec(&record.id)?;
    let spec = spec.ok_or_else(|| defect("the specification"))?;
    let message = spec.task.unwrap_or_default();
    let (task, places) = task::from_message(&message)
        .map_err(|error| Halt::Failed(ErrorCode::Input, error.to_string()))?;
    let path = board.store.blob_path(&record.client, &record.program);
    let bytes = fs::read(path).map_err(|error| match is_transient(error.kind()) {
        true => Halt::of_file(&error),
        false => defect("the program"),
    })?;
    let program = Program::load(&bytes)
        .map_err(|error| Halt::Failed(ErrorCode::Program, error.to_string()))?;
    let hash = |name: &str, what| {
        let hash = blake3::Hash::from_hex(name).map_err(|_| defect(what))?;
        Ok::<[u8; 32], Halt>(hash.into())
    };
    let program_hash = hash(&record.program, "the program")?;
    let run = evaluator::run_hash(
        program_hash,
        hash(&record.inputs, "the inputs")?,
        &task,
        &places,
    );
    Ok(LoadedJob {
        program,
        bytes,
        task,
        places,
        default_zero: message.default_zero,
        hash: program_hash,
        run,
    })
}

/// The plan of a job that a worker can run: one that asks nobody and uses no selectors.
fn plan_for_workers(
    board: &Shared,
    assignment: &Assignment,
    loaded: &LoadedJob,
) -> Result<Option<PlanRecord>, Halt> {
    let record = &assignment.record;
    let path = board.store.blob_path(&record.client, &record.key);
    let key: SeededServerKey = files::read(&path).map_err(|error| unusable(error.into()))?;
    let parameters = *key.parameters();
    drop(key);
    let target = Target {
        threads: assignment.threads,
        architectures: Default::default(),
        fft: None,
        selectors: match &record.selectors {
            Some(hash) => Selectors::In(board.store.blob_path(&record.client, hash)),
            None => Selectors::Unused,
        },
    };
    let plan = tracing::error_span!("plan")
        .in_scope(|| planned(board, assignment, loaded, &parameters, &target))?;
    let is_theirs = plan.is_end && !plan.has_selectors;
    Ok(is_theirs.then_some(plan))
}

/// At the last checkpoint that is whole, else at the beginning: the inputs are there.
fn start(
    board: &Shared,
    record: &mut JobRecord,
    loaded: &LoadedJob,
) -> Result<Start<LweCiphertext>, Halt> {
    let resumed = last_checkpoint(board, record, |file| {
        let resumed = evaluator::resume(file, loaded.run);
        resumed
            .map(|(_, start)| start)
            .map_err(|error| error.to_string())
    })?;
    if let Some(start) = resumed {
        return Ok(start);
    }
    let path = board.store.blob_path(&record.client, &record.inputs);
    let inputs: Vec<Inputs> = files::read_joined(&path).map_err(|error| unusable(error.into()))?;
    let inputs: Vec<&Inputs> = inputs.iter().collect();
    let bits = evaluator::secret_bits(&inputs, &loaded.task, &loaded.places);
    Ok(Start::Fresh(bits.map_err(unusable)?))
}

/// The last checkpoint that is whole, as a file.
pub(super) fn latest_checkpoint(
    board: &Shared,
    record: &mut JobRecord,
    loaded: &LoadedJob,
) -> Result<Option<Vec<u8>>, Halt> {
    last_checkpoint(board, record, |file| {
        let mut bytes = Vec::new();
        file.encode_to(&mut |part| bytes.extend_from_slice(part))
            .map_err(|error| error.to_string())?;
        match evaluator::resume(file, loaded.run) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(error.to_string()),
        }
    })
}

/// What `take` makes of the last checkpoint of which it can make something; others are set aside.
fn last_checkpoint<T>(
    board: &Shared,
    record: &mut JobRecord,
    take: impl Fn(Checkpoint) -> Result<T, String>,
) -> Result<Option<T>, Halt> {
    while let Some(checkpoint) = &record.checkpoint {
        let name = checkpoint_file(checkpoint.number);
        let path = board.store.job_path(&record.id, &name);
        let written = board.store.written_length(&record.id)?;
        let damage: String = match files::read_checkpoint(&path) {
            Ok(_) if written < checkpoint.written => {
                format!(
                    "of {} bytes that were written {written} are there",
                    checkpoint.written
                )
            }
            Ok(file) => match take(file) {
                Ok(taken) => return Ok(Some(taken)),
                Err(error) => error,
            },
            Err(error) if may_pass(&error) => return Err(Halt::of_wire(&error)),
            Err(error) => error.to_string(),
        };
        tracing::error!(job = %record.id, number = checkpoint.number, %damage, "a checkpoint cannot be used");
        record.checkpoint = board.fall_back(&record.id)?;
        record.earlier_checkpoint = None;
    }
    Ok(None)
}

/// Whether trying again may help.
fn may_pass(error: &WireError) -> bool {
    matches!(error, WireError::Io { kind, .. } if is_transient(*kind))
}

/// Files that do not fit each other.
pub(super) fn unusable(error: EvaluationError) -> Halt {
    if let EvaluationError::Wire(error) = &error
        && may_pass(error)
    {
        return Halt::of_wire(error);
    }
    let code = match error {
        EvaluationError::Scheme(_) => ErrorCode::Internal,
        _ => ErrorCode::Input,
    };
    Halt::Failed(code, error.to_string())
}

/// An error of planning or running.
pub(super) fn failed(error: RunError) -> Halt {
    let code = match error.class() {
        ErrorClass::Cancelled => return Halt::Stopped,
        ErrorClass::Host => return halted(&error),
        ErrorClass::Input => ErrorCode::Input,
        ErrorClass::Program => ErrorCode::Program,
        ErrorClass::Fault => ErrorCode::Fault,
        ErrorClass::Limit => ErrorCode::Limit,
        ErrorClass::Secret => ErrorCode::Secret,
        ErrorClass::Checkpoint => return damaged(&error),
        ErrorClass::Internal => ErrorCode::Internal,
    };
    Halt::Failed(code, error.to_string())
}

/// Why our own host ended a run.
fn halted(error: &RunError) -> Halt {
    let source = match error {
        RunError::Host { source } => halt(source),
        _ => None,
    };
    match source {
        Some(Halt::Paused(pause)) => Halt::Paused(*pause),
        Some(Halt::Stopped) => Halt::Stopped,
        Some(Halt::Full(reason)) => Halt::Full(reason.clone()),
        Some(Halt::Postponed(reason)) => Halt::Postponed(reason.clone()),
        Some(Halt::Failed(code, message)) => Halt::Failed(*code, message.clone()),
        None => Halt::Failed(ErrorCode::Internal, error.to_string()),
    }
}

/// A checkpoint that the run cannot go on from, although the server wrote it.
fn damaged(error: &dyn std::fmt::Display) -> Halt {
    tracing::error!(%error, "a checkpoint cannot be used");
    let message = "the server's checkpoint of the job is damaged: submit it again";
    Halt::Failed(ErrorCode::Storage, message.to_owned())
}
