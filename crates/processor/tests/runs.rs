//! Whole programs with secret inputs on the simulator, against the interpreter and against Rust.

use crate::simulated;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use blindcore_processor::{
    Argument, Bit, Content, Control, Element, Entry, Input, Listing, Opacity, Passed, Program,
    RunError, Task, Touch, Wanted, plan, run, run_planned,
};
use circuits::Profile;
use circuits::sim::Simulator;
use simulated::{LANES, Random, agrees, gather, secret, simulate, spread, values, with_window};

const TYPES: &[u8] = include_bytes!("programs/types.elf");
const SALARIES: &[u8] = include_bytes!("programs/salaries.elf");
const NARROW: &[u8] = include_bytes!("programs/narrow.elf");
const SHAPES: &[u8] = include_bytes!("programs/shapes.elf");
const CALLS: &[u8] = include_bytes!("programs/calls.elf");

/// `score(17, secret)` with the types of the debugging information.
fn call_of(program: &Program, text: &str) -> Entry {
    let (function, rest) = text.split_once('(').unwrap();
    let values = rest
        .trim_end_matches(')')
        .split(", ")
        .filter(|v| !v.is_empty());
    let parameters = program.function(function).unwrap().parameters.clone();
    let parameters = parameters.unwrap();
    let arguments = parameters
        .into_iter()
        .zip(values)
        .map(|(parameter, value)| {
            let content = match value {
                "secret" => Content::Secret,
                number => {
                    let bits = parameter.element.encode(number.parse().unwrap()).unwrap();
                    Content::Clear(values::bytes_of(&bits))
                }
            };
            Argument {
                name: parameter.name,
                element: parameter.element,
                content,
            }
        });
    Entry::Call {
        function: function.to_owned(),
        arguments: arguments.collect(),
    }
}

fn profile() -> Profile {
    Profile::lookup_simulation()
}

#[test]
#[ignore = "slow: 2 s"]
fn salaries_agree_with_the_interpreter() {
    agrees(
        SALARIES,
        &["salary", "count"],
        1,
        |name, value| match name {
            "count" => value % 9,
            _ => value % 100_000,
        },
    );
}

#[test]
#[ignore = "slow: 7 s"]
fn narrow_arithmetic_agrees_with_the_interpreter() {
    agrees(NARROW, &["bytes", "halves", "amount"], 2, |_, value| value);
}

#[test]
#[ignore = "slow: 2 s"]
fn every_type_agrees_with_the_interpreter() {
    agrees(
        TYPES,
        &["a_u64", "a_point.y", "a_constant", "a_u32"],
        3,
        |_, value| value,
    );
}

#[test]
fn salaries_are_right_by_hand() {
    let program = Program::load(SALARIES).unwrap();
    let mut task = secret(&program, &["salary"]);
    let count = program.variable("count").unwrap().clone();
    task.inputs.push(Input {
        variable: count,
        content: Content::Clear(vec![3, 0, 0, 0]),
    });
    let bits: Vec<_> = [4100u32, 9100, 28_050, 77_777, 0, 0, 0, 0]
        .iter()
        .flat_map(|value| spread(&[u128::from(*value); LANES], 32))
        .collect();
    let outcome = simulate(&program, &task, profile(), &bits);
    let found = values(&outcome, 17);
    let expected = [("total", 41_250), ("highest", 28_050), ("mean", 13_750)];
    let expected = expected.map(|(name, value)| (name.to_owned(), vec![value]));
    assert_eq!(found, expected);
}

