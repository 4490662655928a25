//! `blindcore run`: a program on ciphertexts.

mod table;
mod workers;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use files::{Existing, Reservation};
use processor::{Host, Nobody, Start, Task};
use serde_json::json;
use session::evaluator::{self, CheckpointFile, Checkpointing, Evaluation, Planned, Target};
use session::owner::{KeyHolder, Questioned};
use session::policy::{Asks, Journal};
use session::schemes::bgv::BgvSlots;
use session::schemes::gentry_halevi::Integers;
use session::schemes::tfhe::{Selectors, Tfhe};
use session::schemes::{Adapter, kind_of};
use session::{Control, Program};
use tfhe::LweCiphertext;
use wire::{Kind, Record, Role, WireError};

use super::answering::{journal_failure, key_holder, ledger_failure};
use super::given::{Later, Opened, unusable};
use super::{bytes, load, pipes, print_json, reserve_for, threads};
use crate::arguments::{Run, Scheme};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::{Display, Watcher, duration};

/// Runs the program and writes the outputs file, on the engine that the inputs are for.
pub(crate) fn run(arguments: &Run, interrupt: &Interrupt) -> Result<(), Failure> {
    pipes::refuse_json(arguments.json, &arguments.out)?;
    arguments.given.check()?;
    // A pipe is read only once: then the key says it.
    let kind = kind_of(&arguments.given.inputs).or_else(|| kind_of(&arguments.key));
    let scheme = kind.map_or(wire::Scheme::Tfhe, Kind::scheme);
    let engine = arguments.engine.unwrap_or(scheme.into());
    if arguments.workers.is_any() {
        return workers::run(arguments, engine, interrupt);
    }
    match engine {
        Scheme::Tfhe => on_tfhe(arguments, interrupt),
        Scheme::Bgv => without_questions::<BgvSlots>(arguments, interrupt, "BGV"),
        Scheme::GentryHalevi => {
            without_questions::<Integers>(arguments, interrupt, "the Gentry–Halevi scheme")
        }
    }
}

/// A run that has been looked through: what is cheap to find wrong comes first. A plan needs no
/// key, and says what the outputs are; a place for them is made sure of before the work. The key
/// comes last.
struct Job<'a, A: Adapter> {
    arguments: &'a Run,
    program: Program,
    opened: Opened<'a, A>,
    task: Task,
    places: Vec<usize>,
    target: Target,
}

impl<'a, A: Adapter> Job<'a, A> {
    fn read(arguments: &'a Run) -> Result<(Self, Later<A>), Failure> {
        let program = load(&arguments.program)?;
        let (opened, later) = Opened::read(&arguments.given.files())?;
        let call = arguments.execution.call.as_ref();
        let (placed, places) = opened.place(&program, call, &arguments.given)?;
        let task = A::task(program.task(&arguments.execution.resolve()?, placed)?);
        let target = Target {
            threads: threads(arguments.threads),
            architectures: arguments.forced.architectures(),
            fft: arguments.fft,
            selectors: selectors(arguments),
        };
        let job = Job {
            arguments,
            program,
            opened,
            task,
            places,
            target,
        };
        Ok((job, later))
    }

    fn plan(&self, somebody_answers: bool, control: &Control) -> Result<Planned, Failure> {
        let Job {
            arguments,
            program,
            task,
            ..
        } = self;
        let planned = A::plan(program, task, &self.opened.first, &self.target, control)?;
        planned.refuse_obstacles::<A>(program, somebody_answers)?;
        arguments.missing.check(program, &planned.plan.unset)?;
        planned
            .check_storable()
            .map_err(|error| unusable(&arguments.out, &error))?;
        let variables = wire::variables_of(&self.opened.first.inputs());
        evaluator::check_variables(&variables, task, &self.places)
            .map_err(|error| unusable(&arguments.given.inputs, &error))?;
        Ok(planned)
    }

