//! Words as two halves or four bytes: packing, choosing, extending. DDI 0406C §A4.4.5.
//!
//! Masks and constant shifts, which cost nothing where known bits fold; `SEL` costs a selection
//! for every byte whose GE flag is not known.

use super::data::{add, shifted_offset};
use super::field::{field, masked, shifted};
use crate::instruction::Half;
use crate::machine::{Flag, Lane, Machine, Signedness};
use crate::operand::{ConstantShift, ShiftKind};
use crate::register::Register;

const BOTTOM: u32 = 0xffff;

/// `PKHBT`, `PKHTB`.
pub(super) fn pack_halves<M: Machine>(
    m: &mut M,
    from_rn: Half,
    rd: Register,
    rn: Register,
    rm: Register,
    shift: ConstantShift,
) -> Result<(), M::Error> {
    let mask = match from_rn {
        Half::Bottom => BOTTOM,
        Half::Top => !BOTTOM,
    };
    let (a, b) = (m.register(rn), shifted_offset(m, rm, shift));
    let (a, b) = (masked(m, &a, mask), masked(m, &b, !mask));
    let result = m.or(&a, &b);
    m.set_register(rd, result)
}

/// `SEL`.
pub(super) fn select_bytes<M: Machine>(
    m: &mut M,
    rd: Register,
    rn: Register,
    rm: Register,
) -> Result<(), M::Error> {
    let (a, b) = (m.register(rn), m.register(rm));
    let mut result = m.word(0);
    for lane in Lane::ALL {
        let mask = 0xff << (8 * lane as u32);
        let (a, b) = (masked(m, &a, mask), masked(m, &b, mask));
        let flag = m.flag(Flag::GreaterOrEqual(lane));
        let byte = m.select(&flag, &a, &b);
        result = m.or(&result, &byte);
    }
    m.set_register(rd, result)
}

/// `SXTB16`, `UXTB16`, `SXTAB16`, `UXTAB16`.
pub(super) fn extend_halves<M: Machine>(
    m: &mut M,
    signedness: Signedness,
    rd: Register,
    addend: Option<Register>,
    rm: Register,
    rotation: u32,
) -> Result<(), M::Error> {
    let a = m.register(rm);
    let a = shifted(m, ShiftKind::RotateRight, &a, rotation);
    let mut bottom = field(m, signedness, &a, 0, 8);
    let top = field(m, signedness, &a, 16, 8);
    let mut top = shifted(m, ShiftKind::Left, &top, 16);
    if let Some(addend) = addend {
        let addend = m.register(addend);
        let high = masked(m, &addend, !BOTTOM);
        bottom = add(m, &addend, &bottom);
        top = add(m, &high, &top);
    }
    let bottom = masked(m, &bottom, BOTTOM);
    let result = m.or(&bottom, &top);
    m.set_register(rd, result)
}
