//! Bit fields, extensions and permutations, composed of constant shifts and masks: where a machine
//! folds known bits, none of them costs a gate (but the addition of `UXTAB` and its relatives).

use super::data::add;
use crate::instruction::UnaryOperation;
use crate::machine::{Machine, Signedness, Size};
use crate::operand::ShiftKind;
use crate::register::Register;

pub(super) fn shifted<M: Machine>(m: &mut M, kind: ShiftKind, a: &M::Word, amount: u32) -> M::Word {
    let unused = m.bit(false);
    m.shift_by(kind, a, amount, &unused).0
}

pub(super) fn masked<M: Machine>(m: &mut M, a: &M::Word, mask: u32) -> M::Word {
    let mask = m.word(mask);
    m.and(a, &mask)
}

/// The low `width` bits set, `width` 0 ..= 32.
pub(super) const fn ones(width: u32) -> u32 {
    match u32::MAX.checked_shr(32_u32.saturating_sub(width)) {
        Some(mask) => mask,
        None => 0,
    }
}

/// `MOVT`.
pub(super) fn move_top<M: Machine>(m: &mut M, rd: Register, value: u16) -> Result<(), M::Error> {
    let old = m.register(rd);
    let low = masked(m, &old, 0xffff);
    let top = m.word(u32::from(value) << 16);
    let result = m.or(&low, &top);
    m.set_register(rd, result)
}

/// The `width` bits from `lsb` up, extended to a word.
pub(super) fn field<M: Machine>(
    m: &mut M,
    signedness: Signedness,
    a: &M::Word,
    lsb: u32,
    width: u32,
) -> M::Word {
    match signedness {
        Signedness::Unsigned => {
            let low = shifted(m, ShiftKind::LogicalRight, a, lsb);
            masked(m, &low, ones(width))
        }
        Signedness::Signed => {
            let high = shifted(m, ShiftKind::Left, a, 32_u32.saturating_sub(lsb + width));
            shifted(
                m,
                ShiftKind::ArithmeticRight,
                &high,
                32_u32.saturating_sub(width),
            )
        }
    }
}

/// `UBFX` and `SBFX`.
pub(super) fn extract<M: Machine>(
    m: &mut M,
    signedness: Signedness,
    rd: Register,
    rn: Register,
    lsb: u32,
    width: u32,
) -> Result<(), M::Error> {
    let a = m.register(rn);
    let result = field(m, signedness, &a, lsb, width);
    m.set_register(rd, result)
}

/// `BFI` and `BFC`.
pub(super) fn insert<M: Machine>(
    m: &mut M,
    rd: Register,
    source: Option<Register>,
    lsb: u32,
    width: u32,
) -> Result<(), M::Error> {
    let mask = ones(width).checked_shl(lsb).unwrap_or(0);
    let old = m.register(rd);
    let mut result = masked(m, &old, !mask);
    if let Some(source) = source {
        let source = m.register(source);
        let placed = shifted(m, ShiftKind::Left, &source, lsb);
        let placed = masked(m, &placed, mask);
        result = m.or(&result, &placed);
    }
    m.set_register(rd, result)
}

/// `UXTB`, `SXTH`, … and with an addend `UXTAB`, `SXTAH`, ….
pub(super) fn extend<M: Machine>(
    m: &mut M,
    signedness: Signedness,
    from: Size,
    rd: Register,
    addend: Option<Register>,
    rm: Register,
    rotation: u32,
) -> Result<(), M::Error> {
    let a = m.register(rm);
    let rotated = shifted(m, ShiftKind::RotateRight, &a, rotation);
    let extended = sized(m, signedness, from, &rotated);
    let result = match addend {
        Some(addend) => {
            let addend = m.register(addend);
            add(m, &addend, &extended)
        }
        None => extended,
    };
    m.set_register(rd, result)
}

/// The low `size` bytes, extended to a word.
pub(super) fn sized<M: Machine>(
    m: &mut M,
    signedness: Signedness,
    size: Size,
    a: &M::Word,
) -> M::Word {
    field(m, signedness, a, 0, size.bytes() * 8)
}

/// Exchanges neighbouring groups of `distance` bits; `low` masks the lower group of each pair.
fn exchanged<M: Machine>(m: &mut M, a: &M::Word, distance: u32, low: u32) -> M::Word {
    let down = shifted(m, ShiftKind::LogicalRight, a, distance);
    let down = masked(m, &down, low);
    let up = masked(m, a, low);
    let up = shifted(m, ShiftKind::Left, &up, distance);
    m.or(&down, &up)
}

/// Exchanges the two bytes of each half.
fn bytes_exchanged<M: Machine>(m: &mut M, a: &M::Word) -> M::Word {
    exchanged(m, a, 8, 0x00ff_00ff)
}

/// `CLZ`, `RBIT`, `REV`, `REV16`, `REVSH`.
pub(super) fn unary<M: Machine>(
    m: &mut M,
    op: UnaryOperation,
    rd: Register,
    rm: Register,
) -> Result<(), M::Error> {
    let a = m.register(rm);
    let result = match op {
        UnaryOperation::Clz => m.count_leading_zeros(&a),
        UnaryOperation::Rev16 => bytes_exchanged(m, &a),
        UnaryOperation::Rev => {
            let halves = bytes_exchanged(m, &a);
            shifted(m, ShiftKind::RotateRight, &halves, 16)
        }
        UnaryOperation::Revsh => {
            let halves = bytes_exchanged(m, &a);
            sized(m, Signedness::Signed, Size::Half, &halves)
        }
        UnaryOperation::Rbit => {
            let mut result = a;
            for (distance, low) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f)] {
                result = exchanged(m, &result, distance, low);
            }
            result = bytes_exchanged(m, &result);
            shifted(m, ShiftKind::RotateRight, &result, 16)
        }
    };
    m.set_register(rd, result)
}