    fn place(&self, interrupt: &Interrupt) -> Result<Reservation, Failure> {
        let kind = Kind::of(A::SCHEME, Role::Outputs);
        let out = &self.arguments.out;
        let place = reserve_for(kind, out, Existing::ReplaceKind(kind), interrupt)?;
        interrupt.check()?;
        Ok(place)
    }

    fn evaluation<'e>(
        &'e self,
        planned: &'e Planned,
        control: &Control,
    ) -> Result<Evaluation<'e, A>, Failure> {
        // The second part of a key is read where something uses it.
        let mut target = self.target.clone();
        // A plan ends at the first question; behind it something may.
        if planned.plan.total().selector == 0 && planned.plan.complete {
            target.selectors = Selectors::Unused;
        }
        let key = A::read_key(&self.arguments.key, &self.opened.first, &target, control)?;
        Ok(Evaluation {
            program: &self.program,
            task: &self.task,
            places: &self.places,
            planned,
            engine: A::engine(planned.profile(), key, control)?,
        })
    }
}

/// How far the command is, and how it is stopped.
fn controlled(arguments: &Run, interrupt: &Interrupt, display: Display) -> (Arc<Watcher>, Control) {
    let watcher = Arc::new(Watcher::new(arguments.quiet, display));
    let control = Control {
        threads: threads(arguments.threads),
        cancel: interrupt.cancel(),
        memory: arguments.memory,
        observer: Some(watcher.observer()),
    };
    (watcher, control)
}

/// Runs the program on every batch, one of which is in memory at a time, on a scheme without
/// checkpoints and without questions.
fn without_questions<A: Adapter>(
    arguments: &Run,
    interrupt: &Interrupt,
    scheme: &str,
) -> Result<(), Failure> {
    let begin = Instant::now();
    refuse_unsupported(arguments, scheme)?;
    let (job, mut later) = Job::<A>::read(arguments)?;
    let (batches, rows) = (job.opened.batches, job.opened.rows);
    let display = Display::counting(arguments.quiet, A::OPERATION).of_batches(batches);
    let (watcher, control) = controlled(arguments, interrupt, display);
    let planned = job.plan(false, &control)?;
    let place = job.place(interrupt)?;
    let evaluation = job.evaluation(&planned, &control)?;
    watcher.checked();
    let mut instructions = 0;
    let mut names = Vec::new();
    let mut batch = |number, given: &_| {
        let ran = evaluation.batch(number, given, &control);
        let ran = ran.map_err(|error| watcher.failure(error))?;
        instructions += ran.instructions;
        names = A::variables(&ran.outputs)
            .iter()
            .map(|variable| variable.name.clone())
            .collect::<Vec<_>>();
        Ok::<_, Failure>(ran.outputs)
    };
    let outputs = batch(0, &job.opened.first)?;
    let length = match batches {
        1 => write(place, &outputs, &arguments.out)?,
        _ => {
            let wrong = |error: WireError| Failure::file(&arguments.out, &error);
            let mut file = place.begin();
            let first = wire::encode(&outputs).map_err(wrong)?;
            file.append(&first).map_err(wrong)?;
            for number in 1..batches {
                let given = later.next()?;
                let bytes = wire::encode(&batch(number, &given)?).map_err(wrong)?;
                file.append(&bytes).map_err(wrong)?;
            }
            let file = file.finish().map_err(wrong)?;
            let length = file.length();
            file.commit().map_err(wrong)?;
            length
        }
    };
    watcher.finish();
    let report = Report {
        names: names.iter().map(String::as_str).collect(),
        rows,
        batches,
        length,
        instructions,
        begin,
        evaluation: None,
        revealed: None,
    };
    report.show(arguments)
}

/// Refuses what such a scheme does not have rather than leaving it out.
fn refuse_unsupported(arguments: &Run, scheme: &str) -> Result<(), Failure> {
    let asked = [
        ("--resume", arguments.resume),
        ("--checkpoint", arguments.checkpoint.is_some()),
        ("--answer-with", arguments.answering.answer_with.is_some()),
        ("--fft", arguments.fft.is_some()),
    ];
    match asked.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => Err(Failure::new(
            Code::Usage,
            format!("{flag} is not for {scheme} (see --help)"),
        )),
    }
}

