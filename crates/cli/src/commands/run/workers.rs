//! `blindcore run --workers`: a run on several machines. This one has the files, and computes nothing.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use cluster::tcp::{Certificates, Connections, Tcp};
use cluster::{Addresses, ClusterError, Patience, Progress, Transport, drive};
use session::evaluator::{self, CheckpointFile};
use session::schemes::tfhe::Tfhe;
use tfhe::SeededServerKey;
use wire::{Checkpoint, Inputs, Outputs, Record as _, WireError};

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
    let (state, bytes) = match resumed {
        None => (None, None),
        Some(found) => {
            let mut bytes = Vec::new();
            let encoded = found.encode_to(&mut |part| bytes.extend_from_slice(part));
            encoded.map_err(|error| Failure::file(&arguments.out, &error))?;
            let resumed = evaluator::resume(found, run).map_err(super::super::internal)?;
            (Some(resumed.0), Some(bytes))
        }
    };
    let key = server_key(arguments, inputs)?;
    let shared = cluster::Job {
        name: job.program.name().to_owned(),
        program: job.program.bytes().to_vec(),
        task: job.task.clone(),
        places: job.places.clone(),
        inputs: job.opened.files()?,
        checkpoint: bytes,
        run,
        key: key.into(),
        threads: job.target.threads,
        is_wide: planned.is_wide,
        bits_per_second: arguments.workers.network,
        written: state.as_ref().map_or(0, processor::State::written),
        windows: planned
            .plan
            .windows
            .iter()
            .map(|window| window.nodes)
            .collect(),
    };
    let tcp = Tcp::driver(certificates).map_err(|error| failure(&error))?;
    let connections: Arc<dyn Transport> = Arc::new(Connections::of(tcp));
    watcher.checked();
    let mut telling = Telling {
        control: &control,
        planned: &planned.plan,
        checkpoint: checkpoint.as_mut(),
        quiet: arguments.quiet,
    };
    let patience = Patience {
        silent: arguments.workers.silent,
        ..Patience::default()
    };
    let addresses = Addresses::from(arguments.workers.workers.iter());
    let ended = drive(
        &connections,
        &addresses,
        shared,
        patience,
        &mut telling,
        &control.cancel,
    );
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

/// Shows what the driver says.
struct Telling<'a> {
    control: &'a session::Control,
    planned: &'a processor::Plan,
    checkpoint: Option<&'a mut CheckpointFile>,
    quiet: bool,
}

impl cluster::Watcher for Telling<'_> {
    fn progress(&mut self, progress: Progress) {
        let Some(observer) = &self.control.observer else {
            return;
        };
        observer(session::Progress::Run {
            batch: 0,
            progress: processor::Progress {
                window: progress.window,
                windows: self.planned.windows.len(),
                end_known: self.planned.complete,
                instructions: progress.instructions,
                executed: progress.instructions,
                instructions_planned: self.planned.instructions,
                nodes: progress.nodes,
                nodes_planned: self.planned.nodes(),
            },
        });
    }

    fn checkpoint(&mut self, file: &[u8]) {
        let Some(checkpoint) = &mut self.checkpoint else {
            return;
        };
        match wire::decode::<Checkpoint>(file) {
            Ok(record) => checkpoint.replace(&record),
            Err(error) => self.told(&format!("a checkpoint of a worker: {error}")),
        }
    }

    fn written(&mut self, _: &[u8]) {
        // As for a run on one machine: nobody reads it.
    }

    fn told(&mut self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }
}
