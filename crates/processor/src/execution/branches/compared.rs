//! What a secret branch decides by: the instruction before it that set the flags.
//!
//! It is looked for upwards from the branch, over conditional branches too, which leave the flags
//! alone. Where anything jumps in between, the flags may come from elsewhere, and nothing is said.
//! The registers are shown as they are at the branch, if nothing stands between that could have
//! changed them.

use a32::{Condition, Instruction, Operand, Operation, Register, SetFlags};
use circuits::Wire;

use super::{Execution, Flow, flow};
use crate::machine::Word;
use crate::survey::{Comparison, Operand as Compared};

/// How far above a branch its comparison is looked for.
const DISTANCE: u32 = 64;

impl Execution<'_> {
    /// What the branch at `pc` decides by.
    pub(super) fn comparison(&mut self, pc: u32) -> Option<Comparison> {
        let mut at = pc;
        let mut changed: Option<Vec<Register>> = Some(Vec::new());
        let found = loop {
            at = at.wrapping_sub(4);
            if pc.wrapping_sub(at) > 4 * DISTANCE {
                return None;
            }
            let instruction = self.decoded(at)?;
            if let Some(found) = sets_flags(&instruction) {
                break (instruction, found);
            }
            match flow(&instruction, at) {
                Flow::On => {
                    changed = changed
                        .zip(written(&instruction))
                        .map(|(mut all, register)| {
                            all.extend(register);
                            all
                        });
                }
                Flow::Jump(_) if instruction.condition != Condition::Always => {}
                _ => return None,
            }
        };
        if self.is_jumped_into(at, pc) {
            return None;
        }
        let (mut instruction, kind) = found;
        let mut place = at;
        if kind == Setter::FromFloats {
            // The comparison itself stands before the transfer of its flags.
            changed = None;
            while let Some(before) = self.decoded(place.wrapping_sub(4)) {
                place = place.wrapping_sub(4);
                if at.wrapping_sub(place) > 4 * DISTANCE || flow(&before, place) != Flow::On {
                    break;
                }
                if before.to_string().starts_with("vcmp") {
                    instruction = before;
                    at = place;
                    break;
                }
            }
        }
        let registers = read(&instruction);
        let is_known = changed.is_some_and(|all| registers.iter().all(|r| !all.contains(r)));
        let registers = if is_known { registers } else { Vec::new() };
        let operands = registers.into_iter().map(|register| self.operand(register));
        let operands = operands.collect();
        Some(Comparison {
            address: at,
            instruction: instruction.at(at).to_string(),
            operands,
        })
    }

    pub(super) fn decoded(&self, address: u32) -> Option<Instruction> {
        let word = self.machine.memory.fetch(address).flatten()?;
        a32::decode(word).ok()
    }

    /// Whether a jump of the same function leads behind `from`, up to `to`.
    fn is_jumped_into(&self, from: u32, to: u32) -> bool {
        let functions = self.program.functions();
        let around = |address: u32, size: u32| to.wrapping_sub(address) < size;
        let own = functions.iter().find(|f| around(f.address, f.size));
        let Some(own) = own else {
            return false;
        };
        self.program.words(own).any(|(address, word)| {
            let outside = address < from || address > to;
            let target = a32::decode(word).map(|instruction| flow(&instruction, address));
            outside && matches!(target, Ok(Flow::Jump(target)) if target > from && target <= to)
        })
    }

    /// A register as it is now.
    fn operand(&self, register: Register) -> Compared {
        let name = register.to_string();
        let secret = |wires: &[Wire; 32]| {
            let last = wires.iter().rposition(|wire| wire.as_constant().is_none());
            let bits = wires
                .iter()
                .filter(|wire| wire.as_constant().is_none())
                .count();
            (bits as u32, last.map_or(0, |last| last as u32 + 1))
        };
        match self.machine.peek(register.index()) {
            Word::Clear(value) => Compared {
                register: name,
                value: Some(*value),
                secret_bits: 0,
                varies_by: 0,
            },
            Word::Secret(wires) => {
                let (bits, mut width) = secret(wires);
                // Of a sum with a clear number, the secret that went in tells the range.
                if let Some(index) = self.machine.index_of(wires) {
                    width = width.min(secret(&index).1);
                }
                Compared {
                    register: name,
                    value: None,
                    secret_bits: bits,
                    varies_by: width,
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Setter {
    Integers,
    /// It takes the flags that a comparison of floating-point numbers has set.
    FromFloats,
}

/// Whether an instruction sets the flags.
fn sets_flags(instruction: &Instruction) -> Option<Setter> {
    let yes = SetFlags::Yes;
    match instruction.operation {
        Operation::Alu { set_flags, rd, .. } | Operation::Move { set_flags, rd, .. } => {
            (set_flags == yes && rd != Register::PC).then_some(Setter::Integers)
        }
        Operation::Multiply { set_flags, .. }
        | Operation::MultiplyAccumulate { set_flags, .. }
        | Operation::MultiplyLong { set_flags, .. }
        | Operation::MultiplyAccumulateLong { set_flags, .. } => {
            (set_flags == yes).then_some(Setter::Integers)
        }
        Operation::Compare { .. } | Operation::WriteStatus { .. } => Some(Setter::Integers),
        Operation::Float(_) => instruction
            .to_string()
            .starts_with("vmrs")
            .then_some(Setter::FromFloats)
            .filter(|_| instruction.to_string().to_lowercase().contains("nzcv")),
        _ => None,
    }
}

/// The register that an instruction writes, if it is one of the simple ones and writes one.
fn written(instruction: &Instruction) -> Option<Option<Register>> {
    match instruction.operation {
        Operation::Load {
            rt: rd, address, ..
        } if !address.writes_back() => Some(Some(rd)),
        Operation::Store { address, .. } if !address.writes_back() => Some(None),
        Operation::Alu { rd, .. }
        | Operation::Move { rd, .. }
        | Operation::MoveWide { rd, .. }
        | Operation::MoveTop { rd, .. }
        | Operation::Extend { rd, .. } => Some(Some(rd)),
        _ => None,
    }
}

/// The registers that tell what an instruction compared: those that it read, or its result.
fn read(instruction: &Instruction) -> Vec<Register> {
    let of = |operand: Operand| match operand {
        Operand::Register(register, _) => Some(register),
        _ => None,
    };
    let registers = match instruction.operation {
        Operation::Compare { rn, operand, .. } => [Some(rn), of(operand)],
        Operation::Alu { rd, .. } | Operation::Move { rd, .. } | Operation::Multiply { rd, .. } => {
            [Some(rd), None]
        }
        Operation::MultiplyAccumulate { rd, .. } => [Some(rd), None],
        _ => [None, None],
    };
    let registers = registers.into_iter().flatten();
    registers
        .filter(|register| *register != Register::PC)
        .collect()
}
