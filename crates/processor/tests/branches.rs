//! Branches on secrets: both paths joined, or somebody asked; against the plain interpreter.

use crate::oracle;
use crate::simulated;

use a32::Interpreter;
use blindcore_processor::{
    Answer, Asked, Branches, Checkpoint, Control, Entry, ErrorClass, Finding, Host, HostError,
    Limits, Obstacle, Operands, Otherwise, Outcome, Plan, Program, Question, Run, RunError, Start,
    State, Task, Unattended, plan, run,
};
use circuits::Profile;
use circuits::sim::Simulator;
use oracle::Oracle;
use simulated::{LANES, Random, gather, interpreter, read, secret, simulate, spread, values};

const BRANCHES: &[u8] = include_bytes!("programs/branches.elf");
const BOTH: Branches = Branches {
    both: Some(1024),
    otherwise: Otherwise::Refuse,
};
const ASK: Branches = Branches {
    both: None,
    otherwise: Otherwise::Ask,
};
const CLIENT: Branches = Branches {
    both: None,
    otherwise: Otherwise::ClientHeld,
};

fn program() -> Program {
    Program::load(BRANCHES).unwrap()
}

/// A function of the fixture; `names` are secret.
fn task(program: &Program, function: &str, names: &[&str], branches: Branches) -> Task {
    Task {
        entry: Entry::Symbol(function.to_owned()),
        limits: Limits {
            instructions: 100_000,
            ..Limits::default()
        },
        branches,
        ..secret(program, names)
    }
}

/// Random values below a limit, small differences often, for `names` in every lane.
fn lanes(program: &Program, names: &[&str], random: &mut Random, same: bool) -> Vec<[u128; LANES]> {
    let mut all = Vec::new();
    for name in names {
        let variable = program.variable(name).unwrap();
        for _ in 0..variable.type_or_bytes().elements() {
            let limit = [4, 40, 300, u64::from(u32::MAX)][random.next() as usize % 4];
            let first = u128::from(random.next() % limit);
            let value = |lane: usize, random: &mut Random| match same || lane == 0 {
                true => first,
                false => u128::from(random.next() % limit),
            };
            all.push(std::array::from_fn(|lane| value(lane, random)));
        }
    }
    all
}

/// Interpreters that ran the function on the values of their lane.
fn interpreted(
    program: &Program,
    function: &str,
    names: &[&str],
    values: &[[u128; LANES]],
) -> Vec<Interpreter> {
    let entry = program.label(function).unwrap();
    let run = |lane: usize| {
        let mut machine = interpreter(program);
        let mut values = values.iter();
        for name in names {
            let variable = program.variable(name).unwrap();
            let ty = variable.type_or_bytes();
            let width = ty.element().bytes();
            for element in 0..ty.elements() {
                let value = values.next().unwrap()[lane].to_le_bytes();
                let address = variable.address + element * width;
                machine
                    .write_bytes(address, &value[..width as usize])
                    .unwrap();
            }
        }
        machine.call(entry, &[], 1_000_000).unwrap();
        machine
    };
    (0..LANES).map(run).collect()
}

fn bits(values: &[[u128; LANES]]) -> Vec<std::sync::Arc<u64>> {
    values.iter().flat_map(|lanes| spread(lanes, 32)).collect()
}

#[track_caller]
fn equal(program: &Program, outcome: &Outcome<u64>, machines: &[Interpreter], what: &str) {
    assert!(!outcome.outputs.is_empty());
    for (lane, machine) in machines.iter().enumerate() {
        for (name, found) in values(outcome, lane) {
            let expected = read(machine, program.variable(&name).unwrap());
            assert_eq!(found, expected, "{what}: {name} in lane {lane}");
        }
    }
}

/// Runs with answers, the plan beforehand.
fn run_with_answers(
    program: &Program,
    task: &Task,
    profile: Profile,
    values: &[[u128; LANES]],
) -> (Result<Outcome<u64>, RunError>, Oracle, Plan) {
    let planned = plan(program, task, &profile).unwrap();
    let mut oracle = Oracle::default();
    let control = Control {
        threads: 2,
        ..Control::default()
    };
    let start = Start::Fresh(bits(values));
    let engine = Simulator::new(profile);
    let outcome = Run::new(program, task, &engine)
        .host(&mut oracle)
        .control(&control)
        .planned(&planned)
        .start(start);
    (outcome, oracle, planned)
}

