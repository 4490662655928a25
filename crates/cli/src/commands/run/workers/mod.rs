//! `blindcore run --workers`: a run on several machines, or the rows of a table. This one has the files, and computes
//! nothing.

mod mpi;
mod table;

use std::num::NonZeroUsize;
use std::time::Instant;

use cluster::ray::{Ray, Wanted};
use cluster::tcp::Certificates;
use cluster::{Addresses, ClusterError, Patience, Reach, SharedRun, Workers};
use session::evaluator::{self, CheckpointFile, memory};
use session::schemes::tfhe::Tfhe;
use tfhe::SeededServerKey;
use wire::{Outputs, Record, WireError};

use super::{Job, Report, checkpoint_path, controlled, write};
use crate::arguments::{Run, Scheme};
use crate::commands::threads;
use crate::commands::worker::failure;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Display;

/// Bytes that one worker may take for a run of its own, as a run on this machine does.
const MEMORY: u64 = 1_000_000_000;

pub(super) fn run(arguments: &Run, engine: Scheme, interrupt: &Interrupt) -> Result<(), Failure> {
    refuse_unsupported(arguments)?;
    if engine == Scheme::GentryHalevi {
        let message = "--workers and --cluster are for TFHE, and for tables under BGV";
        return Err(Failure::new(Code::Usage, message));
    }
    if arguments.workers.is_mpi() {
        if arguments.workers.tls.is_some() {
            let message = "--tls is not for --workers mpi, which has no TLS";
            return Err(Failure::new(Code::Usage, message));
        }
        return mpi::run(arguments, engine, interrupt);
    }
    let tls = arguments.workers.tls.as_deref();
    let certificates = tls.map(Certificates::read).transpose();
    let reach = Reach::Tcp(certificates.map_err(|error| failure(&error))?);
    if let Some(cluster) = &arguments.workers.cluster {
        // To the end of the run.
        let wanted = Wanted {
            cluster: cluster.clone(),
            machines: arguments.workers.machines,
            threads: arguments.threads,
            // Another scheme's comes with the first row.
            key: (engine == Scheme::Tfhe).then(|| arguments.key.clone()),
            tls: arguments.workers.tls.clone(),
        };
        let ray = Ray::start(&wanted, &interrupt.cancel()).map_err(|error| failure(&error))?;
        let workers = workers(arguments, ray.addresses(), reach);
        return run_on(arguments, engine, &workers, ray.threads(), interrupt);
    }
    let addresses = Addresses::from(arguments.workers.workers.iter());
    let workers = workers(arguments, addresses, reach);
    run_on(
        arguments,
        engine,
        &workers,
        threads(arguments.threads),
        interrupt,
    )
}

/// Runs on these, each of which has so many threads.
fn run_on(
    arguments: &Run,
    engine: Scheme,
    workers: &Workers,
    each: NonZeroUsize,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let begin = Instant::now();
    if engine == Scheme::Bgv {
        return table::run_bgv(arguments, workers, interrupt);
    }
    let (mut job, later) = Job::<Tfhe>::read(arguments)?;
    job.target.selectors = session::schemes::tfhe::Selectors::Unused;
    if let Some(rows) = job.opened.rows {
        return table::run_tfhe(&job, later, rows, workers, interrupt);
    }
    let all = each.get().saturating_mul(workers.addresses.len());
    job.target.threads = NonZeroUsize::new(all).unwrap_or(NonZeroUsize::MIN);
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
    let key = server_key::<SeededServerKey, _>(arguments, inputs)?;
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
        memory: MEMORY.saturating_sub(memory::beside_ciphertexts(
            inputs.parameters(),
            &planned.plan,
        )),
    };
    watcher.checked();
    let mut tell = |text: &str| {
        if !arguments.quiet {
            eprintln!("{text}");
        }
    };
    let ended = shared.on(workers, checkpoint.as_mut(), &control, &mut tell);
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
        evaluation: Some(ended.evaluation),
        revealed: None,
    };
    report.show(arguments)
}

/// How they are treated.
fn workers(arguments: &Run, addresses: Addresses, reach: Reach) -> Workers {
    Workers {
        addresses,
        reach,
        bits_per_second: arguments.workers.network,
        may_grow: false,
        is_halved: arguments.workers.halved,
        patience: Patience {
            silent: arguments.workers.silent,
            ..Patience::default()
        },
    }
}

/// The key's file, which must be that of the inputs.
fn server_key<K, I>(arguments: &Run, inputs: &I) -> Result<Vec<u8>, Failure>
where
    K: Record,
    I: Record<Parameters = K::Parameters>,
{
    let path = &arguments.key;
    let wrong = |error: WireError| Failure::file(path, &error);
    let key: K = files::read(path).map_err(wrong)?;
    let of_inputs = (inputs.parameters(), inputs.key_id());
    wire::match_keys(of_inputs, (key.parameters(), key.key_id())).map_err(wrong)?;
    Ok(wire::encode(&key).map_err(wrong)?.to_vec())
}

/// Refuses what runs on one machine only rather than leaving it out.
fn refuse_unsupported(arguments: &Run) -> Result<(), Failure> {
    let is_said = arguments.workers.tls.is_some() || arguments.workers.plain;
    if !is_said && !arguments.workers.is_mpi() {
        let message =
            "several machines want --tls DIR, or --plain in a network that nobody else is in";
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
