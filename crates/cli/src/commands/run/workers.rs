//! `blindcore run --workers`: a run on several machines. This one has the files, and computes nothing.

use std::num::NonZeroUsize;
use std::time::Instant;

use cluster::tcp::Certificates;
use cluster::{Addresses, ClusterError, Patience, SharedRun, Workers};
use session::evaluator::{self, CheckpointFile};
use session::schemes::tfhe::Tfhe;
use tfhe::SeededServerKey;
use wire::{Inputs, Outputs, Record as _, WireError};

use super::{Job, Report, checkpoint_path, controlled, write};
use crate::arguments::Run;
use crate::commands::worker::failure;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Display;

pub(super) fn run(arguments: &Run, interrupt: &Interrupt) -> Result<(), Failure> {
    let begin = Instant::now();
    refuse_unsupported(arguments)?;
    let certificates = arguments
        .workers
        .tls
        .as_deref()
        .map(Certificates::read)
        .transpose();
    let certificates = certificates.map_err(|error| failure(&error))?;
    let (mut job, _) = Job::<Tfhe>::read(arguments)?;
    if job.opened.rows.is_some() {
        let message =
            "--workers takes no table yet: run its rows by themselves, or without --workers";
        return Err(Failure::new(Code::Usage, message));
    }
    let workers = arguments.workers.workers.len();
    let all = job.target.threads.get().saturating_mul(workers);
    job.target.threads = NonZeroUsize::new(all).unwrap_or(NonZeroUsize::MIN);
    job.target.selectors = session::schemes::tfhe::Selectors::Unused;
    let (_, inputs) = job.opened.first.first()?;
    let display = Display::new(arguments.quiet);
    let (watcher, control) = controlled(arguments, interrupt, display);
    let planned = job.plan(false, &control)?;
    let beside = checkpoint_path(arguments.checkpoint.as_deref(), &arguments.out);
    let lock = beside.as_deref().map(evaluator::lock_checkpoints);
    // To the end of the run.
    let _lock = lock.transpose()?;
    let hash = job.opened.hash()?;
    let run = evaluator::run_hash(job.program.hash(), hash, &job.task, &job.places);
    let mut checkpoint = beside
        .map(|path| CheckpointFile::new(path, run, inputs, super::super::teller(arguments.quiet)));
    let resumed = match &mut checkpoint {
        Some(file) if arguments.resume => Some(file.read()?),
        Some(file) => {
            file.warn();
            None
        }
        None => None,
    };
    let place = job.place(interrupt)?;
    let key = server_key(arguments, inputs)?;
    let shared = SharedRun {
        program: &job.program,
        task: &job.task,
        places: &job.places,
        inputs: job.opened.files()?,
        key,
        planned: &planned,
        threads: job.target.threads,
        run,
        resumed,
    };
    let workers = Workers {
        addresses: Addresses::from(arguments.workers.workers.iter()),
        certificates,
        bits_per_second: arguments.workers.network,
        patience: Patience {
            silent: arguments.workers.silent,
            ..Patience::default()
        },
    };
    watcher.checked();
    let mut tell = |text: &str| {
        if !arguments.quiet {
            eprintln!("{text}");
        }
    };
    let ended = shared.on(&workers, checkpoint.as_mut(), &control, &mut tell);
    watcher.finish();
    let ended = ended.map_err(|error| {
        let mut failure = failure(&error);
        if let (Some(file), false) = (&checkpoint, matches!(error, ClusterError::Run(_))) {
            failure.message.push_str(&file.remedy());
        }
        failure
    })?;
    let outputs: Outputs = wire::decode(&ended.outputs).map_err(super::super::internal)?;
    let length = write(place, &outputs, &arguments.out)?;
    if let Some(file) = &checkpoint {
        file.finish();
    }
    let report = Report {
        names: outputs
            .variables()
            .iter()
            .map(|variable| variable.name.as_str())
            .collect(),
        rows: None,
        batches: 1,
        length,
        instructions: ended.instructions,
        begin,
        revealed: None,
    };
    report.show(arguments)
}

/// The key's file, which must be that of the inputs.
fn server_key(arguments: &Run, inputs: &Inputs) -> Result<Vec<u8>, Failure> {
    let path = &arguments.key;
    let wrong = |error: WireError| Failure::file(path, &error);
    let key: SeededServerKey = files::read(path).map_err(wrong)?;
    let of_inputs = (inputs.parameters(), inputs.key_id());
    wire::match_keys(of_inputs, (key.parameters(), key.key_id())).map_err(wrong)?;
    Ok(wire::encode(&key).map_err(wrong)?.to_vec())
}

/// Refuses what runs on one machine only rather than leaving it out.
fn refuse_unsupported(arguments: &Run) -> Result<(), Failure> {
    if arguments.workers.tls.is_none() && !arguments.workers.plain {
        let message = "--workers wants --tls DIR, or --plain in a network that nobody else is in";
        return Err(Failure::new(Code::Usage, message));
    }
    let asked = [
        ("--answer-with", arguments.answering.answer_with.is_some()),
        ("--memory", arguments.memory.is_some()),
        ("--fft", arguments.fft.is_some()),
        ("--selectors", arguments.selectors.is_some()),
        ("forced architectures", arguments.forced.is_any()),
    ];
    match asked.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => {
            let message = format!("{flag} is for a run on one machine, not for --workers");
            Err(Failure::new(Code::Usage, message))
        }
    }
}
