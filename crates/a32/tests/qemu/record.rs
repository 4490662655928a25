//! What both sides do: a record, the states that follow from it, and our side of the work.

use std::fmt;

use blindcore_a32::{Flag, FloatWord, Interpreter, Permissions, Register, RunError};

use crate::floats;

/// Where the code stands, and the words under test in it.
pub(crate) const PAGE: u32 = 0x40_0000;
pub(crate) const SLOT: u32 = PAGE + 0x700;
const EPILOGUE: u32 = PAGE + 0xe00;
const PROLOGUE: u32 = PAGE + 0xf00;
/// The guest's page of registers: r14, r0 to r13, where it landed, flags; flags, r0 to r14.
const STATE: u32 = PAGE + 0x1000;
const SAVED_STACK: u32 = STATE + 0x100;
/// Floating-point registers and FPSCR, as they go in and as they came out.
const FLOATS_IN: u32 = STATE + 0x200;
const FLOATS_OUT: u32 = FLOATS_IN + 4 * 65;
/// The memory that instructions access.
const WINDOW: u32 = 0x41_0000;
const WINDOW_WORDS: u32 = 3072;

/// The bits of the status register that are flags.
const STATUS: u32 = 0xf80f_0000;

/// Bases are multiples of four.
pub(crate) const ALIGNED: u32 = 1;
/// Memory is filled before, and part of the answer.
pub(crate) const MEMORY: u32 = 2;
/// It holds addresses of landing pads.
pub(crate) const TARGETS_IN_MEMORY: u32 = 4;
/// C is 0.
pub(crate) const CARRY_CLEAR: u32 = 8;
/// The floating-point registers and FPSCR are filled before, and part of the answer.
pub(crate) const FLOATS: u32 = 16;
/// They are filled with double numbers.
pub(crate) const DOUBLES: u32 = 32;
/// All of them are special: zeros, infinities, NaNs, the largest, the least.
pub(crate) const SPECIALS: u32 = 64;

/// Words and the states to try them on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// Under test; an even number of them.
    pub(crate) words: Vec<u32>,
    pub(crate) seed: u32,
    /// How many states.
    pub(crate) count: u32,
    /// Registers, as masks: those that point into memory, those that hold an address to go to, and
    /// those that are 0, 4, …, 60 rotated left by `rotation`.
    pub(crate) pointers: u32,
    pub(crate) targets: u32,
    pub(crate) indices: u32,
    pub(crate) rotation: u32,
    /// Registers, as a mask, that hold a value for FPSCR without short vectors.
    pub(crate) statuses: u32,
    pub(crate) mode: u32,
}

impl Record {
    pub(crate) fn to_words(&self) -> Vec<u32> {
        let mut words = vec![
            u32::try_from(self.words.len()).unwrap(),
            self.seed,
            self.count,
            self.pointers,
            self.targets,
            self.indices,
            self.rotation,
            self.statuses,
            self.mode,
        ];
        words.extend(&self.words);
        words
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (word, at) in self.words.iter().zip((SLOT..).step_by(4)) {
            writeln!(
                f,
                "{word:#010x} {}",
                blindcore_a32::decode(*word).unwrap().at(at)
            )?;
        }
        let Record {
            seed, count, mode, ..
        } = self;
        write!(f, "seed {seed:#x}, {count} states, mode {mode}")
    }
}

/// What one side makes of a record: the fold of all states, and the last of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    hash: u32,
    /// r14, r0 to r13, where it landed, flags.
    last: [u32; 17],
    /// The floating-point registers and FPSCR.
    floats: [u32; 65],
}

impl Answer {
    pub(crate) fn from_bytes(bytes: &[u8; 4 * 83]) -> Answer {
        let (words, _) = bytes.as_chunks::<4>();
        Answer {
            hash: u32::from_le_bytes(words[0]),
            last: std::array::from_fn(|i| u32::from_le_bytes(words[i + 1])),
            floats: std::array::from_fn(|i| u32::from_le_bytes(words[i + 18])),
        }
    }
}

/// `str` and `ldr` of a register at an address that `pc` reaches.
fn access(load: bool, register: u32, at: u32, address: u32) -> u32 {
    let offset = address - (at + 8);
    assert!(offset < 4096);
    0xe58f_0000 | u32::from(load) << 20 | register << 12 | offset
}

fn branch(opcode: u32, at: u32, target: u32) -> u32 {
    opcode << 24 | target.wrapping_sub(at + 8) >> 2 & 0xff_ffff
}

