//! A program on tables: one run for all rows of a batch, and one batch after the other.

use std::fs::File;
use std::iter::once;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bgv::Forecast;
use engines::bgv::{self as engine, Bgv, Vector};
use files::{Existing, Reservation};
use processor::{Control, Task};
use session::evaluator;
use wire::bgv::{Batches, FreshVectors, Inputs, Outputs, ServerKey, Vectors};
use wire::{Kind, Record, WireError};

use super::super::inputs::{Files, placed};
use super::super::run::write;
use super::super::uninterrupted::{self, RunOutputs, unusable};
use super::super::{internal, read, reserve, same_key, threads};
use super::planned::{Planned, in_one_window};
use super::{failure, rows_in_words};
use crate::arguments::Run;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Display;
use session::Program;

/// Runs the program on every batch and writes the outputs file. One batch is in memory at a time.
pub(in super::super) fn run(arguments: &Run, interrupt: &Interrupt) -> Result<(), Failure> {
    let begin = Instant::now();
    uninterrupted::refuse_unsupported(arguments, "BGV")?;
    let program = Program::load(&arguments.program)?;
    let Tables { first, mut rest } = Tables::open(&arguments.given.files())?;
    let call = arguments.execution.call.as_ref();
    let (placed, places) = placed(&program, call, &first.variables(), &arguments.given)?;
    let task = in_one_window(program.task(&arguments.execution.resolve()?, placed)?);

    // What key, parameters and rows are asked of is the same in all files.
    let (path, inputs) = first.first()?;
    let parameters = inputs.parameters().parameters().clone();
    let architectures = arguments.forced.architectures();
    let profile = engine::profile(&parameters).with_architectures(architectures);
    let planned = Planned::new(&program, &task, &profile, &interrupt.cancel())?;
    planned.check(&program)?;
    arguments.missing.check(&program, &planned.plan.unset)?;
    let input = match first.iter().any(|(_, inputs)| inputs.bits().is_public()) {
        true => Forecast::fresh_public,
        false => Forecast::fresh,
    };
    planned.forecast(&program, &parameters, input)?;
    evaluator::check_storable(&planned.plan).map_err(|error| unusable(&arguments.out, &error))?;
    let kind = Existing::ReplaceKind(Kind::BGV_OUTPUTS);
    let place = reserve::<Outputs>(&arguments.out, kind, interrupt)?;
    interrupt.check()?;

    let workers = threads(arguments.threads);
    let file: ServerKey = read(&arguments.key)?;
    same_key(path, inputs, &file)?;
    let wrong = |error: WireError| Failure::file(&arguments.key, &error);
    let key = Arc::new(file.open(workers).map_err(wrong)?);
    let engine = Bgv::new(&key, profile).map_err(failure)?;

    let share = inputs.bits().share();
    let display = Display::counting(arguments.quiet, "operation").of_batches(share.batches());
    let display = Arc::new(display);
    let observer = Arc::clone(&display);
    let held = parameters.evaluation_key_size(0) as u64;
    let control = Control {
        threads: workers.get(),
        observer: Some(Arc::new(move |progress| observer.update(&progress))),
        cancel: interrupt.cancel(),
        memory: Some(arguments.memory.saturating_sub(held)),
    };
    let evaluation = Evaluation {
        program: &program,
        task: &task,
        planned: &planned,
        places: &places,
        engine: &engine,
        control,
        display: &display,
    };
    let (names, length) = match share.batches() {
        1 => {
            let outputs = evaluation.outputs(&first)?;
            (names(&outputs), write(place, &outputs, &arguments.out)?)
        }
        _ => {
            let later = (1..share.batches()).map(|_| next(&mut rest));
            let batches = once(Ok(first)).chain(later);
            let batches = batches.map(|batch| evaluation.outputs(&batch?));
            append(place, batches, &arguments.out)?
        }
    };
    display.finish();
    let rows = match share.batches() {
        1 => format!(" of {}", rows_in_words(share.table_rows())),
        batches => format!(" of {} rows in {batches} batches", share.table_rows()),
    };
    // Every batch takes as many as the first.
    let instructions = planned.plan.instructions * u64::from(share.batches());
    let took = (instructions, begin.elapsed().as_secs_f64());
    uninterrupted::report(arguments, (&names, &rows), length, took)
}