/// Functions that `both` joins, and their secrets.
const JOINED: [(&str, &[&str]); 10] = [
    ("arms", &["a", "b"]),
    ("call", &["a", "b"]),
    ("returns", &["a", "b"]),
    ("search", &["a", "list"]),
    ("nested", &["a", "b"]),
    ("loops", &["a", "list"]),
    ("clamp", &["a", "list"]),
    ("again", &["a", "b"]),
    ("conditional_forms", &["a", "b"]),
    ("main", &["a", "b"]),
];

#[test]
#[ignore = "slow: 3 s"]
fn both_paths_become_what_the_taken_one_is() {
    let program = program();
    let mut random = Random(1);
    for (function, names) in JOINED {
        let task = task(&program, function, names, BOTH);
        for round in 0..6 {
            let values = lanes(&program, names, &mut random, false);
            let machines = interpreted(&program, function, names, &values);
            let profile = match round % 3 {
                2 => Profile::gate_simulation(),
                _ => Profile::lookup_simulation(),
            };
            let task = match round % 2 {
                0 => task.clone(),
                _ => simulated::with_window(&task, 20),
            };
            let planned = plan(&program, &task, &profile).unwrap();
            assert!(planned.is_runnable() && planned.complete, "{function}");
            let outcome = simulate(&program, &task, profile, &bits(&values));
            assert_eq!(outcome.instructions, planned.instructions);
            equal(&program, &outcome, &machines, function);
        }
    }
}

#[test]
#[ignore = "slow: 3 s"]
fn answers_lead_along_the_path_of_a_plain_run() {
    let program = program();
    let mut random = Random(2);
    let asks = JOINED.iter().chain(&[
        ("gcd", &["a", "b"] as &[_]),
        ("ends", &["a"]),
        ("conditional_end", &["a"]),
    ]);
    for (function, names) in asks {
        for branches in [ASK, CLIENT] {
            let task = task(&program, function, names, branches);
            for round in 0..6 {
                let mut values = lanes(&program, names, &mut random, true);
                if *function == "gcd" {
                    let factor = 1 + random.next() as u128 % 9;
                    values = vec![[21 * factor; LANES], [(14 + round) * factor; LANES]];
                }
                let machines = interpreted(&program, function, names, &values);
                let profile = match round % 3 {
                    2 => Profile::gate_simulation(),
                    _ => Profile::lookup_simulation(),
                };
                let (outcome, oracle, planned) =
                    run_with_answers(&program, &task, profile, &values);
                let outcome = outcome.unwrap();
                assert!(
                    planned.question.is_some() && !planned.complete,
                    "{function}"
                );
                assert!(planned.is_runnable() && !oracle.asked.is_empty());
                assert_eq!(planned.question.unwrap().asked, oracle.asked[0].2);
                // The same instructions, so the same path.
                assert_eq!(outcome.instructions, machines[0].executed(), "{function}");
                equal(&program, &outcome, &machines, function);
            }
        }
    }
}

#[test]
fn both_and_ask_together_ask_only_where_paths_do_not_meet() {
    let program = program();
    let mut random = Random(3);
    let together = |otherwise| Branches {
        both: Some(64),
        otherwise,
    };
    for otherwise in [Otherwise::Ask, Otherwise::ClientHeld] {
        for (function, names, expected) in [
            ("arms", &["a", "b"] as &[&str], 0..=0),
            ("loops", &["a", "list"], 0..=0),
            ("ends", &["a"], 1..=1),
            ("forever", &["a"], 1..=1),
            ("says", &["a"], 1..=1),
        ] {
            let task = task(&program, function, names, together(otherwise));
            let mut values = lanes(&program, names, &mut random, true);
            if expected == (1..=1) {
                values = vec![
                    [if function == "ends" || function == "says" {
                        9
                    } else {
                        7
                    }; LANES],
                ];
            }
            let profile = Profile::lookup_simulation();
            let (outcome, oracle, _) = run_with_answers(&program, &task, profile, &values);
            assert!(
                expected.contains(&oracle.asked.len()),
                "{function}: {}",
                oracle.asked.len()
            );
            let outcome = outcome.unwrap();
            if function == "says" {
                assert_eq!(oracle.written, 1u32.to_le_bytes());
            } else {
                let machines = interpreted(&program, function, names, &values);
                equal(&program, &outcome, &machines, function);
            }
        }
    }
}

