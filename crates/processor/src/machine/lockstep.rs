//! Random instructions on random states with random secret bits, sixty-four values at a time,
//! against the plain interpreter: registers, flags, memory and the next address after each.

use std::convert::Infallible;

use a32::{Flag, FloatFlag, FloatMode, FloatWord, Interpreter, Permissions, Register};
use circuits::passes::{self, Provenance};
use circuits::{Circuit, Op, Profile, Wire, sim};

use super::{Cut, Fault, SavedMachine, Symbolic, Word};

const LANES: usize = 64;
const CODE: u32 = 0x8000;
const DATA: u32 = 0x1000;
const SIZE: u32 = 96;

/// SplitMix64: deterministic, and good enough for choosing tests.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn word(&mut self) -> u32 {
        self.next() as u32
    }
}

/// (fixed bits, their values): the shapes that uniformly random words seldom take.
const TEMPLATES: &[(u32, u32)] = &[
    (0x0000_0000, 0x0000_0000),
    (0x0e00_0000, 0x0000_0000), // data processing, registers; multiplication; halves
    (0x0e00_0000, 0x0200_0000), // data processing, immediate
    (0x0f00_00f0, 0x0000_0090), // multiplication, short and long
    (0x0ff0_f0f0, 0x0710_f010), // sdiv
    (0x0ff0_f0f0, 0x0730_f010), // udiv
    (0x0fa0_0070, 0x07a0_0050), // ubfx, sbfx
    (0x0fe0_0070, 0x07c0_0010), // bfi, bfc
    (0x0f80_03f0, 0x0680_0070), // extensions
    (0x0fff_0ff0, 0x016f_0f10), // clz
    (0x0fff_0ff0, 0x06ff_0f30), // rbit
    (0x0fff_0f70, 0x06bf_0f30), // rev, rev16
    (0x0fff_0ff0, 0x06ff_0fb0), // revsh
    (0x0fff_0f80, 0x059a_0000), // ldr [r10, #…]
    (0x0fff_0f80, 0x058a_0000), // str
    (0x0fdf_0f80, 0x055a_0000), // ldrb
    (0x0fdf_0f80, 0x054a_0000), // strb, also with writeback
    (0x0e1f_0f90, 0x001a_0090), // halves, signed bytes, doubles
    (0x0e1f_0f90, 0x000a_0090),
    (0x0e1f_8000, 0x081a_0000), // ldm
    (0x0e1f_8000, 0x080a_0000), // stm
    (0x0f90_0090, 0x0100_0080), // products of halves
    (0x0ff0_00f0, 0x0040_0090), // umaal
    (0x0fb0_0090, 0x0700_0010), // smlad, smlald and their kind
    (0x0ff0_0010, 0x0750_0010), // smmul, smmla, smmls
    (0x0f90_0ff0, 0x0100_0050), // qadd, qdsub
    (0x0fa0_0030, 0x06a0_0010), // ssat, usat
    (0x0fb0_0ff0, 0x06a0_0f30), // ssat16, usat16
    (0x0f80_0f10, 0x0600_0f10), // parallel sums
    (0x0f80_0f10, 0x0600_0f10), // thirty-six of them
    (0x0ff0_0ff0, 0x0680_0fb0), // sel
    (0x0ff0_00f0, 0x0780_0010), // usad8, usada8
    (0x0ff0_0030, 0x0680_0010), // pkhbt, pkhtb
    (0x0fb0_03f0, 0x0680_0070), // sxtb16 and its kind
    (0x0fff_0fff, 0x010f_0000), // mrs
    (0x0ff3_fff0, 0x0120_f000), // msr from a register
    (0x0ff3_f000, 0x0320_f000), // msr of a constant
    (0x0f3f_0f80, 0x042a_0000), // ldrt, strt
    (0x0f00_0000, 0x0a00_0000), // branches
    (0x0fff_ffd0, 0x012f_ff10), // bx, blx
    (0x0f00_0e10, 0x0e00_0a00), // floating-point arithmetic
    (0x0fb0_0e50, 0x0eb0_0a40), // with one source
    (0x0fbf_0e50, 0x0eb4_0a40), // vcmp
    (0x0fb0_0ef0, 0x0eb0_0a00), // vmov of a constant
    (0xff80_0e50, 0xfe00_0a00), // vsel
    (0x0fe0_0f7f, 0x0e00_0a10), // vmov of a word
    (0x0fc0_0f7f, 0x0e00_0b10), // vmov of a lane
    (0x0fe0_0ed0, 0x0c40_0a10), // vmov of two words
    (0x0f3f_0ef0, 0x0d1a_0a00), // vldr [r10, #…]
    (0x0f3f_0ef0, 0x0d0a_0a00), // vstr
    (0x0f9f_0ef3, 0x0c9a_0a02), // vldmia r10
    (0x0f9f_0ef3, 0x0c8a_0a02), // vstmia r10
    (0x0fff_0fff, 0x0ef1_0a10), // vmrs
    (0x0fff_ffff, 0x0ef1_fa10), // vmrs apsr_nzcv
    (0x0fff_0fff, 0x0ee1_0a10), // vmsr
];

