//! `blindcore run`: a program on ciphertexts.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use circuits::Gates;
use engines::tfhe_lookup::TfheLookup;
use processor::{Bit, Content, Control, Outcome, RunError, Type};
use tfhe::LweCiphertext;
use wire::{Existing, Inputs, Kind, OutputBit, Outputs, Record, Reservation, Variable};

use super::{bytes, internal, print, read, reserve, threads};
use crate::arguments::Run;
use crate::engine;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::{Display, duration};
use crate::subject::{Named, Place, Subject, from_wire, refuse_repetition, to_wire};

/// Runs the program and writes the outputs file.
pub(crate) fn run(arguments: &Run, interrupt: &Interrupt) -> Result<(), Failure> {
    let begin = Instant::now();
    // What is cheap to find wrong comes first: a plan needs no key, and tells what the outputs are;
    // a place for them is made sure of before the work. The key's expansion comes last.
    let subject = Subject::load(&arguments.program)?;
    let call = arguments.execution.call.as_ref();
    let inputs: Inputs = read(&arguments.inputs)?;
    let mut placed = Vec::new();
    for Variable { name, kind } in inputs.variables() {
        let ty = from_wire(&arguments.inputs, kind)?;
        placed.push((subject.find(name, Some(&ty), call)?, Content::Secret));
    }
    let secrets = secret_bits(&inputs, &placed);
    for text in &arguments.values {
        placed.extend(subject.public(text, call)?);
    }
    refuse_repetition(placed.iter().map(|(named, _)| named.name.as_str()))?;
    let task = subject.task(&arguments.execution, placed)?;

    let workers = threads(arguments.threads);
    let architectures = arguments.forced.architectures();
    let failure = |error: RunError| subject.failure(&error, None);
    let (plan, recording) = engine::plan(
        &subject.program,
        &task,
        inputs.parameters(),
        workers,
        architectures,
    )
    .map_err(failure)?;
    if let Some(finding) = plan.findings.first() {
        return Err(failure(finding.clone().into_error()));
    }
    let planned = plan
        .outputs
        .iter()
        .map(|output| variable(&output.name, &output.ty));
    wire::check_variables(&planned.collect::<Result<Vec<_>, _>>()?)
        .map_err(|error| Failure::file(&arguments.out, &error))?;
    let existing = Existing::ReplaceKind(Kind::Outputs);
    let place = reserve::<Outputs>(&arguments.out, existing, interrupt)?;
    interrupt.check()?;
    let engine = engine::load(
        &arguments.key,
        (&arguments.inputs, &inputs),
        workers,
        recording,
        architectures,
        arguments.fft,
    )?;

    let display = Arc::new(Display::new(arguments.quiet));
    let observer = Arc::clone(&display);
    let control = Control {
        threads: workers.get(),
        observer: Some(Arc::new(move |progress| observer.update(&progress))),
        cancel: interrupt.cancel(),
    };
    let outcome =
        processor::run_planned(&subject.program, &task, &engine, secrets, &control, &plan);
    display.finish();
    let outcome = outcome.map_err(|error| subject.failure(&error, Some(&display)))?;

    let instructions = outcome.instructions;
    let outputs = outputs(&engine, &outcome)?;
    let length = write(place, &outputs, &arguments.out)?;
    if arguments.quiet {
        return Ok(());
    }
    let names: Vec<&str> = outputs
        .variables()
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    print(&format!(
        "{}: {}, {}; {instructions} instructions in {}\n",
        arguments.out.display(),
        names.join(", "),
        bytes(length),
        duration(begin.elapsed().as_secs_f64()),
    ))
}

/// Writes the outputs; gives the file's length. A disk may have filled up during the run: then the
/// outputs are kept elsewhere, since they are expensive.
pub(super) fn write(place: Reservation, outputs: &Outputs, path: &Path) -> Result<u64, Failure> {
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
        .push_str(&match wire::write(&rescue, outputs, Existing::Keep) {
            Ok(()) => format!("; the outputs are kept in {}", rescue.display()),
            Err(error) => format!("; {}: {error}; the outputs are lost", rescue.display()),
        });
    Err(failure)
}

/// A variable of an outputs file.
fn variable(name: &str, ty: &Type) -> Result<Variable, Failure> {
    Ok(Variable {
        name: name.to_owned(),
        kind: to_wire(name, ty)?,
    })
}

/// The ciphertexts in the order in which the task takes them: variables in memory first, then the
/// call's arguments by position.
fn secret_bits(inputs: &Inputs, placed: &[(Named, Content)]) -> Vec<Arc<LweCiphertext>> {
    let mut bits = inputs.bits().unpack().into_iter().map(Arc::new);
    let mut memory = Vec::new();
    let mut arguments = Vec::new();
    for (named, _) in placed {
        let own = bits.by_ref().take(8 * named.ty.size() as usize);
        match named.place {
            Place::Memory(_) => memory.extend(own),
            Place::Argument(position) => arguments.push((position, own.collect::<Vec<_>>())),
        }
    }
    arguments.sort_by_key(|(position, _)| *position);
    memory.extend(arguments.into_iter().flat_map(|(_, bits)| bits));
    memory
}

/// Shrinks what leaves.
fn outputs(engine: &TfheLookup, outcome: &Outcome<LweCiphertext>) -> Result<Outputs, Failure> {
    let mut variables = Vec::new();
    let mut bits = Vec::new();
    let mut secret: Vec<&LweCiphertext> = Vec::new();
    for output in &outcome.outputs {
        variables.push(variable(&output.name, &output.ty)?);
        for bit in &output.bits {
            bits.push(match bit {
                Bit::Clear(value) => OutputBit::Clear(*value),
                Bit::Secret(ciphertext) => {
                    secret.push(ciphertext);
                    OutputBit::Secret
                }
            });
        }
    }
    let shrunk = engine
        .key()
        .shrink(&mut engine.scratch(), &secret)
        .map_err(internal)?;
    Outputs::new(variables, bits, shrunk).map_err(internal)
}
