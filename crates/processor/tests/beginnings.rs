//! Where a program begins when nobody says it, and programs that leave nothing.

use std::sync::Arc;

use blindcore_processor::{Control, Entry, Plan, Program, RunError, Task, plan, run};
use circuits::Profile;
use circuits::sim::Simulator;

const CALLS: &[u8] = include_bytes!("programs/calls.elf");
/// `calls.c` begins with `main`, at the address where its code begins.
const FIRST: u32 = 0x8000;

/// The fixture with its `main` called otherwise, and another entry point in its header.
fn renamed(name: &str, entry: u32) -> Program {
    let mut bytes = CALLS.to_vec();
    let at = bytes.windows(6).rposition(|window| window == b"\0main\0");
    let at = at.unwrap() + 1;
    bytes[at..at + 4].copy_from_slice(name.as_bytes());
    bytes[0x18..0x1c].copy_from_slice(&entry.to_le_bytes());
    Program::load(&bytes).unwrap()
}

fn planned(program: &Program, entry: Entry) -> Result<Plan, RunError> {
    let task = Task {
        entry,
        ..Task::default()
    };
    plan(program, &task, &Profile::lookup_simulation())
}

#[test]
fn a_program_begins_at_main_whatever_its_entry_point() {
    for entry in [0, FIRST, FIRST + 0x20] {
        let program = renamed("main", entry);
        assert_eq!(planned(&program, Entry::Default).unwrap().entry, "main");
    }
}

#[test]
fn the_first_function_is_not_an_entry() {
    let program = renamed("mine", FIRST);
    let error = planned(&program, Entry::Default).unwrap_err();
    let RunError::NoEntry {
        entry,
        first,
        functions,
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!((*entry, first.as_deref()), (FIRST, Some("mine")));
    let expected = ["mine", "score", "mixed", "near", "nothing", "deep"];
    assert_eq!(functions[..], expected);
    let text = error.to_string();
    for part in ["at mine", "--entry", "--call", "-e FUNCTION", "mine, score"] {
        assert!(text.contains(part), "{text}");
    }
    // Who names it means it.
    let named = planned(&program, Entry::Symbol("mine".to_owned()));
    assert_eq!(named.unwrap().entry, "mine");
    assert_eq!(planned(&program, Entry::Image).unwrap().entry, "mine");
}

#[test]
fn an_entry_point_outside_the_code_is_none() {
    // What lld writes where nobody names an entry; the variables of the fixture.
    for entry in [0, 0x9140, 0x0010_0000] {
        let error = planned(&renamed("mine", entry), Entry::Default).unwrap_err();
        let RunError::NoEntry { first, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(*first, None);
        assert!(error.to_string().contains(&format!("{entry:#010x}")));
    }
}

#[test]
fn a_chosen_entry_point_is_taken() {
    // Another function than the first one, or a name that entries have.
    let score = planned(&renamed("mine", FIRST + 0x20), Entry::Default).unwrap();
    assert_eq!(score.entry, "score");
    let mut bytes = CALLS.to_vec();
    let at = bytes.windows(7).rposition(|window| window == b"\0score\0");
    let at = at.unwrap() + 1;
    bytes[at..at + 5].copy_from_slice(b"start");
    let main = bytes.windows(6).rposition(|window| window == b"\0main\0");
    bytes[main.unwrap() + 1] = b'v';
    let program = Program::load(&bytes).unwrap();
    let refused = planned(&program, Entry::Default).unwrap_err();
    assert!(matches!(refused, RunError::NoEntry { .. }), "{refused}");
    bytes[0x18..0x1c].copy_from_slice(&(FIRST + 0x20).to_le_bytes());
    let program = Program::load(&bytes).unwrap();
    assert_eq!(planned(&program, Entry::Default).unwrap().entry, "start");
}

#[test]
fn a_program_that_leaves_nothing_is_not_run() {
    let program = Program::load(CALLS).unwrap();
    let task = Task {
        entry: Entry::Symbol("near".to_owned()),
        ..Task::default()
    };
    let profile = Profile::lookup_simulation();
    let found = plan(&program, &task, &profile).unwrap();
    assert!(found.leaves_nothing() && !found.is_runnable());
    let engine = Simulator::new(profile);
    let inputs: Vec<Arc<_>> = Vec::new();
    let error = run(&program, &task, &engine, inputs, &Control::default()).unwrap_err();
    assert!(
        matches!(&error, RunError::NoOutput { entry } if entry == "near"),
        "{error}"
    );
    let text = error.to_string();
    for part in ["near leaves no output", "--call", "--output"] {
        assert!(text.contains(part), "{text}");
    }
}