#[test]
fn a_plan_tells_the_run() {
    let program = Program::load(SALARIES).unwrap();
    let task = secret(&program, &["salary", "count"]);
    assert_eq!(task.secret_bits(), 9 * 32);
    for window in [usize::MAX, 100] {
        let task = with_window(&task, window);
        let plan = plan(&program, &task, &profile()).unwrap();
        assert!(plan.is_runnable());
        // 288 live bits do not fill a window of 100 nodes: what is computed does.
        let expected = if window == usize::MAX { 1..2 } else { 10..15 };
        assert!(
            expected.contains(&plan.windows.len()),
            "{}",
            plan.windows.len()
        );
        assert_eq!(plan.windows[0].inputs, task.secret_bits());
        assert!(plan.secret_instructions < plan.instructions);
        let names: Vec<_> = plan
            .outputs
            .iter()
            .map(|output| output.name.as_str())
            .collect();
        assert_eq!(names, ["total", "highest", "mean"]);
        // The sum of eight 32-bit numbers: every bit is secret.
        assert!(plan.outputs.iter().all(|output| output.secret_bits == 32));

        let seen = Arc::new(AtomicUsize::new(0));
        let last = Arc::clone(&seen);
        let (planned, instructions) = (plan.nodes(), plan.instructions);
        let control = Control {
            threads: 1,
            observer: Some(Arc::new(move |progress| {
                assert_eq!(progress.nodes_planned, planned);
                // Instructions keep step with nodes.
                assert!(progress.instructions == 0 || progress.nodes > 0);
                let ended = progress.instructions == instructions;
                assert!(!ended || progress.nodes == planned, "{progress:?}");
                assert!(last.fetch_max(progress.nodes, Ordering::Relaxed) <= progress.nodes);
            })),
            ..Control::default()
        };
        let bits = spread(&[0x1234_5678; LANES], 9 * 32);
        let outcome = run(&program, &task, &Simulator::new(profile()), bits, &control).unwrap();
        assert_eq!(outcome.instructions, plan.instructions);
        assert_eq!(seen.load(Ordering::Relaxed), plan.nodes());
    }
}

#[test]
fn a_plan_marks_what_touches_secrets() {
    let program = Program::load(SALARIES).unwrap();
    let plan = plan(&program, &secret(&program, &["salary"]), &profile()).unwrap();
    let listing = blindcore_processor::Listing::new(&program, &plan.touched);
    let touch = |text: &str| {
        let line = listing
            .lines
            .iter()
            .find(|line| line.text.starts_with(text))
            .unwrap();
        (line.text.clone(), line.touch)
    };
    assert_eq!(listing.lines[0].function.as_deref(), Some("main"));
    assert_eq!(touch("push").1, Some(Touch::Clear));
    assert_eq!(touch("bne").1, Some(Touch::Clear));
    // With a clear count of zero nothing of a salary survives its mask.
    assert_eq!(touch("and").1, Some(Touch::Secret));
    assert_eq!(touch("udiv").1, Some(Touch::Clear));
}

#[test]
fn bits_that_are_computed_without_secrets_stay_clear() {
    let program = Program::load(SALARIES).unwrap();
    let mut task = secret(&program, &["salary"]);
    task.wanted = Wanted::Variables(vec![program.variable("count").unwrap().clone()]);
    let bits = spread(&[5; LANES], 256);
    let outcome = simulate(&program, &task, profile(), &bits);
    assert!(
        outcome.outputs[0]
            .bits
            .iter()
            .all(|bit| matches!(bit, Bit::Clear(false)))
    );
}

#[test]
fn calls_pass_clear_arguments_and_results() {
    let program = Program::load(CALLS).unwrap();
    for (call, expected) in [
        (
            "score(17, 25)",
            vec![("calls", 1), ("score", 17 * 3 - 50 - 1000)],
        ),
        (
            "score(-3, 16)",
            vec![("calls", 1), ("score", -9 - 32 - 1000)],
        ),
        (
            "mixed(200, 1000000000000, -5, 7, -1)",
            vec![("mixed", 3_000_000_000_187)],
        ),
        ("near(-100, -98)", vec![("near", 1)]),
        ("near(-100, 127)", vec![("near", 0)]),
        ("nothing()", vec![("calls", 2)]),
        ("deep(100)", vec![("deep", 5050)]),
        ("main()", vec![("calls", 1), ("main", -999)]),
    ] {
        let entry = call_of(&program, call);
        let task = Task {
            entry,
            ..Task::default()
        };
        let outcome = simulate(&program, &task, profile(), &[]);
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(name, value)| (name.to_owned(), vec![value]))
            .collect();
        assert_eq!(values(&outcome, 0), expected, "{call}");
    }
}

