//! The plain interpreter: a [`Machine`](crate::Machine) of `u32` and `bool`, the oracle for every
//! other machine.
//!
//! It carries out programs on clear data over mapped regions of memory, with bounds and
//! permissions checked on every access and each decoded instruction kept, so that it also serves
//! to count instructions before anything is encrypted. It makes no attempt at constant time.

mod arithmetic;
mod console;
pub(crate) mod float;
mod machine;
mod memory;

use std::sync::Arc;

use thiserror::Error;

use crate::detours::Detours;
use crate::error::DecodeError;
use crate::execute::execute;
use crate::float::{FloatMode, FloatWord};
use crate::instruction::{Instruction, Trap};
use crate::machine::Flag;
use crate::register::Register;
use memory::{Memory, Unfetched};

pub use memory::{Access, MapError, Permissions};

/// What an instruction can do wrong while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// No mapped region holds all of the accessed bytes.
    #[error("{access} of {bytes} bytes at {address:#010x} is outside the program's memory")]
    Outside {
        /// What was tried.
        access: Access,
        /// The first byte.
        address: u32,
        /// How many bytes.
        bytes: u32,
    },
    /// The region does not permit such an access.
    #[error("{access} at {address:#010x} is not permitted there")]
    Forbidden {
        /// What was tried.
        access: Access,
        /// The first byte.
        address: u32,
    },
    /// An access that must be aligned to four bytes is not.
    #[error("{access} at {address:#010x} is not aligned to four bytes")]
    Misaligned {
        /// What was tried.
        access: Access,
        /// The first byte.
        address: u32,
    },
    /// A branch to an odd address, which asks for the Thumb state.
    #[error(
        "a branch to {target:#010x} enters Thumb code, which is not supported: compile and link \
         everything with -marm"
    )]
    Thumb {
        /// The odd address.
        target: u32,
    },
    /// A supervisor call that the interpreter does not know.
    #[error(
        "supervisor call {number} is not known; svc #0 ends a program, svc #1 writes r1 bytes at r0"
    )]
    UnknownCall {
        /// The number in the instruction.
        number: u32,
    },
    /// A semihosting operation that the interpreter does not know.
    #[error("semihosting operation {operation:#x} is not known")]
    UnknownOperation {
        /// The number in r0.
        operation: u32,
    },
    /// A write to FPSCR that asks for short vectors.
    #[error("the value {status:#010x} for FPSCR asks for short vectors, which are not supported")]
    ShortVectors {
        /// The value.
        status: u32,
    },
    /// The program stopped itself, as `__builtin_trap()` does.
    #[error("the program stops itself here as after an error")]
    Trap {
        /// How.
        trap: Trap,
    },
}

/// Why a run ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// An instruction failed.
    #[error("at {at:#010x}, `{}`: {fault}", instruction.at(*at))]
    Fault {
        /// The instruction's address.
        at: u32,
        /// The instruction.
        instruction: Instruction,
        /// What it did wrong.
        fault: Fault,
    },
    /// There is no instruction to carry out.
    #[error("cannot go on at {at:#010x}: {fault}")]
    Fetch {
        /// The address gone to.
        at: u32,
        /// Why nothing can be fetched there.
        fault: Fault,
    },
    /// A word is not an instruction of the subset.
    #[error("at {at:#010x}: {source}")]
    Decode {
        /// The word's address.
        at: u32,
        /// Why it was refused.
        source: DecodeError,
    },
    /// The arguments of a call did not fit on its stack.
    #[error("cannot put the arguments on the stack: {fault}")]
    Arguments {
        /// What the store did wrong.
        fault: Fault,
    },
    /// The program had not ended after as many instructions as allowed.
    #[error("the program did not end within {limit} instructions")]
    Limit {
        /// How many were allowed.
        limit: u64,
    },
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The program went to [`Interpreter::RETURN_ADDRESS`].
    Returned,
    /// The program said `svc #0`.
    Exited,
}

/// The words of the floating-point registers.
#[derive(Clone, Debug)]
struct FloatWords([u32; FloatWord::COUNT]);

impl Default for FloatWords {
    fn default() -> FloatWords {
        FloatWords([0; FloatWord::COUNT])
    }
}

