//! A run that stops after any window and goes on from its checkpoint leaves what an undisturbed run
//! leaves, bit for bit; bytes that are no checkpoint of the run are refused and never panic.

use std::sync::Arc;

use blindcore_processor::{
    Bit, Checkpoint, Control, Entry, Host, HostError, Limits, Outcome, Program, Run, RunError,
    Start, State, StateError, Task, plan,
};
use circuits::Profile;
use circuits::sim::Simulator;
use simulated::{LANES, Random, secret, spread, with_window};

use crate::simulated;

/// Keeps what it is given, and ends the run after some windows.
#[derive(Default)]
struct Keeper {
    kept: Vec<(Vec<u8>, Vec<Arc<u64>>)>,
    end_after: Option<usize>,
}

impl Host<u64> for Keeper {
    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_, u64>) -> Result<(), HostError> {
        assert_eq!(checkpoint.state.bits(), checkpoint.bits.len());
        assert_eq!(
            checkpoint.state.windows(),
            checkpoint.progress.window as u64
        );
        assert_eq!(
            checkpoint.state.instructions(),
            checkpoint.progress.instructions
        );
        self.kept
            .push((checkpoint.state.to_bytes(), checkpoint.bits.to_vec()));
        match self.end_after {
            Some(count) if self.kept.len() >= count => Err("killed".into()),
            _ => Ok(()),
        }
    }
}

fn go(
    program: &Program,
    task: &Task,
    profile: &Profile,
    start: Start<u64>,
    keeper: &mut Keeper,
) -> Result<Outcome<u64>, RunError> {
    let engine = Simulator::new(profile.clone());
    let planned = plan(program, task, profile).unwrap();
    let control = Control {
        threads: 2,
        ..Control::default()
    };
    Run::new(program, task, &engine)
        .host(keeper)
        .control(&control)
        .planned(&planned)
        .start(start)
}

fn resumed((state, bits): &(Vec<u8>, Vec<Arc<u64>>)) -> Start<u64> {
    Start::Resumed {
        state: Box::new(State::from_bytes(state).unwrap()),
        bits: bits.clone(),
    }
}

/// Names, and bits as sixty-four lanes or constants.
fn found(outcome: &Outcome<u64>) -> Vec<(String, Vec<u64>)> {
    let lanes = |bit: &Bit<u64>| match bit {
        Bit::Clear(value) => u64::from(*value).wrapping_neg(),
        Bit::Secret(lanes) => **lanes,
    };
    let outputs = outcome.outputs.iter();
    outputs
        .map(|output| (output.name.clone(), output.bits.iter().map(lanes).collect()))
        .collect()
}

fn loaded(elf: &[u8], names: &[&str], seed: u64) -> (Program, Task, Vec<Arc<u64>>) {
    let program = Program::load(elf).unwrap();
    let task = secret(&program, names);
    let mut random = Random(seed);
    let values: [u128; LANES] =
        std::array::from_fn(|_| u128::from(random.next()) << 64 | u128::from(random.next()));
    let bits = spread(&values, task.secret_bits());
    (program, task, bits)
}

