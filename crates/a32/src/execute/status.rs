//! The status register as a user's program sees it. DDI 0406C §A2.4 and §A8.8.109–111.

use super::data::shifted;
use crate::instruction::{SetFlags, StatusFields};
use crate::machine::{Flag, Machine};
use crate::operand::Operand;
use crate::register::Register;

/// The mode of a user's program. The architecture leaves open what such a program reads of the
/// bits that are not flags; processors show them this mode and zeros.
const USER_MODE: u32 = 0b10000;

/// `MRS`.
pub(super) fn read<M: Machine>(m: &mut M, rd: Register) -> Result<(), M::Error> {
    let mut status = m.word(USER_MODE);
    for flag in Flag::ALL {
        let bit = m.flag(flag);
        let (one, zero) = (m.word(1 << flag.bit()), m.word(0));
        let placed = m.select(&bit, &one, &zero);
        status = m.or(&status, &placed);
    }
    m.set_register(rd, status)
}

/// `MSR`.
pub(super) fn write<M: Machine>(m: &mut M, fields: StatusFields, source: Operand) {
    let value = shifted(m, source, SetFlags::No).value;
    for flag in Flag::ALL {
        let written = match flag {
            Flag::GreaterOrEqual(_) => fields != StatusFields::Flags,
            _ => fields != StatusFields::GreaterOrEqual,
        };
        if written {
            let bit = m.bit_at(&value, flag.bit());
            m.set_flag(flag, bit);
        }
    }
}
