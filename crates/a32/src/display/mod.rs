//! Disassembly in the unified syntax, as `objdump` writes it.
//!
//! `mov` with a shift is spelled by its shift (`lsl r0, r1, #2`), a block transfer on a full
//! descending stack and its one-register forms as `push` and `pop`. The target of a direct branch
//! depends on where the instruction stands: [`Instruction::at`] prints it absolute, plain
//! `Display` relative (`bl .+0x128`).
//!
//! Source: DDI 0406C §A8.2 (assembler syntax).

mod float;
mod names;
mod operands;
mod synchronization;

pub use names::MNEMONICS;

use std::fmt::{self, Display, Formatter};

use crate::instruction::{Block, BlockMode, Instruction, Operation, SetFlags, WriteBack};
use crate::operand::{Address, Direction, Indexing, Offset};
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

    /// The mnemonic without condition, `s`, types and addressing mode: `add`, `ldrb`, `vadd`; one of
    /// [`MNEMONICS`].
    #[must_use]
    pub fn name(&self) -> &'static str {
        names::name(&self.operation).0
    }

    /// The mnemonic with its suffixes: `addseq`, `ldrb`, `vaddeq.f32`.
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
        operands::write_operands(&self.operation, f)
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
        let (name, set_flags) = names::name(operation);
        f.write_str(name)?;
        if set_flags == SetFlags::Yes {
            f.write_str("s")?;
        }
        match operation {
            Operation::LoadMultiple(block) if !is_pop(*block) => f.write_str(mode(*block))?,
            Operation::StoreMultiple(block) if !is_push(*block) => f.write_str(mode(*block))?,
            Operation::Float(instruction) => f.write_str(float::mode(instruction))?,
            _ => {}
        }
        f.write_str(condition.suffix())?;
        if let Operation::Float(instruction) = operation {
            let [result, source] = float::types(instruction);
            write!(f, "{result}{source}")?;
        }
        Ok(())
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
            (0xee30_0a20, "vadd.f32 s0, s0, s1"),
            (0x0e71_1be0, "vsubeq.f64 d17, d17, d16"),
            (0xeeb7_7a08, "vmov.f32 s14, #1.5"),
            (0xeeb4_0bc1, "vcmpe.f64 d0, d1"),
            (0xeef1_fa10, "vmrs apsr_nzcv, fpscr"),
            (0xeebd_7ac7, "vcvt.s32.f32 s14, s14"),
            (0xed2d_8b02, "vpush {d8}"),
            (0xecb3_7a02, "vldmia r3!, {s14, s15}"),
            (0xec51_0b10, "vmov r0, r1, d0"),
            (0xee20_0b10, "vmov.32 d0[1], r0"),
            (0xfe00_0aa0, "vseleq.f32 s0, s1, s1"),
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