/// Every cut of the run by windows of these sizes, and random chains of them.
fn resumes_anywhere(elf: &[u8], names: &[&str], seed: u64, sizes: &[usize], profile: &Profile) {
    let (program, task, bits) = loaded(elf, names, seed);
    let mut random = Random(seed);
    let whole = with_window(&task, usize::MAX);
    let fresh = || Start::Fresh(bits.clone());
    let expected = go(&program, &whole, profile, fresh(), &mut Keeper::default()).unwrap();
    for size in sizes {
        let task = with_window(&task, *size);
        let mut keeper = Keeper::default();
        let outcome = go(&program, &task, profile, fresh(), &mut keeper).unwrap();
        assert_eq!(found(&outcome), found(&expected), "window {size}");
        assert!(keeper.kept.len() > 1, "windows of {size} do not cut this");
        // From some of its checkpoints to the end, in windows of other sizes.
        for _ in 0..8 {
            let at = random.next() as usize % keeper.kept.len();
            let window = 1 + random.next() as usize % (2 * size);
            let start = resumed(&keeper.kept[at]);
            let mut again = Keeper::default();
            let task = with_window(&task, window);
            let outcome = go(&program, &task, profile, start, &mut again).unwrap();
            assert_eq!(found(&outcome), found(&expected), "window {size}, cut {at}");
            assert_eq!(outcome.instructions, expected.instructions);
            if window == *size {
                // The same cuts give the same states.
                let rest = keeper.kept[at + 1..].iter().map(|(state, _)| state);
                assert!(rest.eq(again.kept.iter().map(|(state, _)| state)));
            }
        }
        // Killed again and again, after one to three windows each time.
        let mut start = fresh();
        let mut killed = 0;
        loop {
            let end_after = Some(1 + random.next() as usize % 3);
            let mut keeper = Keeper {
                end_after,
                ..Keeper::default()
            };
            match go(&program, &task, profile, start, &mut keeper) {
                Ok(outcome) => {
                    assert_eq!(found(&outcome), found(&expected));
                    break;
                }
                Err(RunError::Host { source }) => assert_eq!(source.to_string(), "killed"),
                Err(error) => panic!("{error}"),
            }
            killed += 1;
            start = resumed(keeper.kept.last().unwrap());
        }
        assert!(killed > 0);
    }
}

const SALARIES: &[u8] = include_bytes!("programs/salaries.elf");
const NARROW: &[u8] = include_bytes!("programs/narrow.elf");
const TYPES: &[u8] = include_bytes!("programs/types.elf");
const ASTRAY: &[u8] = include_bytes!("programs/astray.elf");

#[test]
#[ignore = "slow: 8 s"]
fn salaries_go_on_anywhere() {
    let profile = Profile::lookup_simulation();
    resumes_anywhere(SALARIES, &["salary", "count"], 1, &[1, 40, 300], &profile);
}

#[test]
#[ignore = "slow: 6 s"]
fn every_type_goes_on_anywhere() {
    let names = ["a_u64", "a_point.y", "a_constant", "a_u32"];
    resumes_anywhere(TYPES, &names, 2, &[1], &Profile::lookup_simulation());
    let names = ["bytes", "halves", "amount"];
    resumes_anywhere(NARROW, &names, 3, &[900], &Profile::gate_simulation());
    resumes_anywhere(NARROW, &names, 4, &[200], &Profile::lookup_simulation());
}

/// Between the instruction that makes an address and the one that uses it, the state knows what the
/// address is made of: without that the object would not be known.
#[test]
fn secret_addresses_go_on_between_sum_and_access() {
    let profile = Profile::lookup_simulation();
    let (program, task, bits) = loaded(ASTRAY, &["at", "flag", "result", "table"], 7);
    let mut random = Random(8);
    for entry in [
        "ldrsh_",
        "ldm_",
        "ldrd_bytes_",
        "ldr_minus_",
        "strd_",
        "stm_",
        "strh_bytes_lo_",
    ] {
        let task = Task {
            entry: Entry::Symbol(entry.to_owned()),
            ..with_window(&task, 1)
        };
        // Half of the indexes lie in the table or near it.
        let mut bits = bits.clone();
        for bit in &mut bits[4..32] {
            *bit = Arc::new(**bit & 0xffff_ffff);
        }
        let mut keeper = Keeper::default();
        let start = Start::Fresh(bits);
        let expected = go(&program, &task, &profile, start, &mut keeper).unwrap();
        assert!(keeper.kept.len() > 1, "{entry}");
        for kept in &keeper.kept {
            let window = 1 + random.next() as usize % 100;
            let task = with_window(&task, window);
            let outcome = go(
                &program,
                &task,
                &profile,
                resumed(kept),
                &mut Keeper::default(),
            );
            assert_eq!(found(&outcome.unwrap()), found(&expected), "{entry}");
        }
    }
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let profile = Profile::lookup_simulation();
    let (program, task, bits) = loaded(SALARIES, &["salary", "count"], 4);
    let task = with_window(&task, 40);
    let mut keeper = Keeper::default();
    go(&program, &task, &profile, Start::Fresh(bits), &mut keeper).unwrap();
    let (state, bits) = &keeper.kept[1];
    let refused = |program: &Program, task: &Task, bits: &[Arc<u64>]| {
        let state = State::from_bytes(state).unwrap();
        let start = Start::Resumed {
            state: Box::new(state),
            bits: bits.to_vec(),
        };
        match go(program, task, &profile, start, &mut Keeper::default()) {
            Err(RunError::State { source }) => source,
            other => panic!("{other:?}"),
        }
    };
    let (expected, given) = (bits.len(), bits.len() - 1);
    assert_eq!(
        refused(&program, &task, &bits[1..]),
        StateError::Count { expected, given }
    );
    let larger = Task {
        limits: Limits {
            stack: 1 << 21,
            ..task.limits
        },
        ..task.clone()
    };
    assert!(matches!(
        refused(&program, &larger, bits),
        StateError::Other { .. }
    ));
    let (other, task, _) = loaded(NARROW, &[], 0);
    assert!(matches!(
        refused(&other, &task, bits),
        StateError::Other { .. }
    ));
}