fn on_tfhe(arguments: &Run, interrupt: &Interrupt) -> Result<(), Failure> {
    let begin = Instant::now();
    let (job, later) = Job::<Tfhe>::read(arguments)?;
    if let Some(rows) = job.opened.rows {
        return table::run(&job, later, rows, interrupt);
    }
    // What key and parameters are asked of is the same in all files.
    let (name, inputs) = job.opened.first.first()?;
    let holder = key_holder(&arguments.answering, job.program.image(), arguments.quiet)?;
    if let Some(holder) = &holder {
        holder.check(name, inputs)?;
    }
    let display = Display::new(arguments.quiet);
    let (watcher, control) = controlled(arguments, interrupt, display);
    let planned = job.plan(holder.is_some(), &control)?;
    let beside = checkpoint_path(arguments.checkpoint.as_deref(), &arguments.out);
    let lock = beside.as_deref().map(evaluator::lock_checkpoints);
    // To the end of the run.
    let _lock = lock.transpose()?;
    let mut checkpoint = beside
        .map(|path| {
            let given = job.opened.hash()?;
            let run = evaluator::run_hash(job.program.hash(), given, &job.task, &job.places);
            let tell = super::teller(arguments.quiet);
            let file = CheckpointFile::new(path, run, inputs, tell);
            Ok::<_, Failure>(file.with_parts(arguments.checkpoint_every))
        })
        .transpose()?;
    let resumed = match &mut checkpoint {
        Some(file) if arguments.resume => file.resume_at()?,
        None if arguments.resume => {
            let message = "--resume: outputs that are no file have no checkpoint beside them: \
                           name it with --checkpoint";
            return Err(Failure::new(Code::Usage, message));
        }
        Some(file) => {
            file.warn();
            None
        }
        None => None,
    };
    let place = job.place(interrupt)?;
    let evaluation = job.evaluation(&planned, &control)?;
    let start = match resumed {
        Some(start) => start,
        None => Start::Fresh(evaluation.secrets(&job.opened.first)?),
    };

    // Answers of one run are no answers of another: limits and numbers count within this one. A run
    // that goes on from a checkpoint is the one that its record names.
    let name = checkpoint
        .as_ref()
        .map_or("run-".to_owned(), CheckpointFile::name);
    let mut asking = format!("{name}{}", evaluator::attempt());
    let mut answerer = match holder {
        None => None,
        Some(holder) => {
            let asks = Asks::from(job.task.branches.otherwise);
            let journal = match &arguments.answering.audit {
                Some(path) => Journal::open(path).map_err(|error| journal_failure(&error))?,
                None => Journal::in_memory(),
            };
            if let Some(earlier) = journal.last(&name).filter(|_| arguments.resume) {
                asking = earlier.to_owned();
            }
            let answerer = KeyHolder::answering(holder, job.program.image(), asks, journal);
            Some(answerer.map_err(|error| ledger_failure(&error))?)
        }
    };
    let mut questioned;
    let host: &mut dyn Host<LweCiphertext> = match &mut answerer {
        None => &mut Nobody,
        Some(answerer) => {
            questioned = Questioned {
                engine: &evaluation.engine,
                job: &asking,
                answerer,
            };
            &mut questioned
        }
    };
    let mut host = Checkpointing {
        file: checkpoint.as_mut(),
        host,
    };
    let ran = evaluation.run(0, &job.opened.first, start, &mut host, &control);
    watcher.finish();
    let ran = ran.map_err(|error| {
        let mut failure = watcher.failure(error);
        if let Some(file) = &checkpoint {
            failure.message.push_str(&file.remedy());
        }
        failure
    })?;
    let length = write(place, &ran.outputs, &arguments.out)?;
    if let Some(file) = &checkpoint {
        file.finish();
    }
    let variables = ran.outputs.variables().iter();
    let report = Report {
        names: variables.map(|variable| variable.name.as_str()).collect(),
        rows: None,
        batches: 1,
        length,
        instructions: ran.instructions,
        begin,
        evaluation: None,
        revealed: answerer.and_then(|answerer| answerer.revealed(&asking)),
    };
    report.show(arguments)
}

