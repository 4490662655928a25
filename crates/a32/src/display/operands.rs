//! The operands, as the unified syntax writes them.

use std::fmt::{self, Display, Formatter};

use super::names::shift_name;
use super::{is_pop, is_push, is_single_pop, is_single_push};
use crate::instruction::{
    HighOperation, Hint, LoadKind, MoveOperation, Operation, StatusFields, Trap, WriteBack,
};
use crate::machine::Size;
use crate::operand::{
    Address, ConstantShift, Direction, Indexing, ModifiedImmediate, Offset, Operand, ShiftKind,
};
use crate::register::Register;

/// Which accesses of which processors a barrier orders, by its four bits.
const DOMAINS: [&str; 16] = [
    "", "oshld", "oshst", "osh", "", "nshld", "nshst", "nsh", "", "ishld", "ishst", "ish", "",
    "ld", "st", "sy",
];

/// The operands, each form with its leading blank.
pub(super) fn write_operands(operation: &Operation, f: &mut Formatter<'_>) -> fmt::Result {
    match *operation {
        Operation::Alu {
            rd, rn, operand, ..
        } => write!(f, " {rd}, {rn}, {operand}"),
        Operation::Move {
            op: MoveOperation::Mov,
            rd,
            operand,
            ..
        } => move_operands(f, rd, operand),
        Operation::Move { rd, operand, .. } => write!(f, " {rd}, {operand}"),
        Operation::Compare { rn, operand, .. } => write!(f, " {rn}, {operand}"),
        Operation::MoveWide { rd, value } | Operation::MoveTop { rd, value } => {
            write!(f, " {rd}, #{value}")
        }
        Operation::Multiply { rd, rn, rm, .. } | Operation::Divide { rd, rn, rm, .. } => {
            write!(f, " {rd}, {rn}, {rm}")
        }
        Operation::MultiplyAccumulate { rd, rn, rm, ra, .. }
        | Operation::MultiplySubtract { rd, rn, rm, ra } => {
            write!(f, " {rd}, {rn}, {rm}, {ra}")
        }
        Operation::SelectBytes { rd, rn, rm } | Operation::Parallel { rd, rn, rm, .. } => {
            write!(f, " {rd}, {rn}, {rm}")
        }
        // Of these the assembler names the second source first.
        Operation::SaturatingSum { rd, rn, rm, .. } => write!(f, " {rd}, {rm}, {rn}"),
        Operation::MultiplyHalves {
            rd,
            rn: (rn, _),
            rm: (rm, _),
            addend,
        }
        | Operation::MultiplyWordByHalf {
            rd,
            rn,
            rm: (rm, _),
            addend,
        }
        | Operation::MultiplyDual {
            rd, rn, rm, addend, ..
        }
        | Operation::AbsoluteDifferences { rd, rn, rm, addend } => {
            write!(f, " {rd}, {rn}, {rm}")?;
            addend.map_or(Ok(()), |addend| write!(f, ", {addend}"))
        }
        Operation::MultiplyHigh { op, rd, rn, rm, .. } => {
            write!(f, " {rd}, {rn}, {rm}")?;
            match op {
                HighOperation::Multiply => Ok(()),
                HighOperation::Accumulate(ra) | HighOperation::Subtract(ra) => write!(f, ", {ra}"),
            }
        }
        Operation::Saturate {
            rd,
            width,
            rn,
            shift,
            ..
        } => write!(f, " {rd}, #{width}, {rn}{shift}"),
        Operation::SaturateHalves { rd, width, rn, .. } => write!(f, " {rd}, #{width}, {rn}"),
        Operation::PackHalves {
            rd, rn, rm, shift, ..
        } => write!(f, " {rd}, {rn}, {rm}{shift}"),
        Operation::ReadStatus { rd } => write!(f, " {rd}, apsr"),
        Operation::WriteStatus { fields, source } => {
            let fields = match fields {
                StatusFields::Flags => "nzcvq",
                StatusFields::GreaterOrEqual => "g",
                StatusFields::All => "nzcvqg",
            };
            write!(f, " apsr_{fields}, {source}")
        }
        Operation::Preload { address, .. } => write!(f, " {address}"),
        Operation::MultiplyHalvesLong {
            rd_low,
            rd_high,
            rn: (rn, _),
            rm: (rm, _),
        }
        | Operation::MultiplyDualLong {
            rd_low,
            rd_high,
            rn,
            rm,
            ..
        }
        | Operation::MultiplyAccumulateTwice {
            rd_low,
            rd_high,
            rn,
            rm,
        }
        | Operation::MultiplyLong {
            rd_low,
            rd_high,
            rn,
            rm,
            ..
        }
        | Operation::MultiplyAccumulateLong {
            rd_low,
            rd_high,
            rn,
            rm,
            ..
        } => {
            write!(f, " {rd_low}, {rd_high}, {rn}, {rm}")
        }
        Operation::ExtractField {
            rd, rn, lsb, width, ..
        } => {
            write!(f, " {rd}, {rn}, #{lsb}, #{width}")
        }
        Operation::InsertField {
            rd,
            source,
            lsb,
            width,
        } => {
            write!(f, " {rd}, ")?;
            if let Some(source) = source {
                write!(f, "{source}, ")?;
            }
            write!(f, "#{lsb}, #{width}")
        }
        Operation::Extend {
            rd,
            addend,
            rm,
            rotation,
            ..
        }
        | Operation::ExtendHalves {
            rd,
            addend,
            rm,
            rotation,
            ..
        } => {
            write!(f, " {rd}, ")?;
            if let Some(addend) = addend {
                write!(f, "{addend}, ")?;
            }
            write!(f, "{rm}")?;
            if rotation == 0 {
                Ok(())
            } else {
                write!(f, ", ror #{rotation}")
            }
        }
        Operation::Unary { rd, rm, .. } => write!(f, " {rd}, {rm}"),
        Operation::Load {
            kind: LoadKind::Word,
            rt,
            address,
        } if is_single_pop(address) => {
            write!(f, " {{{rt}}}")
        }
        Operation::Store {
            size: Size::Word,
            rt,
            address,
        } if is_single_push(address) => {
            write!(f, " {{{rt}}}")
        }
        Operation::Load { rt, address, .. } | Operation::Store { rt, address, .. } => {
            write!(f, " {rt}, {address}")
        }
        Operation::LoadDual { rt, address } | Operation::StoreDual { rt, address } => {
            write!(f, " {rt}, {}, {address}", rt.next())
        }
        Operation::LoadMultiple(block) if is_pop(block) => write!(f, " {}", block.registers),
        Operation::StoreMultiple(block) if is_push(block) => write!(f, " {}", block.registers),
        Operation::LoadMultiple(block) | Operation::StoreMultiple(block) => {
            let mark = if block.write_back == WriteBack::Yes {
                "!"
            } else {
                ""
            };
            write!(f, " {}{mark}, {}", block.base, block.registers)
        }
        Operation::BranchExchange { rm, .. } => write!(f, " {rm}"),
        Operation::Synchronization(ref which) => super::synchronization::write_operands(which, f),
        Operation::Float(instruction) => super::float::write_operands(&instruction, f),
        Operation::SupervisorCall { number } => write!(f, " #{number}"),
        Operation::Trap(Trap::Breakpoint(number) | Trap::Undefined(number)) => {
            write!(f, " #{number}")
        }
        Operation::Hint(
            Hint::DataMemoryBarrier(domain) | Hint::DataSynchronizationBarrier(domain),
        ) => match DOMAINS[usize::from(domain & 15)] {
            "" => write!(f, " #{domain}"),
            name => write!(f, " {name}"),
        },
        Operation::Hint(Hint::Debug(option)) => write!(f, " #{option}"),
        Operation::Hint(Hint::InstructionSynchronizationBarrier(15)) => f.write_str(" sy"),
        Operation::Hint(Hint::InstructionSynchronizationBarrier(domain)) => {
            write!(f, " #{domain}")
        }
        // Direct branches were written by the caller, which knows from where.
        Operation::Branch { .. } | Operation::Hint(_) => Ok(()),
    }
}