/// A template's number, a word of it, and what it means.
fn instruction(random: &mut Random) -> (usize, u32, a32::Instruction) {
    loop {
        let number = random.below(TEMPLATES.len() as u64) as usize;
        let (mask, value) = TEMPLATES[number];
        let word = random.word() & !mask | value;
        // Unconditional, or under one of two opposite conditions, more often than chance has it.
        let word = match random.below(4) {
            0 => word & 0x0fff_ffff | 0xe000_0000,
            1 => word & 0x1fff_ffff,
            _ if mask >> 28 != 0 => word,
            _ => word,
        };
        if let Ok(instruction) = a32::decode(word) {
            return (number, word, instruction);
        }
    }
}

/// A machine and sixty-four interpreters in the same state.
struct Lockstep {
    machine: Symbolic,
    lanes: Vec<Interpreter>,
    /// Values of the current circuit's inputs.
    inputs: Vec<u64>,
}

/// What a state looked like: wires, and their value in each lane.
#[derive(Default)]
struct Snapshots {
    wires: Vec<Wire>,
    values: Vec<u64>,
    labels: Vec<String>,
}

impl Lockstep {
    fn new(random: &mut Random, profile: &Profile) -> Self {
        let mut machine = Symbolic::new(profile);
        add_regions(&mut machine);
        let mut lanes = vec![Interpreter::new(); LANES];
        let code = Permissions {
            execute: true,
            ..Permissions::READ
        };
        for lane in &mut lanes {
            lane.map(CODE, vec![0; 16], code).unwrap();
            lane.map(DATA, vec![0; SIZE as usize], Permissions::READ_WRITE)
                .unwrap();
        }
        let mut this = Self {
            machine,
            lanes,
            inputs: Vec::new(),
        };
        // How secret this state is: words wholly clear, wholly secret, or bit by bit.
        let secrecy = random.below(4);
        for register in Register::all().filter(|register| *register != Register::PC) {
            let pointer = register.number() == 10 || random.below(5) == 0;
            let bits = if pointer {
                let address = DATA + 4 * random.below(u64::from(SIZE) / 4) as u32;
                constant_lanes(address, 32)
            } else {
                this.bits(random, 32, secrecy)
            };
            for (lane, interpreter) in this.lanes.iter_mut().enumerate() {
                interpreter.write_register(register, lane_value(&bits, lane));
            }
            let wires = this.wires(&bits);
            this.machine
                .place(register.index(), Word::from_slice(&wires));
        }
        for flag in Flag::ALL {
            let bits = this.bits(random, 1, secrecy);
            for (lane, interpreter) in this.lanes.iter_mut().enumerate() {
                interpreter.write_flag(flag, lane_value(&bits, lane) == 1);
            }
            let wire = this.wires(&bits)[0];
            a32::Machine::set_flag(&mut this.machine, flag, wire);
        }
        for number in FloatWord::all() {
            let bits = this.bits(random, 32, secrecy);
            for (lane, interpreter) in this.lanes.iter_mut().enumerate() {
                interpreter.write_float_word(number, lane_value(&bits, lane));
            }
            let wires = this.wires(&bits);
            this.machine
                .write_float_word(number, Word::from_slice(&wires));
        }
        let mode = random.word() & FloatMode::MASK;
        this.machine.write_float_mode(&Word::Clear(mode)).unwrap();
        let flags = FloatFlag::ALL.map(|flag| (flag, this.bits(random, 1, secrecy)));
        for (lane, interpreter) in this.lanes.iter_mut().enumerate() {
            let bit = |bits: &[u64]| lane_value(bits, lane);
            let flags = flags.iter().map(|(flag, bits)| bit(bits) << flag.bit());
            interpreter
                .write_float_status(mode | flags.sum::<u32>())
                .unwrap();
        }
        for (flag, bits) in flags {
            let wire = this.wires(&bits)[0];
            this.machine.write_float_flag(flag, wire);
        }
        for address in DATA..DATA + SIZE {
            let bits = this.bits(random, 8, secrecy);
            for (lane, interpreter) in this.lanes.iter_mut().enumerate() {
                interpreter
                    .write_bytes(address, &[lane_value(&bits, lane) as u8])
                    .unwrap();
            }
            let wires = this.wires(&bits);
            assert!(
                this.machine
                    .memory
                    .initialise(address, wires.try_into().unwrap())
            );
        }
        this
    }