/// `movw` and `movt`.
fn address_in_r0(address: u32) -> [u32; 2] {
    let fields = |half: u32| (half & 0xf000) << 4 | half & 0xfff;
    [
        0xe300_0000 | fields(address & 0xffff),
        0xe340_0000 | fields(address >> 16),
    ]
}

/// The page of code: landing pads, and at its end what saves and loads all registers.
pub(crate) fn page() -> Vec<u32> {
    let mut words = Vec::new();
    for at in (PAGE..EPILOGUE).step_by(8) {
        words.push(access(false, 14, at, STATE));
        words.push(branch(0xeb, at + 4, EPILOGUE));
    }
    let here = |words: &Vec<u32>| PAGE + 4 * u32::try_from(words.len()).unwrap();
    for register in 0..15 {
        words.push(access(
            false,
            register,
            here(&words),
            STATE + 4 + 4 * register,
        ));
    }
    words.push(0xe10f_0000); // mrs r0, apsr
    words.push(access(false, 0, here(&words), STATE + 64));
    words.extend(address_in_r0(FLOATS_OUT));
    words.push(0xeca0_0b20); // vstmia r0!, {d0-d15}
    words.push(0xece0_0b20); // vstmia r0!, {d16-d31}
    words.push(0xeef1_1a10); // vmrs r1, fpscr
    words.push(0xe580_1000); // str r1, [r0]
    words.push(access(true, 13, here(&words), SAVED_STACK));
    words.push(0xe8bd_8ff0); // pop {r4-r11, pc}
    words.resize(((PROLOGUE - PAGE) / 4) as usize, 0);
    words.push(0xe92d_4ff0); // push {r4-r11, lr}
    words.push(access(false, 13, here(&words), SAVED_STACK));
    words.extend(address_in_r0(FLOATS_IN));
    words.push(0xecb0_0b20); // vldmia r0!, {d0-d15}
    words.push(0xecf0_0b20); // vldmia r0!, {d16-d31}
    words.push(0xe590_0000); // ldr r0, [r0]
    words.push(0xeee1_0a10); // vmsr fpscr, r0
    words.push(access(true, 0, here(&words), STATE + 68));
    words.push(0xe12c_f000); // msr apsr_nzcvqg, r0
    for register in 0..15 {
        words.push(access(
            true,
            register,
            here(&words),
            STATE + 72 + 4 * register,
        ));
    }
    words.push(branch(0xea, here(&words), SLOT));
    words.resize(1024, 0);
    words
}

