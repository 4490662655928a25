//! Data processing and multiplication: DDI 0406C §A5.2.1–3 and §A5.2.5.

use super::{Decoded, Refusal, bit, bits, forbid, forbid_pc, rule};
use crate::instruction::{
    AluOperation, CompareOperation, MoveOperation, Operation, SaturatingOperation, SetFlags,
    UnaryOperation,
};
use crate::machine::Signedness;
use crate::operand::{ConstantShift, ModifiedImmediate, Operand, ShiftKind};
use crate::register::Register;

/// The names of the sixteen operations, by opcode.
const MNEMONICS: [&str; 16] = [
    "and", "eor", "sub", "rsb", "add", "adc", "sbc", "rsc", "tst", "teq", "cmp", "cmn", "orr",
    "mov", "bic", "mvn",
];

/// The kind of shift that bits 5 and 6 name.
fn shift_kind(word: u32) -> ShiftKind {
    match bits(word, 5, 2) {
        0 => ShiftKind::Left,
        1 => ShiftKind::LogicalRight,
        2 => ShiftKind::ArithmeticRight,
        _ => ShiftKind::RotateRight,
    }
}

/// `DecodeImmShift` (§A8.4.3): amount 0 means no shift, by 32, by 32, and `RRX`.
pub(super) fn constant_shift(word: u32) -> ConstantShift {
    match (shift_kind(word), bits(word, 7, 5) as u8) {
        (ShiftKind::Left, 0) => ConstantShift::None,
        (ShiftKind::RotateRight, 0) => ConstantShift::Extend,
        (kind, 0) => ConstantShift::By(kind, 32),
        (kind, amount) => ConstantShift::By(kind, amount),
    }
}

pub(super) fn operand(word: u32) -> Operand {
    let value = Register::field(word, 0);
    if bit(word, 25) {
        Operand::Immediate(ModifiedImmediate::from_field(bits(word, 0, 12)))
    } else if bit(word, 4) {
        let amount = Register::field(word, 8);
        Operand::ShiftedByRegister {
            value,
            kind: shift_kind(word),
            amount,
        }
    } else {
        Operand::Register(value, constant_shift(word))
    }
}

fn set_flags(word: u32) -> SetFlags {
    if bit(word, 20) {
        SetFlags::Yes
    } else {
        SetFlags::No
    }
}

/// The sixteen operations, with any operand. The caller has removed what shares their encodings.
pub(super) fn data_processing(word: u32) -> Decoded {
    let opcode = bits(word, 21, 4);
    let mnemonic = MNEMONICS[opcode as usize];
    let (rn, rd) = (Register::field(word, 16), Register::field(word, 12));
    let operand = operand(word);
    match opcode {
        8..=11 => forbid(rd.number() != 0, mnemonic, rule::RESERVED)?,
        13 | 15 => forbid(rn.number() != 0, mnemonic, rule::RESERVED)?,
        _ => {}
    }
    if let Operand::ShiftedByRegister { value, amount, .. } = operand {
        forbid_pc(&[rn, rd, value, amount], mnemonic)?;
    }
    let set_flags = set_flags(word);
    let alu = match opcode {
        0 => AluOperation::And,
        1 => AluOperation::Eor,
        2 => AluOperation::Sub,
        3 => AluOperation::Rsb,
        4 => AluOperation::Add,
        5 => AluOperation::Adc,
        6 => AluOperation::Sbc,
        7 => AluOperation::Rsc,
        12 => AluOperation::Orr,
        14 => AluOperation::Bic,
        8..=11 => {
            let op = match opcode {
                8 => CompareOperation::Tst,
                9 => CompareOperation::Teq,
                10 => CompareOperation::Cmp,
                _ => CompareOperation::Cmn,
            };
            return Ok(Operation::Compare { op, rn, operand });
        }
        _ => {
            refuse_exception_return(rd, set_flags)?;
            let op = if opcode == 13 {
                MoveOperation::Mov
            } else {
                MoveOperation::Mvn
            };
            return Ok(Operation::Move {
                op,
                set_flags,
                rd,
                operand,
            });
        }
    };
    refuse_exception_return(rd, set_flags)?;
    Ok(Operation::Alu {
        op: alu,
        set_flags,
        rd,
        rn,
        operand,
    })
}