#[test]
fn calls_pass_secret_arguments() {
    let program = Program::load(CALLS).unwrap();
    let mut random = Random(5);
    let mut lanes =
        |mask: u64| -> [u128; LANES] { std::array::from_fn(|_| u128::from(random.next() & mask)) };
    let (a, b, c) = (lanes(0xff), lanes(u64::MAX), lanes(0xffff));
    let (d, e) = (lanes(0xffff_ffff), lanes(u64::MAX));
    let entry = call_of(&program, "mixed(secret, secret, secret, secret, secret)");
    let task = Task {
        entry,
        ..Task::default()
    };
    let names: Vec<_> = task
        .secrets()
        .into_iter()
        .map(|s| (s.name, s.bits))
        .collect();
    let expected = [("a", 8), ("b", 64), ("c", 16), ("d", 32), ("e", 64)];
    assert_eq!(names, expected.map(|(name, bits)| (name.to_owned(), bits)));
    let bits = [
        spread(&a, 8),
        spread(&b, 64),
        spread(&c, 16),
        spread(&d, 32),
        spread(&e, 64),
    ]
    .concat();
    let outcome = simulate(&program, &task, profile(), &bits);
    let result = outcome.outputs.last().unwrap();
    for lane in 0..LANES {
        let expected = (a[lane] as u64)
            .wrapping_add((b[lane] as u64).wrapping_mul(3))
            .wrapping_add(c[lane] as u16 as i16 as u64)
            .wrapping_sub(d[lane] as u64)
            .wrapping_add(e[lane] as u64);
        let found = result.ty.element().decode(&gather(&result.bits, lane));
        assert_eq!(found, i128::from(expected), "lane {lane}");
    }
}

#[test]
fn calls_that_pass_more_than_numbers_are_refused() {
    let program = Program::load(SHAPES).unwrap();
    for (function, passed, opacity) in [
        ("paired", Passed::Result, Opacity::Structure),
        ("scaled", Passed::Parameter("x".to_owned()), Opacity::Float),
    ] {
        let task = Task {
            entry: Entry::Call {
                function: function.to_owned(),
                arguments: Vec::new(),
            },
            ..Task::default()
        };
        let error = plan(&program, &task, &profile()).unwrap_err();
        let RunError::UnsupportedCall {
            function: named,
            passed: what,
            opacity: why,
        } = error
        else {
            panic!("{error}")
        };
        assert_eq!((named.as_str(), what, why), (function, passed, opacity));
    }
}

#[test]
fn outputs_have_names_of_their_own() {
    let program = Program::load(SHAPES).unwrap();
    let task = Task::default();
    let names = |task: &Task| -> Vec<String> {
        let plan = plan(&program, task, &profile()).unwrap();
        plan.outputs.into_iter().map(|output| output.name).collect()
    };
    let all = names(&task);
    let mut once = all.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), all.len(), "{all:?}");
    let states: Vec<_> = all
        .iter()
        .filter(|name| name.starts_with("state"))
        .collect();
    assert_eq!(states.len(), 2, "{all:?}");
    assert_eq!(states[0], "state");
    let other = program.variable(states[1]).unwrap();
    assert_eq!((other.name.as_str(), other.size), ("state", 4));
    // Wanted twice.
    let count = program.variable("count").unwrap().clone();
    let address = count.address;
    let wanted = Wanted::Variables(vec![count.clone(), count]);
    let twice = names(&Task { wanted, ..task });
    assert_eq!(
        twice,
        ["count".to_owned(), format!("count@{address:#010x}")]
    );
}

