//! Programs.

use std::ffi::c_char;

use blindcore::{Branches, Control, Otherwise};

use crate::answer::Answer;
use crate::plan::Plan;
use crate::pointers::{Place, array, change, free, read, text};
use crate::run::threads_of;
use crate::status::{Status, call};
use crate::values::Values;

/// A program that the processor executes, and how: which variables are secret, where it begins.
pub struct Program {
    pub(crate) program: blindcore::Program,
    outputs: Vec<String>,
}

impl Program {
    fn of(program: blindcore::Program) -> Self {
        Self {
            program,
            outputs: Vec::new(),
        }
    }

    /// Replaces the program by what a step makes of it, unless that fails.
    fn step(
        pointer: *mut Self,
        step: impl FnOnce(blindcore::Program) -> Result<blindcore::Program, blindcore::Error>,
    ) -> Status {
        call(|| {
            let own = change(pointer, "program")?;
            own.program = step(own.program.clone())?;
            Ok(())
        })
    }
}

/// Reads a program: an ELF file of an ARM compiler, a C file, which is compiled, or HE assembly.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_open(
    path: *const c_char,
    program: *mut *mut Program,
) -> Status {
    call(|| {
        let place = Place::new(program, "program")?;
        place.give(Program::of(blindcore::Program::open(text(path, "path")?)?));
        Ok(())
    })
}

/// The program of these bytes, an ELF file's or a text in HE assembly. Messages call it `name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_from_bytes(
    name: *const c_char,
    bytes: *const u8,
    length: usize,
    program: *mut *mut Program,
) -> Status {
    call(|| {
        let place = Place::new(program, "program")?;
        let (name, bytes) = (text(name, "name")?, array(bytes, length, "bytes")?);
        place.give(Program::of(blindcore::Program::from_bytes(name, bytes)?));
        Ok(())
    })
}

/// Compiles a C file with `count` options, such as "-DN=8".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_compile(
    path: *const c_char,
    options: *const *const c_char,
    count: usize,
    program: *mut *mut Program,
) -> Status {
    call(|| {
        let place = Place::new(program, "program")?;
        let options = array(options, count, "options")?.iter();
        let options: Result<Vec<String>, _> = options
            .map(|option| text(*option, "an option").map(str::to_owned))
            .collect();
        let path = text(path, "path")?;
        let compiled = blindcore::Program::compile(path, &options?, None)?;
        place.give(Program::of(compiled));
        Ok(())
    })
}

/// One more variable whose value will be encrypted, `NAME` or `NAME:TYPE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_secret(
    program: *mut Program,
    name: *const c_char,
) -> Status {
    Program::step(program, |own| own.secret([text(name, "name")?]))
}

/// Gives variables values that everybody may know; the program's work on them costs nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_public(
    program: *mut Program,
    values: *const Values,
) -> Status {
    Program::step(program, |own| {
        let mut pairs = read(values, "values")?.0.iter().cloned();
        pairs.try_fold(own, |own, (name, value)| own.public(name, value))
    })
}

/// One more variable that is wanted, `NAME` or `NAME:TYPE`. Without any, all that the program wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_output(
    program: *mut Program,
    name: *const c_char,
) -> Status {
    call(|| {
        let own = change(program, "program")?;
        own.outputs.push(text(name, "name")?.to_owned());
        own.program = own.program.clone().outputs(own.outputs.clone());
        Ok(())
    })
}

/// Calls a function instead of `main`: "score(income, 25)". Names of arguments are secrets; the
/// result is an output under the function's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_call(
    program: *mut Program,
    function: *const c_char,
) -> Status {
    Program::step(program, |own| own.call(text(function, "function")?))
}

/// Begins at a function or label instead of `main`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_entry(
    program: *mut Program,
    symbol: *const c_char,
) -> Status {
    Program::step(program, |own| Ok(own.entry(text(symbol, "symbol")?)))
}

/// Where the program branches on a secret, executes both paths and selects the right one's results, if
/// they rejoin within `limit` instructions together (0: 100,000). Without this such a run is refused,
/// with the source's line.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_execute_both(
    program: *mut Program,
    limit: u64,
) -> Status {
    Program::step(program, |own| {
        let limit = match limit {
            0 => Branches::MERGE_LIMIT,
            limit => limit,
        };
        Ok(own.branches(Branches {
            both: Some(limit),
            otherwise: Otherwise::Refuse,
        }))
    })
}

/// Where the program branches on a secret, a run asks whoever holds the secret key, who learns the site
/// and whose answer the computer that runs it learns: `answer_with` of the run's options. Before that
/// both paths are executed, if they rejoin within `limit` instructions together; 0 asks at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_ask(program: *mut Program, limit: u64) -> Status {
    Program::step(program, |own| {
        Ok(own.branches(Branches {
            both: (limit > 0).then_some(limit),
            otherwise: Otherwise::Ask,
        }))
    })
}

/// The most instructions that a run may execute; without this a hundred million.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_limit(
    program: *mut Program,
    instructions: u64,
) -> Status {
    Program::step(program, |own| Ok(own.limit(instructions)))
}

/// What a run would cost and reveal with the default parameters on `threads` threads of this
/// machine (0: all), which is measured for a moment. Free it with `blindcore_plan_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_plan(
    program: *const Program,
    threads: usize,
    plan: *mut *mut Plan,
) -> Status {
    call(|| {
        let place = Place::new(plan, "plan")?;
        let mut control = Control::default();
        control.threads = threads_of(threads, control.threads);
        let program = &read(program, "program")?.program;
        place.give(Plan::of(&program.plan_on(&control)?));
        Ok(())
    })
}

/// Runs on clear values, without keys: the circuits that a run would evaluate, compared after every
/// instruction with a plain interpreter. Free the answer with `blindcore_answer_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_simulate(
    program: *const Program,
    values: *const Values,
    answer: *mut *mut Answer,
) -> Status {
    call(|| {
        let place = Place::new(answer, "answer")?;
        let program = &read(program, "program")?.program;
        let values = read(values, "values")?.collected();
        let simulated = program.simulate(&values, &Control::default())?;
        place.give(Answer::of(simulated));
        Ok(())
    })
}

/// Frees a program. Null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_free(program: *mut Program) {
    free(program);
}