/// What there is to say of a run that went through.
struct Report<'a> {
    /// Of the outputs.
    names: Vec<&'a str>,
    rows: Option<u32>,
    batches: u32,
    /// Of the outputs file, in bytes.
    length: u64,
    instructions: u64,
    begin: Instant,
    /// How long workers have evaluated.
    evaluation: Option<Duration>,
    /// What the answers revealed.
    revealed: Option<String>,
}

impl Report<'_> {
    fn show(&self, arguments: &Run) -> Result<(), Failure> {
        let seconds = self.begin.elapsed().as_secs_f64();
        if arguments.json {
            return print_json(&json!({
                "file": arguments.out,
                "bytes": self.length,
                "outputs": self.names,
                "rows": self.rows,
                "batches": self.batches,
                "instructions": self.instructions,
                "seconds": seconds,
                "evaluation_seconds": self.evaluation.map(|evaluation| evaluation.as_secs_f64()),
                "revealed": self.revealed,
            }));
        }
        if arguments.quiet {
            return Ok(());
        }
        let rows = match (self.rows, self.batches) {
            (None, _) => String::new(),
            (Some(1), 1) => " of 1 row".to_owned(),
            (Some(rows), 1) => format!(" of {rows} rows"),
            (Some(rows), batches) => format!(" of {rows} rows in {batches} batches"),
        };
        let revealed = self.revealed.as_ref();
        let revealed = revealed.map_or(String::new(), |revealed| format!("; {revealed}"));
        let text = format!(
            "{}: {}{rows}, {}; {} instructions in {}{revealed}\n",
            arguments.out.display(),
            self.names.join(", "),
            bytes(self.length),
            self.instructions,
            duration(seconds),
        );
        pipes::tell(&arguments.out, &text)
    }
}

/// Where the checkpoint of a run stands: where it was wanted, else beside the outputs, if those are
/// a file.
fn checkpoint_path(wanted: Option<&Path>, out: &Path) -> Option<PathBuf> {
    if let Some(path) = wanted {
        return Some(path.to_path_buf());
    }
    if pipes::is_pipe(out) || fs::metadata(out).is_ok_and(|found| !found.is_file()) {
        return None;
    }
    let mut name: OsString = out.into();
    name.push(".checkpoint");
    Some(name.into())
}

/// Writes the outputs; gives the file's length. A disk may have filled up during the run: then the
/// outputs are kept elsewhere, since they are expensive.
pub(super) fn write<R: Record>(
    place: Reservation,
    outputs: &R,
    path: &Path,
) -> Result<u64, Failure> {
    let bytes = wire::encode(outputs).map_err(|error| Failure::file(path, &error))?;
    let written = place.fill(&bytes).and_then(|file| file.commit());
    let Err(error) = written else {
        return Ok(bytes.len() as u64);
    };
    let mut failure = Failure::file(path, &error);
    let name = format!("blindcore-outputs-{}.bct", std::process::id());
    let rescue = std::env::temp_dir().join(name);
    failure
        .message
        .push_str(&match files::write(&rescue, outputs, Existing::Keep) {
            Ok(()) => format!("; the outputs are kept in {}", rescue.display()),
            Err(error) => format!("; {}: {error}; the outputs are lost", rescue.display()),
        });
    Err(failure)
}

/// The selector key of a run: named, or beside the server key, or none.
fn selectors(arguments: &Run) -> Selectors {
    match &arguments.selectors {
        _ if arguments.no_selectors => Selectors::Unused,
        Some(path) => Selectors::In(path.clone()),
        None => Selectors::Beside
            .file(&arguments.key)
            .map_or(Selectors::Unused, Selectors::In),
    }
}