fn names(outputs: &Outputs) -> Vec<String> {
    let variables = outputs.variables().iter();
    variables.map(|variable| variable.name.clone()).collect()
}

/// Writes batches as they come; gives the variables' names and the file's length.
fn append(
    place: Reservation,
    batches: impl Iterator<Item = Result<Outputs, Failure>>,
    path: &Path,
) -> Result<(Vec<String>, u64), Failure> {
    let wrong = |error: WireError| Failure::file(path, &error);
    let mut file = place.begin();
    let mut known = Vec::new();
    for outputs in batches {
        let outputs = outputs?;
        let bytes = wire::encode(&outputs).map_err(wrong)?;
        file.append(&bytes).map_err(wrong)?;
        known = names(&outputs);
    }
    let file = file.finish().map_err(wrong)?;
    let length = file.length();
    file.commit().map_err(wrong)?;
    Ok((known, length))
}

/// Files whose tables have equally many rows: the first batch of each, and where the others come from,
/// both in the order in which files are used.
struct Tables<'a> {
    first: Files<'a, FreshVectors>,
    rest: Vec<(&'a Path, Batches<Inputs, File>)>,
}

impl<'a> Tables<'a> {
    fn open(paths: &[&'a Path]) -> Result<Self, Failure> {
        let mut rest = Vec::with_capacity(paths.len());
        let mut first = Vec::with_capacity(paths.len());
        for path in paths {
            let opened = files::batches::<Inputs>(path);
            let (batch, others) = opened.map_err(|error| Failure::file(path, &error))?;
            first.push((*path, batch));
            rest.push((*path, others));
        }
        let first = Files::joined(first, wire::bgv::join)?;
        Ok(Tables { first, rest })
    }
}

/// The next batch of every file.
fn next<'a>(
    rest: &mut [(&'a Path, Batches<Inputs, File>)],
) -> Result<Files<'a, FreshVectors>, Failure> {
    let next = rest.iter_mut().map(|(path, batches)| {
        let batch = batches
            .next()
            .ok_or_else(|| internal("a table lacks batches"))?;
        Ok((*path, batch.map_err(|error| Failure::file(path, &error))?))
    });
    Files::joined(next.collect::<Result<_, Failure>>()?, wire::bgv::join)
}

/// What the runs of all batches have in common.
struct Evaluation<'a> {
    program: &'a Program,
    task: &'a Task,
    planned: &'a Planned,
    /// Which variable of the inputs each secret of the task is.
    places: &'a [usize],
    engine: &'a Bgv,
    control: Control,
    display: &'a Display,
}

impl Evaluation<'_> {
    /// Runs the program on one batch.
    fn outputs(&self, files: &Files<'_, FreshVectors>) -> Result<Outputs, Failure> {
        let (path, inputs) = files.first()?;
        let share = inputs.bits().share();
        self.display.begin_batch(share.batch());
        let evaluator = self.engine.evaluator();
        let mut vectors = Vec::new();
        for (path, inputs) in files.iter() {
            let own = inputs.bits().expand(evaluator.ring());
            vectors.extend(own.map_err(|error| Failure::file(path, &error))?);
        }
        let vectors = vectors
            .into_iter()
            .map(|vector| Arc::new(Vector::from(vector)));
        let variables = wire::variables_of(&files.inputs());
        let secrets = evaluator::placed(&variables, vectors, self.task, self.places)
            .map_err(|error| unusable(path, &error))?;
        let what = (self.program, self.task, &self.planned.plan);
        let outcome = uninterrupted::run(what, self.engine, secrets, &self.control, self.display)?;
        let outputs = RunOutputs::of(&outcome);
        let id = wire::bgv::scheme_id(inputs.key_id());
        let mut secret = Vectors::new(evaluator.parameters(), id, share).map_err(internal)?;
        for bit in &outputs.secret {
            let small = self.engine.shrink(bit).map_err(internal)?;
            secret.push(small).map_err(internal)?;
        }
        Outputs::new(outputs.variables, outputs.bits, secret).map_err(internal)
    }
}
