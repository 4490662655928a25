//! Every way in which a program can stop before its end, by value.

use crate::simulated;

use blindcore_processor::{
    Access, Control, Entry, Finding, Limits, Program, RunError, Site, Task, plan, run,
};
use circuits::Profile;
use circuits::sim::Simulator;
use simulated::{LANES, secret, spread};

const REFUSED: &[u8] = include_bytes!("programs/refused.elf");

fn program() -> Program {
    Program::load(REFUSED).unwrap()
}

/// Runs a function of the fixture; `secret` is secret and 12 in every lane.
fn outcome(entry: &str) -> Result<Vec<String>, RunError> {
    let program = program();
    let mut task = secret(&program, &["secret"]);
    task.entry = Entry::Symbol(entry.to_owned());
    task.limits = Limits {
        instructions: 20_000,
        ..Limits::default()
    };
    let bits = spread(&[12; LANES], 32);
    let engine = Simulator::new(Profile::lookup_simulation());
    let outcome = run(&program, &task, &engine, bits, &Control::default())?;
    Ok(outcome
        .outputs
        .into_iter()
        .map(|output| output.name)
        .collect())
}

fn refusal(entry: &str) -> RunError {
    outcome(entry).unwrap_err()
}

#[track_caller]
fn at(site: &Site, symbol: &str, instruction: &str) {
    assert_eq!(
        site.place.symbol.as_ref().map(|(name, _)| name.as_str()),
        Some(symbol)
    );
    assert!(site.instruction.starts_with(instruction), "{site}");
    let (file, line) = site.place.line.as_ref().unwrap();
    assert!(file.ends_with("refused.c") && *line > 1, "{site}");
}

#[test]
fn secret_branches_name_the_place_and_the_remedy() {
    let error = refusal("branch");
    let RunError::SecretBranch { site } = &error else {
        panic!("{error}")
    };
    at(site, "branch", "bxeq");
    let text = error.to_string();
    assert!(
        text.contains("depends on secret data") && text.contains("refused.c:"),
        "{text}"
    );
}

#[test]
fn a_plan_ends_at_a_secret_branch() {
    let program = program();
    let mut task = secret(&program, &["secret"]);
    task.entry = Entry::Symbol("branch".to_owned());
    let branch = plan(&program, &task, &Profile::lookup_simulation()).unwrap();
    assert!(!branch.complete && matches!(branch.findings[..], [Finding::Branch(_)]));
    assert!(branch.nodes() > 0);
}

