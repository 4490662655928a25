//! Accesses that leave their objects: the output `(outside)` says so for exactly the inputs for
//! which one did, on whichever paths, in whichever windows, after whichever resume.

use crate::simulated;

use std::fmt::Write as _;
use std::sync::Arc;

use blindcore_processor::{
    ASTRAY, Access, Bit, Branches, Checkpoint, Control, Host, HostError, LockstepError, Otherwise,
    Outcome, Program, Run, RunError, Start, State, Task, lockstep, plan, run,
};
use circuits::Profile;
use circuits::sim::Simulator;
use simulated::{LANES, Random, gather, secret, simulate, spread, with_window};

/// The secrets of the programs.
const NAMES: [&str; 3] = ["a", "b", "c"];

type Values = [[u128; LANES]; 3];

/// What a random program does, in order.
enum Step {
    /// An access to a word of the array of this number, at the secret of another plus a constant, or at a third
    /// secret where one is below a limit.
    Access {
        array: usize,
        secret: usize,
        plus: u32,
        instead: Option<(usize, u32, usize)>,
        store: bool,
    },
    /// One of two where a secret is below a limit.
    Choice {
        secret: usize,
        below: u32,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
}

/// Words of each array.
const LENGTHS: [u32; 3] = [3, 8, 12];

fn steps(random: &mut Random, depth: u32) -> Vec<Step> {
    let count = 1 + random.next() % 3;
    let step = |random: &mut Random| match depth > 0 && random.next().is_multiple_of(2) {
        true => Step::Choice {
            secret: random.next() as usize % 3,
            below: 1 + (random.next() % 12) as u32,
            then: steps(random, depth - 1),
            otherwise: match random.next() % 3 {
                0 => Vec::new(),
                _ => steps(random, depth - 1),
            },
        },
        false => Step::Access {
            array: random.next() as usize % 3,
            secret: random.next() as usize % 3,
            plus: (random.next() % 3) as u32,
            instead: random.next().is_multiple_of(3).then(|| {
                let random = random.next();
                let (secret, below) = (random as usize % 3, random >> 8 & 7);
                (secret, below as u32 + 1, (random >> 16) as usize % 3)
            }),
            store: random.next().is_multiple_of(2),
        },
    };
    (0..count).map(|_| step(random)).collect()
}

/// The steps in HE assembly.
fn write(text: &mut String, steps: &[Step], labels: &mut u32) {
    for step in steps {
        match step {
            Step::Access {
                array,
                secret,
                plus,
                instead,
                store,
            } => {
                let name = NAMES[*secret];
                writeln!(text, "LOAD R0, {name}\nADD R0, R0, {plus}").unwrap();
                if let Some((secret, below, other)) = instead {
                    let (name, other, label) = (NAMES[*secret], NAMES[*other], *labels);
                    *labels += 1;
                    writeln!(text, "LOAD R2, {name}\nCMP R2, {below}\nB_HS kept{label}").unwrap();
                    writeln!(text, "LOAD R0, {other}\nkept{label}:\nNOP").unwrap();
                }
                match store {
                    true => writeln!(text, "STORE R1, array{array}[R0]").unwrap(),
                    false => writeln!(text, "LOAD R1, array{array}[R0]").unwrap(),
                }
            }
            Step::Choice {
                secret,
                below,
                then,
                otherwise,
            } => {
                let (name, label) = (NAMES[*secret], *labels);
                *labels += 1;
                writeln!(text, "LOAD R2, {name}\nCMP R2, {below}\nB_HS else{label}").unwrap();
                write(text, then, labels);
                writeln!(text, "B end{label}\nelse{label}:").unwrap();
                write(text, otherwise, labels);
                writeln!(text, "end{label}:\nNOP").unwrap();
            }
        }
    }
}

/// Whether one of the steps that are taken leaves its array.
fn leaves(steps: &[Step], values: &[u32; 3]) -> bool {
    steps.iter().any(|step| match step {
        Step::Access {
            array,
            secret,
            plus,
            instead,
            ..
        } => {
            let index = match instead {
                Some((secret, below, other)) if values[*secret] < *below => values[*other],
                _ => values[*secret].wrapping_add(*plus),
            };
            index << 2 >= LENGTHS[*array] << 2
        }
        Step::Choice {
            secret,
            below,
            then,
            otherwise,
        } => match values[*secret] < *below {
            true => leaves(then, values),
            false => leaves(otherwise, values),
        },
    })
}

fn assembled(body: &str) -> Program {
    let mut text = String::new();
    for name in NAMES {
        writeln!(text, ".data {name}").unwrap();
    }
    for (number, length) in LENGTHS.iter().enumerate() {
        writeln!(text, ".data array{number}[{length}] = 5, 6, 7").unwrap();
    }
    text += ".data result\n";
    text += body;
    text += "STORE R1, result\n";
    Program::load(text.as_bytes()).unwrap()
}

fn task(program: &Program) -> Task {
    Task {
        branches: Branches {
            both: Some(10_000),
            otherwise: Otherwise::Refuse,
        },
        ..secret(program, &NAMES)
    }
}

/// Small ones, and now and then any.
fn random_values(random: &mut Random) -> Values {
    let value = |random: &mut Random| match random.next() % 16 {
        0 => u128::from(random.next() as u32),
        _ => u128::from(random.next() % 14),
    };
    std::array::from_fn(|_| std::array::from_fn(|_| value(random)))
}

fn bits(values: &Values) -> Vec<Arc<u64>> {
    values.iter().flat_map(|lanes| spread(lanes, 32)).collect()
}

/// For each lane whether the run says that it went astray.
fn astray(outcome: &Outcome<u64>) -> [bool; LANES] {
    let output = outcome.outputs.iter().find(|output| output.name == ASTRAY);
    std::array::from_fn(|lane| {
        output.is_some_and(|output| {
            let bits = gather(&output.bits, lane);
            assert!(
                bits[1..].iter().all(|bit| !bit),
                "a truth value has one bit"
            );
            bits[0]
        })
    })
}

fn expected(steps: &[Step], values: &Values) -> [bool; LANES] {
    std::array::from_fn(|lane| {
        let of_lane = values.each_ref().map(|lanes| lanes[lane] as u32);
        leaves(steps, &of_lane)
    })
}

/// One program and its values.
fn random_program(seed: u64) -> (Vec<Step>, Program, Values) {
    let mut random = Random(seed);
    let steps = steps(&mut random, 3);
    let mut text = String::new();
    write(&mut text, &steps, &mut 0);
    (steps, assembled(&text), random_values(&mut random))
}

#[test]
#[ignore = "slow: 8 s"]
fn exactly_the_lanes_whose_path_leaves_an_object_are_marked() {
    let (mut left, mut stayed) = (0, 0);
    for seed in 0..40 {
        let (steps, program, values) = random_program(seed);
        let expected = expected(&steps, &values);
        for (window, profile) in [
            (usize::MAX, Profile::lookup_simulation()),
            (1, Profile::lookup_simulation()),
            (usize::MAX, Profile::gate_simulation()),
        ] {
            let task = with_window(&task(&program), window);
            let outcome = simulate(&program, &task, profile, &bits(&values));
            assert_eq!(astray(&outcome), expected, "seed {seed}, window {window}");
        }
        left += expected.iter().filter(|left| **left).count();
        stayed += expected.iter().filter(|left| !**left).count();
    }
    assert!(left > 400 && stayed > 400, "{left} left, {stayed} stayed");
}

/// Keeps every checkpoint.
#[derive(Default)]
struct Keeper(Vec<(Vec<u8>, Vec<Arc<u64>>)>);

impl Host<u64> for Keeper {
    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_, u64>) -> Result<(), HostError> {
        let bits = checkpoint.bits.to_vec();
        self.0.push((checkpoint.state.to_bytes(), bits));
        Ok(())
    }
}

