//! `blindcore run`: a program on ciphertexts.

use std::sync::Arc;
use std::time::Instant;

use circuits::Gates;
use engines::tfhe_lookup::TfheLookup;
use processor::{Bit, Content, Control, Outcome};
use tfhe::LweCiphertext;
use wire::{Existing, Inputs, OutputBit, Outputs, Variable};

use super::{bytes, internal, print, read, threads};
use crate::arguments::Run;
use crate::engine;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::{Display, duration};
use crate::subject::{Named, Place, Subject, from_wire, refuse_repetition, to_wire};

/// Runs the program and writes the outputs file.
pub(crate) fn run(arguments: &Run) -> Result<(), Failure> {
    let begin = Instant::now();
    // What is cheap to find wrong comes first; the key's expansion comes last.
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

    let cancel = interrupt::token()?;
    let workers = threads(arguments.threads);
    let engine = engine::load(&arguments.key, workers)?;
    wire::match_keys(
        (
            wire::Record::parameters(&inputs),
            wire::Record::key_id(&inputs),
        ),
        (engine.key().parameters(), engine.key().key_id()),
    )
    .map_err(|error| Failure::file(&arguments.inputs, &error))?;

    let display = Arc::new(Display::new(arguments.quiet));
    let observer = Arc::clone(&display);
    let control = Control {
        threads: workers.get(),
        observer: Some(Arc::new(move |progress| observer.update(&progress))),
        cancel,
    };
    let outcome = processor::run(&subject.program, &task, &engine, secrets, &control);
    display.finish();
    let outcome = outcome.map_err(|error| subject.failure(&error, Some(&display)))?;

    let instructions = outcome.instructions;
    let outputs = outputs(&engine, &outcome)?;
    let file = wire::stage(&arguments.out, &outputs, Existing::Replace)
        .map_err(|error| Failure::file(&arguments.out, &error))?;
    let length = file.length();
    file.commit()
        .map_err(|error| Failure::file(&arguments.out, &error))?;
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
        variables.push(Variable {
            name: output.name.clone(),
            kind: to_wire(&output.name, &output.ty)?,
        });
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
