//! `VMRS` and `VMSR` of FPSCR. DDI 0406C §A8.8, VMRS and VMSR.

use super::COMPARED;
use crate::float::FloatFlag;
use crate::machine::{Flag, Machine};
use crate::register::Register;

/// The flags of the core that have the meaning of [`COMPARED`].
const CORE: [Flag; 4] = [Flag::Negative, Flag::Zero, Flag::Carry, Flag::Overflow];

pub(super) fn read_status<M: Machine>(m: &mut M, rt: Option<Register>) -> Result<(), M::Error> {
    let Some(rt) = rt else {
        for (from, to) in COMPARED.into_iter().zip(CORE) {
            let bit = m.float_flag(from);
            m.set_flag(to, bit);
        }
        return Ok(());
    };
    let mut status = m.float_mode();
    for flag in FloatFlag::ALL {
        let bit = m.float_flag(flag);
        let (one, zero) = (m.word(1 << flag.bit()), m.word(0));
        let placed = m.select(&bit, &one, &zero);
        status = m.or(&status, &placed);
    }
    m.set_register(rt, status)
}

pub(super) fn write_status<M: Machine>(m: &mut M, rt: Register) -> Result<(), M::Error> {
    let status = m.register(rt);
    m.set_float_mode(&status)?;
    for flag in FloatFlag::ALL {
        let bit = m.bit_at(&status, flag.bit());
        m.set_float_flag(flag, bit);
    }
    Ok(())
}