    /// Lanes of `count` bits; a bit whose lanes agree counts as clear.
    fn bits(&self, random: &mut Random, count: usize, secrecy: u64) -> Vec<u64> {
        let value = random.word();
        let whole = random.below(2) == 0;
        let equal = constant_lanes(value, count);
        equal
            .into_iter()
            .map(|clear| {
                let secret = match secrecy {
                    0 => false,
                    1 => whole,
                    2 => random.below(4) == 0,
                    _ => true,
                };
                if secret { random.next() } else { clear }
            })
            .collect()
    }

    fn wires(&mut self, bits: &[u64]) -> Vec<Wire> {
        bits.iter()
            .map(|&lanes| match lanes {
                0 => Wire::FALSE,
                u64::MAX => Wire::TRUE,
                _ => {
                    self.inputs.push(lanes);
                    self.machine.inputs(1)[0]
                }
            })
            .collect()
    }

    /// One instruction everywhere; `false` if somebody refused it, which leaves the states apart.
    fn step(&mut self, word: u32, instruction: &a32::Instruction) -> bool {
        self.machine.pc = CODE + 8;
        self.machine.target = None;
        let outcome = a32::execute(&mut self.machine, instruction);
        let mut lanes_fault = false;
        for lane in &mut self.lanes {
            lane.write_bytes(CODE + 8, &word.to_le_bytes()).unwrap();
            lane.write_register(Register::PC, CODE + 8);
            lanes_fault |= lane.step().is_err();
        }
        match outcome {
            Ok(()) => {
                assert!(
                    !lanes_fault,
                    "{instruction} is fine here and a fault in the interpreter"
                );
                let next = self.machine.target.unwrap_or(CODE + 12);
                for lane in &self.lanes {
                    assert_eq!(lane.read_register(Register::PC), next, "{instruction}");
                }
                true
            }
            Err(
                Fault::SecretBranch
                | Fault::SecretTarget
                | Fault::SecretAddress(_)
                | Fault::SecretFloatMode
                | Fault::EndlessLoop,
            ) => false,
            Err(fault) => {
                // Under a secret condition the access happens in any case.
                let predicated = self.machine.is_predicated();
                assert!(
                    lanes_fault || predicated,
                    "{instruction}: {fault:?} here only"
                );
                false
            }
        }
    }

    /// Notes the state. Reading Z computes it, so that is left out at times.
    fn record(&mut self, label: &str, read_zero: bool, snapshots: &mut Snapshots) {
        let Self { machine, lanes, .. } = self;
        let mut add = |name: String, wires: &[Wire], read: &dyn Fn(&Interpreter) -> u32| {
            for (i, wire) in wires.iter().enumerate() {
                let values = lanes
                    .iter()
                    .enumerate()
                    .fold(0, |values, (lane, interpreter)| {
                        values | u64::from(read(interpreter) >> i & 1) << lane
                    });
                snapshots.wires.push(*wire);
                snapshots.values.push(values);
                snapshots
                    .labels
                    .push(format!("{name} bit {i} after {label}"));
            }
        };
        for register in Register::all().filter(|register| *register != Register::PC) {
            let wires = machine.peek(register.index()).wires();
            add(format!("{register}"), &wires, &|lane| {
                lane.read_register(register)
            });
        }
        for flag in Flag::ALL
            .into_iter()
            .filter(|flag| *flag != Flag::Zero || read_zero)
        {
            let wire = a32::Machine::flag(machine, flag);
            add(format!("{flag:?}"), &[wire], &|lane| {
                lane.read_flag(flag).into()
            });
        }
        for number in FloatWord::all() {
            let wires = machine.floats.words[number.index()].wires();
            let name = format!("float word {}", number.index());
            add(name, &wires, &|lane| lane.read_float_word(number));
        }
        let mut status = machine.floats.mode.wires();
        for flag in FloatFlag::ALL {
            status[flag.bit() as usize] = machine.read_float_flag(flag);
        }
        add("fpscr".to_owned(), &status, &Interpreter::read_float_status);
        for address in DATA..DATA + SIZE {
            let wires = machine.memory.byte(address);
            let read = |lane: &Interpreter| lane.read_bytes(address, 1).unwrap()[0].into();
            add(format!("byte {:#x}", address - DATA), &wires, &read);
        }
    }