/// What stands in the way of joining the paths of a function.
fn obstacle(function: &str, limit: u64) -> Obstacle {
    let program = program();
    let branches = Branches {
        both: Some(limit),
        ..BOTH
    };
    let task = task(&program, function, &["a", "b"], branches);
    let profile = Profile::lookup_simulation();
    let planned = plan(&program, &task, &profile).unwrap();
    assert!(!planned.is_runnable() && !planned.complete);
    let [Finding::Unmerged(site, unmerged)] = &planned.findings[..] else {
        panic!("{function}: {:?}", planned.findings)
    };
    assert_eq!(site.place.symbol.as_ref().unwrap().0, function);
    let values = vec![[9; LANES]; 2];
    let engine = Simulator::new(profile);
    let error = run(&program, &task, &engine, bits(&values), &Control::default()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("cannot both be executed") && text.contains("branches.c:"),
        "{text}"
    );
    let RunError::Unmerged {
        site: found,
        unmerged: same,
    } = error
    else {
        panic!("{text}")
    };
    assert_eq!((&*found, &same), (site, unmerged));
    unmerged.obstacle.clone()
}

#[test]
#[ignore = "slow: 6 s"]
fn paths_that_do_not_meet_are_refused_with_the_reason() {
    for (function, expected) in [
        ("gcd", Obstacle::Limit { limit: 1024 }),
        ("forever", Obstacle::Limit { limit: 1024 }),
        ("ends", Obstacle::System),
        ("conditional_end", Obstacle::System),
        ("says", Obstacle::System),
        ("stacks", Obstacle::Stack),
    ] {
        assert_eq!(obstacle(function, 1024), expected, "{function}");
    }
    let Obstacle::Fault { message } = obstacle("writes_code", 1024) else {
        panic!("writes_code")
    };
    assert!(message.contains("holds instructions"), "{message}");
}

#[test]
fn the_limit_counts_the_instructions_of_both_paths() {
    let program = program();
    let needs = |function: &str| {
        let fits = |limit: &u64| {
            let branches = Branches {
                both: Some(*limit),
                ..BOTH
            };
            let task = task(&program, function, &["a", "b"], branches);
            plan(&program, &task, &Profile::lookup_simulation())
                .unwrap()
                .complete
        };
        (1..200).find(fits).unwrap()
    };
    // The branch, eight instructions and the return of one arm, eight of the other; in `call` the
    // branch, six and two, and three and the return.
    let arms = needs("arms");
    assert!((15..=20).contains(&arms), "{arms}");
    let call = needs("call");
    assert!((9..=14).contains(&call), "{call}");
    assert_eq!(
        obstacle("arms", arms - 1),
        Obstacle::Limit { limit: arms - 1 }
    );
}

#[test]
fn a_known_condition_branches_no_more() {
    let program = program();
    let values = vec![[9; LANES], [4; LANES]];
    let profile = Profile::lookup_simulation;
    let task = |branches| task(&program, "again", &["a", "b"], branches);
    let (outcome, oracle, _) = run_with_answers(&program, &task(ASK), profile(), &values);
    assert_eq!(values_of(&outcome.unwrap(), "result"), [1]);
    assert_eq!(oracle.asked.len(), 1);
    let (outcome, oracle, _) = run_with_answers(&program, &task(CLIENT), profile(), &values);
    assert_eq!(values_of(&outcome.unwrap(), "result"), [1]);
    assert_eq!(oracle.asked.len(), 1);
}

fn values_of(outcome: &Outcome<u64>, name: &str) -> Vec<i128> {
    let values = values(outcome, 0);
    let found = values.iter().find(|(found, _)| found == name);
    found.unwrap().1.clone()
}

