//! The processor beside the plain interpreter, instruction by instruction, on real programs.

use crate::simulated;

use blindcore_processor::{
    Agreement, Branches, Content, Control, Entry, Otherwise, Program, Task, lockstep,
};
use circuits::Profile;
use simulated::{Random, secret, with_window};

/// Runs with random secrets, across windows of several sizes.
fn agrees(elf: &[u8], names: &[&str], limit: u64) -> u64 {
    let program = Program::load(elf).unwrap();
    let mut instructions = 0;
    for (window, profile, seed) in [
        (usize::MAX, Profile::lookup_simulation(), 1),
        (300, Profile::lookup_simulation(), 2),
        (1, Profile::lookup_simulation(), 3),
        (200, Profile::selector_simulation(), 5),
        (700, Profile::gate_simulation(), 4),
    ] {
        let task = with_window(&secret(&program, names), window);
        let mut random = Random(seed);
        let mut bits = Vec::new();
        for input in &task.inputs {
            let ty = input.variable.type_or_bytes();
            for _ in 0..ty.elements() {
                let value = random.next() % limit;
                let width = 8 * ty.element().bytes() as usize;
                bits.extend((0..width).map(|bit| value >> bit & 1 == 1));
            }
        }
        let agreed = lockstep(&program, &task, &bits, &profile, &Control::default()).unwrap();
        assert_eq!(agreed.instructions, agreed.interpreted);
        assert!(agreed.secret_instructions > 0 && agreed.signals > 0);
        assert!(agreed.windows > 1 || window > 1);
        assert!(agreed.words >= 15 * agreed.instructions);
        assert!(!agreed.outputs.is_empty());
        instructions += agreed.instructions;
    }
    instructions
}

macro_rules! example {
    ($name:literal, $inputs:expr, $limit:expr) => {
        agrees(
            include_bytes!(concat!("../../../examples/", $name, "/", $name, ".elf")),
            $inputs,
            $limit,
        )
    };
}

#[test]
#[ignore = "slow: 3 s"]
fn every_example() {
    assert!(example!("auction", &["bid"], 500) > 100);
    let credit = ["age", "income", "debt", "years_employed", "late_payments"];
    assert!(example!("credit", &credit, 200) > 100);
    assert!(example!("edit", &["left", "right"], 128) > 100);
    assert!(example!("hamming", &["left", "right"], 128) > 100);
    assert!(example!("salaries", &["salary", "count"], 9) > 10);
    assert!(example!("xtea", &["key", "plain"], 1 << 32) > 1000);
}

#[test]
fn fixtures() {
    assert!(
        agrees(
            include_bytes!("programs/salaries.elf"),
            &["salary", "count"],
            1 << 15
        ) > 100
    );
}

#[test]
fn a_clear_program() {
    let program = Program::load(include_bytes!("programs/clear.elf")).unwrap();
    let task = Task::default();
    let profile = Profile::lookup_simulation();
    let agreed = lockstep(&program, &task, &[], &profile, &Control::default()).unwrap();
    assert!(agreed.instructions > 1_000_000);
    assert_eq!((agreed.secret_instructions, agreed.signals), (0, 0));
}

#[test]
fn secrets_must_be_as_many_as_the_task_has() {
    let program = Program::load(include_bytes!("programs/salaries.elf")).unwrap();
    let task = secret(&program, &["salary", "count"]);
    assert!(
        task.inputs
            .iter()
            .all(|input| input.content == Content::Secret)
    );
    let found = lockstep(
        &program,
        &task,
        &[true],
        &Profile::lookup_simulation(),
        &Control::default(),
    );
    assert!(found.unwrap_err().to_string().contains("bits"));
}

/// A function of the fixture with branches on secrets, on small numbers.
fn branching(function: &str, names: &[&str], branches: Branches, window: usize) -> Agreement {
    let program = Program::load(include_bytes!("programs/branches.elf")).unwrap();
    let task = Task {
        entry: Entry::Symbol(function.to_owned()),
        branches,
        ..with_window(&secret(&program, names), window)
    };
    let mut random = Random(window as u64);
    let bits: Vec<bool> = (0..task.secret_bits() / 32)
        .flat_map(|_| {
            let value = 1 + random.next() % 30;
            (0..32).map(move |bit| value >> bit & 1 == 1)
        })
        .collect();
    let profile = Profile::lookup_simulation();
    let agreed = lockstep(&program, &task, &bits, &profile, &Control::default());
    agreed.unwrap_or_else(|error| panic!("{function}: {error}"))
}

#[test]
fn joined_paths_agree_with_the_one_that_is_taken() {
    let both = Branches {
        both: Some(1024),
        otherwise: Otherwise::Refuse,
    };
    let mut skipped = 0;
    for window in [usize::MAX, 60] {
        for (function, names) in [
            ("arms", ["a", "b"]),
            ("call", ["a", "b"]),
            ("returns", ["a", "b"]),
            ("search", ["a", "list"]),
            ("nested", ["a", "b"]),
            ("loops", ["a", "list"]),
            ("clamp", ["a", "list"]),
            ("again", ["a", "b"]),
        ] {
            let agreed = branching(function, &names, both, window);
            assert!(agreed.interpreted <= agreed.instructions, "{function}");
            skipped += agreed.instructions - agreed.interpreted;
            assert_eq!(agreed.questions, 0);
        }
    }
    assert!(skipped > 100, "{skipped}");
}

#[test]
fn the_interpreter_answers_questions() {
    for otherwise in [Otherwise::Ask, Otherwise::ClientHeld] {
        let ask = Branches {
            both: None,
            otherwise,
        };
        for function in ["gcd", "arms", "returns", "ends", "conditional_end", "said"] {
            let agreed = branching(function, &["a", "b"], ask, usize::MAX);
            assert_eq!(agreed.instructions, agreed.interpreted, "{function}");
            assert_eq!(agreed.questions > 0, function != "said", "{function}");
        }
    }
    let held = Branches {
        both: None,
        otherwise: Otherwise::ClientHeld,
    };
    assert!(branching("pointer", &["a"], held, usize::MAX).questions > 0);
}
