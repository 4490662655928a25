//! Whole programs with secret inputs on the simulator, against the interpreter and against Rust.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy knows test functions, not what they call"
)]

mod simulated;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use circuits::Profile;
use circuits::sim::Simulator;
use processor::{
    Argument, Bit, Content, Control, Element, Entry, Input, Program, RunError, Task, Touch, Wanted,
    plan, run, run_planned,
};
use simulated::{LANES, Random, agrees, gather, secret, simulate, spread, values, with_window};

const TYPES: &[u8] = include_bytes!("programs/types.elf");
const SALARIES: &[u8] = include_bytes!("programs/salaries.elf");
const NARROW: &[u8] = include_bytes!("programs/narrow.elf");
const CALLS: &[u8] = include_bytes!("programs/calls.elf");

fn profile() -> Profile {
    Profile::lookup_simulation()
}

#[test]
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
fn narrow_arithmetic_agrees_with_the_interpreter() {
    agrees(NARROW, &["bytes", "halves", "amount"], 2, |_, value| value);
}

#[test]
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
    let listing = processor::Listing::new(&program, &plan.touched);
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
            "score(-3, 0x10)",
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
        (" main( ) ", vec![("calls", 1), ("main", -999)]),
    ] {
        let entry = Entry::call(&program, call).unwrap();
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
    let entry = Entry::call(&program, "mixed(secret, secret, secret, secret, secret)").unwrap();
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
fn calls_that_do_not_fit_are_refused() {
    let program = Program::load(CALLS).unwrap();
    let refused = |text: &str| Entry::call(&program, text).unwrap_err().to_string();
    assert_eq!(refused("score(1)"), "score takes 2 arguments, not 1");
    assert_eq!(
        refused("near(1, 128)"),
        "argument b: 128 does not fit i8 (-128 to 127)"
    );
    assert_eq!(
        refused("scor(1, 2)"),
        "the program has no function 'scor'; did you mean 'score'?"
    );
    for text in [
        "score",
        "score(",
        "score(1, 2",
        "score(1, two)",
        "score(1,)",
        "score(--1, 2)",
    ] {
        assert!(refused(text).starts_with("cannot read the call"), "{text}");
    }
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
    let entry = Entry::call(&program, "score(secret, secret)").unwrap();
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