/// A processor and its memory, in the clear.
#[derive(Clone, Debug, Default)]
pub struct Interpreter {
    /// `r15` holds the current instruction's address + 8 while one is carried out.
    registers: [u32; 16],
    negative: bool,
    zero: bool,
    carry: bool,
    overflow: bool,
    saturation: bool,
    greater_or_equal: [bool; 4],
    float_words: FloatWords,
    /// FPSCR: flags and mode, zeros elsewhere.
    float_status: u32,
    monitor: bool,
    thread_pointer: u32,
    memory: Memory,
    /// The instruction to carry out next.
    next: u32,
    exited: bool,
    /// What the program wrote by `svc #1`.
    written: Vec<u8>,
    executed: u64,
    /// Address and size of what was stored, for somebody who watches.
    stores: Option<Vec<(u32, u32)>>,
}

impl Interpreter {
    /// Where a called function returns to: no memory can be mapped here.
    pub const RETURN_ADDRESS: u32 = 0xffff_fff0;

    /// A processor with all registers and flags zero and no memory.
    #[must_use]
    pub fn new() -> Interpreter {
        Interpreter::default()
    }

    /// Maps a region of memory with its first content.
    ///
    /// # Errors
    /// [`MapError`] if it is empty, reaches [`RETURN_ADDRESS`](Self::RETURN_ADDRESS), or overlaps
    /// another region.
    pub fn map(
        &mut self,
        base: u32,
        bytes: Vec<u8>,
        permissions: Permissions,
    ) -> Result<(), MapError> {
        self.memory.map(base, bytes, permissions)
    }

    /// The value of a register; of `pc`, the address of the instruction to carry out next.
    #[must_use]
    pub fn read_register(&self, register: Register) -> u32 {
        if register == Register::PC {
            self.next
        } else {
            self.registers[register.index()]
        }
    }

    /// Sets a register; `pc`, to continue elsewhere.
    pub fn write_register(&mut self, register: Register, value: u32) {
        if register == Register::PC {
            self.next = value;
        } else {
            self.registers[register.index()] = value;
        }
    }

    /// The value of a flag.
    #[must_use]
    pub fn read_flag(&self, flag: Flag) -> bool {
        match flag {
            Flag::Negative => self.negative,
            Flag::Zero => self.zero,
            Flag::Carry => self.carry,
            Flag::Overflow => self.overflow,
            Flag::Saturation => self.saturation,
            Flag::GreaterOrEqual(lane) => self.greater_or_equal[lane.index()],
        }
    }

    /// Sets a flag.
    pub fn write_flag(&mut self, flag: Flag, value: bool) {
        *match flag {
            Flag::Negative => &mut self.negative,
            Flag::Zero => &mut self.zero,
            Flag::Carry => &mut self.carry,
            Flag::Overflow => &mut self.overflow,
            Flag::Saturation => &mut self.saturation,
            Flag::GreaterOrEqual(lane) => &mut self.greater_or_equal[lane.index()],
        } = value;
    }

    /// A word of the floating-point registers.
    #[must_use]
    pub fn read_float_word(&self, word: FloatWord) -> u32 {
        self.float_words.0[word.index()]
    }

    /// Sets a word of the floating-point registers.
    pub fn write_float_word(&mut self, word: FloatWord, value: u32) {
        self.float_words.0[word.index()] = value;
    }

    /// FPSCR: flags and mode.
    #[must_use]
    pub fn read_float_status(&self) -> u32 {
        self.float_status
    }

    /// Sets FPSCR as `VMSR` does: bits that are neither flags nor mode stay 0.
    ///
    /// # Errors
    /// [`Fault::ShortVectors`] if it asks for them.
    pub fn write_float_status(&mut self, status: u32) -> Result<(), Fault> {
        if status & FloatMode::VECTORS != 0 {
            return Err(Fault::ShortVectors { status });
        }
        self.float_status = status & float::STATUS;
        Ok(())
    }

    /// Sets the address of the thread's own variables, which is 0 at first.
    pub fn set_thread_pointer(&mut self, address: u32) {
        self.thread_pointer = address;
    }

