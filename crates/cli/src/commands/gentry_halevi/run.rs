//! Programs and circuits on ciphertexts of the Gentry–Halevi scheme.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use circuits::library::Architectures;
use engines::gentry_halevi::{self as engine, GentryHalevi};
use files::{Existing, Reservation};
use gentry_halevi::{Ciphertext, Parameters, Transforms};
use processor::{Control, RunError};
use session::evaluator;
use wire::gentry_halevi::{Inputs, Key, Numbers, Outputs};
use wire::{Kind, OutputBit, Variable};

use super::super::inputs::{Files, placed};
use super::super::run::write;
use super::super::uninterrupted::{self, RunOutputs, unusable};
use super::super::{internal, reserve, threads};
use super::{ciphertexts, failure};
use crate::arguments::Run;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Display;
use session::Program;

/// Runs the program and writes the outputs file.
pub(in super::super) fn run(arguments: &Run, interrupt: &Interrupt) -> Result<(), Failure> {
    let begin = Instant::now();
    uninterrupted::refuse_unsupported(arguments, "the Gentry–Halevi scheme")?;
    let program = Program::load(&arguments.program)?;
    let files: Files<'_, Numbers> = Files::read(&arguments.given.files(), wire::join)?;
    let call = arguments.execution.call.as_ref();
    let (placed, places) = placed(&program, call, &files.variables(), &arguments.given)?;
    let task = program.task(&arguments.execution.resolve()?, placed)?;

    let workers = threads(arguments.threads);
    let (path, inputs) = files.first()?;
    let parameters = *inputs.bits().key().parameters();
    let architectures = arguments.forced.architectures();
    let profile = profile(&parameters, architectures);
    let wrong = |error: RunError| program.error(&error);
    let plan = processor::plan_until(program.image(), &task, &profile, &interrupt.cancel())
        .map_err(wrong)?;
    let who = "for which there is no way in the Gentry–Halevi scheme";
    uninterrupted::refuse_obstacles(&program, &plan, who)?;
    arguments.missing.check(&program, &plan.unset)?;
    evaluator::check_storable(&plan).map_err(|error| unusable(&arguments.out, &error))?;
    let kind = Existing::ReplaceKind(Kind::GENTRY_HALEVI_OUTPUTS);
    let place = reserve::<Outputs>(&arguments.out, kind, interrupt)?;
    interrupt.check()?;
    let engine = load(
        &arguments.key,
        (path, inputs),
        (workers, arguments.memory, arguments.quiet),
        architectures,
    )?;
    let mut bits = Vec::new();
    for (path, inputs) in files.iter() {
        let key = engine.evaluator().key();
        bits.extend(ciphertexts(path, inputs.bits().iter(), key)?);
    }
    let variables = wire::variables_of(&files.inputs());
    let secrets = evaluator::placed(&variables, bits.into_iter(), &task, &places)
        .map_err(|error| unusable(path, &error))?;

    let display = Arc::new(Display::counting(arguments.quiet, "operation"));
    let observer = Arc::clone(&display);
    let control = Control {
        threads: workers.get(),
        observer: Some(Arc::new(move |progress| observer.update(&progress))),
        cancel: interrupt.cancel(),
        memory: None,
    };
    let outcome = uninterrupted::run(
        (&program, &task, &plan),
        &engine,
        secrets,
        &control,
        &display,
    )?;
    display.finish();

    let RunOutputs {
        variables,
        bits,
        secret,
    } = RunOutputs::of(&outcome);
    let names: Vec<String> = variables.iter().map(|v| v.name.clone()).collect();
    let key = inputs.bits().key().clone();
    let length = written(place, &arguments.out, key, (variables, bits), &secret)?;
    let took = (outcome.instructions, begin.elapsed().as_secs_f64());
    uninterrupted::report(arguments, (&names, ""), length, took)
}

/// The target of these parameters.
pub(super) fn profile(parameters: &Parameters, architectures: Architectures) -> circuits::Profile {
    engine::profile(parameters).with_architectures(architectures)
}

/// Whether the key's transforms may be kept within so much memory: they take about six times what
/// the key has.
pub(super) fn transforms(parameters: &Parameters, memory: u64) -> Transforms {
    let key = super::bytes_per_bit(parameters) * parameters.public_parts() as u64;
    match 7 * key <= memory {
        true => Transforms::Kept,
        false => Transforms::Computed,
    }
}

/// An engine on the key that inputs belong to.
pub(in super::super) fn load(
    path: &Path,
    (inputs_path, inputs): (&Path, &Inputs),
    (threads, memory, quiet): (NonZeroUsize, u64, bool),
    architectures: Architectures,
) -> Result<GentryHalevi, Failure> {
    let (file, key) = super::public_key(path, quiet)?;
    let ours = (inputs.bits().key().parameters(), inputs.bits().key().id());
    wire::match_keys(ours, (file.key().parameters(), file.key().id()))
        .map_err(|error| Failure::file(inputs_path, &error))?;
    let transforms = transforms(key.parameters(), memory);
    let profile = profile(key.parameters(), architectures);
    GentryHalevi::new(&key, profile, transforms, threads).map_err(failure)
}

/// Writes outputs; `secret` are the secret ones of the bits in order. Gives the file's length.
pub(in super::super) fn written(
    place: Reservation,
    path: &Path,
    key: Key,
    (variables, bits): (Vec<Variable>, Vec<OutputBit>),
    secret: &[Arc<Ciphertext>],
) -> Result<u64, Failure> {
    let mut numbers = Numbers::new(key);
    for bit in secret {
        numbers.push(bit.limbs()).map_err(internal)?;
    }
    let outputs = Outputs::new(variables, bits, numbers).map_err(internal)?;
    write(place, &outputs, path)
}