/// Marsaglia's xorshift32.
pub(crate) fn next(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

/// Values where carries, signs and halves turn over, and any others.
fn value(x: u32) -> u32 {
    const SPECIAL: [u32; 16] = [
        0,
        1,
        2,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_ffff,
        0xffff_fffe,
        0x8000,
        0x7fff,
        0xffff_8000,
        0x8000_8000,
        0x7fff_7fff,
        0x8080_8080,
        0x7f7f_7f7f,
        0x20,
    ];
    match x >> 29 {
        0 => SPECIAL[(x & 15) as usize],
        1 => x & 0xff,
        2 => (if x & 1 == 1 { 0xffff_0000 } else { 0 }) | (x >> 8 & 0xffff),
        3 => (x >> 4 & 0xffff) << 16,
        _ => x.wrapping_mul(0x9e37_79b1),
    }
}

fn target(x: u32) -> u32 {
    PAGE + (x & 0x7f) * 8
}

fn fold(hash: u32, x: u32) -> u32 {
    (hash.rotate_left(5) ^ x).wrapping_mul(0x9e37_79b1)
}

/// Registers, flags, floating-point registers with FPSCR.
pub(crate) type State = ([u32; 15], u32, [u32; 65]);

/// The next state.
fn state(record: &Record, random: &mut u32) -> State {
    let registers = std::array::from_fn(|i| {
        let x = next(random);
        let is = |mask: u32| mask >> i & 1 == 1;
        if is(record.pointers) {
            let mask = if record.mode & ALIGNED == 0 {
                0xff
            } else {
                0xfc
            };
            WINDOW + 6144 + (x & mask)
        } else if is(record.targets) {
            target(x)
        } else if is(record.indices) {
            (x & 60).rotate_left(record.rotation)
        } else if is(record.statuses) {
            x & floats::STATUS
        } else {
            value(x)
        }
    });
    let flags = next(random) & STATUS;
    let carry = 1 << Flag::Carry.bit();
    let cleared = if record.mode & CARRY_CLEAR == 0 {
        0
    } else {
        carry
    };
    let floats = if record.mode & FLOATS == 0 {
        [0; 65]
    } else {
        floats::state(record.mode, random)
    };
    (registers, flags & !cleared, floats)
}

/// The interpreter and its memory.
pub(crate) struct Ours {
    machine: Interpreter,
    page: Vec<u8>,
}

impl Ours {
    pub(crate) fn new() -> Ours {
        let page: Vec<u8> = page().into_iter().flat_map(u32::to_le_bytes).collect();
        let mut machine = Interpreter::new();
        machine
            .map(PAGE, page.clone(), Permissions::READ_EXECUTE)
            .unwrap();
        let window = vec![0; 4 * WINDOW_WORDS as usize];
        machine
            .map(WINDOW, window, Permissions::READ_WRITE)
            .unwrap();
        Ours { machine, page }
    }

    /// The registers and flags of one of a record's states.
    pub(crate) fn state(record: &Record, number: u32) -> State {
        let mut random = record.seed;
        if record.mode & MEMORY != 0 {
            (0..WINDOW_WORDS).for_each(|_| _ = next(&mut random));
        }
        (0..number).for_each(|_| _ = state(record, &mut random));
        state(record, &mut random)
    }

    pub(crate) fn run(&mut self, record: &Record) -> Result<Answer, RunError> {
        let machine = &mut self.machine;
        let (mut random, mut hash, mut last) = (record.seed, 0, [0; 17]);
        let mut floats = [0; 65];
        if record.mode & MEMORY != 0 {
            let words = (0..WINDOW_WORDS).flat_map(|_| {
                let x = next(&mut random);
                let word = if record.mode & TARGETS_IN_MEMORY == 0 {
                    value(x)
                } else {
                    target(x)
                };
                word.to_le_bytes()
            });
            machine
                .write_bytes(WINDOW, &words.collect::<Vec<_>>())
                .unwrap();
        }
        let words: Vec<u8> = record
            .words
            .iter()
            .copied()
            .flat_map(u32::to_le_bytes)
            .collect();
        machine.write_bytes(SLOT, &words).unwrap();
        let slot = SLOT..SLOT + u32::try_from(words.len()).unwrap();
        let mut outcome = Ok(());
        for _ in 0..record.count {
            let (registers, flags, floats_in) = state(record, &mut random);
            for (word, value) in FloatWord::all().zip(floats_in) {
                machine.write_float_word(word, value);
            }
            machine.write_float_status(floats_in[64]).unwrap();
            for (register, value) in Register::all().zip(registers) {
                machine.write_register(register, value);
            }
            for flag in Flag::ALL {
                machine.write_flag(flag, flags >> flag.bit() & 1 == 1);
            }
            machine.write_register(Register::PC, SLOT);
            while outcome.is_ok() && slot.contains(&machine.read_register(Register::PC)) {
                outcome = machine.step().map(|_| ());
            }
            for (register, place) in
                Register::all().zip([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0])
            {
                last[place] = machine.read_register(register);
            }
            // A pad leaves the address after its second word.
            last[15] = machine.read_register(Register::PC).wrapping_add(8);
            last[16] = Flag::ALL
                .into_iter()
                .map(|flag| u32::from(machine.read_flag(flag)) << flag.bit())
                .sum();
            hash = last.iter().fold(hash, |hash, &word| fold(hash, word));
            for word in FloatWord::all() {
                floats[word.index()] = machine.read_float_word(word);
            }
            floats[64] = machine.read_float_status();
            if record.mode & FLOATS != 0 {
                hash = floats.iter().fold(hash, |hash, &word| fold(hash, word));
            }
        }
        if record.mode & MEMORY != 0 {
            let bytes = machine
                .read_bytes(WINDOW, 4 * WINDOW_WORDS as usize)
                .unwrap();
            let (words, _) = bytes.as_chunks::<4>();
            let words = words.iter().map(|&word| u32::from_le_bytes(word));
            hash = words.fold(hash, fold);
        }
        let from = (SLOT - PAGE) as usize;
        let before = &self.page[from..from + words.len()];
        machine.write_bytes(SLOT, before).unwrap();
        outcome.map(|()| Answer { hash, last, floats })
    }
}
