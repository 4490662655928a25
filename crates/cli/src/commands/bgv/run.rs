//! A program on tables: one run for all rows of a batch, and one batch after the other.

use std::iter::once;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use engines::bgv::{self as engine, Bgv, Vector};
use processor::{Control, Task};
use service::evaluation;
use wire::bgv::{Batches, Inputs, Outputs, ServerKey, Vectors};
use wire::{Existing, Kind, Record, Reservation, WireError};

use super::super::run::{placed, write};
use super::super::uninterrupted::{self, Left, unusable};
use super::super::{internal, read, reserve, same_key, threads};
use super::planned::{Planned, in_one_window};
use super::{failure, rows_in_words};
use crate::arguments::Run;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Display;
use crate::subject::Subject;

/// Runs the program on every batch and writes the outputs file. One batch is in memory at a time.
pub(in super::super) fn run(arguments: &Run, interrupt: &Interrupt) -> Result<(), Failure> {
    let begin = Instant::now();
    uninterrupted::refuse_unsupported(arguments, "BGV")?;
    let subject = Subject::load(&arguments.program)?;
    let damaged = |error: WireError| Failure::file(&arguments.inputs, &error);
    let (first, rest) = Batches::<Inputs>::open(&arguments.inputs).map_err(damaged)?;
    let (placed, places) = placed(arguments, &subject, first.variables())?;
    let task = in_one_window(subject.task(&arguments.execution, placed)?);

    let parameters = first.parameters().parameters().clone();
    let architectures = arguments.forced.architectures();
    let profile = circuits::Profile {
        architectures,
        ..engine::profile(&parameters)
    };
    let planned = Planned::new(&subject, &task, &profile, &interrupt.cancel())?;
    planned.check(&subject)?;
    planned.forecast(&subject, &parameters)?;
    evaluation::check_storable(&planned.plan).map_err(|error| unusable(&arguments.out, &error))?;
    let kind = Existing::ReplaceKind(Kind::BgvOutputs);
    let place = reserve::<Outputs>(&arguments.out, kind, interrupt)?;
    interrupt.check()?;

    let workers = threads(arguments.threads);
    let file: ServerKey = read(&arguments.key)?;
    same_key(&arguments.inputs, &first, &file)?;
    let wrong = |error: WireError| Failure::file(&arguments.key, &error);
    let key = Arc::new(file.open(workers).map_err(wrong)?);
    let engine = Bgv::new(&key)
        .map_err(failure)?
        .with_architectures(architectures);

    let share = first.bits().share();
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
        subject: &subject,
        task: &task,
        planned: &planned,
        places: &places,
        inputs: &arguments.inputs,
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
            let batches = once(Ok(first)).chain(rest);
            let batches = batches.map(|batch| evaluation.outputs(&batch.map_err(damaged)?));
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

/// What the runs of all batches have in common.
struct Evaluation<'a> {
    subject: &'a Subject<'a>,
    task: &'a Task,
    planned: &'a Planned,
    /// Which variable of the inputs each secret of the task is.
    places: &'a [usize],
    /// Where they come from.
    inputs: &'a Path,
    engine: &'a Bgv,
    control: Control,
    display: &'a Display,
}

impl Evaluation<'_> {
    /// Runs the program on one batch.
    fn outputs(&self, inputs: &Inputs) -> Result<Outputs, Failure> {
        let share = inputs.bits().share();
        self.display.begin_batch(share.batch());
        let evaluator = self.engine.evaluator();
        let vectors = inputs
            .bits()
            .expand(evaluator.ring())
            .map_err(|error| Failure::file(self.inputs, &error))?;
        let vectors = vectors
            .into_iter()
            .map(|vector| Arc::new(Vector::from(vector)));
        let secrets = evaluation::placed(inputs.variables(), vectors, self.task, self.places)
            .map_err(|error| unusable(self.inputs, &error))?;
        let what = (self.subject, self.task, &self.planned.plan);
        let outcome = uninterrupted::run(what, self.engine, secrets, &self.control, self.display)?;
        let left = Left::by(&outcome)?;
        let id = wire::bgv::scheme_id(inputs.key_id());
        let mut secret = Vectors::new(evaluator.parameters(), id, share).map_err(internal)?;
        for bit in &left.secret {
            let small = self.engine.shrink(bit).map_err(internal)?;
            secret.push(small).map_err(internal)?;
        }
        Outputs::new(left.variables, left.bits, secret).map_err(internal)
    }
}
