//! The A32 instruction set: decoding, one table of meanings, a plain interpreter.
//!
//! A32 is the 32-bit ARM encoding of ARMv7-A and of ARMv8 in its AArch32 state. This crate knows
//! the part that compilers emit for scalar code on armv7ve with VFPv4, in three steps:
//!
//! - [`decode()`] turns a word into an [`Instruction`] with typed operands, or says why not. Words
//!   whose result the architecture leaves open (UNPREDICTABLE) are refused, never guessed.
//! - [`execute()`] gives an instruction its meaning over any [`Machine`]: a state and an arithmetic
//!   whose words may be numbers or wires of a circuit. Every meaning stands once.
//! - [`Interpreter`] is the machine of plain numbers, the oracle for every other one.
//!
//! In the subset are the integer and the scalar floating-point instructions that a user's program
//! may execute, under every condition: [`MNEMONICS`] names them, docs/instructions.md sorts them.
//! Outside: Thumb, NEON, arithmetic on halves, other coprocessors, and what belongs to the system. A
//! word outside is an error that names what it is.
//!
//! `tests/oracle` holds the decoder against capstone, `tests/qemu` the interpreter against
//! `qemu-arm`: a million states of every mnemonic, and sequences.
//!
//! Source: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R edition (DDI 0406C).
//!
//! ```
//! use blindcore_a32::{Interpreter, Permissions, Register, Stop};
//!
//! let mut machine = Interpreter::new();
//! // mla r0, r1, r0, r0; bx lr
//! let code = [0xe020_0091_u32, 0xe12f_ff1e].map(u32::to_le_bytes).concat();
//! machine.map(0x8000, code, Permissions::READ_EXECUTE)?;
//! assert_eq!(machine.call(0x8000, &[6, 7], 100)?, Stop::Returned);
//! assert_eq!(machine.read_register(Register::R0), 48);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod condition;
mod decode;
mod detours;
mod display;
mod error;
mod execute;
mod float;
mod instruction;
mod interpreter;
mod machine;
mod operand;
mod register;
mod semihosting;

pub use condition::Condition;
pub use decode::decode;
pub use detours::Detours;
pub use display::{MNEMONICS, Placed};
pub use error::DecodeError;
pub use execute::execute;
pub use float::{
    FloatException, FloatFlag, FloatFormat, FloatMode, FloatOperation, FloatOutcome, FloatRegister,
    FloatRounding, FloatScalar, FloatWord, Invalid, Precision,
};
pub use instruction::{
    AluOperation, Barrier, Block, BlockMode, CompareOperation, DualOperation, Exchange,
    FloatAccumulate, FloatBinary, FloatBlock, FloatBlockMode, FloatInstruction, FloatPair,
    FloatUnary, Half, HighOperation, Hint, Instruction, Link, LoadKind, MoveOperation, Operation,
    Order, ParallelKind, ParallelOperation, Polynomial, Preload, Rounding, SaturatingOperation,
    SetFlags, StatusFields, Synchronization, Transfer, Trap, UnaryOperation, Unit, WriteBack,
};
pub use interpreter::{Access, Fault, Interpreter, MapError, Permissions, RunError, Stop};
pub use machine::{Alignment, Entry, Flag, Lane, Machine, Signedness, Size, Sum};
pub use operand::{
    Address, ConstantShift, Direction, Indexing, ModifiedImmediate, Offset, Operand, ShiftKind,
};
pub use register::{Register, RegisterList};
pub use semihosting::{Console, Reply, SEMIHOSTING, semihosting};
