//! Random structured programs: with both paths executed, with every branch answered, and on the
//! plain interpreter, the same registers, flags and memory.

use crate::compiled;
use crate::oracle;
use crate::simulated;
use crate::structured;

use a32::Interpreter;
use blindcore_processor::{
    Branches, Control, Entry, Finding, Obstacle, Otherwise, Outcome, Plan, Program, Run, RunError,
    Start, Task, Unmerged, Wanted, plan,
};
use circuits::Profile;
use circuits::sim::Simulator;
use oracle::Oracle;
use simulated::{LANES, Random, interpreter, read, secret, spread, values, with_window};

const BRANCHES: &[u8] = include_bytes!("programs/branches.elf");
const SECRETS: &[&str] = &["list"];
const MARK: [u8; 8] = [0xe0, 0xef, 0xfd, 0xe7, 0xe0, 0xef, 0xfd, 0xe7];

/// The fixture with these words in its free room.
fn with_code(words: &[u32]) -> Program {
    let mut elf = BRANCHES.to_vec();
    let at = elf.windows(8).position(|bytes| bytes == MARK).unwrap();
    assert!(words.len() <= 1024, "{}", words.len());
    for (i, word) in words.iter().enumerate() {
        elf[at + 4 * i..][..4].copy_from_slice(&word.to_le_bytes());
    }
    Program::load(&elf).unwrap()
}

fn made_up(random: &mut Random) -> Program {
    let program = Program::load(BRANCHES).unwrap();
    let address = |name: &str| program.variable(name).unwrap().address;
    let addresses = [address("buffer"), address("dump"), address("list")];
    with_code(&structured::program(random, addresses))
}

fn task(program: &Program, branches: Branches) -> Task {
    let wanted = ["buffer", "dump"].map(|name| program.variable(name).unwrap().clone());
    Task {
        entry: Entry::Symbol("made_up".to_owned()),
        wanted: Wanted::Variables(wanted.to_vec()),
        branches,
        ..secret(program, SECRETS)
    }
}

/// Eight words for each lane; small ones, so that comparisons go both ways.
fn inputs(random: &mut Random, same: bool) -> Vec<[u128; LANES]> {
    let mut word = || {
        let limit = [8, 64, u64::from(u32::MAX)][random.next() as usize % 3];
        let first = u128::from(random.next() % limit);
        std::array::from_fn(|_| match same {
            true => first,
            false => u128::from(random.next() % limit),
        })
    };
    (0..8).map(|_| word()).collect()
}

/// Interpreters that ran the program on their lane's words, as far as lanes are wanted.
fn interpreted(program: &Program, inputs: &[[u128; LANES]], lanes: usize) -> Vec<Interpreter> {
    let list = program.variable("list").unwrap().address;
    let entry = program.label("made_up").unwrap();
    let run = |lane: usize| {
        let mut machine = interpreter(program);
        for (i, word) in inputs.iter().enumerate() {
            let bytes = (word[lane] as u32).to_le_bytes();
            machine.write_bytes(list + 4 * i as u32, &bytes).unwrap();
        }
        machine.call(entry, &[], 100_000).unwrap();
        machine
    };
    (0..lanes).map(run).collect()
}

fn outcome(
    program: &Program,
    task: &Task,
    inputs: &[[u128; LANES]],
    profile: Profile,
    planned: &Plan,
) -> (Outcome<u64>, Oracle) {
    assert!(planned.is_runnable(), "{:?}", planned.findings);
    let bits = inputs.iter().flat_map(|lanes| spread(lanes, 32)).collect();
    let mut oracle = Oracle::default();
    let control = Control {
        threads: 1,
        ..Control::default()
    };
    let engine = Simulator::new(profile);
    let start = Start::Fresh(bits);
    let outcome: Result<_, RunError> = Run::new(program, task, &engine)
        .host(&mut oracle)
        .control(&control)
        .planned(planned)
        .start(start);
    (outcome.unwrap(), oracle)
}

/// Whether the paths are refused because they are more than the limit.
fn are_too_many(planned: &Plan) -> bool {
    let limit = |unmerged: &Unmerged| matches!(unmerged.obstacle, Obstacle::Limit { .. });
    let mut findings = planned.findings.iter();
    findings.any(|found| matches!(found, Finding::Unmerged(_, unmerged) if limit(unmerged)))
}

#[track_caller]
fn equal(program: &Program, outcome: &Outcome<u64>, machines: &[Interpreter], what: &str) {
    for (lane, machine) in machines.iter().enumerate() {
        for (name, found) in values(outcome, lane) {
            if name == blindcore_processor::ASTRAY {
                assert_eq!(found, [0], "{what}: astray in lane {lane}");
                continue;
            }
            let expected = read(machine, program.variable(&name).unwrap());
            assert_eq!(found, expected, "{what}: {name} in lane {lane}");
        }
    }
}

fn agree(seed: u64, programs: u64) {
    let (mut questions, mut merged, mut too_many) = (0, 0, 0);
    for number in 0..programs {
        let mut random = Random(seed ^ number << 32);
        let program = made_up(&mut random);
        let what = format!("program {number} of {seed}");
        let profile = || match number % 4 {
            3 => Profile::gate_simulation(),
            _ => Profile::lookup_simulation(),
        };

        // Every lane its own path.
        let both = Branches {
            both: Some(100_000),
            otherwise: Otherwise::Refuse,
        };
        let values = inputs(&mut random, false);
        let machines = interpreted(&program, &values, LANES);
        let task_ = task(&program, both);
        let task_ = match number % 3 {
            0 => task_,
            _ => with_window(&task_, 100),
        };
        let planned = plan(&program, &task_, &profile()).unwrap();
        if are_too_many(&planned) {
            too_many += 1;
        } else {
            let (found, _) = outcome(&program, &task_, &values, profile(), &planned);
            assert!(planned.complete);
            assert_eq!(found.instructions, planned.instructions, "{what}");
            equal(&program, &found, &machines, &what);
        }
        let paths: std::collections::BTreeSet<u64> =
            machines.iter().map(Interpreter::executed).collect();
        merged += usize::from(paths.len() > 1);

        // One path, named by answers; and where the limit forbids more, both.
        let values = inputs(&mut random, true);
        let machines = interpreted(&program, &values, 1);
        for (both, otherwise) in [
            (None, Otherwise::Ask),
            (None, Otherwise::ClientHeld),
            (Some(12), Otherwise::Ask),
            (Some(12), Otherwise::ClientHeld),
        ] {
            let task = task(&program, Branches { both, otherwise });
            let planned = plan(&program, &task, &profile()).unwrap();
            let (found, oracle) = outcome(&program, &task, &values, profile(), &planned);
            if both.is_none() {
                assert_eq!(found.instructions, machines[0].executed(), "{what}");
            }
            equal(&program, &found, &machines, &what);
            questions += oracle.asked.len();
        }
    }
    // The programs branch on secrets, and lanes go different ways.
    assert!(questions as u64 > 4 * programs, "{questions}");
    assert!(3 * merged as u64 > programs, "{merged}");
    // A chain of conditional returns doubles the paths; few programs have a long one.
    assert!(200 * too_many <= programs, "{too_many} of {programs}");
}

#[test]
#[ignore = "slow: 32 s"]
fn made_up_programs_agree() {
    agree(1, 40);
}

#[test]
#[ignore = "thirty times as many programs, 4 min"]
fn many_made_up_programs_agree() {
    let (first, programs) = compiled::seeds(2, 1200);
    agree(first, programs);
}
