//! A program on the rows of a table under TFHE: one run for each, one after the other.
//!
//! A finished row is kept on the disk beside the checkpoint of the one that is being computed, so
//! that a run which ends early goes on in the row where it was.

use std::path::PathBuf;
use std::time::Duration;

use files::Filling;
use processor::{Nobody, Start};
use session::evaluator::{self, CheckpointFile, Checkpointing, KeptRows};
use session::schemes::Adapter;
use session::schemes::tfhe::Tfhe;
use tfhe::LweCiphertext;
use wire::{Inputs, Outputs, Record, TableHead, WireError};

use super::{Job, Later, Report, checkpoint_path, controlled};
use crate::commands::teller;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Display;

/// Runs the program on every row and writes the table of outputs.
pub(super) fn run(
    job: &Job<'_, Tfhe>,
    mut later: Later<Tfhe>,
    rows: u32,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let begin = std::time::Instant::now();
    let arguments = job.arguments;
    if arguments.answering.answer_with.is_some() {
        let message = "--answer-with is not for tables: each row would ask, and nobody could tell \
                       the answers of one row from those of another";
        return Err(Failure::new(Code::Usage, message));
    }
    let display = Display::new(arguments.quiet).of_rows(rows);
    let (watcher, control) = controlled(arguments, interrupt, display);
    let planned = job.plan(false, &control)?;
    let given = job.opened.hash()?;
    let whole = evaluator::run_hash(job.program.hash(), given, &job.task, &job.places);
    let (_, inputs) = job.opened.first.first()?;
    let wrong = |error: WireError| Failure::file(&arguments.out, &error);
    let head = TableHead::<Outputs>::new(*inputs.parameters(), inputs.key_id(), rows, whole)
        .map_err(wrong)?;
    let beside = checkpoint_path(arguments.checkpoint.as_deref(), &arguments.out);
    if beside.is_none() && arguments.resume {
        let message = "--resume: outputs that are no file have no checkpoint beside them: \
                       name it with --checkpoint";
        return Err(Failure::new(Code::Usage, message));
    }
    let lock = beside.as_deref().map(evaluator::lock_checkpoints);
    // To the end of the run.
    let _lock = lock.transpose()?;
    let mut kept = beside.as_ref().map(|path| Kept {
        checkpoint: path.clone(),
        rows: KeptRows::new(rows_path(path), head.clone(), teller(arguments.quiet)),
        run: whole,
        quiet: arguments.quiet,
        every: arguments.checkpoint_every,
    });
    let place = job.place(interrupt)?;
    let mut file = place.begin();
    file.append(&wire::encode(&head).map_err(wrong)?)
        .map_err(wrong)?;
    let mut begun = match &mut kept {
        Some(kept) if arguments.resume => Some(kept.resume(inputs, &mut file)?),
        Some(kept) => {
            kept.rows.warn();
            None
        }
        None => None,
    };
    let done = kept.as_ref().map_or(0, |kept| kept.rows.rows());
    let evaluation = job.evaluation(&planned, &control)?;
    let (mut instructions, mut names) = (0, Vec::new());
    for row in 0..rows {
        let next = match row {
            0 => None,
            _ => Some(later.next()?),
        };
        let given = next.as_ref().unwrap_or(&job.opened.first);
        if row < done {
            continue;
        }
        let Begun {
            mut checkpoint,
            start,
        } = begun.take().unwrap_or_else(|| Begun {
            checkpoint: kept.as_ref().map(|kept| kept.checkpoint(inputs, row)),
            start: None,
        });
        let start = match start {
            Some(start) => start,
            None => Start::Fresh(evaluation.secrets(given)?),
        };
        let mut host = Checkpointing {
            file: checkpoint.as_mut(),
            host: &mut Nobody,
        };
        let ran = evaluation.run(row, given, start, &mut host, &control);
        let ran = ran.map_err(|error| {
            let mut failure = watcher.failure(error);
            let goes_on = match (&kept, &checkpoint) {
                (Some(kept), _) if kept.rows.rows() > 0 => format!(
                    "; the same command with --resume goes on from {}",
                    kept.rows.path().display()
                ),
                (_, Some(checkpoint)) => checkpoint.remedy(),
                _ => String::new(),
            };
            failure.message.push_str(&goes_on);
            failure
        })?;
        let bytes = wire::encode(&ran.outputs).map_err(wrong)?;
        file.append(&bytes).map_err(wrong)?;
        // A checkpoint of a row that is kept is never gone on from.
        if let Some(kept) = &mut kept {
            kept.rows.keep(&bytes);
        }
        if let Some(checkpoint) = &checkpoint {
            checkpoint.finish();
        }
        instructions += ran.instructions;
        names = Tfhe::variables(&ran.outputs)
            .iter()
            .map(|variable| variable.name.clone())
            .collect();
    }
    watcher.finish();
    let file = file.finish().map_err(wrong)?;
    let length = file.length();
    file.commit().map_err(wrong)?;
    if let Some(kept) = &kept {
        kept.rows.finish();
    }
    let report = Report {
        names: names.iter().map(String::as_str).collect(),
        rows: Some(rows),
        batches: 1,
        length,
        instructions,
        begin,
        evaluation: None,
        revealed: None,
    };
    report.show(arguments)
}

/// Where the finished rows are, by the checkpoint of the one that is being computed.
pub(super) fn rows_path(checkpoint: &std::path::Path) -> PathBuf {
    let mut name = checkpoint.as_os_str().to_owned();
    name.push(".rows");
    name.into()
}

/// Where a row's run begins.
struct Begun {
    checkpoint: Option<CheckpointFile>,
    /// `None` for the program's beginning.
    start: Option<Start<LweCiphertext>>,
}

/// What is on the disk of a run.
struct Kept {
    checkpoint: PathBuf,
    rows: KeptRows,
    run: [u8; 32],
    quiet: bool,
    every: Duration,
}

impl Kept {
    /// The checkpoint of a row's run.
    fn checkpoint(&self, inputs: &Inputs, row: u32) -> CheckpointFile {
        let run = evaluator::row_hash(self.run, row);
        let path = self.checkpoint.clone();
        CheckpointFile::new(path, run, inputs, teller(self.quiet)).with_parts(self.every)
    }

    /// Writes the finished rows to the outputs, and finds where the first that is not goes on.
    fn resume(&mut self, inputs: &Inputs, file: &mut Filling) -> Result<Begun, Failure> {
        self.rows.resume(&mut |row| file.append(row))?;
        let row = self.rows.rows();
        let mut checkpoint = self.checkpoint(inputs, row);
        let start = match checkpoint.resume_at() {
            Ok(start) => start,
            // There need not be one; or the run was killed between a row's end and that of its
            // checkpoint.
            Err(_) if row > 0 && self.is_of_finished(inputs, row - 1) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Begun {
            checkpoint: Some(checkpoint),
            start,
        })
    }

    /// Whether there is no checkpoint, or that of a row that is finished.
    fn is_of_finished(&self, inputs: &Inputs, row: u32) -> bool {
        let run = evaluator::row_hash(self.run, row);
        let quiet = Box::new(|_: &str| {});
        let mut file = CheckpointFile::new(self.checkpoint.clone(), run, inputs, quiet);
        !file.is_there() || file.resume().is_ok()
    }
}