#[test]
fn a_plan_names_the_entry() {
    let program = Program::load(CALLS).unwrap();
    let entry = |program: &Program, entry: Entry| {
        let task = Task {
            entry,
            ..Task::default()
        };
        plan(program, &task, &profile()).unwrap().entry
    };
    assert_eq!(entry(&program, Entry::Default), "main");
    assert_eq!(entry(&program, Entry::Image), "main");
    assert_eq!(
        entry(&program, Entry::Symbol("nothing".to_owned())),
        "nothing"
    );
    // Without section headers there are no symbols.
    let mut bytes = CALLS.to_vec();
    bytes[0x20..0x24].fill(0);
    bytes[0x30..0x34].fill(0);
    let stripped = Program::load(&bytes).unwrap();
    let address = format!("{:#010x}", stripped.entry_point());
    assert_eq!(entry(&stripped, Entry::Default), address);
}

#[test]
fn listings_name_the_targets_of_branches() {
    let program = Program::load(SALARIES).unwrap();
    let listing = Listing::new(&program, &std::collections::BTreeMap::new());
    let branch = listing.lines.iter().find(|l| l.text.starts_with("bne"));
    let text = &branch.unwrap().text;
    let target = text.split_whitespace().nth(1).unwrap();
    let address = u32::from_str_radix(target.trim_start_matches("0x"), 16).unwrap();
    assert!(
        listing.lines.iter().any(|line| line.address == address),
        "{text}"
    );
    let (name, offset) = program.place(address).symbol.unwrap();
    assert!(text.ends_with(&format!(" <{name}+{offset:#x}>")), "{text}");
}

#[test]
fn functions_without_debugging_information_take_words() {
    let argument = |value: u32| Argument {
        name: "x".to_owned(),
        element: Element::Integer {
            bits: 32,
            signed: false,
        },
        content: Content::Clear(value.to_le_bytes().to_vec()),
    };
    let program = Program::load(CALLS).unwrap();
    let entry = Entry::Call {
        function: "score".to_owned(),
        arguments: vec![argument(5), argument(2)],
    };
    let outcome = simulate(
        &program,
        &Task {
            entry,
            ..Task::default()
        },
        profile(),
        &[],
    );
    assert_eq!(values(&outcome, 0)[1], ("score".to_owned(), vec![11]));
}

#[test]
fn the_number_of_ciphertexts_must_be_right() {
    let program = Program::load(SALARIES).unwrap();
    let task = secret(&program, &["count"]);
    let engine = Simulator::new(profile());
    let outcome = run(&program, &task, &engine, Vec::new(), &Control::default());
    assert!(matches!(
        outcome,
        Err(RunError::SecretCount {
            expected: 32,
            given: 0
        })
    ));
}

#[test]
fn inputs_that_the_program_overwrote_are_freed() {
    let program = Program::load(CALLS).unwrap();
    let entry = call_of(&program, "score(secret, secret)");
    let task = Task {
        entry,
        ..Task::default()
    };
    let task = with_window(&task, 1);
    let bits = spread(&[77; LANES], 64);
    let watched: Vec<_> = bits.iter().map(Arc::downgrade).collect();
    let planned = plan(&program, &task, &profile()).unwrap();
    let (alive, last) = (
        Arc::new(AtomicUsize::new(usize::MAX)),
        planned.windows.len() - 1,
    );
    let least = Arc::clone(&alive);
    let control = Control {
        threads: 1,
        observer: Some(Arc::new(move |progress| {
            if progress.window == last {
                let count = watched.iter().filter(|bit| bit.strong_count() > 0);
                least.fetch_min(count.count(), Ordering::Relaxed);
            }
        })),
        ..Control::default()
    };
    let engine = Simulator::new(profile());
    run_planned(&program, &task, &engine, bits, &control, &planned).unwrap();
    // The debt's register keeps what it held; the income's has the score, which is even where
    // three times the income is.
    assert_eq!((last > 1, alive.load(Ordering::Relaxed)), (true, 32 + 1));
}
