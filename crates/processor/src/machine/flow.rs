//! Where an instruction leads, seen from the instruction alone.

use a32::{ConstantShift, Instruction, Link, Operand, Operation, Register};

/// What follows an instruction where its condition holds; where it does not, the next one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next instruction.
    On,
    /// This address.
    Jump(u32),
    /// A function, and then the next instruction.
    Call,
    /// The caller, as compilers return: `bx lr`, `pop {…, pc}`, `mov pc, lr`.
    Return,
    /// A computed address: a function called last, a table of jumps.
    Computed,
    /// The handler of supervisor calls, and then perhaps the next instruction.
    System(u32),
    /// An error.
    Trap,
}

/// Where `instruction` at `address` leads.
pub(crate) fn flow(instruction: &Instruction, address: u32) -> Flow {
    let pc = Register::PC;
    match instruction.operation {
        Operation::Branch {
            link: Link::No,
            offset,
        } => Flow::Jump(address.wrapping_add(8).wrapping_add_signed(offset)),
        Operation::Branch {
            link: Link::Yes, ..
        }
        | Operation::BranchExchange {
            link: Link::Yes, ..
        } => Flow::Call,
        Operation::BranchExchange {
            link: Link::No, rm, ..
        } if rm == Register::LR => Flow::Return,
        Operation::Move { rd, operand, .. } if rd == pc => match operand {
            Operand::Register(Register::LR, ConstantShift::None) => Flow::Return,
            _ => Flow::Computed,
        },
        Operation::LoadMultiple(block) if block.registers.contains(pc) => Flow::Return,
        Operation::Load { rt, address, .. } if rt == pc => match address.base {
            Register::SP => Flow::Return,
            _ => Flow::Computed,
        },
        Operation::BranchExchange { .. } => Flow::Computed,
        Operation::Alu { rd, .. } if rd == pc => Flow::Computed,
        Operation::SupervisorCall { number } => Flow::System(number),
        Operation::Trap(_) => Flow::Trap,
        _ => Flow::On,
    }
}

/// Whether anything but the next instruction can follow: only then has its condition to be known,
/// and so may be asked for. All others are carried out in either case, and their effect selected.
///
/// ```
/// use blindcore_processor::{jumps_by_data, leaves_the_line};
///
/// // beq, bx r3, svc #1, addeq r3, r3, r4, movw r0, #5
/// let words = [0x0aff_fffe, 0xe12f_ff13, 0xef00_0001, 0x0083_3004, 0xe300_0005];
/// let all = words.map(|word| a32::decode(word).expect("an instruction of the subset"));
/// assert_eq!(all.map(|one| leaves_the_line(&one)), [true, true, true, false, false]);
/// assert_eq!(all.map(|one| jumps_by_data(&one)), [false, true, false, false, false]);
/// ```
#[must_use]
pub fn leaves_the_line(instruction: &Instruction) -> bool {
    // Whatever its address is.
    flow(instruction, 0) != Flow::On
}

/// Whether it takes the address that it jumps to from a register or from memory, so that it can be
/// a secret and may be asked for.
#[must_use]
pub fn jumps_by_data(instruction: &Instruction) -> bool {
    match flow(instruction, 0) {
        Flow::Return | Flow::Computed => true,
        Flow::Call => !matches!(instruction.operation, Operation::Branch { .. }),
        Flow::On | Flow::Jump(_) | Flow::System(_) | Flow::Trap => false,
    }
}

/// Whether an instruction that leads to itself leaves the state as it was, so that it does so for
/// ever. A load of other registers or one that moves its base does not: a recursive call in front
/// of a function's `pop {r4, pc}` returns to that very instruction, each time with another stack
/// pointer.
pub(crate) fn repeats(instruction: &Instruction) -> bool {
    match instruction.operation {
        Operation::LoadMultiple(_) => false,
        Operation::Load { address, .. } => !address.writes_back(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_the_stack_does_not_repeat() {
        for (word, expected) in [
            (0xeaff_fffe, true),  // b .
            (0xebff_fffe, true),  // bl .
            (0xe12f_ff13, true),  // bx r3
            (0xe79f_f103, true),  // ldr pc, [pc, r3, lsl #2]
            (0xe89d_a800, false), // ldm sp, {fp, sp, pc}
            (0xe8bd_8010, false), // pop {r4, pc}
            (0xe49d_f004, false), // pop {pc}
            (0xe5bd_f004, false), // ldr pc, [sp, #4]!
        ] {
            let instruction = a32::decode(word).unwrap();
            assert_eq!(repeats(&instruction), expected, "{instruction}");
        }
    }

    #[test]
    fn jumps_by_data_are_told_from_all_others() {
        for (word, leaves, by_data) in [
            (0xe12f_ff1e, true, true),   // bx lr
            (0xe12f_ff33, true, true),   // blx r3
            (0xe8bd_8010, true, true),   // pop {r4, pc}
            (0xe49d_f004, true, true),   // pop {pc}
            (0xe1a0_f00e, true, true),   // mov pc, lr
            (0x979f_f103, true, true),   // ldrls pc, [pc, r3, lsl #2]
            (0x908f_f103, true, true),   // addls pc, pc, r3, lsl #2
            (0x1b00_0001, true, false),  // blne
            (0x0aff_fffe, true, false),  // beq .
            (0xef00_0001, true, false),  // svc #1
            (0xe8bd_4010, false, false), // pop {r4, lr}
            (0xe59f_3004, false, false), // ldr r3, [pc, #4]
            (0xe300_0005, false, false), // movw r0, #5
            (0x0083_3004, false, false), // addeq r3, r3, r4
            (0xe153_0004, false, false), // cmp r3, r4
        ] {
            let instruction = a32::decode(word).unwrap();
            let found = (leaves_the_line(&instruction), jumps_by_data(&instruction));
            assert_eq!(found, (leaves, by_data), "{instruction}");
        }
    }

    #[test]
    fn compiled_forms_are_known() {
        for (word, expected) in [
            (0xe12f_ff1e, Flow::Return),       // bx lr
            (0xe8bd_8010, Flow::Return),       // pop {r4, pc}
            (0xe49d_f004, Flow::Return),       // pop {pc}
            (0xe1a0_f00e, Flow::Return),       // mov pc, lr
            (0xe12f_ff13, Flow::Computed),     // bx r3
            (0x979f_f103, Flow::Computed),     // ldrls pc, [pc, r3, lsl #2]
            (0x908f_f103, Flow::Computed),     // addls pc, pc, r3, lsl #2
            (0xe12f_ff33, Flow::Call),         // blx r3
            (0x1b00_0001, Flow::Call),         // blne
            (0x0aff_fffe, Flow::Jump(0x8000)), // beq .
            (0xe8bd_4010, Flow::On),           // pop {r4, lr}
            (0xef00_0001, Flow::System(1)),    // svc #1
            (0xe083_3004, Flow::On),           // add r3, r3, r4
        ] {
            let instruction = a32::decode(word).unwrap();
            assert_eq!(flow(&instruction, 0x8000), expected, "{instruction}");
        }
    }
}
