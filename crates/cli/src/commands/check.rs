//! `blindcore check`: the processor beside the plain interpreter, in the clear.
//!
//! No key, no ciphertext: what a run would compute, whether the circuits that it would evaluate
//! compute what the instructions mean, and where not.

use std::sync::Arc;

use processor::{
    ASTRAY, Agreement, Bit, Content, Control, EXCEEDED, FAULTED, LockstepError, RunError, Task,
    lockstep,
};
use values::bytes_of;

use super::{load, print, print_json};
use crate::arguments::Check;
use crate::failure::{Code, Failure};
use crate::progress::Count;
use session::owner::undefined_outputs;
use session::program::{Named, Place, bits_of_whole, refuse_overlaps, whole};

/// Executes the program on both machines, and prints its outputs and what was compared.
pub(crate) fn check(arguments: &Check) -> Result<(), Failure> {
    let program = load(&arguments.program)?;
    let call = arguments.execution.call.as_ref();
    let mut inputs = Vec::new();
    let mut given = Vec::new();
    for text in &arguments.values {
        for assignment in program.assignments(text)? {
            let named = program.find_input(&assignment.name, assignment.ty.as_ref(), call)?;
            let (bytes, _) = whole(&named, &assignment)?;
            let bits = bits_of_whole(&named, &bytes);
            given.push((named.clone(), bits));
            inputs.push((named, Content::Secret));
        }
    }
    for text in &arguments.public {
        inputs.extend(program.public(text, call)?);
    }
    refuse_overlaps(inputs.iter().map(|(named, _)| (named, "")))?;
    let task = program.task(&arguments.execution.resolve()?, inputs)?;
    let secrets = secrets(&task, given);

    let mut profile = engines::tfhe_lookup::profile(&arguments.set.parameters());
    profile.architectures = arguments.forced.architectures();
    let display = Arc::new(Count::new(arguments.quiet));
    let observer = Arc::clone(&display);
    let control = Control {
        observer: Some(Arc::new(move |progress| {
            observer.update(progress.instructions);
        })),
        ..Control::default()
    };
    let agreed = lockstep(
        program.image(),
        &task,
        &secrets,
        &profile.for_wide_circuits(),
        &control,
    );
    display.finish();
    let agreed = agreed.map_err(|error| match error {
        LockstepError::Run(error) => program.error(&error).into(),
        LockstepError::Difference(ref difference) => match difference.undefined {
            Some(output) => undefined_outputs(program.name(), output).into(),
            None => Failure::new(Code::Internal, format!("{}: {error}", program.name())),
        },
        error => Failure::new(Code::Program, format!("{}: {error}", program.name())),
    })?;
    arguments.missing.check(&program, &agreed.unset)?;
    let outputs = agreed.outputs.iter().map(|output| {
        let bits: Vec<bool> = output
            .bits
            .iter()
            .map(|bit| matches!(bit, Bit::Clear(true)))
            .collect();
        let elements = output.ty.decode(&bytes_of(&bits));
        (output, elements)
    });
    for undefined in [EXCEEDED, FAULTED, ASTRAY] {
        let mut outputs = outputs.clone();
        if outputs.any(|(output, elements)| output.name == undefined && elements != [0]) {
            return Err(undefined_outputs(program.name(), undefined).into());
        }
    }
    let outputs =
        outputs.filter(|(output, _)| ![EXCEEDED, FAULTED, ASTRAY].contains(&&*output.name));
    if arguments.json {
        let json = outputs
            .map(|(output, elements)| (output.name.clone(), values::json(&output.ty, &elements)));
        return print_json(&values::document(json));
    }
    let mut text = String::new();
    if agreed.outputs.is_empty() && agreed.written == 0 {
        let entry = agreed.entry.clone();
        text.push_str(&format!("no output: {}\n", RunError::NoOutput { entry }));
    }
    for (output, elements) in outputs {
        text.push_str(&format!(
            "{} = {}\n",
            output.name,
            values::text(&output.ty, &elements)
        ));
    }
    if !arguments.quiet {
        text.push_str(&summary(&agreed));
    }
    print(&text)
}

/// The bits in the order that the task wants: memory as given, then arguments by their position.
fn secrets(task: &Task, given: Vec<(Named, Vec<bool>)>) -> Vec<bool> {
    let mut arguments = Vec::new();
    let mut bits = Vec::new();
    for (named, own) in given {
        match named.place {
            Place::Memory(_) => bits.extend(own),
            Place::Argument(position) => arguments.push((position, own)),
        }
    }
    arguments.sort_unstable();
    bits.extend(arguments.into_iter().flat_map(|(_, own)| own));
    debug_assert_eq!(bits.len(), task.secret_bits());
    bits
}

fn summary(agreed: &Agreement) -> String {
    let of_both = if agreed.instructions == agreed.interpreted {
        String::new()
    } else {
        format!(
            " ({} of the interpreter: both paths of branches)",
            agreed.interpreted
        )
    };
    let questions = match agreed.questions {
        0 => String::new(),
        1 => ", 1 question answered".to_owned(),
        count => format!(", {count} questions answered"),
    };
    format!(
        "agreed over {} instructions{of_both}, {} on secret data: {} registers and flags, {} bytes, \
         {} bits of circuits in {} {}{questions}\n",
        agreed.instructions,
        agreed.secret_instructions,
        agreed.words,
        agreed.bytes,
        agreed.signals,
        agreed.windows,
        if agreed.windows == 1 {
            "window"
        } else {
            "windows"
        },
    )
}
