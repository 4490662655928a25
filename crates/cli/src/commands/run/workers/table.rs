//! Rows of a table on workers, each on one of them; under BGV batches of rows.

use std::path::PathBuf;
use std::time::Instant;

use cluster::{ClusterError, Rows, Table, TableScheme, Workers, drive_table};
use files::Filling;
use session::Control;
use session::evaluator::{self, Given, KeptRows, Planned};
use session::schemes::bgv::BgvSlots;
use session::schemes::tfhe::Tfhe;
use session::schemes::{Adapter, kind_of};
use tfhe::SeededServerKey;
use wire::{Kind, Outputs, TableHead, WireError};

use super::{failure, server_key};
use crate::arguments::Run;
use crate::commands::run::{
    Job, Later, Report, checkpoint_path, controlled, refuse_unsupported, table::rows_path,
};
use crate::commands::teller;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::{Display, Watcher};

/// A row for each run. Those that are done are kept, and `--resume` goes on behind them.
pub(super) fn run_tfhe(
    job: &Job<'_, Tfhe>,
    later: Later<Tfhe>,
    rows: u32,
    workers: &Workers,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let begin = Instant::now();
    let arguments = job.arguments;
    let display = Display::new(arguments.quiet).of_rows(rows);
    let (watcher, control) = controlled(arguments, interrupt, display);
    let planned = job.plan(false, &control)?;
    let hash = job.opened.hash()?;
    let run = evaluator::run_hash(job.program.hash(), hash, &job.task, &job.places);
    let (_, inputs) = job.opened.first.first()?;
    let key = server_key::<SeededServerKey, _>(arguments, inputs)?;
    let (parameters, id) = (
        *wire::Record::parameters(inputs),
        wire::Record::key_id(inputs),
    );
    let wrong = |error: WireError| Failure::file(&arguments.out, &error);
    let head = TableHead::<Outputs>::new(parameters, id, rows, run).map_err(wrong)?;
    let beside = checkpoint_path(arguments.checkpoint.as_deref(), &arguments.out);
    if beside.is_none() && arguments.resume {
        let message = "--resume: outputs that are no file have nothing beside them to go on from: name it with \
                       --checkpoint";
        return Err(Failure::new(Code::Usage, message));
    }
    let lock = beside.as_deref().map(evaluator::lock_checkpoints);
    // To the end of the run.
    let _lock = lock.transpose()?;
    let is_checkpoint = |path: &PathBuf| kind_of(path) == Some(Kind::CHECKPOINT);
    let stale = beside.clone().filter(is_checkpoint);
    let mut kept =
        beside.map(|path| KeptRows::new(rows_path(&path), head.clone(), teller(arguments.quiet)));
    let mut file = job.place(interrupt)?.begin();
    file.append(&wire::encode(&head).map_err(wrong)?)
        .map_err(wrong)?;
    match &mut kept {
        Some(kept) if arguments.resume => kept.resume(&mut |row| file.append(row))?,
        Some(kept) => kept.warn(),
        None => {}
    }
    let mut passing = Passing::new(job, later, file, kept, (&watcher, &control, &planned));
    passing.stale = stale;
    passing.run((TableScheme::Tfhe, key), (rows, rows), workers, begin)
}

/// A batch of rows for each run.
pub(super) fn run_bgv(
    arguments: &Run,
    workers: &Workers,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let begin = Instant::now();
    refuse_unsupported(arguments, "BGV")?;
    let (job, later) = Job::<BgvSlots>::read(arguments)?;
    let (batches, rows) = (job.opened.batches, job.opened.rows.unwrap_or(1));
    let display = Display::counting(arguments.quiet, BgvSlots::OPERATION).of_batches(batches);
    let (watcher, control) = controlled(arguments, interrupt, display);
    let planned = job.plan(false, &control)?;
    let (_, inputs) = job.opened.first.first()?;
    let key = server_key::<wire::bgv::ServerKey, _>(arguments, inputs)?;
    let file = job.place(interrupt)?.begin();
    let passing = Passing::new(&job, later, file, None, (&watcher, &control, &planned));
    passing.run((TableScheme::Bgv, key), (batches, rows), workers, begin)
}

/// Rows from the files of inputs, and their outputs to that of outputs.
struct Passing<'a, A: Adapter> {
    job: &'a Job<'a, A>,
    later: Later<A>,
    /// The next row to read.
    next: u32,
    file: Filling,
    kept: Option<KeptRows>,
    /// The checkpoint of a row that a run on one machine had begun.
    stale: Option<PathBuf>,
    /// Rows that were kept by an earlier run.
    earlier: u32,
    watcher: &'a Watcher,
    control: &'a Control,
    planned: &'a Planned,
    names: Vec<String>,
    instructions: u64,
}

