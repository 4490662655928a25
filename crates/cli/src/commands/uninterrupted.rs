//! Runs that go through without checkpoints and without questions to the key's owner: those on other schemes than
//! TFHE.

use std::path::Path;
use std::sync::Arc;

use circuits::Gates;
use processor::{Bit, Control, Nobody, Outcome, Plan, Start, Task};
use session::evaluator::{self, EvaluationError};
use wire::{OutputBit, Variable};

use super::{bytes, print, run_failure};
use crate::arguments::Run;
use crate::failure::{Code, Failure};
use crate::progress::{Display, duration};
use session::Program;

/// Refuses what such a scheme does not have rather than leaving it out.
pub(super) fn refuse_unsupported(arguments: &Run, scheme: &str) -> Result<(), Failure> {
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

/// Refuses a program that would stop, or ask; `who` says why nobody could answer.
pub(super) fn refuse_obstacles(program: &Program, plan: &Plan, who: &str) -> Result<(), Failure> {
    if let Some(obstacle) = plan.obstacle() {
        return Err(program.error(&obstacle).into());
    }
    let Some(question) = &plan.question else {
        return Ok(());
    };
    let message = format!(
        "{}: {}: the program asks the key's owner here, {who}: let --branches both execute both paths where they \
         rejoin",
        program.name(),
        question.site
    );
    Err(Failure::new(Code::Secret, message))
}

/// A file that does not fit what is to be done with it.
pub(super) fn unusable(path: &Path, error: &EvaluationError) -> Failure {
    Failure::new(Code::Input, format!("{}: {error}", path.display()))
}

/// Runs the program from its beginning to its end.
pub(super) fn run<G: Gates>(
    (program, task, plan): (&Program, &Task, &Plan),
    engine: &G,
    secrets: Vec<Arc<G::Bit>>,
    control: &Control,
    display: &Display,
) -> Result<Outcome<G::Bit>, Failure> {
    let start = Start::Fresh(secrets);
    processor::run_hosted(
        program.image(),
        task,
        engine,
        start,
        &mut Nobody,
        control,
        Some(plan),
    )
    .map_err(|error| {
        display.finish();
        run_failure(program, &error, display)
    })
}

/// The outputs of a run, as files of any scheme have them.
pub(super) struct RunOutputs<B> {
    pub(super) variables: Vec<Variable>,
    pub(super) bits: Vec<OutputBit>,
    /// The secret ones of the bits in order.
    pub(super) secret: Vec<Arc<B>>,
}

impl<B> RunOutputs<B> {
    /// The outputs of this run.
    pub(super) fn of(outcome: &Outcome<B>) -> Self {
        let mut outputs = Self {
            variables: Vec::new(),
            bits: Vec::new(),
            secret: Vec::new(),
        };
        for output in &outcome.outputs {
            outputs
                .variables
                .push(evaluator::variable(&output.name, &output.ty));
            for bit in &output.bits {
                outputs.bits.push(match bit {
                    Bit::Clear(value) => OutputBit::Clear(*value),
                    Bit::Secret(bit) => {
                        outputs.secret.push(Arc::clone(bit));
                        OutputBit::Secret
                    }
                });
            }
        }
        outputs
    }
}

/// Says what was written: which variables, what more there is to say of them, and how long it took.
pub(super) fn report(
    arguments: &Run,
    (names, more): (&[String], &str),
    length: u64,
    (instructions, seconds): (u64, f64),
) -> Result<(), Failure> {
    if arguments.quiet {
        return Ok(());
    }
    print(&format!(
        "{}: {}{more}, {}; {instructions} instructions in {}\n",
        arguments.out.display(),
        names.join(", "),
        bytes(length),
        duration(seconds),
    ))
}