#[test]
fn accesses_outside_the_memory() {
    let error = refusal("outside");
    let RunError::OutOfRange {
        site,
        access,
        address,
        size,
        near_stack,
        predicated: false,
    } = &error
    else {
        panic!("{error}")
    };
    at(site, "outside", "ldr");
    assert_eq!(
        (*access, *address, *size, *near_stack),
        (Access::Load, 0xf000_0000, 4, false)
    );

    let error = refusal("readonly");
    let RunError::ReadOnly {
        site,
        address,
        predicated: false,
    } = &error
    else {
        panic!("{error}")
    };
    at(site, "readonly", "str");
    assert_eq!(*address, program().variable("nowhere").unwrap().address);

    let error = refusal("unaligned");
    let RunError::Unaligned {
        site,
        access: Access::Load,
        address,
        predicated: false,
    } = &error
    else {
        panic!("{error}")
    };
    at(site, "unaligned", "ldm");
    assert_eq!(*address, program().variable("table").unwrap().address + 1);

    let error = refusal("overflow");
    assert!(
        matches!(
            &error,
            RunError::OutOfRange {
                access: Access::Store,
                near_stack: true,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn jumps_to_where_no_code_is() {
    let error = refusal("jump");
    let RunError::NotExecutable {
        place,
        from: Some(from),
    } = &error
    else {
        panic!("{error}")
    };
    at(from, "jump", "blx");
    assert_eq!(place.address, 0x4000_0000);

    let error = refusal("thumb");
    let RunError::Thumb {
        site,
        target: 0x8000,
    } = &error
    else {
        panic!("{error}")
    };
    at(site, "thumb", "bx");
    assert!(error.to_string().contains("-marm"));
}

#[test]
fn words_that_are_no_instructions() {
    let error = refusal("floating");
    let RunError::Undecodable {
        place,
        word,
        reason,
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(*word, 0xee30_0900);
    assert_eq!(place.symbol, Some(("floating".to_owned(), 0)));
    assert!(reason.contains("0xee300900"), "{reason}");
}

#[test]
fn instructions_that_stop_the_program() {
    let error = refusal("undefined");
    let RunError::Trap { site } = &error else {
        panic!("{error}")
    };
    assert_eq!(site.place.symbol, Some(("undefined".to_owned(), 0)));
    assert_eq!(site.instruction, "udf #0");
}

#[test]
fn programs_that_do_not_end() {
    let error = refusal("forever");
    let RunError::EndlessLoop { site } = &error else {
        panic!("{error}")
    };
    at(site, "forever", "b ");
    assert!(matches!(
        refusal("running"),
        RunError::InstructionLimit { limit: 20_000, .. }
    ));
}

#[test]
fn supervisor_calls() {
    let error = refusal("call");
    let RunError::UnknownCall { site, number: 7 } = &error else {
        panic!("{error}")
    };
    at(site, "call", "svc");
    // svc #0 ends the program: what it wrote before counts.
    assert_eq!(outcome("ends").unwrap(), ["result"]);
}

#[test]
fn inputs_and_outputs_outside_the_memory() {
    let program = program();
    let mut task = secret(&program, &["secret"]);
    task.inputs[0].variable = task.inputs[0]
        .variable
        .with_type("u64[1000000]".parse().unwrap());
    let profile = Profile::lookup_simulation();
    let error = plan(&program, &task, &profile).unwrap_err();
    assert!(
        matches!(
            error,
            RunError::InputRange {
                size: 8_000_000,
                ..
            }
        ),
        "{error}"
    );

    let mut task = Task::default();
    let table = program
        .variable("table")
        .unwrap()
        .with_type("u32[99]".parse().unwrap());
    task.wanted = blindcore_processor::Wanted::Variables(vec![table]);
    let error = plan(&program, &task, &profile).unwrap_err();
    assert!(
        matches!(error, RunError::OutputRange { size: 396, .. }),
        "{error}"
    );
}

#[test]
fn secret_code_is_not_executed() {
    let program = program();
    let main = program.function("main").unwrap();
    let mut task = secret(&program, &["secret"]);
    task.inputs[0].variable.address = main.address;
    let error = plan(&program, &task, &Profile::lookup_simulation()).unwrap_err();
    assert!(matches!(error, RunError::SecretCode { .. }), "{error}");
}

#[test]
fn unknown_entries_and_stacks() {
    let program = program();
    let profile = Profile::lookup_simulation();
    let task = Task {
        entry: Entry::Symbol("mian".to_owned()),
        ..Task::default()
    };
    let error = plan(&program, &task, &profile).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the program has no function 'mian'; did you mean 'main'?"
    );
    for stack in [0, 4, u32::MAX] {
        let limits = Limits {
            stack,
            ..Limits::default()
        };
        let error = plan(
            &program,
            &Task {
                limits,
                ..Task::default()
            },
            &profile,
        )
        .unwrap_err();
        assert!(
            matches!(error, RunError::NoStack { bytes } if bytes == stack),
            "{error}"
        );
    }
}

#[test]
fn a_cancelled_run_says_so() {
    let program = program();
    let control = Control::default();
    control.cancel.cancel();
    let engine = Simulator::new(Profile::lookup_simulation());
    let task = Task {
        entry: Entry::Symbol("running".to_owned()),
        ..Task::default()
    };
    let outcome = run(&program, &task, &engine, Vec::new(), &control);
    assert!(matches!(outcome, Err(RunError::Cancelled)));
}

#[test]
fn a_target_whose_noise_limit_cannot_be_kept_is_refused() {
    let program = program();
    let mut task = secret(&program, &["secret"]);
    task.entry = Entry::Symbol("branch".to_owned());
    let mut profile = Profile::lookup_simulation();
    let planned = plan(&program, &task, &profile).unwrap();
    let worst = planned.worst_noise();
    assert!(0.0 < worst && worst <= 580.0, "{worst}");
    assert_eq!(worst, planned.windows[0].worst_noise);

    // Not even a gate of two bits fits.
    profile.lookup.as_mut().unwrap().noise.limit = 1.0;
    let error = plan(&program, &task, &profile).unwrap_err();
    let RunError::NoiseLimit { worst_noise, limit } = error else {
        panic!("{error}")
    };
    assert!(limit == 1.0 && worst_noise > limit);
}

#[test]
fn faults_under_secret_conditions_say_that_the_access_always_happens() {
    let error = refusal("guarded_load");
    assert!(
        matches!(
            error,
            RunError::OutOfRange {
                address: 0,
                predicated: true,
                ..
            }
        ),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.contains("happens whether the condition holds or not"),
        "{text}"
    );
    let error = refusal("guarded_store");
    assert!(
        matches!(
            error,
            RunError::ReadOnly {
                predicated: true,
                ..
            }
        ),
        "{error}"
    );
    let error = refusal("guarded_pair");
    assert!(
        matches!(
            error,
            RunError::Unaligned {
                predicated: true,
                ..
            }
        ),
        "{error}"
    );
}