#[test]
fn a_client_that_holds_the_program_counter_saves_the_comparison() {
    let program = program();
    let values = vec![[21; LANES], [14; LANES]];
    let run = |branches| {
        let task = task(&program, "gcd", &["a", "b"], branches);
        let (outcome, oracle, planned) =
            run_with_answers(&program, &task, Profile::lookup_simulation(), &values);
        assert_eq!(values_of(&outcome.unwrap(), "result"), [7]);
        (oracle, planned)
    };
    let (_, with_condition) = run(ASK);
    let (oracle, without) = run(CLIENT);
    // Until the first question there is nothing but a comparison of two inputs.
    let lookups = |plan: &Plan| plan.total().bootstraps;
    assert!(
        lookups(&with_condition) >= 11,
        "{}",
        lookups(&with_condition)
    );
    assert_eq!(lookups(&without), 0);
    assert!(oracle.asked.iter().all(|(_, _, asked, _)| matches!(
        asked,
        Asked::Operands {
            of: Operands::Sum,
            ..
        }
    )));
}

#[test]
fn a_secret_target_is_named_by_the_client() {
    let program = program();
    for (a, expected) in [(3, 18), (20, 28)] {
        let values = vec![[a; LANES]];
        let task = |branches| task(&program, "pointer", &["a"], branches);
        let profile = Profile::lookup_simulation;
        let (outcome, oracle, _) = run_with_answers(&program, &task(CLIENT), profile(), &values);
        assert_eq!(values_of(&outcome.unwrap(), "result"), [expected]);
        assert!(matches!(
            oracle.asked[..],
            [(0, _, Asked::Target, Answer::Next(_)), ..]
        ));
        let both = run_with_answers(&program, &task(BOTH), profile(), &values);
        assert_eq!(values_of(&both.0.unwrap(), "result"), [expected]);
        assert!(both.1.asked.is_empty());
        for branches in [ASK, Branches::default()] {
            let planned = plan(&program, &task(branches), &profile()).unwrap();
            assert!(matches!(planned.findings[..], [Finding::Target(_)]));
            let engine = Simulator::new(profile());
            let error = run(
                &program,
                &task(branches),
                &engine,
                bits(&values),
                &Control::default(),
            )
            .unwrap_err();
            assert!(matches!(error, RunError::SecretTarget { .. }), "{error}");
        }
    }
}

/// Answers with the same again and again.
struct Stubborn(Answer);

