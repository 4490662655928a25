//! A plan says what its run does: whether it comes to its end, and what is evaluated for it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use blindcore_processor::{
    Branches, Content, Control, Entry, Input, Otherwise, Program, RunError, Task, plan, run,
};
use circuits::sim::{SimulationError, Simulator};
use circuits::{Gates, Job, Profile};

/// The simulator, counting what takes time.
struct Counting {
    simulator: Simulator,
    evaluated: AtomicUsize,
}

impl Gates for Counting {
    type Bit = u64;
    type Scratch = ();
    type Error = SimulationError;

    fn profile(&self) -> &Profile {
        self.simulator.profile()
    }

    fn scratch(&self) {}

    fn constant(&self, value: bool) -> u64 {
        self.simulator.constant(value)
    }

    fn not(&self, a: &u64) -> u64 {
        self.simulator.not(a)
    }

    fn apply_many(
        &self,
        scratch: &mut (),
        jobs: &[Job<'_, u64>],
    ) -> Vec<Result<Vec<u64>, SimulationError>> {
        let timed = jobs.iter().filter(|job| !job.is_sum());
        self.evaluated.fetch_add(timed.count(), Ordering::Relaxed);
        self.simulator.apply_many(scratch, jobs)
    }
}

/// What a plan and its run come to, which must be the same; whether that was the end.
fn agree(program: &Program, task: &Task, what: &str) -> bool {
    let profile = Profile::lookup_simulation();
    let planned = plan(program, task, &profile);
    let engine = Counting {
        simulator: Simulator::new(profile),
        evaluated: AtomicUsize::new(0),
    };
    let bits =
        (0..task.secret_bits()).map(|i| Arc::new(0x9e37_79b9_7f4a_7c15u64.rotate_left(i as u32)));
    let ran = run(program, task, &engine, bits.collect(), &Control::default());
    let evaluated = engine.evaluated.into_inner();
    match (planned, ran) {
        (Ok(plan), Ok(outcome)) => {
            assert!(plan.is_runnable(), "{what}: it ran");
            assert_eq!(plan.total().bootstraps, evaluated, "{what}: bootstraps");
            assert_eq!(plan.nodes(), evaluated, "{what}: operations");
            assert_eq!(
                plan.instructions, outcome.instructions,
                "{what}: instructions"
            );
            let names = |names: Vec<&str>| names.join(" ");
            assert_eq!(
                names(plan.outputs.iter().map(|output| &*output.name).collect()),
                names(outcome.outputs.iter().map(|output| &*output.name).collect()),
                "{what}: outputs"
            );
            true
        }
        (Ok(plan), Err(error)) => {
            let obstacle = plan.obstacle().map(|obstacle| obstacle.to_string());
            assert_eq!(
                obstacle,
                Some(error.to_string()),
                "{what}: {:?}",
                plan.findings
            );
            assert_eq!(
                evaluated, 0,
                "{what}: nothing is evaluated for what is refused"
            );
            false
        }
        (Err(planned), Err(ran)) => {
            assert_eq!(planned.to_string(), ran.to_string(), "{what}");
            false
        }
        (Err(planned), Ok(_)) => panic!("{what}: it ran, though {planned}"),
    }
}

fn agree_on(bytes: &[u8], functions: &[&str], names: &[&str]) -> usize {
    let program = Program::load(bytes).unwrap();
    let inputs = names.iter().map(|name| Input {
        variable: program.variable(name).unwrap().clone(),
        content: Content::Secret,
    });
    let inputs: Vec<Input> = inputs.collect();
    let both = Branches {
        both: Some(5000),
        otherwise: Otherwise::Refuse,
    };
    let mut ended = 0;
    for function in functions {
        for branches in [Branches::default(), both] {
            for window in [1 << 18, 900] {
                let mut task = Task {
                    entry: Entry::Symbol((*function).to_owned()),
                    inputs: inputs.clone(),
                    branches,
                    ..Task::default()
                };
                task.limits.window = window;
                task.limits.instructions = 200_000;
                let what = format!("{function}, {branches:?}, windows of {window}");
                ended += usize::from(agree(&program, &task, &what));
            }
        }
    }
    ended
}

#[test]
#[ignore = "slow: 19 s"]
fn branches_cost_what_was_planned() {
    let functions = [
        "arms",
        "call",
        "returns",
        "search",
        "nested",
        "loops",
        "clamp",
        "gcd",
        "ends",
        "conditional_end",
        "says",
        "said",
        "said_secret",
        "said_somewhere",
        "faults",
        "forever",
        "still",
        "stacks",
        "writes_code",
        "pointer",
        "again",
        "conditional_forms",
    ];
    let ended = agree_on(
        include_bytes!("programs/branches.elf"),
        &functions,
        &["a", "b", "list", "bytes"],
    );
    assert!(ended > 20, "{ended}");
}

#[test]
#[ignore = "slow: 21 s"]
fn what_is_refused_was_planned_to_be() {
    let functions = [
        "branch",
        "load",
        "store",
        "outside",
        "readonly",
        "jump",
        "forever",
        "undefined",
        "unaligned",
        "call",
        "ends",
        "guarded_load",
        "guarded_store",
        "guarded_pair",
    ];
    let ended = agree_on(
        include_bytes!("programs/refused.elf"),
        &functions,
        &["secret"],
    );
    assert!(ended > 0 && ended < 4 * functions.len(), "{ended}");
}

#[test]
#[ignore = "slow: 36 s"]
fn tables_and_examples_cost_what_was_planned() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (example, names) in [
        ("auction", &[][..]),
        ("credit", &[]),
        ("edit", &[]),
        ("gcd", &["a", "b"]),
        ("hamming", &[]),
        ("histogram", &[]),
        ("premium", &[]),
        ("salaries", &["salary"]),
        ("tender", &["bid_1", "bid_2", "bid_3"]),
    ] {
        let file = examples.join(example).join(format!("{example}.elf"));
        let bytes = std::fs::read(file).unwrap();
        let program = Program::load(&bytes).unwrap();
        // Every variable that the program does not write, and does read, unless some are named.
        let unset = match names {
            [] => plan(&program, &Task::default(), &Profile::lookup_simulation())
                .unwrap()
                .unset
                .into_iter()
                .map(|variable| variable.name)
                .collect(),
            names => names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>(),
        };
        let names: Vec<&str> = unset.iter().map(String::as_str).collect();
        agree_on(&bytes, &["main"], &names);
    }
}

/// A run that was planned may not say anything else than the plan did.
#[test]
#[ignore = "slow: 15 s"]
fn a_bound_is_kept_by_both() {
    let program = Program::load(include_bytes!("programs/branches.elf")).unwrap();
    let inputs = ["a", "b"].map(|name| Input {
        variable: program.variable(name).unwrap().clone(),
        content: Content::Secret,
    });
    let mut task = Task {
        entry: Entry::Symbol("gcd".to_owned()),
        inputs: inputs.to_vec(),
        branches: Branches {
            both: Some(5000),
            otherwise: Otherwise::Refuse,
        },
        ..Task::default()
    };
    for rounds in [1, 2, 7] {
        task.bounds = vec![blindcore_processor::Bound::of_all(rounds)];
        assert!(agree(&program, &task, &format!("gcd in {rounds} rounds")));
    }
    task.bounds.clear();
    assert!(!agree(&program, &task, "gcd without a bound"));
    let error = plan(&program, &task, &Profile::lookup_simulation());
    let error = error.unwrap().obstacle();
    assert!(
        matches!(error, Some(RunError::Unmerged { .. })),
        "{error:?}"
    );
}