/// With `S` and `pc` the instruction returns from an exception, which user mode never does.
fn refuse_exception_return(rd: Register, set_flags: SetFlags) -> Result<(), Refusal> {
    if rd == Register::PC && set_flags == SetFlags::Yes {
        Err(Refusal::NotOurs)
    } else {
        Ok(())
    }
}

/// `MOVW` and `MOVT`.
pub(super) fn move_wide(word: u32) -> Decoded {
    let rd = Register::field(word, 12);
    let value = (bits(word, 16, 4) << 12 | bits(word, 0, 12)) as u16;
    if bit(word, 22) {
        forbid_pc(&[rd], "movt")?;
        Ok(Operation::MoveTop { rd, value })
    } else {
        forbid_pc(&[rd], "movw")?;
        Ok(Operation::MoveWide { rd, value })
    }
}

/// `CLZ`.
pub(super) fn count_leading_zeros(word: u32) -> Decoded {
    let (rd, rm) = (Register::field(word, 12), Register::field(word, 0));
    forbid(
        bits(word, 16, 4) != 15 || bits(word, 8, 4) != 15,
        "clz",
        rule::RESERVED,
    )?;
    forbid_pc(&[rd, rm], "clz")?;
    Ok(Operation::Unary {
        op: UnaryOperation::Clz,
        rd,
        rm,
    })
}

/// `QADD`, `QSUB`, `QDADD`, `QDSUB`.
pub(super) fn saturating_sum(word: u32) -> Decoded {
    let (rn, rd) = (Register::field(word, 16), Register::field(word, 12));
    let rm = Register::field(word, 0);
    let (op, mnemonic) = match bits(word, 21, 2) {
        0b00 => (SaturatingOperation::Add, "qadd"),
        0b01 => (SaturatingOperation::Subtract, "qsub"),
        0b10 => (SaturatingOperation::DoubleAdd, "qdadd"),
        _ => (SaturatingOperation::DoubleSubtract, "qdsub"),
    };
    forbid(bits(word, 8, 4) != 0, mnemonic, rule::RESERVED)?;
    forbid_pc(&[rn, rd, rm], mnemonic)?;
    Ok(Operation::SaturatingSum { op, rd, rn, rm })
}

/// The multiplications of whole words.
pub(super) fn multiply(word: u32) -> Decoded {
    let (rd, ra) = (Register::field(word, 16), Register::field(word, 12));
    let (rm, rn) = (Register::field(word, 8), Register::field(word, 0));
    let set_flags = set_flags(word);
    match bits(word, 21, 3) {
        0b000 => {
            forbid(ra.number() != 0, "mul", rule::RESERVED)?;
            forbid_pc(&[rd, rn, rm], "mul")?;
            Ok(Operation::Multiply {
                set_flags,
                rd,
                rn,
                rm,
            })
        }
        0b001 => {
            forbid_pc(&[rd, rn, rm, ra], "mla")?;
            Ok(Operation::MultiplyAccumulate {
                set_flags,
                rd,
                rn,
                rm,
                ra,
            })
        }
        0b010 if set_flags == SetFlags::No => {
            forbid_pc(&[rd, rn, rm, ra], "umaal")?;
            forbid(rd == ra, "umaal", rule::SAME)?;
            Ok(Operation::MultiplyAccumulateTwice {
                rd_low: ra,
                rd_high: rd,
                rn,
                rm,
            })
        }
        0b011 if set_flags == SetFlags::No => {
            forbid_pc(&[rd, rn, rm, ra], "mls")?;
            Ok(Operation::MultiplySubtract { rd, rn, rm, ra })
        }
        op @ 0b100..=0b111 => {
            let (rd_high, rd_low) = (rd, ra);
            let mnemonic = ["umull", "umlal", "smull", "smlal"][op as usize - 4];
            forbid_pc(&[rd_high, rd_low, rn, rm], mnemonic)?;
            forbid(rd_high == rd_low, mnemonic, rule::SAME)?;
            let signedness = if op & 0b010 == 0 {
                Signedness::Unsigned
            } else {
                Signedness::Signed
            };
            Ok(if op & 1 == 0 {
                Operation::MultiplyLong {
                    signedness,
                    set_flags,
                    rd_low,
                    rd_high,
                    rn,
                    rm,
                }
            } else {
                Operation::MultiplyAccumulateLong {
                    signedness,
                    set_flags,
                    rd_low,
                    rd_high,
                    rn,
                    rm,
                }
            })
        }
        _ => Err(Refusal::NotOurs),
    }
}
