//! Running fixtures on the simulator: sixty-four values of every secret at a time, and the same
//! values one at a time on the plain interpreter.

use std::sync::Arc;

use a32::{Interpreter, Permissions, Register};
use blindcore_processor::{
    Bit, Content, Control, Input, Limits, Outcome, Program, Task, Variable, run,
};
use circuits::Profile;
use circuits::sim::Simulator;

pub(crate) const LANES: usize = 64;

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Bits of a value in each lane.
pub(crate) fn spread(values: &[u128; LANES], bits: usize) -> Vec<Arc<u64>> {
    (0..bits)
        .map(|i| {
            let lanes = values.iter().enumerate();
            Arc::new(lanes.fold(0, |bit, (lane, value)| {
                bit | ((value >> (i % 128) & 1) as u64) << lane
            }))
        })
        .collect()
}

/// The value of bits in one lane.
pub(crate) fn gather(bits: &[Bit<u64>], lane: usize) -> Vec<bool> {
    bits.iter()
        .map(|bit| match bit {
            Bit::Clear(value) => *value,
            Bit::Secret(lanes) => **lanes >> lane & 1 == 1,
        })
        .collect()
}

/// The outputs of one lane: names and elements.
pub(crate) fn values(outcome: &Outcome<u64>, lane: usize) -> Vec<(String, Vec<i128>)> {
    let outputs = outcome.outputs.iter().map(|output| {
        let bytes = values::bytes_of(&gather(&output.bits, lane));
        (output.name.clone(), output.ty.decode(&bytes))
    });
    outputs.collect()
}

/// A task with these variables secret.
pub(crate) fn secret(program: &Program, names: &[&str]) -> Task {
    let inputs = names.iter().map(|name| Input {
        variable: program.variable(name).unwrap().clone(),
        content: Content::Secret,
    });
    Task {
        inputs: inputs.collect(),
        ..Task::default()
    }
}

pub(crate) fn with_window(task: &Task, window: usize) -> Task {
    Task {
        limits: Limits {
            window,
            ..task.limits
        },
        ..task.clone()
    }
}

pub(crate) fn simulate(
    program: &Program,
    task: &Task,
    profile: Profile,
    bits: &[Arc<u64>],
) -> Outcome<u64> {
    let control = Control {
        threads: 2,
        ..Control::default()
    };
    run(
        program,
        task,
        &Simulator::new(profile),
        bits.to_vec(),
        &control,
    )
    .unwrap()
}

/// An interpreter with the program in memory.
pub(crate) fn interpreter(program: &Program) -> Interpreter {
    let mut machine = Interpreter::new();
    for segment in program.segments() {
        let mut bytes = segment.bytes.clone();
        bytes.resize(segment.size as usize, 0);
        machine
            .map(segment.address, bytes, Permissions::ALL)
            .unwrap();
    }
    machine
        .map(0x7000_0000, vec![0; 1 << 16], Permissions::READ_WRITE)
        .unwrap();
    machine.write_register(Register::SP, 0x7001_0000);
    machine
}

/// The elements of a variable in an interpreter.
pub(crate) fn read(machine: &Interpreter, variable: &Variable) -> Vec<i128> {
    let bytes = machine
        .read_bytes(variable.address, variable.size as usize)
        .unwrap();
    variable.type_or_bytes().decode(bytes)
}

/// Random secrets for the variables: the simulator in every lane, and with windows of several
/// sizes, must leave what the interpreter leaves.
pub(crate) fn agrees(elf: &[u8], names: &[&str], seed: u64, limit: impl Fn(&str, u64) -> u64) {
    agrees_as(elf, names, seed, limit, |task| task);
}

/// As [`agrees`], for a task that is changed first.
pub(crate) fn agrees_as(
    elf: &[u8],
    names: &[&str],
    seed: u64,
    limit: impl Fn(&str, u64) -> u64,
    change: impl Fn(Task) -> Task,
) {
    let program = Program::load(elf).unwrap();
    let task = change(secret(&program, names));
    let mut random = Random(seed);
    let mut bits = Vec::new();
    let mut machines = vec![interpreter(&program); LANES];
    for name in names {
        let variable = program.variable(name).unwrap();
        let ty = variable.type_or_bytes();
        let width = ty.element().bytes() as usize;
        for element in 0..ty.elements() {
            let values: [u128; LANES] =
                std::array::from_fn(|_| u128::from(limit(name, random.next())));
            bits.extend(spread(&values, 8 * width));
            for (machine, value) in machines.iter_mut().zip(values) {
                let address = variable.address + element * width as u32;
                machine
                    .write_bytes(address, &value.to_le_bytes()[..width])
                    .unwrap();
            }
        }
    }
    let entry = program.label("main").unwrap();
    for machine in &mut machines {
        machine.call(entry, &[], 1_000_000).unwrap();
    }
    for (window, profile) in [
        (usize::MAX, Profile::lookup_simulation()),
        (200, Profile::lookup_simulation()),
        (1, Profile::lookup_simulation()),
        (usize::MAX, Profile::selector_simulation()),
        (100, Profile::selector_simulation()),
        (500, Profile::gate_simulation()),
    ] {
        let outcome = simulate(&program, &with_window(&task, window), profile, &bits);
        // Where both paths of branches are executed, they are more than one machine's.
        if task.branches.both.is_none() {
            assert_eq!(outcome.instructions, machines[0].executed());
        }
        assert!(!outcome.outputs.is_empty());
        for (lane, machine) in machines.iter().enumerate() {
            for (name, found) in values(&outcome, lane) {
                if name == blindcore_processor::ASTRAY {
                    assert_eq!(found, [0], "astray in lane {lane}");
                    continue;
                }
                let expected = read(machine, program.variable(&name).unwrap());
                assert_eq!(found, expected, "{name} in lane {lane}, window {window}");
            }
        }
    }
}