#[test]
#[ignore = "slow: 3 s"]
fn a_resumed_run_knows_what_left_its_object_before() {
    let mut before = 0;
    for seed in 100..110 {
        let (steps, program, values) = random_program(seed);
        let expected = expected(&steps, &values);
        let task = with_window(&task(&program), 1);
        let engine = Simulator::new(Profile::lookup_simulation());
        let control = Control::default();
        let go = |start, keeper: &mut Keeper| {
            let outcome = Run::new(&program, &task, &engine)
                .host(keeper)
                .control(&control)
                .start(start);
            astray(&outcome.unwrap())
        };
        let mut keeper = Keeper::default();
        let start = Start::Fresh(bits(&values));
        assert_eq!(go(start, &mut keeper), expected, "seed {seed}");
        for (state, bits) in &keeper.0 {
            let start = Start::Resumed {
                state: Box::new(State::from_bytes(state).unwrap()),
                bits: bits.clone(),
            };
            assert_eq!(go(start, &mut Keeper::default()), expected, "seed {seed}");
        }
        // From the last one on nothing is left to be executed but the end.
        before += usize::from(keeper.0.len() > 1 && expected.contains(&true));
    }
    assert!(before > 2, "{before}");
}

/// What lies beyond an object the interpreter reads and overwrites, so the two may differ then;
/// they say why.
#[test]
#[ignore = "slow: 5 s"]
fn lockstep_tells_what_left_its_object_from_a_defect() {
    let (mut agreed, mut differed) = (0, 0);
    for seed in 200..216 {
        let (steps, program, values) = random_program(seed);
        let expected = expected(&steps, &values);
        let (task, profile) = (task(&program), Profile::lookup_simulation());
        for (lane, expected) in expected.into_iter().enumerate().take(6) {
            let bits: Vec<bool> = bits(&values)
                .iter()
                .map(|lanes| **lanes >> lane & 1 == 1)
                .collect();
            match lockstep(&program, &task, &bits, &profile, &Control::default()) {
                Ok(agreement) => {
                    let outputs = agreement.outputs.iter();
                    let astray = outputs
                        .filter(|output| output.name == ASTRAY)
                        .any(|output| matches!(output.bits[0], Bit::Clear(true)));
                    assert_eq!(astray, expected, "seed {seed}, lane {lane}");
                    agreed += 1;
                }
                Err(LockstepError::Difference(difference)) => {
                    assert!(
                        difference.undefined.is_some() && expected,
                        "seed {seed}: {difference}"
                    );
                    differed += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert!(agreed > 20 && differed > 20, "{agreed}, {differed}");
}

#[test]
fn an_access_that_cannot_leave_its_object_costs_no_output() {
    let program = assembled("LOAD R0, a\nAND R0, R0, 7\nLOAD R1, array1[R0]\n");
    let values = random_values(&mut Random(1));
    let profile = Profile::lookup_simulation();
    let outcome = simulate(&program, &task(&program), profile, &bits(&values));
    let names: Vec<_> = outcome.outputs.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["result"]);
}

/// The index has 256 to 287, the array twelve words.
#[test]
fn an_access_that_can_only_lie_outside_is_an_error() {
    for (access, statement) in [
        (Access::Load, "LOAD R1, array2[R0]"),
        (Access::Store, "STORE R1, array2[R0]"),
    ] {
        let far = "LOAD R0, a\nAND R0, R0, 31\nOR R0, R0, 256\n";
        let program = assembled(&format!("{far}{statement}\n"));
        let array = program.variable("array2").unwrap();
        let task = task(&program);
        let planned = plan(&program, &task, &Profile::lookup_simulation()).unwrap_err();
        let engine = Simulator::new(Profile::lookup_simulation());
        let values = bits(&random_values(&mut Random(2)));
        let ran = run(&program, &task, &engine, values, &Control::default()).unwrap_err();
        for error in [planned, ran] {
            let RunError::OutsideObject {
                access: found,
                address,
                size,
                ..
            } = error
            else {
                panic!("{error}")
            };
            assert_eq!((found, address, size), (access, array.address, 48));
        }
    }
}

/// Under the condition that guards it, the access never leaves.
#[test]
fn an_access_that_its_branch_guards_is_not_marked() {
    let body = "LOAD R0, a\nCMP R0, 3\nB_HS over\nLOAD R1, array0[R0]\nover:\nNOP\n";
    let program = assembled(body);
    let values = random_values(&mut Random(3));
    let profile = Profile::lookup_simulation();
    let outcome = simulate(&program, &task(&program), profile, &bits(&values));
    assert_eq!(astray(&outcome), [false; LANES]);
}
