//! The names of operations, without their suffixes.

use super::{is_pop, is_push, is_single_pop, is_single_push};
use crate::instruction::{
    AluOperation, CompareOperation, Hint, Link, LoadKind, MoveOperation, Operation, SetFlags, Trap,
    UnaryOperation,
};
use crate::machine::{Signedness, Size};
use crate::operand::{ConstantShift, Operand, ShiftKind};

/// The name without suffixes, and whether an `s` follows it.
pub(super) fn name(operation: &Operation) -> (&'static str, SetFlags) {
    use Signedness::{Signed, Unsigned};
    let plain = |name| (name, SetFlags::No);
    match *operation {
        Operation::Alu { op, set_flags, .. } => (alu_name(op), set_flags),
        Operation::Move {
            op,
            set_flags,
            operand,
            ..
        } => (move_name(op, operand), set_flags),
        Operation::Compare { op, .. } => plain(match op {
            CompareOperation::Tst => "tst",
            CompareOperation::Teq => "teq",
            CompareOperation::Cmp => "cmp",
            CompareOperation::Cmn => "cmn",
        }),
        Operation::MoveWide { .. } => plain("movw"),
        Operation::MoveTop { .. } => plain("movt"),
        Operation::Multiply { set_flags, .. } => ("mul", set_flags),
        Operation::MultiplyAccumulate { set_flags, .. } => ("mla", set_flags),
        Operation::MultiplySubtract { .. } => plain("mls"),
        Operation::MultiplyLong {
            signedness: Unsigned,
            set_flags,
            ..
        } => ("umull", set_flags),
        Operation::MultiplyLong {
            signedness: Signed,
            set_flags,
            ..
        } => ("smull", set_flags),
        Operation::MultiplyAccumulateLong {
            signedness: Unsigned,
            set_flags,
            ..
        } => ("umlal", set_flags),
        Operation::MultiplyAccumulateLong {
            signedness: Signed,
            set_flags,
            ..
        } => ("smlal", set_flags),
        Operation::Divide {
            signedness: Unsigned,
            ..
        } => plain("udiv"),
        Operation::Divide {
            signedness: Signed, ..
        } => plain("sdiv"),
        Operation::ExtractField {
            signedness: Unsigned,
            ..
        } => plain("ubfx"),
        Operation::ExtractField {
            signedness: Signed, ..
        } => plain("sbfx"),
        Operation::InsertField {
            source: Some(_), ..
        } => plain("bfi"),
        Operation::InsertField { source: None, .. } => plain("bfc"),
        Operation::Extend {
            signedness,
            from,
            addend,
            ..
        } => plain(match (signedness, from, addend) {
            (Unsigned, Size::Byte, None) => "uxtb",
            (Unsigned, _, None) => "uxth",
            (Signed, Size::Byte, None) => "sxtb",
            (Signed, _, None) => "sxth",
            (Unsigned, Size::Byte, Some(_)) => "uxtab",
            (Unsigned, _, Some(_)) => "uxtah",
            (Signed, Size::Byte, Some(_)) => "sxtab",
            (Signed, _, Some(_)) => "sxtah",
        }),
        Operation::Unary { op, .. } => plain(match op {
            UnaryOperation::Clz => "clz",
            UnaryOperation::Rbit => "rbit",
            UnaryOperation::Rev => "rev",
            UnaryOperation::Rev16 => "rev16",
            UnaryOperation::Revsh => "revsh",
        }),
        Operation::Load { kind, address, .. } => plain(match kind {
            LoadKind::Word if is_single_pop(address) => "pop",
            LoadKind::Word => "ldr",
            LoadKind::Byte => "ldrb",
            LoadKind::Half => "ldrh",
            LoadKind::SignedByte => "ldrsb",
            LoadKind::SignedHalf => "ldrsh",
        }),
        Operation::Store { size, address, .. } => plain(match size {
            Size::Word if is_single_push(address) => "push",
            Size::Word => "str",
            Size::Byte => "strb",
            Size::Half => "strh",
        }),
        Operation::LoadDual { .. } => plain("ldrd"),
        Operation::StoreDual { .. } => plain("strd"),
        Operation::LoadMultiple(block) => plain(if is_pop(block) { "pop" } else { "ldm" }),
        Operation::StoreMultiple(block) => plain(if is_push(block) { "push" } else { "stm" }),
        Operation::Branch { link: Link::No, .. } => plain("b"),
        Operation::Branch {
            link: Link::Yes, ..
        } => plain("bl"),
        Operation::BranchExchange { link: Link::No, .. } => plain("bx"),
        Operation::BranchExchange {
            link: Link::Yes, ..
        } => plain("blx"),
        Operation::SupervisorCall { .. } => plain("svc"),
        Operation::Trap(Trap::Breakpoint(_)) => plain("bkpt"),
        Operation::Trap(Trap::Undefined(_)) => plain("udf"),
        Operation::Hint(hint) => plain(hint_name(hint)),
    }
}

fn alu_name(op: AluOperation) -> &'static str {
    match op {
        AluOperation::And => "and",
        AluOperation::Eor => "eor",
        AluOperation::Sub => "sub",
        AluOperation::Rsb => "rsb",
        AluOperation::Add => "add",
        AluOperation::Adc => "adc",
        AluOperation::Sbc => "sbc",
        AluOperation::Rsc => "rsc",
        AluOperation::Orr => "orr",
        AluOperation::Bic => "bic",
    }
}

fn move_name(op: MoveOperation, operand: Operand) -> &'static str {
    match (op, operand) {
        (MoveOperation::Mvn, _) => "mvn",
        (_, Operand::Register(_, ConstantShift::By(kind, _))) => shift_name(kind),
        (_, Operand::Register(_, ConstantShift::Extend)) => "rrx",
        (_, Operand::ShiftedByRegister { kind, .. }) => shift_name(kind),
        _ => "mov",
    }
}

pub(super) fn shift_name(kind: ShiftKind) -> &'static str {
    match kind {
        ShiftKind::Left => "lsl",
        ShiftKind::LogicalRight => "lsr",
        ShiftKind::ArithmeticRight => "asr",
        ShiftKind::RotateRight => "ror",
    }
}

fn hint_name(hint: Hint) -> &'static str {
    match hint {
        Hint::Nop => "nop",
        Hint::Yield => "yield",
        Hint::WaitForEvent => "wfe",
        Hint::WaitForInterrupt => "wfi",
        Hint::SendEvent => "sev",
        Hint::SendEventLocal => "sevl",
        Hint::ConsumptionBarrier => "csdb",
        Hint::DataMemoryBarrier(_) => "dmb",
        Hint::DataSynchronizationBarrier(_) => "dsb",
        Hint::InstructionSynchronizationBarrier(_) => "isb",
    }
}