impl Host<u64> for Stubborn {
    fn ask(&mut self, _: &Question<u64>) -> Result<Answer, HostError> {
        Ok(self.0)
    }
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let program = program();
    let engine = Simulator::new(Profile::lookup_simulation());
    for (branches, given) in [
        (ASK, Answer::Next(0x8000)),
        (CLIENT, Answer::Holds(true)),
        (CLIENT, Answer::Next(0x8000)),
    ] {
        let task = task(&program, "gcd", &["a", "b"], branches);
        let start = Start::Fresh(bits(&[[6; LANES], [4; LANES]]));
        let error = Run::new(&program, &task, &engine)
            .host(&mut Stubborn(given))
            .control(&Control::default())
            .start(start)
            .unwrap_err();
        assert_eq!(error.class(), ErrorClass::Input);
        let RunError::Answer { answer, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(answer, given);
    }
}

#[test]
fn nobody_answers_nothing() {
    let program = program();
    let task = task(&program, "gcd", &["a", "b"], ASK);
    let engine = Simulator::new(Profile::lookup_simulation());
    let bits = bits(&[[6; LANES], [4; LANES]]);
    let error = run(&program, &task, &engine, bits, &Control::default()).unwrap_err();
    let RunError::Host { source } = error else {
        panic!("{error}")
    };
    assert!(source.downcast_ref::<Unattended>().is_some());
}

#[test]
fn what_a_program_writes_reaches_its_host() {
    let program = program();
    let task = |function: &str| task(&program, function, &["a"], Branches::default());
    let values = vec![[5; LANES]];
    let outcome = |function: &str| {
        run_with_answers(
            &program,
            &task(function),
            Profile::lookup_simulation(),
            &values,
        )
    };
    let (outcome_, oracle, _) = outcome("said");
    assert_eq!(values_of(&outcome_.unwrap(), "result"), [5]);
    assert_eq!(oracle.written, [1, 0, 0, 0, 20, 0, 0, 0]);

    let error = |function: &str| {
        plan(&program, &task(function), &Profile::lookup_simulation()).unwrap_err()
    };
    let table = program.variable("table").unwrap().address;
    let refused = error("said_secret");
    let RunError::SecretWrite { address, .. } = refused else {
        panic!("{refused}")
    };
    // The first byte of the second word is clear: the secret one was shifted.
    assert_eq!(address, table + 5);
    let refused = error("said_somewhere");
    assert!(
        matches!(refused, RunError::SecretArgument { .. }),
        "{refused}"
    );
    let refused = error("said_nowhere");
    assert!(
        matches!(
            refused,
            RunError::OutOfRange {
                address: 0,
                size: 8,
                ..
            }
        ),
        "{refused}"
    );
}

/// Has no answer yet: keeps the last checkpoint and the question.
#[derive(Default)]
struct Parked {
    kept: Option<(Vec<u8>, Vec<std::sync::Arc<u64>>)>,
    question: Option<(u64, u32, Asked, Vec<bool>)>,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not yet")]
struct NotYet;

impl Host<u64> for Parked {
    fn ask(&mut self, question: &Question<u64>) -> Result<Answer, HostError> {
        let bits = gather(&question.bits, 0);
        self.question = Some((question.number, question.address, question.asked, bits));
        Err(Box::new(NotYet))
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_, u64>) -> Result<(), HostError> {
        self.kept = Some((checkpoint.state.to_bytes(), checkpoint.bits.to_vec()));
        Ok(())
    }
}

/// Answers one question, the expected one, and parks at the next.
struct Once {
    expected: (u64, u32, Asked, Vec<bool>),
    answer: Option<Answer>,
    then: Parked,
}

impl Host<u64> for Once {
    fn ask(&mut self, question: &Question<u64>) -> Result<Answer, HostError> {
        let Some(answer) = self.answer.take() else {
            return self.then.ask(question);
        };
        let bits = gather(&question.bits, 0);
        let found = (question.number, question.address, question.asked, bits);
        assert_eq!(found, self.expected);
        Ok(answer)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_, u64>) -> Result<(), HostError> {
        self.then.checkpoint(checkpoint)
    }
}

/// Every question in a run of its own, from the checkpoint before it, leads to the same outputs.
#[test]
fn a_parked_question_is_asked_again_and_answered_later() {
    let program = program();
    let engine = Simulator::new(Profile::lookup_simulation());
    let control = Control::default();
    for branches in [ASK, CLIENT] {
        for (function, names, values) in [
            (
                "gcd",
                &["a", "b"] as &[&str],
                vec![[21u128; LANES], [14; LANES]],
            ),
            (
                "conditional_forms",
                &["a", "b"],
                vec![[9; LANES], [5; LANES]],
            ),
            ("pointer", &["a"], vec![[20; LANES]]),
        ] {
            if function == "pointer" && branches == ASK {
                continue;
            }
            let task = task(&program, function, names, branches);
            let (whole, oracle, _) =
                run_with_answers(&program, &task, Profile::lookup_simulation(), &values);
            let whole = whole.unwrap();
            let start = |parked: &Parked| match &parked.kept {
                Some((state, bits)) => Start::Resumed {
                    state: Box::new(State::from_bytes(state).unwrap()),
                    bits: bits.clone(),
                },
                None => Start::Fresh(bits(&values)),
            };
            let mut parked = Parked::default();
            let beginning = start(&parked);
            let first = Run::new(&program, &task, &engine)
                .host(&mut parked)
                .control(&control)
                .start(beginning);
            let mut outcome = first;
            for (number, _, _, answer) in &oracle.asked {
                let Err(RunError::Host { source }) = outcome else {
                    panic!("{outcome:?}")
                };
                assert_eq!(source.downcast_ref::<NotYet>(), Some(&NotYet));
                let expected = parked.question.take().unwrap();
                assert_eq!(expected.0, *number);
                let from = start(&parked);
                let mut once = Once {
                    expected,
                    answer: Some(*answer),
                    then: Parked::default(),
                };
                outcome = Run::new(&program, &task, &engine)
                    .host(&mut once)
                    .control(&control)
                    .start(from);
                parked = once.then;
            }
            let outcome = outcome.unwrap();
            assert_eq!(outcome.instructions, whole.instructions, "{function}");
            for lane in [0, 63] {
                assert_eq!(
                    simulated::values(&outcome, lane),
                    simulated::values(&whole, lane)
                );
            }
        }
    }
}
