//! The status register: DDI 0406C §A8.8.109–111.

use super::data::operand;
use super::{Decoded, Refusal, bit, bits, forbid, forbid_pc, rule};
use crate::instruction::{Operation, StatusFields};
use crate::operand::{ConstantShift, Operand};
use crate::register::Register;

/// `MRS` of the flags. Saved status registers and those of other modes are the system's.
pub(super) fn read(word: u32) -> Decoded {
    if bit(word, 22) || bit(word, 9) {
        return Err(Refusal::NotOurs);
    }
    let rd = Register::field(word, 12);
    forbid(
        bits(word, 16, 4) != 15 || bits(word, 0, 12) != 0,
        "mrs",
        rule::RESERVED,
    )?;
    forbid_pc(&[rd], "mrs")?;
    Ok(Operation::ReadStatus { rd })
}

/// The flags that `MSR` writes; the other two fields of the register are the system's.
fn fields(word: u32) -> Result<StatusFields, Refusal> {
    match bits(word, 16, 4) {
        0b0100 => Ok(StatusFields::GreaterOrEqual),
        0b1000 => Ok(StatusFields::Flags),
        0b1100 => Ok(StatusFields::All),
        _ => Err(Refusal::NotOurs),
    }
}

/// `MSR` from a register.
pub(super) fn write_register(word: u32) -> Decoded {
    if bit(word, 22) || bit(word, 9) {
        return Err(Refusal::NotOurs);
    }
    let fields = fields(word)?;
    forbid(
        bits(word, 12, 4) != 15 || bits(word, 4, 8) != 0,
        "msr",
        rule::RESERVED,
    )?;
    let source = Register::field(word, 0);
    forbid_pc(&[source], "msr")?;
    let source = Operand::Register(source, ConstantShift::None);
    Ok(Operation::WriteStatus { fields, source })
}

/// `MSR` of a constant.
pub(super) fn write_immediate(word: u32) -> Decoded {
    if bit(word, 22) {
        return Err(Refusal::NotOurs);
    }
    let fields = fields(word)?;
    forbid(bits(word, 12, 4) != 15, "msr", rule::RESERVED)?;
    Ok(Operation::WriteStatus {
        fields,
        source: operand(word),
    })
}
