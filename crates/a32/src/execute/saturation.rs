//! Saturating arithmetic. DDI 0406C §A2.2.1 (`SignedSatQ`, `UnsignedSatQ`).
//!
//! A result that does not fit is replaced by the nearest that does, chosen by selection, and Q
//! notes that it happened. What is selected repeats the sign where every result has it, so that
//! only the bits that can differ cost a selection where bits are wires.

use super::data::{shifted_offset, subtract};
use super::field::{field, masked, ones, shifted};
use crate::instruction::SaturatingOperation;
use crate::machine::{Flag, Machine, Signedness, Sum};
use crate::operand::{ConstantShift, ShiftKind};
use crate::register::Register;

/// Sets Q where a result did not fit; elsewhere it stays.
pub(super) fn note<M: Machine>(m: &mut M, happened: &M::Bit) {
    let before = m.flag(Flag::Saturation);
    let after = m.bit_or(&before, happened);
    m.set_flag(Flag::Saturation, after);
}

/// 32 copies of bit 31.
fn sign_of<M: Machine>(m: &mut M, a: &M::Word) -> M::Word {
    shifted(m, ShiftKind::ArithmeticRight, a, 32)
}

/// What an overflowing signed sum saturates to: the sum's sign is the wrong one, so 2³¹ − 1 where
/// it is negative and −2³¹ where it is not.
pub(super) fn limit_of<M: Machine>(m: &mut M, sum: &M::Word) -> M::Word {
    let (sign, largest) = (sign_of(m, sum), m.word(i32::MAX.cast_unsigned()));
    // 1…1 ⊕ 01…1 would be −2³¹: the sum's sign is complemented once more.
    let limit = m.xor(&sign, &largest);
    m.not(&limit)
}

/// A sum, or the nearest number of 32 bits where it overflows.
fn saturated<M: Machine>(m: &mut M, sum: &Sum<M::Word, M::Bit>) -> M::Word {
    let limit = limit_of(m, &sum.result);
    m.select(&sum.overflow, &limit, &sum.result)
}

/// `QADD`, `QSUB`, `QDADD`, `QDSUB`.
pub(super) fn sum<M: Machine>(
    m: &mut M,
    op: SaturatingOperation,
    rd: Register,
    rn: Register,
    rm: Register,
) -> Result<(), M::Error> {
    use SaturatingOperation::{Add, DoubleAdd, DoubleSubtract, Subtract};
    let (mut b, a) = (m.register(rn), m.register(rm));
    let zero = m.bit(false);
    let mut happened = m.bit(false);
    if matches!(op, DoubleAdd | DoubleSubtract) {
        // 2·b overflows where its two top bits differ.
        let (top, next) = (m.bit_at(&b, 31), m.bit_at(&b, 30));
        happened = m.bit_xor(&top, &next);
        let doubled = shifted(m, ShiftKind::Left, &b, 1);
        let (sign, largest) = (sign_of(m, &b), m.word(i32::MAX.cast_unsigned()));
        let limit = m.xor(&sign, &largest);
        b = m.select(&happened, &limit, &doubled);
    }
    let sum = match op {
        Add | DoubleAdd => m.add_with_carry(&a, &b, &zero),
        Subtract | DoubleSubtract => subtract(m, &a, &b),
    };
    let result = saturated(m, &sum);
    happened = m.bit_or(&happened, &sum.overflow);
    note(m, &happened);
    m.set_register(rd, result)
}

/// The number of `width` bits that is nearest to a signed word, and whether that is another one.
fn nearest<M: Machine>(
    m: &mut M,
    signedness: Signedness,
    width: u32,
    a: &M::Word,
) -> (M::Word, M::Bit) {
    let sign = sign_of(m, a);
    match signedness {
        Signedness::Signed => {
            // It fits where bit `width` − 1 and all above are copies of the sign.
            let above = width.saturating_sub(1);
            let copies = shifted(m, ShiftKind::ArithmeticRight, a, above);
            let differing = m.xor(&copies, &sign);
            let outside = m.any(&differing);
            let low = ones(above);
            let (inside, fill) = (masked(m, a, low), masked(m, &sign, !low));
            let inside = m.or(&inside, &fill);
            let low = m.word(low);
            let limit = m.xor(&sign, &low);
            (m.select(&outside, &limit, &inside), outside)
        }
        Signedness::Unsigned => {
            // It fits where all bits from `width` up are 0, the sign too.
            let above = shifted(m, ShiftKind::LogicalRight, a, width);
            let outside = m.any(&above);
            let inside = masked(m, a, ones(width));
            let positive = m.not(&sign);
            let limit = masked(m, &positive, ones(width));
            (m.select(&outside, &limit, &inside), outside)
        }
    }
}

/// `SSAT`, `USAT`.
pub(super) fn saturate<M: Machine>(
    m: &mut M,
    signedness: Signedness,
    width: u32,
    rd: Register,
    rn: Register,
    shift: ConstantShift,
) -> Result<(), M::Error> {
    let a = shifted_offset(m, rn, shift);
    let (result, outside) = nearest(m, signedness, width, &a);
    note(m, &outside);
    m.set_register(rd, result)
}

/// `SSAT16`, `USAT16`.
pub(super) fn halves<M: Machine>(
    m: &mut M,
    signedness: Signedness,
    width: u32,
    rd: Register,
    rn: Register,
) -> Result<(), M::Error> {
    let a = m.register(rn);
    let bottom = field(m, Signedness::Signed, &a, 0, 16);
    let top = field(m, Signedness::Signed, &a, 16, 16);
    let (bottom, bottom_outside) = nearest(m, signedness, width, &bottom);
    let (top, top_outside) = nearest(m, signedness, width, &top);
    let bottom = masked(m, &bottom, 0xffff);
    let top = shifted(m, ShiftKind::Left, &top, 16);
    let result = m.or(&bottom, &top);
    let outside = m.bit_or(&bottom_outside, &top_outside);
    note(m, &outside);
    m.set_register(rd, result)
}