/// A shifted `mov`, spelled as the shift.
fn move_operands(f: &mut Formatter<'_>, rd: Register, operand: Operand) -> fmt::Result {
    match operand {
        Operand::Register(rm, ConstantShift::By(_, amount)) => write!(f, " {rd}, {rm}, #{amount}"),
        Operand::Register(rm, ConstantShift::Extend) => write!(f, " {rd}, {rm}"),
        Operand::ShiftedByRegister { value, amount, .. } => write!(f, " {rd}, {value}, {amount}"),
        _ => write!(f, " {rd}, {operand}"),
    }
}

impl Display for ShiftKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(shift_name(*self))
    }
}

/// Nothing, or the shift with the comma before it.
impl Display for ConstantShift {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            ConstantShift::None => Ok(()),
            ConstantShift::By(kind, amount) => write!(f, ", {kind} #{amount}"),
            ConstantShift::Extend => f.write_str(", rrx"),
        }
    }
}

/// The value; an encoding that no assembler would choose for it as byte and rotation.
impl Display for ModifiedImmediate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_canonical() {
            write!(f, "#{}", self.value())
        } else {
            write!(f, "#{}, {}", self.byte(), self.rotation())
        }
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Immediate(immediate) => write!(f, "{immediate}"),
            Operand::Register(register, shift) => write!(f, "{register}{shift}"),
            Operand::ShiftedByRegister {
                value,
                kind,
                amount,
            } => {
                write!(f, "{value}, {kind} {amount}")
            }
        }
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.direction == Direction::Subtract {
            "-"
        } else {
            ""
        };
        let base = self.base;
        let (open, close) = match self.indexing {
            Indexing::Offset => ("", "]"),
            Indexing::PreIndexed => ("", "]!"),
            Indexing::PostIndexed | Indexing::Unprivileged => ("]", ""),
        };
        match self.offset {
            Offset::Immediate(0)
                if self.direction == Direction::Add && self.indexing == Indexing::Offset =>
            {
                write!(f, "[{base}]")
            }
            Offset::Immediate(offset) => write!(f, "[{base}{open}, #{sign}{offset}{close}"),
            Offset::Register(index, shift) => {
                write!(f, "[{base}{open}, {sign}{index}{shift}{close}")
            }
        }
    }
}