    /// Evaluates everything recorded since the last window, compares, and cuts.
    fn compare(&mut self, snapshots: &mut Snapshots) {
        let mut copy = self.machine.clone();
        let circuit = copy.finish(&snapshots.wires);
        let found = sim::evaluate(&circuit, &self.inputs).unwrap();
        for ((found, expected), label) in found.iter().zip(&snapshots.values).zip(&snapshots.labels)
        {
            assert_eq!(found, expected, "{label}");
        }
        *snapshots = Snapshots::default();
        let prepare = |circuit: &Circuit, profile: &Profile, inputs: &[Provenance]| {
            let reused = passes::reuse(circuit, inputs, profile);
            Ok::<_, Infallible>(reused.unwrap_or_else(|| circuit.clone()))
        };
        let Ok(Cut { circuit, kept }) = self.machine.cut(prepare);
        if self.machine.profile().lookup.is_some() {
            for output in circuit.outputs() {
                let source = circuit.source(output.signal()).map(|node| circuit.op(node));
                let is_half = circuit.is_half(output.signal());
                assert!(
                    is_half || matches!(source, Some(Op::Input(_) | Op::Refresh(_))),
                    "{source:?}"
                );
            }
        }
        let left = sim::evaluate(&circuit, &self.inputs).unwrap();
        self.inputs = kept.iter().map(|index| left[*index]).collect();
        self.reload();
    }

    /// Goes on with a machine that was made from this one's saved form.
    fn reload(&mut self) {
        let saved = self.machine.save(std::iter::empty()).unwrap();
        let provenance = self.machine.provenance().to_vec();
        assert_eq!(saved.inputs(), self.inputs.len());
        assert_eq!(saved.check(), Ok(()));
        let bytes = postcard::to_stdvec(&saved).unwrap();
        let saved: SavedMachine = postcard::from_bytes(&bytes).unwrap();
        let mut restored = Symbolic::new(self.machine.profile());
        add_regions(&mut restored);
        restored.restore(&saved, &self.machine.halves()).unwrap();
        restored.set_provenance(&provenance);
        assert_eq!(restored.save(std::iter::empty()).unwrap(), saved);
        self.machine = restored;
    }
}

fn add_regions(machine: &mut Symbolic) {
    machine.memory.add(CODE, 16, &[], false, true);
    machine.memory.add(DATA, SIZE, &[], true, false);
}

fn constant_lanes(value: u32, count: usize) -> Vec<u64> {
    (0..count)
        .map(|i| if value >> i & 1 == 1 { u64::MAX } else { 0 })
        .collect()
}

fn lane_value(bits: &[u64], lane: usize) -> u32 {
    bits.iter().enumerate().fold(0, |value, (i, lanes)| {
        value | ((lanes >> lane & 1) as u32) << i
    })
}

fn lockstep(profile: &Profile, seed: u64, states: usize) {
    let mut random = Random(seed);
    let mut executed = [0; TEMPLATES.len()];
    for _ in 0..states {
        let mut pair = Lockstep::new(&mut random, profile);
        let mut snapshots = Snapshots::default();
        for step in 1..=8 {
            let (template, word, instruction) = instruction(&mut random);
            if !pair.step(word, &instruction) {
                break;
            }
            executed[template] += 1;
            let label = format!("{instruction} ({word:#010x})");
            pair.record(&label, random.below(2) == 0, &mut snapshots);
            if step % 3 == 0 {
                pair.compare(&mut snapshots);
            }
        }
        pair.compare(&mut snapshots);
    }
    // Each state executes several instructions, of every kind.
    assert!(executed.iter().sum::<usize>() > 2 * states, "{executed:?}");
    assert!(
        executed.iter().all(|&count| 100 * count > states),
        "{executed:?}"
    );
}

#[test]
#[ignore = "slow: 10 s"]
fn lookups_agree_with_the_interpreter() {
    lockstep(&Profile::lookup_simulation(), 1, 600);
}

#[test]
#[ignore = "slow: 9 s"]
fn selectors_agree_with_the_interpreter() {
    lockstep(&Profile::selector_simulation(), 4, 300);
}

#[test]
#[ignore = "slow: 4 s"]
fn gates_agree_with_the_interpreter() {
    lockstep(&Profile::gate_simulation(), 2, 300);
}

#[test]
#[ignore = "seventy times as many states, 4 min"]
fn many_states_agree_with_the_interpreter() {
    lockstep(&Profile::lookup_simulation(), 3, 40_000);
}
