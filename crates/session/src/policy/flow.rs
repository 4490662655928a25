//! Where a program goes on, computed by the client from its own copy of the program.
//!
//! In the client-held mode (the paper 004, §VII-C) the client gets what a branch's flags come from,
//! computes flags and condition itself, and names the next instruction. Flags and conditions have
//! here the meanings that [`a32::execute()`] gives them, by the plain interpreter.

use a32::{Condition, Flag, Instruction, Interpreter, Machine, Operation, Register, decode};
use processor::{Answer, Asked, Operands, Program, jumps_by_data, leaves_the_line};

use super::Asks;
use super::sites::is_code;

/// What does not fit the program, or what was submitted, in words.
pub(super) fn check(
    program: &Program,
    asks: Asks,
    address: u32,
    asked: &Asked,
) -> Result<(), String> {
    if !asks.includes(asked) {
        return Err(asks.to_string());
    }
    let instruction = instruction(program, address)?;
    let own = instruction.condition;
    let text = instruction.at(address);
    let asked_condition = match asked {
        Asked::Condition(condition) | Asked::Operands { condition, .. } => *condition,
        Asked::Target if jumps_by_data(&instruction) => return Ok(()),
        Asked::Target => return Err(format!("`{text}` there jumps to no address of the data")),
    };
    if own == Condition::Always {
        return Err(format!("`{text}` there stands under no condition"));
    }
    if own != asked_condition {
        return Err(format!(
            "`{text}` there stands under the condition {own}, not {asked_condition}"
        ));
    }
    if !leaves_the_line(&instruction) {
        return Err(format!("`{text}` there is carried out in either case"));
    }
    let Asked::Operands { holds, fails, .. } = asked else {
        return Ok(());
    };
    // The program does not contain the target of an indirect branch. The server's word for it is
    // enough: the answer reveals one bit, for any two places.
    let targets = match instruction.operation {
        Operation::Branch { offset, .. } => {
            Some(address.wrapping_add(8).wrapping_add_signed(offset))
        }
        _ => None,
    };
    let next = address.wrapping_add(4);
    if *fails != next || targets.is_some_and(|target| target != *holds) {
        return Err(format!(
            "`{text}` there does not lead to {holds:#010x} or {fails:#010x}"
        ));
    }
    Ok(())
}

fn instruction(program: &Program, address: u32) -> Result<Instruction, String> {
    let nothing = || "the program has no instruction there".to_owned();
    if !is_code(program, address) {
        return Err(nothing());
    }
    let segment = program.segment(address).ok_or_else(nothing)?;
    let offset = (address - segment.address) as usize;
    let word = segment
        .bytes
        .get(offset..)
        .and_then(|rest| rest.first_chunk());
    let word = u32::from_le_bytes(*word.ok_or_else(nothing)?);
    decode(word).map_err(|error| error.to_string())
}

/// How many bits a question has.
pub(super) fn length(asked: &Asked) -> usize {
    match asked {
        Asked::Condition(_) => 1,
        Asked::Operands {
            of: Operands::Sum, ..
        } => 65,
        Asked::Operands {
            of: Operands::Flags,
            ..
        } => 4,
        Asked::Target => 32,
    }
}

/// The answer that these bits give, as many as [`length`] says; `None` for a jump to what is no
/// instruction. Takes a different time for different bits: they are the answerer's own.
pub(super) fn answer(program: &Program, asked: &Asked, bits: &[bool]) -> Option<Answer> {
    match asked {
        Asked::Condition(_) => Some(Answer::Holds(*bits.first()?)),
        Asked::Operands {
            condition,
            of,
            holds,
            fails,
        } => {
            let mut machine = Interpreter::new();
            match of {
                Operands::Flags => {
                    let [n, z, c, v] = *bits.first_chunk()?;
                    set_flags(&mut machine, [n, z, c, v]);
                }
                Operands::Sum => {
                    let (a, b) = (word(bits.get(..32)?), word(bits.get(32..64)?));
                    let sum = machine.add_with_carry(&a, &b, bits.get(64)?);
                    let negative = sum.result >> 31 == 1;
                    set_flags(
                        &mut machine,
                        [negative, sum.result == 0, sum.carry, sum.overflow],
                    );
                }
            }
            let next = if passes(&mut machine, *condition) {
                *holds
            } else {
                *fails
            };
            Some(Answer::Next(next))
        }
        Asked::Target => {
            let target = word(bits.get(..32)?);
            is_code(program, target).then_some(Answer::Next(target))
        }
    }
}

fn set_flags(machine: &mut Interpreter, values: [bool; 4]) {
    let flags = [Flag::Negative, Flag::Zero, Flag::Carry, Flag::Overflow];
    for (flag, value) in flags.into_iter().zip(values) {
        machine.write_flag(flag, value);
    }
}

/// Whether an instruction under this condition takes effect: one that writes a register says so.
fn passes(machine: &mut Interpreter, condition: Condition) -> bool {
    let probe = Instruction {
        condition,
        operation: Operation::MoveWide {
            rd: Register::R0,
            value: 1,
        },
    };
    // Writing a constant to a register cannot fail.
    let _ = a32::execute(machine, &probe);
    machine.read_register(Register::R0) == 1
}

fn word(bits: &[bool]) -> u32 {
    let bits = bits.iter().enumerate();
    bits.fold(0, |word, (place, bit)| word | u32::from(*bit) << place)
}
