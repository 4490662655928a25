//! A program on tables: one run for all rows.

use std::sync::Arc;
use std::time::Instant;

use engines::bgv::{self as engine, Bgv, Vector};
use processor::{Bit, Control, Nobody, Start};
use service::evaluation;
use wire::bgv::{Inputs, Outputs, ServerKey, Vectors};
use wire::{Existing, Kind, OutputBit, Record, WireError};

use super::super::run::{placed, write};
use super::super::{bytes, internal, print, read, reserve, threads};
use super::failure;
use super::planned::{Planned, in_one_window};
use crate::arguments::Run;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::{Display, duration};
use crate::subject::Subject;

/// What is not there for this scheme is refused rather than left out.
fn refuse_unsupported(arguments: &Run) -> Result<(), Failure> {
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
            format!("{flag} is not for BGV (see --help)"),
        )),
    }
}

/// Runs the program and writes the outputs file.
pub(in super::super) fn run(arguments: &Run, interrupt: &Interrupt) -> Result<(), Failure> {
    let begin = Instant::now();
    refuse_unsupported(arguments)?;
    let subject = Subject::load(&arguments.program)?;
    let inputs: Inputs = read(&arguments.inputs)?;
    let (placed, places) = placed(arguments, &subject, inputs.variables())?;
    let task = in_one_window(subject.task(&arguments.execution, placed)?);

    let parameters = inputs.parameters().parameters().clone();
    let architectures = arguments.forced.architectures();
    let profile = circuits::Profile {
        architectures,
        ..engine::profile(&parameters)
    };
    let planned = Planned::new(&subject, &task, &profile, &interrupt.cancel())?;
    planned.check(&subject)?;
    planned.forecast(&subject, &parameters)?;
    let unusable = |error: &dyn std::fmt::Display, path: &std::path::Path| {
        Failure::new(Code::Input, format!("{}: {error}", path.display()))
    };
    evaluation::check_storable(&planned.plan).map_err(|error| unusable(&error, &arguments.out))?;
    let kind = Existing::ReplaceKind(Kind::BgvOutputs);
    let place = reserve::<Outputs>(&arguments.out, kind, interrupt)?;
    interrupt.check()?;

    let workers = threads(arguments.threads);
    let file: ServerKey = read(&arguments.key)?;
    super::super::same_key(&arguments.inputs, &inputs, &file)?;
    let wrong = |error: WireError| Failure::file(&arguments.key, &error);
    let key = Arc::new(file.open(workers).map_err(wrong)?);
    let engine = Bgv::new(&key)
        .map_err(failure)?
        .with_architectures(architectures);
    let vectors = inputs
        .bits()
        .expand(key.ring())
        .map_err(|error| Failure::file(&arguments.inputs, &error))?;
    let vectors = vectors
        .into_iter()
        .map(|vector| Arc::new(Vector::from(vector)));
    let secrets = evaluation::placed(inputs.variables(), vectors, &task, &places)
        .map_err(|error| unusable(&error, &arguments.inputs))?;

    let display = Arc::new(Display::counting(arguments.quiet, "operation"));
    let observer = Arc::clone(&display);
    let held = parameters.evaluation_key_size(0) as u64;
    let control = Control {
        threads: workers.get(),
        observer: Some(Arc::new(move |progress| observer.update(&progress))),
        cancel: interrupt.cancel(),
        memory: Some(arguments.memory.saturating_sub(held)),
    };
    let outcome = processor::run_hosted(
        &subject.program,
        &task,
        &engine,
        Start::Fresh(secrets),
        &mut Nobody,
        &control,
        Some(&planned.plan),
    );
    display.finish();
    let outcome = outcome.map_err(|error| subject.failure(&error, Some(&display)))?;

    let rows = inputs.bits().rows();
    let mut variables = Vec::new();
    let mut known = Vec::new();
    let mut secret = Vectors::new(&parameters, key.key_id(), rows).map_err(internal)?;
    for output in &outcome.outputs {
        let variable = evaluation::variable(&output.name, &output.ty);
        variables.push(variable.map_err(internal)?);
        for bit in &output.bits {
            known.push(match bit {
                Bit::Clear(value) => OutputBit::Clear(*value),
                Bit::Secret(bit) => {
                    let small = engine.shrink(bit).map_err(internal)?;
                    secret.push(small).map_err(internal)?;
                    OutputBit::Secret
                }
            });
        }
    }
    let names: Vec<String> = variables.iter().map(|v| v.name.clone()).collect();
    let outputs = Outputs::new(variables, known, secret).map_err(internal)?;
    let length = write(place, &outputs, &arguments.out)?;
    if arguments.quiet {
        return Ok(());
    }
    print(&format!(
        "{}: {} of {rows} {}, {}; {} instructions in {}\n",
        arguments.out.display(),
        names.join(", "),
        if rows == 1 { "row" } else { "rows" },
        bytes(length),
        outcome.instructions,
        duration(begin.elapsed().as_secs_f64()),
    ))
}