impl<'a, A: Adapter> Passing<'a, A> {
    fn new(
        job: &'a Job<'a, A>,
        later: Later<A>,
        file: Filling,
        kept: Option<KeptRows>,
        (watcher, control, planned): (&'a Watcher, &'a Control, &'a Planned),
    ) -> Self {
        Self {
            job,
            later,
            next: 0,
            file,
            earlier: kept.as_ref().map_or(0, KeptRows::rows),
            kept,
            stale: None,
            watcher,
            control,
            planned,
            names: Vec::new(),
            instructions: 0,
        }
    }

    /// Runs what is not kept already, and writes the outputs: so many runs, of so many rows.
    fn run(
        mut self,
        (scheme, key): (TableScheme, Vec<u8>),
        (runs, rows): (u32, u32),
        workers: &Workers,
        begin: Instant,
    ) -> Result<(), Failure> {
        let job = self.job;
        let arguments = job.arguments;
        while self.next < self.earlier {
            self.read()?;
        }
        let table = Table {
            name: job.program.name().to_owned(),
            program: job.program.bytes().to_vec(),
            task: job.task.clone(),
            places: job.places.clone(),
            scheme,
            key: key.into(),
            rows: self.earlier..runs,
        };
        let transport = workers.reach.driver().map_err(|error| failure(&error))?;
        self.watcher.checked();
        let (patience, cancel) = (workers.patience, self.control.cancel.clone());
        let addresses = &workers.addresses;
        let ended = drive_table(&transport, addresses, table, patience, &mut self, &cancel);
        self.watcher.finish();
        ended.map_err(|mut failure| {
            if let Some(kept) = self.kept.as_ref().filter(|kept| kept.rows() > 0) {
                failure.message.push_str(&format!(
                    "; the same command with --resume goes on from {}",
                    kept.path().display()
                ));
            }
            failure
        })?;
        let wrong = |error: WireError| Failure::file(&arguments.out, &error);
        let file = self.file.finish().map_err(wrong)?;
        let length = file.length();
        file.commit().map_err(wrong)?;
        if let Some(kept) = &self.kept {
            kept.finish();
        }
        let report = Report {
            names: self.names.iter().map(String::as_str).collect(),
            rows: Some(rows),
            batches: if scheme == TableScheme::Bgv { runs } else { 1 },
            length,
            instructions: self.instructions,
            begin,
            evaluation: None,
            revealed: None,
        };
        report.show(arguments)
    }

    /// The next row; the first has been read already.
    fn read(&mut self) -> Result<Option<Given<A>>, Failure> {
        self.next += 1;
        match self.next {
            1 => Ok(None),
            _ => self.later.next().map(Some),
        }
    }
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Self {
        failure(&error)
    }
}

impl<A: Adapter> Rows for Passing<'_, A> {
    type Error = Failure;

    fn next(&mut self) -> Result<cluster::Files, Failure> {
        let read = self.read()?;
        let given = read.as_ref().unwrap_or(&self.job.opened.first);
        let files = given.iter().map(|(name, inputs)| {
            let bytes = wire::encode(inputs).map_err(|error| Failure::file(name.as_ref(), &error));
            Ok((name.to_owned(), bytes?.to_vec()))
        });
        files.collect()
    }

    fn done(&mut self, outputs: &[u8], instructions: u64) -> Result<(), Failure> {
        let wrong = |error: WireError| Failure::file(&self.job.arguments.out, &error);
        // What no reader could read is not written.
        let read: A::Outputs = wire::decode(outputs).map_err(|error| {
            let message = format!("a worker's outputs: {error}");
            Failure::new(Code::Internal, message)
        })?;
        let names = A::variables(&read).iter();
        self.names = names.map(|variable| variable.name.clone()).collect();
        self.file.append(outputs).map_err(wrong)?;
        if let Some(kept) = &mut self.kept {
            let before = kept.rows();
            kept.keep(outputs);
            // That of a row which a run on this machine had begun: it is kept now.
            if let Some(stale) = self.stale.take_if(|_| kept.rows() > before) {
                let _ = std::fs::remove_file(stale);
            }
        }
        self.instructions += instructions;
        Ok(())
    }

    fn progress(&mut self, rows: u32, nodes: u64) {
        let Some(observer) = &self.control.observer else {
            return;
        };
        let plan = &self.planned.plan;
        observer(session::Progress::Run {
            batch: rows,
            progress: processor::Progress {
                window: 0,
                windows: plan.windows.len(),
                end_known: plan.complete,
                instructions: plan.instructions,
                executed: plan.instructions,
                instructions_planned: plan.instructions,
                nodes: usize::try_from(nodes).unwrap_or(usize::MAX),
                nodes_planned: plan.nodes(),
            },
        });
    }

    fn told(&mut self, text: &str) {
        if !self.job.arguments.quiet {
            eprintln!("{text}");
        }
    }
}
