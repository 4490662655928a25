//! `blindcore submit`: what `run` does, on another machine.

use std::fs;
use std::path::Path;

use files::Existing;
use processor::Otherwise;
use serde_json::json;
use service::client::{Blob, Client, Submission};
use service::proto::{BlobKind, JobSpec};
use service::task;
use tfhe::SeededServerKey;
use tfhe::leveled::SeededLeveledKey;
use wire::{Kind, Outputs, Record};

use super::results::{Expected, fetch_outputs, fetch_written};
use super::{check_done, connect, failure, failure_of_job, refused, show};
use crate::arguments::Submit;
use crate::commands::answering::{
    Respondent, journal_of, key_holder, ledger_failure, submission_of,
};
use crate::commands::given::Opened;
use crate::commands::{internal, load, print, print_json, reserve, same_key};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Distant;
use session::owner::KeyHolder;
use session::policy::Asks;
use session::schemes::tfhe::{Selectors, Tfhe};

/// Longest name of a job, in characters: the protocol takes 256 bytes.
const NAME_LIMIT: usize = 64;

/// Submits a job, and waits for its end unless it is to be left alone.
pub(crate) fn submit(arguments: &Submit, interrupt: &Interrupt) -> Result<(), Failure> {
    // What is cheap to find wrong comes first, and nothing is sent before all of it is in order.
    let program = load(&arguments.program)?;
    let program_blob = Blob::new(BlobKind::Program, program.bytes().to_vec());
    let (files, _) = Opened::<Tfhe>::read(&arguments.given.files())?;
    files.refuse_table("a server does not take")?;
    let inputs_blob = Blob::new(BlobKind::Inputs, files.bytes()?);
    let (name, inputs) = files.first.first()?;
    // Read as a server key, so that a secret one can never leave by mistake.
    let (key_blob, key) = record::<SeededServerKey>(BlobKind::ServerKey, &arguments.key)?;
    same_key(Path::new(name), inputs, &key)?;
    let selectors_blob = selectors(arguments, &key)?;
    let call = arguments.execution.call.as_ref();
    let (placed, places) = files.place(&program, call, &arguments.given)?;
    let task = program.task(&arguments.execution.resolve()?, placed)?;
    let may_ask = task.branches.otherwise != Otherwise::Refuse;
    let asks = Asks::from(task.branches.otherwise);
    let holder = key_holder(&arguments.answering, program.image(), arguments.quiet)?;
    match &holder {
        Some(holder) => holder.check(name, inputs)?,
        None if may_ask && !arguments.detach => {
            return Err(Failure::new(
                Code::Usage,
                "a program that asks needs somebody who answers: --answer-with NAME.secret and --allow SITE, or --detach and `blindcore attend`",
            ));
        }
        None => {}
    }
    let existing = Existing::ReplaceKind(Kind::OUTPUTS);
    let place = match &arguments.out {
        Some(path) => Some((reserve::<Outputs>(path, existing, interrupt)?, path)),
        None => None,
    };
    interrupt.check()?;

    let client = connect(&arguments.remote, interrupt, arguments.quiet)?;
    let display = Distant::new(arguments.quiet || arguments.detach);
    let blobs = [&program_blob, &key_blob, &inputs_blob].into_iter();
    let blobs: Vec<&Blob> = blobs.chain(&selectors_blob).collect();
    let sent = client.upload_missing(&blobs, &mut |sent, total| display.upload(sent, total));
    display.finish();
    sent.map_err(|error| failure(&error))?;
    let message = service::proto::Task {
        default_zero: arguments.missing.default_zero,
        ..task::to_message(&task, &places)
    };
    let spec = JobSpec {
        request_id: request_id(arguments.request)?.to_vec(),
        name: job_name(arguments),
        program: program_blob.hash().to_vec(),
        inputs: inputs_blob.hash().to_vec(),
        key: key_blob.hash().to_vec(),
        task: Some(message),
        threads: arguments.threads.map_or(0, |count| count.get() as u32),
        selectors: selectors_blob.map_or(Vec::new(), |blob| blob.hash().to_vec()),
    };
    let job = client.submit(&spec).map_err(|error| failure(&error))?;
    if may_ask {
        let rules = holder.as_ref().map(KeyHolder::rules);
        let rules = rules.cloned().unwrap_or_default();
        let key = inputs.key_id();
        keep(
            &Submission::new(&job.id, client.server(), &spec, key, (asks, rules)),
            &job.id,
        )?;
    }
    let Some((place, path)) = place else {
        return match arguments.json {
            true => print_json(&json!({ "job": job.id, "server": client.server() })),
            false => print(&format!("{}\n", job.id)),
        };
    };
    let answerer = match holder {
        None => None,
        Some(holder) => {
            let (journal, path) = journal_of(&job.id, arguments.answering.audit.as_deref())?;
            {
                let answerer = holder
                    .answering(program.image(), asks, journal)
                    .map_err(|error| ledger_failure(&error))?;
                Some((Respondent(answerer), path))
            }
        }
    };
    let status = follow(&client, &job.id, answerer, arguments.quiet)?;
    check_done(&status)?;
    let expected = Expected {
        parameters: inputs.parameters(),
        key: inputs.key_id(),
    };
    let line = fetch_outputs(&client, &status, place, path, Some(&expected))?;
    if let Some(path) = &arguments.written {
        fetch_written(&client, &status, path)?;
    }
    if arguments.json {
        return print_json(&show::document(&status));
    }
    if arguments.quiet {
        return Ok(());
    }
    print(&format!(
        "{line}; {} instructions in {} on {}\n",
        status.instructions,
        crate::progress::duration(status.run_seconds),
        client.server(),
    ))
}

