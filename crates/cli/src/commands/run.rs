//! `blindcore run`: a program on ciphertexts.

use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use files::{Existing, Reservation};
use processor::{Control, Host, Nobody, RunError, Start};
use session::evaluator::{self, EvaluationError, Target};
use session::policy::Journal;
use tfhe::LweCiphertext;
use wire::{Kind, Outputs, Record};

use super::answering::{KeyHolder, Questioned, journal_failure};
use super::inputs::{Files, hash, placed};
use super::keeping::{self, Keeping, Kept};
use super::{bgv, bytes, gentry_halevi, internal, print, reserve, run_failure, threads};
use crate::arguments::{Run, Scheme};
use crate::engine;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::memory;
use crate::progress::{Display, duration};
use session::Program;

/// Runs the program and writes the outputs file, on the engine that the inputs are for.
pub(crate) fn run(arguments: &Run, interrupt: &Interrupt) -> Result<(), Failure> {
    let scheme = gentry_halevi::scheme_of(&arguments.given.inputs);
    match arguments.engine.unwrap_or(scheme) {
        Scheme::Tfhe => on_tfhe(arguments, interrupt),
        Scheme::Bgv => bgv::run(arguments, interrupt),
        Scheme::GentryHalevi => gentry_halevi::run(arguments, interrupt),
    }
}

fn on_tfhe(arguments: &Run, interrupt: &Interrupt) -> Result<(), Failure> {
    let begin = Instant::now();
    // What is cheap to find wrong comes first: a plan needs no key, and tells what the outputs are;
    // a place for them is made sure of before the work. The key's expansion comes last.
    let program = Program::load(&arguments.program)?;
    let files: Files<'_> = Files::read(&arguments.given.files(), wire::join)?;
    let call = arguments.execution.call.as_ref();
    let (placed, places) = placed(&program, call, &files.variables(), &arguments.given)?;
    let task = program.task(&arguments.execution.resolve()?, placed)?;
    // What key and parameters are asked of is the same in all files.
    let (path, inputs) = files.first()?;
    let holder = KeyHolder::new(&arguments.answering, program.image())?;
    if let Some(holder) = &holder {
        holder.check(path, inputs)?;
    }

    let workers = threads(arguments.threads);
    let failure = |error: RunError| program.error(&error);
    let target = Target {
        parameters: inputs.parameters(),
        threads: workers,
        architectures: arguments.forced.architectures(),
    };
    let planned = evaluator::plan(program.image(), &task, &target).map_err(failure)?;
    let plan = &planned.plan;
    if let Some(obstacle) = plan.obstacle() {
        return Err(failure(obstacle).into());
    }
    if let (Some(question), None) = (&plan.question, &holder) {
        let message = format!(
            "{}: {}: the program asks the key's owner here: answer with --answer-with NAME.secret \
             and --allow SITE, or let --branches both execute both paths where they rejoin",
            program.name(),
            question.site
        );
        return Err(Failure::new(Code::Secret, message));
    }
    arguments.missing.check(&program, &plan.unset)?;
    evaluator::check_storable(plan).map_err(|error| unusable(&arguments.out, error))?;
    let secrets = evaluator::secret_bits(&files.inputs(), &task, &places)
        .map_err(|error| unusable(path, error))?;
    let mut keeping = keeping::place(arguments.checkpoint.as_deref(), &arguments.out)
        .map(|path| {
            let (program, given) = (hash(&arguments.program)?, files.hash()?);
            let run = evaluator::run_hash(program, given, &task, &places);
            Ok::<_, Failure>(Keeping::new(path, run, inputs, arguments.quiet))
        })
        .transpose()?;
    let start = match &mut keeping {
        Some(keeping) if arguments.resume => {
            drop(secrets);
            keeping.resume()?
        }
        None if arguments.resume => {
            let message = "--resume: outputs that are no file have no checkpoint beside them: \
                           name it with --checkpoint";
            return Err(Failure::new(Code::Usage, message));
        }
        Some(keeping) => {
            keeping.warn();
            Start::Fresh(secrets)
        }
        None => Start::Fresh(secrets),
    };
    let existing = Existing::ReplaceKind(Kind::OUTPUTS);
    let place = reserve::<Outputs>(&arguments.out, existing, interrupt)?;
    interrupt.check()?;
    let key = engine::expanded(&arguments.key, (path, inputs), workers, arguments.fft)?;
    let engine = planned.engine(key);

    let display = Arc::new(Display::new(arguments.quiet));
    let observer = Arc::clone(&display);
    let control = Control {
        threads: workers.get(),
        observer: Some(Arc::new(move |progress| observer.update(&progress))),
        cancel: interrupt.cancel(),
        memory: Some(memory::for_ciphertexts(
            arguments.memory,
            inputs.parameters(),
            plan,
        )),
    };
    // Answers of one run are no answers of another: limits and numbers count within this one. A run
    // that goes on from a checkpoint is the one that its record tells of.
    let name = keeping.as_ref().map_or("run-".to_owned(), Keeping::name);
    let mut job = format!("{name}{}", started());
    let mut answerer = match holder {
        None => None,
        Some(holder) => {
            let journal = match &arguments.answering.audit {
                Some(path) => Journal::open(path).map_err(|error| journal_failure(&error))?,
                None => Journal::in_memory(),
            };
            if let Some(earlier) = journal.last(&name).filter(|_| arguments.resume) {
                job = earlier.to_owned();
            }
            Some(holder.answering(program.image(), journal)?)
        }
    };
    let mut questioned;
    let host: &mut dyn Host<LweCiphertext> = match &mut answerer {
        None => &mut Nobody,
        Some(answerer) => {
            questioned = Questioned {
                engine: &engine,
                job: &job,
                answerer,
            };
            &mut questioned
        }
    };
    let mut host = Kept {
        keeping: keeping.as_mut(),
        host,
    };
    let outcome = processor::run_hosted(
        program.image(),
        &task,
        &engine,
        start,
        &mut host,
        &control,
        Some(plan),
    );
    display.finish();
    let outcome = outcome.map_err(|error| {
        let mut failure = run_failure(&program, &error, &display);
        if let Some(keeping) = &keeping {
            failure.message.push_str(&keeping.remedy());
        }
        failure
    })?;

    let instructions = outcome.instructions;
    let outputs = evaluator::outputs(&engine, &outcome).map_err(internal)?;
    let length = write(place, &outputs, &arguments.out)?;
    if let Some(keeping) = &keeping {
        keeping.finish();
    }
    if arguments.quiet {
        return Ok(());
    }
    let names: Vec<&str> = outputs
        .variables()
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    let revealed = answerer.and_then(|answerer| answerer.revealed(&job));
    print(&format!(
        "{}: {}, {}; {instructions} instructions in {}{}\n",
        arguments.out.display(),
        names.join(", "),
        bytes(length),
        duration(begin.elapsed().as_secs_f64()),
        revealed.map_or(String::new(), |revealed| format!("; {revealed}")),
    ))
}

/// When this run began and in which process: no two runs have the same, and a later one sorts after
/// an earlier one.
fn started() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let nanoseconds = since.map_or(0, |since| since.as_nanos());
    format!("{nanoseconds:016x}-{:x}", std::process::id())
}

/// A file that does not fit what is to be done with it.
fn unusable(path: &Path, error: EvaluationError) -> Failure {
    match error {
        EvaluationError::Wire(error) => Failure::file(path, &error),
        other => Failure::new(Code::Input, format!("{}: {other}", path.display())),
    }
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
