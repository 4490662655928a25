//! Disassembly in the unified syntax, as `objdump` writes it.
//!
//! `mov` with a shift is spelled by its shift (`lsl r0, r1, #2`), a block transfer on a full
//! descending stack and its one-register forms as `push` and `pop`. The target of a direct branch
//! depends on where the instruction stands: [`Instruction::at`] prints it absolute, plain
//! `Display` relative (`bl .+0x128`).
//!
//! Source: DDI 0406C §A8.2 (assembler syntax).

use std::fmt::{self, Display, Formatter};

use crate::instruction::{
    AluOperation, Block, BlockMode, CompareOperation, Hint, Instruction, Link, LoadKind,
    MoveOperation, Operation, SetFlags, UnaryOperation, WriteBack,
};
use crate::machine::{Signedness, Size};
use crate::operand::{
    Address, ConstantShift, Direction, Indexing, ModifiedImmediate, Offset, Operand, ShiftKind,
};
use crate::register::Register;

/// An instruction at an address, for printing. Made by [`Instruction::at`].
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    instruction: Instruction,
    address: u32,
}

impl Instruction {
    /// The instruction as it reads at this address: direct branches show where they go.
    #[must_use]
    pub const fn at(self, address: u32) -> Placed {
        Placed {
            instruction: self,
            address,
        }
    }

    /// The mnemonic with its suffixes: `addseq`, `ldrb`, `push`.
    #[must_use]
    pub fn mnemonic(&self) -> String {
        Mnemonic(self).to_string()
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Operation::Branch { offset, .. } = self.operation {
            let distance = i64::from(offset) + 8;
            let sign = if distance < 0 { '-' } else { '+' };
            return write!(
                f,
                "{} .{sign}{:#x}",
                Mnemonic(self),
                distance.unsigned_abs()
            );
        }
        write!(f, "{}", Mnemonic(self))?;
        operands(&self.operation, f)
    }
}

impl Display for Placed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Operation::Branch { offset, .. } = self.instruction.operation {
            let target = self.address.wrapping_add(8).wrapping_add_signed(offset);
            return write!(f, "{} {target:#x}", Mnemonic(&self.instruction));
        }
        Display::fmt(&self.instruction, f)
    }
}

struct Mnemonic<'a>(&'a Instruction);

impl Display for Mnemonic<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Instruction {
            condition,
            operation,
        } = self.0;
        let (name, set_flags) = name(operation);
        f.write_str(name)?;
        if set_flags == SetFlags::Yes {
            f.write_str("s")?;
        }
        match operation {
            Operation::LoadMultiple(block) if !is_pop(*block) => f.write_str(mode(*block))?,
            Operation::StoreMultiple(block) if !is_push(*block) => f.write_str(mode(*block))?,
            _ => {}
        }
        f.write_str(condition.suffix())
    }
}

/// The name without suffixes, and whether an `s` follows it.
fn name(operation: &Operation) -> (&'static str, SetFlags) {
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

fn shift_name(kind: ShiftKind) -> &'static str {
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

fn mode(block: Block) -> &'static str {
    match block.mode {
        BlockMode::DecrementAfter => "da",
        BlockMode::IncrementAfter => "",
        BlockMode::DecrementBefore => "db",
        BlockMode::IncrementBefore => "ib",
    }
}

fn moves_stack(block: Block) -> bool {
    block.base == Register::SP && block.write_back == WriteBack::Yes && block.registers.len() > 1
}

fn is_push(block: Block) -> bool {
    moves_stack(block) && block.mode == BlockMode::DecrementBefore
}

fn is_pop(block: Block) -> bool {
    moves_stack(block) && block.mode == BlockMode::IncrementAfter
}

fn moves_stack_by_four(address: Address) -> bool {
    address.base == Register::SP && address.offset == Offset::Immediate(4)
}

fn is_single_push(address: Address) -> bool {
    moves_stack_by_four(address)
        && address.direction == Direction::Subtract
        && address.indexing == Indexing::PreIndexed
}

fn is_single_pop(address: Address) -> bool {
    moves_stack_by_four(address)
        && address.direction == Direction::Add
        && address.indexing == Indexing::PostIndexed
}

/// Which accesses of which processors a barrier orders, by its four bits.
const DOMAINS: [&str; 16] = [
    "", "oshld", "oshst", "osh", "", "nshld", "nshst", "nsh", "", "ishld", "ishst", "ish", "",
    "ld", "st", "sy",
];

/// The operands, each form with its leading blank.
fn operands(operation: &Operation, f: &mut Formatter<'_>) -> fmt::Result {
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
        Operation::MultiplyLong {
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
        Operation::SupervisorCall { number } => write!(f, " #{number}"),
        Operation::Hint(
            Hint::DataMemoryBarrier(domain) | Hint::DataSynchronizationBarrier(domain),
        ) => match DOMAINS[usize::from(domain & 15)] {
            "" => write!(f, " #{domain}"),
            name => write!(f, " {name}"),
        },
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
            Indexing::PostIndexed => ("]", ""),
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

#[cfg(test)]
mod tests {
    use crate::decode;

    #[test]
    fn reads_as_objdump_writes() {
        for (word, text) in [
            (0xe08f_c004, "add ip, pc, r4"),
            (0xe1a0_0101, "lsl r0, r1, #2"),
            (0xe1b0_0061, "rrxs r0, r1"),
            (0xe1a0_f00e, "mov pc, lr"),
            (0xe3a0_0b01, "mov r0, #1024"),
            (0xe3a0_0f01, "mov r0, #1, 30"),
            (0xe3a0_0e10, "mov r0, #16, 28"),
            (0xe1a0_0251, "asr r0, r1, r2"),
            (0x0152_0433, "cmpeq r2, r3, lsr r4"),
            (0xe3e0_0000, "mvn r0, #0"),
            (0xe92d_4010, "push {r4, lr}"),
            (0xe8bd_8010, "pop {r4, pc}"),
            (0xe52d_e004, "push {lr}"),
            (0xe49d_f004, "pop {pc}"),
            (0xe894_000f, "ldm r4, {r0, r1, r2, r3}"),
            (0xe9a4_0003, "stmib r4!, {r0, r1}"),
            (0xe7d3_2101, "ldrb r2, [r3, r1, lsl #2]"),
            (0xe511_0000, "ldr r0, [r1, #-0]"),
            (0xe0d1_00b2, "ldrh r0, [r1], #2"),
            (0xe1e2_40d8, "ldrd r4, r5, [r2, #8]!"),
            (0xe18240fb, "strd r4, r5, [r2, fp]"),
            (0xe7e7_0452, "ubfx r0, r2, #8, #8"),
            (0xe7cf_061f, "bfc r0, #12, #4"),
            (0xe6af_0471, "sxtb r0, r1, ror #8"),
            (0xe0c1_0392, "smull r0, r1, r2, r3"),
            (0xe320_f000, "nop"),
            (0xf57f_f05b, "dmb ish"),
            (0xf57f_f04f, "dsb sy"),
            (0xf57f_f06e, "isb #14"),
            (0xef00_0000, "svc #0"),
            (0xeaff_fffe, "b .+0x0"),
            (0xebff_fffd, "bl .-0x4"),
        ] {
            match decode(word) {
                Ok(instruction) => assert_eq!(instruction.to_string(), text, "{word:#010x}"),
                Err(error) => panic!("{text}: {error}"),
            }
        }
        let branch = decode(0x1a00_0002).unwrap();
        assert_eq!(branch.at(0x8000).to_string(), "bne 0x8010");
        assert_eq!(branch.mnemonic(), "bne");
    }
}
