//! Programs whose control flow depends on their data, as people write them, by two compilers at
//! every level, with tables of jumps, against the host.

use std::fmt::Write as _;
use std::path::Path;

use blindcore_processor::{Bound, Task};

use crate::compiled;
use crate::loops::{LEVELS, outcome, task};
use crate::simulated::{LANES, Random};

const FUNCTIONS: [&str; 11] = [
    "run_table",
    "run_mixed",
    "run_number",
    "run_functions",
    "run_codes",
    "run_fibonacci",
    "run_quick",
    "run_tree",
    "run_chains",
    "run_words",
    "run_after",
];

/// Runs these of the functions; loops end by themselves where there is no bound.
fn agree(test: &str, chosen: &[&str], levels: &[&str], bound: Option<u64>) {
    let folder = compiled::folder(test);
    let source = Path::new("tests/programs/structures.c");
    let copy = folder.join("structures.c");
    std::fs::copy(source, &copy).unwrap();
    let mut random = Random(5);
    let mut input = |limit: u64| -> [u128; LANES] {
        std::array::from_fn(|lane| {
            let value = random.next() as u32;
            u128::from(if lane % 2 == 0 {
                value % limit as u32
            } else {
                value
            })
        })
    };
    let inputs = [input(16), input(1 << 8)];
    let mut lines = String::new();
    for (a, b) in inputs[0].iter().zip(&inputs[1]) {
        writeln!(lines, "{a} {b}").unwrap();
    }
    let host = compiled::of_host(&copy, &[], &lines);
    let host: Vec<u32> = host.lines().map(|line| line.parse().unwrap()).collect();
    let mut wrong = Vec::new();
    for clang in [false, true] {
        for level in levels {
            let flags = [*level, "-g", "-fjump-tables"];
            let program = compiled::compile(source, &folder.join("structures.elf"), clang, &flags);
            for function in chosen {
                let at = FUNCTIONS.iter().position(|name| name == function).unwrap();
                let task = Task {
                    bounds: bound.map(Bound::of_all).into_iter().collect(),
                    ..task(&program, function, &["in_a", "in_b"], 1)
                };
                let found = outcome(&program, &task, &inputs);
                for (lane, found) in found.into_iter().enumerate() {
                    let expected = host[lane * FUNCTIONS.len() + at];
                    if found != (expected, false, false) {
                        wrong.push(format!(
                            "{function}, {level}, clang {clang}, lane {lane}: {found:?}, not {expected}"
                        ));
                        break;
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "slow: 36 s"]
fn tables_of_jumps_lead_where_they_do_on_the_host() {
    agree(
        "jumps",
        &["run_table", "run_mixed", "run_functions", "run_codes"],
        &LEVELS,
        None,
    );
}

#[test]
#[ignore = "slow: 8 s"]
fn functions_that_call_themselves_twice_end_by_themselves() {
    agree("twice", &["run_fibonacci"], &LEVELS, None);
}

#[test]
#[ignore = "slow: 3 s"]
fn structures_of_pointers_are_walked() {
    agree("chains", &["run_chains"], &LEVELS[..2], Some(4));
}

#[test]
#[ignore = "slow: 6 s"]
fn a_pointer_that_a_condition_moves_keeps_its_object() {
    agree("number", &["run_number"], &LEVELS, Some(6));
}

#[test]
#[ignore = "slow: 5 s"]
fn a_difference_of_pointers_is_a_number() {
    agree("after", &["run_after"], &LEVELS, Some(5));
}

#[test]
#[ignore = "a text by two compilers at two levels, a minute"]
fn texts_are_gone_through() {
    agree("texts", &["run_words"], &LEVELS[..2], Some(9));
}
