//! The state of a run, as a checkpoint has it: bytes that are a state are written as themselves,
//! and going on from it ends in some way.
//!
//! Hardly any bytes are a state of this program, so most inputs say which bytes of a sound one are
//! to be others.

#![no_main]

use std::sync::{Arc, LazyLock};

use circuits::Profile;
use circuits::sim::Simulator;
use libfuzzer_sys::fuzz_target;
use processor::{
    Checkpoint, Content, Control, Host, HostError, Input, Limits, Program, Run, Start, State, Task,
};

const PROGRAM: &[u8] = include_bytes!("../../crates/processor/tests/programs/salaries.elf");

/// A run, and the states that it has between its windows, with their bits.
struct Sound {
    program: Program,
    task: Task,
    engine: Simulator,
    states: Vec<(Vec<u8>, Vec<Arc<u64>>)>,
}

#[derive(Default)]
struct Keeper(Vec<(Vec<u8>, Vec<Arc<u64>>)>);

impl Host<u64> for Keeper {
    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_, u64>) -> Result<(), HostError> {
        let state = checkpoint.state.to_bytes();
        self.0.push((state, checkpoint.bits.to_vec()));
        Ok(())
    }
}

static SOUND: LazyLock<Sound> = LazyLock::new(|| {
    let program = Program::load(PROGRAM).expect("a fixture");
    let secret = |name: &str| Input {
        variable: program.variable(name).expect("it is there").clone(),
        content: Content::Secret,
    };
    let limits = Limits {
        instructions: 2_000,
        window: 100,
        ..Limits::default()
    };
    let inputs = ["salary", "count"].map(secret).to_vec();
    let task = Task {
        inputs,
        limits,
        ..Task::default()
    };
    let engine = Simulator::new(Profile::lookup_simulation());
    let bits = (0..task.secret_bits() as u64).map(|at| Arc::new(at.wrapping_mul(0x9e37_79b9)));
    let mut keeper = Keeper::default();
    Run::new(&program, &task, &engine)
        .host(&mut keeper)
        .start(Start::Fresh(bits.collect()))
        .expect("it runs to its end");
    Sound {
        states: keeper.0,
        program,
        task,
        engine,
    }
});

fuzz_target!(|data: &[u8]| {
    let sound = &*SOUND;
    let Some((choice, rest)) = data.split_first() else {
        return;
    };
    let (own, bits) = &sound.states[usize::from(*choice >> 1) % sound.states.len()];
    let mut bytes = own.clone();
    if choice & 1 == 0 {
        bytes = rest.to_vec();
    } else {
        for patch in rest.chunks_exact(3) {
            let at = usize::from(patch[0]) << 8 | usize::from(patch[1]);
            let at = at % bytes.len();
            bytes[at] ^= patch[2];
        }
    }
    let Ok(state) = State::from_bytes(&bytes) else {
        return;
    };
    assert_eq!(State::from_bytes(&state.to_bytes()).as_ref(), Ok(&state));
    let start = Start::Resumed {
        state: Box::new(state),
        bits: bits.clone(),
    };
    let control = Control {
        threads: 1,
        ..Control::default()
    };
    let ended = Run::new(&sound.program, &sound.task, &sound.engine)
        .host(&mut Keeper::default())
        .control(&control)
        .start(start);
    if let Err(error) = ended {
        assert!(!error.to_string().is_empty());
    }
});