    /// Sets in place of which routines others are carried out, before the first instruction is.
    pub fn set_detours(&mut self, detours: Arc<Detours>) {
        self.memory.detours = detours;
    }

    /// The bytes at an address, whatever the program may do there; `None` unless one region holds
    /// them all.
    #[must_use]
    pub fn read_bytes(&self, address: u32, count: usize) -> Option<&[u8]> {
        self.memory.bytes(address, count)
    }

    /// Replaces the bytes at an address, whatever the program may do there.
    ///
    /// # Errors
    /// [`Fault::Outside`] unless one region holds them all.
    pub fn write_bytes(&mut self, address: u32, bytes: &[u8]) -> Result<(), Fault> {
        self.memory.overwrite(address, bytes)
    }

    /// What the program has written by `svc #1`: `r1` bytes at the address `r0`, call after call.
    /// No call writes more than one region of memory holds.
    #[must_use]
    pub fn written(&self) -> &[u8] {
        &self.written
    }

    /// Takes what the program has written so far.
    pub fn take_written(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.written)
    }

    /// Notes from here on what the program stores.
    pub fn log_stores(&mut self) {
        self.stores.get_or_insert_default();
    }

    /// Moves address and size of every store since the last time to the end of `into`; nothing
    /// unless [`log_stores`](Self::log_stores) was called before.
    pub fn take_stores(&mut self, into: &mut Vec<(u32, u32)>) {
        if let Some(stores) = &mut self.stores {
            into.append(stores);
        }
    }

    /// The number of instructions carried out so far, skipped ones included.
    #[must_use]
    pub const fn executed(&self) -> u64 {
        self.executed
    }

    /// Calls a function by the AAPCS: the first four arguments in `r0` ..= `r3`, the others on the
    /// stack. It returns with its result in `r0` (and `r1`).
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`RunError::Arguments`].
    pub fn call(&mut self, entry: u32, arguments: &[u32], limit: u64) -> Result<Stop, RunError> {
        let (first, others) = arguments.split_at(arguments.len().min(4));
        self.registers[..first.len()].copy_from_slice(first);
        if !others.is_empty() {
            let bytes: Vec<u8> = others.iter().copied().flat_map(u32::to_le_bytes).collect();
            let room = u32::try_from(bytes.len().next_multiple_of(8)).unwrap_or(!7);
            let stack = self.registers[Register::SP.index()].wrapping_sub(room);
            self.write_bytes(stack, &bytes)
                .map_err(|fault| RunError::Arguments { fault })?;
            self.registers[Register::SP.index()] = stack;
        }
        self.registers[Register::LR.index()] = Self::RETURN_ADDRESS;
        self.next = entry;
        self.run(limit)
    }

    /// Carries out instructions from `pc` on until the program returns or exits.
    ///
    /// # Errors
    /// [`RunError`]; the state is that in which it happened.
    pub fn run(&mut self, limit: u64) -> Result<Stop, RunError> {
        for _ in 0..limit {
            if let Some(stop) = self.step()? {
                return Ok(stop);
            }
        }
        self.finished().ok_or(RunError::Limit { limit })
    }

    /// Carries out one instruction, or none if the program has returned already.
    ///
    /// # Errors
    /// [`RunError`], but never [`RunError::Limit`].
    pub fn step(&mut self) -> Result<Option<Stop>, RunError> {
        if let Some(stop) = self.finished() {
            return Ok(Some(stop));
        }
        let at = self.next;
        let instruction = self.memory.fetch(at).map_err(|unfetched| match unfetched {
            Unfetched::Fault(fault) => RunError::Fetch { at, fault },
            Unfetched::Refused(source) => RunError::Decode { at, source },
        })?;
        self.registers[15] = at.wrapping_add(8);
        self.next = at.wrapping_add(4);
        self.executed += 1;
        execute(self, &instruction).map_err(|fault| {
            self.next = at;
            RunError::Fault {
                at,
                instruction,
                fault,
            }
        })?;
        Ok(std::mem::take(&mut self.exited).then_some(Stop::Exited))
    }

    fn finished(&self) -> Option<Stop> {
        (self.next == Self::RETURN_ADDRESS).then_some(Stop::Returned)
    }
}
