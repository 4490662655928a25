//! Floating-point registers in whole programs: clear arithmetic, secret words that only move,
//! selections under secret conditions and where two paths meet; and what is refused.

use crate::simulated;

use blindcore_processor::{
    Branches, Control, Entry, Otherwise, Program, RunError, Task, lockstep, run,
};
use circuits::Profile;
use circuits::sim::Simulator;
use simulated::{LANES, Random, agrees, secret, spread, with_window};

const FLOATS: &[u8] = include_bytes!("programs/floats.elf");

#[test]
fn what_needs_no_secret_arithmetic_runs() {
    agrees(FLOATS, &["secret"], 11, |_, random| random);
    // Both outcomes of every condition in some lane, equality too.
    agrees(FLOATS, &["secret"], 12, |_, random| random & 1);
}

fn task(program: &Program, entry: &str) -> Task {
    Task {
        entry: Entry::Symbol(entry.to_owned()),
        branches: Branches {
            both: Some(1024),
            otherwise: Otherwise::Refuse,
        },
        ..secret(program, &["secret"])
    }
}

/// Registers, flags of both kinds and memory, instruction by instruction, across checkpoints.
#[test]
fn paths_that_meet_leave_what_the_interpreter_leaves() {
    let program = Program::load(FLOATS).unwrap();
    let mut random = Random(5);
    for entry in ["main", "meet"] {
        for (window, mask) in [(usize::MAX, 1), (1, 1), (40, u64::MAX), (40, u64::MAX)] {
            let task = with_window(&task(&program, entry), window);
            let values: Vec<u64> = (0..4).map(|_| random.next() & mask).collect();
            let bits = values
                .iter()
                .flat_map(|value| (0..32).map(move |bit| value >> bit & 1 == 1));
            let bits: Vec<bool> = bits.collect();
            let profile = Profile::lookup_simulation();
            let agreed = lockstep(&program, &task, &bits, &profile, &Control::default()).unwrap();
            assert!(agreed.secret_instructions > 0);
        }
    }
}

fn refusal(entry: &str) -> RunError {
    let program = Program::load(FLOATS).unwrap();
    let engine = Simulator::new(Profile::lookup_simulation());
    let bits = spread(&[12; LANES], 4 * 32);
    let task = task(&program, entry);
    run(&program, &task, &engine, bits, &Control::default()).unwrap_err()
}

#[test]
fn secret_modes_are_refused_where_they_stand() {
    let error = refusal("mode");
    let RunError::SecretFloatMode { site } = &error else {
        panic!("{error}")
    };
    assert_eq!(site.instruction, "vmsr fpscr, r3");
    // Two modes, by a secret condition: whoever computes after it is refused.
    let error = refusal("modes");
    let RunError::SecretFloatMode { site } = &error else {
        panic!("{error}")
    };
    assert_eq!(site.instruction, "vadd.f32 s0, s0, s0");
    let error = refusal("vectors");
    let RunError::ShortVectors { site } = &error else {
        panic!("{error}")
    };
    assert_eq!(site.instruction, "vmsr fpscr, r1");
}

#[test]
fn flags_of_exceptions_that_nobody_kept_are_not_read() {
    let program = Program::load(include_bytes!("programs/late.elf")).unwrap();
    let task = |entry: &str| Task {
        entry: Entry::Symbol(entry.to_owned()),
        ..Task::default()
    };
    let profile = Profile::lookup_simulation();
    // Inexact in the interpreter, and nobody can see it.
    let agreed = lockstep(&program, &task("main"), &[], &profile, &Control::default()).unwrap();
    assert!(agreed.instructions > 5);
    let engine = Simulator::new(profile);
    let error = run(
        &program,
        &task("late"),
        &engine,
        vec![],
        &Control::default(),
    )
    .unwrap_err();
    let RunError::LateExceptions { site } = &error else {
        panic!("{error}")
    };
    assert_eq!(site.instruction, "vmrs r0, fpscr");
}
