//! Variables that a program reads and nobody gave: named by a plan, and nothing else is.

use blindcore_processor::{
    Argument, Branches, Content, Entry, Input, Otherwise, Program, Task, Unset, plan,
};
use circuits::Profile;

fn program(name: &str) -> Program {
    let path = format!("{}/tests/programs/{name}", env!("CARGO_MANIFEST_DIR"));
    Program::load_as(name, &std::fs::read(path).unwrap()).unwrap()
}

fn given(program: &Program, names: &[&str]) -> Vec<Input> {
    let names = names.iter();
    names
        .map(|name| Input {
            variable: program.variable(name).unwrap().clone(),
            content: Content::Secret,
        })
        .collect()
}

fn unset(program: &Program, task: &Task) -> Vec<(String, u32)> {
    let plan = plan(program, task, &Profile::lookup_simulation()).unwrap();
    let pair = |Unset { name, size, .. }: Unset| (name, size);
    plan.unset.into_iter().map(pair).collect()
}

#[test]
fn what_is_read_and_never_written_is_named() {
    let program = program("salaries.elf");
    // Results are written, with or without a value beforehand.
    for (names, expected) in [
        (&["salary", "count"][..], &[][..]),
        (&["salary"], &[("count", 4)]),
        (&["count"], &[("salary", 32)]),
        (&["salary", "count", "total"], &[]),
    ] {
        let task = Task {
            inputs: given(&program, names),
            ..Task::default()
        };
        let found = unset(&program, &task);
        let found: Vec<_> = found
            .iter()
            .map(|(name, size)| (name.as_str(), *size))
            .collect();
        assert_eq!(found, expected, "{names:?}");
    }
    // A public value is one, too; of an array that is given in part the rest is the program's.
    let mut inputs = given(&program, &["salary", "count"]);
    inputs[1].content = Content::Clear(vec![2, 0, 0, 0]);
    inputs[0].variable.size = 8;
    inputs[0].variable.ty = Some("u32[2]".parse().unwrap());
    let task = Task {
        inputs,
        ..Task::default()
    };
    assert_eq!(unset(&program, &task), []);
}

#[test]
fn counters_tables_and_initial_values_are_no_inputs() {
    // `calls` is read before it is written, and written.
    let calls = program("calls.elf");
    let argument = |value: u8| Argument {
        name: value.to_string(),
        element: "i32".parse().unwrap(),
        content: Content::Clear(vec![value, 0, 0, 0]),
    };
    let task = Task {
        entry: Entry::Call {
            function: "score".to_owned(),
            arguments: vec![argument(17), argument(25)],
        },
        ..Task::default()
    };
    assert_eq!(unset(&calls, &task), []);
    // Every kind of variable with an initial value, a static one, fields that are written.
    assert_eq!(unset(&program("types.elf"), &Task::default()), []);
}

#[test]
fn what_is_read_before_a_question_is_known() {
    let program = program("branches.elf");
    let task = Task {
        entry: Entry::Symbol("gcd".to_owned()),
        inputs: given(&program, &["a"]),
        branches: Branches {
            otherwise: Otherwise::Ask,
            ..Branches::default()
        },
        ..Task::default()
    };
    assert_eq!(unset(&program, &task), [("b".to_owned(), 4)]);
}
