//! The A32 instruction set.

#![forbid(unsafe_code)]

mod condition;
mod instruction;
mod machine;
mod operand;
mod register;

pub use condition::Condition;
pub use instruction::{
    AluOperation, Block, BlockMode, CompareOperation, Hint, Instruction, Link, LoadKind,
    MoveOperation, Operation, SetFlags, UnaryOperation, WriteBack,
};
pub use machine::{Alignment, Entry, Flag, Machine, Signedness, Size, Sum};
pub use operand::{
    Address, ConstantShift, Direction, Indexing, ModifiedImmediate, Offset, Operand, ShiftKind,
};
pub use register::{Register, RegisterList};