/// Follows a job to its end, with its progress on standard error, and answers its questions where
/// there is somebody who does.
pub(super) fn follow(
    client: &Client,
    job: &str,
    mut answerer: Option<(Respondent<'_>, std::path::PathBuf)>,
    quiet: bool,
) -> Result<service::proto::JobStatus, Failure> {
    let display = Distant::new(quiet);
    display.note(&format!("job {job} on {}", client.server()));
    let attended = answerer.is_some();
    let mut noted = false;
    let responder = answerer.as_mut().map(|(answerer, _)| answerer as _);
    let ended = client.follow(job, responder, &mut |status| {
        display.status(status, || show::progress(status));
        if status.question_open && !attended && !std::mem::replace(&mut noted, true) {
            display.note(&format!(
                "job {job} waits for an answer: `blindcore attend {job}` gives it"
            ));
        }
    });
    display.finish();
    if let Some((answerer, path)) = &answerer
        && let Some(revealed) = answerer.0.revealed(job)
    {
        display.note(&format!("{revealed}: {}", path.display()));
    }
    ended.map_err(|error| failure_of_job(job, &error))
}

/// Records what was submitted: only then its questions are answered, now and by `attend`.
fn keep(submission: &Submission, job: &str) -> Result<(), Failure> {
    let path = submission_of(job);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(|error| Failure::io(directory, "create", &error))?;
    }
    submission.keep(&path).map_err(|error| {
        let mut failure = refused(&error);
        let advice = format!("; `blindcore cancel {job}` ends the job");
        failure.message.push_str(&advice);
        failure
    })
}

fn blob(kind: BlobKind, path: &Path) -> Result<Blob, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::io(path, "read", &error))?;
    Ok(Blob::new(kind, bytes))
}

/// The selector key of a job: named, or beside the server key, or none; one of another server key is
/// refused before anything is sent.
fn selectors(arguments: &Submit, first: &SeededServerKey) -> Result<Option<Blob>, Failure> {
    let wanted = match &arguments.selectors {
        _ if arguments.no_selectors => Selectors::Unused,
        Some(path) => Selectors::In(path.clone()),
        None => Selectors::Beside,
    };
    let Some(path) = wanted.file(&arguments.key) else {
        return Ok(None);
    };
    let (blob, key) = record::<SeededLeveledKey>(BlobKind::SelectorKey, &path)?;
    let found = (key.parameters(), key.key_id());
    wire::match_keys(found, (first.parameters(), first.key_id())).map_err(|error| {
        let message = format!(
            "{}: {error}: this selector key belongs to another server key; move it away, or make the right one with \
             `key selectors`",
            path.display()
        );
        Failure::new(Code::Key, message)
    })?;
    Ok(Some(blob))
}

/// A file of ours, as it is and as it reads.
fn record<R: Record>(kind: BlobKind, path: &Path) -> Result<(Blob, R), Failure> {
    // The header is looked at before the rest is read.
    let (header, payload) =
        files::read_container(path, Some(R::KIND)).map_err(|error| Failure::file(path, &error))?;
    let record =
        wire::decode_payload(&header, &payload).map_err(|error| Failure::file(path, &error))?;
    drop(payload);
    Ok((blob(kind, path)?, record))
}

/// What people call the job: never more of a path than its last part.
fn job_name(arguments: &Submit) -> String {
    let name = arguments.name.clone().or_else(|| {
        let name = arguments.program.file_name()?;
        Some(name.to_string_lossy().into_owned())
    });
    let name = name.unwrap_or_default();
    let letters = name.chars().filter(|letter| !letter.is_control());
    letters.take(NAME_LIMIT).collect()
}

fn request_id(asked: Option<[u8; 16]>) -> Result<[u8; 16], Failure> {
    if let Some(asked) = asked {
        return Ok(asked);
    }
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(internal)?;
    Ok(id)
}