/// The version before this one did not say how the ciphertexts were made; nor may one that says it
/// say it of fewer than there are.
#[test]
fn every_ciphertext_of_a_state_says_how_it_was_made() {
    let profile = Profile::lookup_simulation();
    let (program, task, bits) = loaded(SALARIES, &["salary", "count"], 4);
    let task = with_window(&task, 40);
    let mut keeper = Keeper::default();
    go(&program, &task, &profile, Start::Fresh(bits), &mut keeper).unwrap();
    let (state, bits) = &keeper.kept[1];
    let mut older = state.clone();
    older[0] = 1;
    let refused = State::from_bytes(&older).unwrap_err();
    assert_eq!(refused, StateError::Version { found: 1 });
    // At the end stand their number, in one or two bytes, and 32 bytes for each.
    let count = if bits.len() < 128 { 1 } else { 2 };
    let mut fewer = state[..state.len() - 32].to_vec();
    let at = fewer.len() - 32 * (bits.len() - 1) - count;
    fewer[at] -= 1;
    let refused = State::from_bytes(&fewer).unwrap_err();
    assert!(matches!(refused, StateError::Malformed { .. }));
}

/// Damaged states are refused, or are states: then they run to some end without a panic.
#[test]
#[ignore = "slow: 14 s"]
fn damaged_states_do_no_harm() {
    let profile = Profile::lookup_simulation();
    let (program, task, bits) = loaded(SALARIES, &["salary", "count"], 5);
    let mut task = with_window(&task, 100);
    let mut keeper = Keeper::default();
    let outcome = go(&program, &task, &profile, Start::Fresh(bits), &mut keeper).unwrap();
    task.limits.instructions = 2 * outcome.instructions;
    let (good, bits) = &keeper.kept[1];
    assert_eq!(State::from_bytes(good).unwrap().to_bytes(), *good);
    for length in 0..good.len() {
        assert!(
            State::from_bytes(&good[..length]).is_err(),
            "{length} bytes"
        );
    }
    let engine = Simulator::new(profile);
    let mut random = Random(6);
    let mut runs = 0;
    for _ in 0..250 {
        let mut bytes = good.clone();
        for _ in 0..1 + random.next() % 4 {
            let at = random.next() as usize % bytes.len();
            bytes[at] ^= 1 << (random.next() % 8);
        }
        let Ok(state) = State::from_bytes(&bytes) else {
            continue;
        };
        let start = Start::Resumed {
            state: Box::new(state),
            bits: bits.clone(),
        };
        // Most stop at once: their program counter or their pointers lead nowhere.
        let control = Control::default();
        let host = &mut Keeper::default();
        let outcome = Run::new(&program, &task, &engine)
            .host(host)
            .control(&control)
            .start(start);
        runs += usize::from(outcome.is_ok());
    }
    assert!(runs > 0);
}
