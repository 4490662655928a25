//! The A32 words that assembled programs are made of, always executed but for branches.
//!
//! A function for each form, named as the reference manual does (DDI 0406C §A8.8). The tests decode
//! every one of them again.

use a32::{Condition, ShiftKind};

/// A register's number, 0 ..= 15.
pub(super) type R = u32;

/// The second operand of data processing: a register, shifted by a constant.
pub(super) const fn shifted(rm: R, kind: ShiftKind, amount: u32) -> u32 {
    let kind = match kind {
        ShiftKind::Left => 0,
        ShiftKind::LogicalRight => 1,
        ShiftKind::ArithmeticRight => 2,
        ShiftKind::RotateRight => 3,
    };
    // By 0 to the right would mean by 32.
    let kind = if amount == 0 { 0 } else { kind };
    (amount & 31) << 7 | kind << 5 | rm
}

/// The second operand: a register shifted by the low byte of another.
pub(super) const fn shifted_by(rm: R, kind: ShiftKind, rs: R) -> u32 {
    shifted(rm, kind, 1) & !(31 << 7) | rs << 8 | 1 << 4
}

/// Data processing by opcode on registers.
const fn data(opcode: u32, set_flags: bool, rd: R, rn: R, operand: u32) -> u32 {
    0xe000_0000 | opcode << 21 | (set_flags as u32) << 20 | rn << 16 | rd << 12 | operand
}

pub(super) const fn and(rd: R, rn: R, operand: u32) -> u32 {
    data(0, false, rd, rn, operand)
}

pub(super) const fn eor(rd: R, rn: R, operand: u32) -> u32 {
    data(1, false, rd, rn, operand)
}

pub(super) const fn sub(set_flags: bool, rd: R, rn: R, operand: u32) -> u32 {
    data(2, set_flags, rd, rn, operand)
}

pub(super) const fn add(set_flags: bool, rd: R, rn: R, operand: u32) -> u32 {
    data(4, set_flags, rd, rn, operand)
}

pub(super) const fn tst(rn: R, operand: u32) -> u32 {
    data(8, true, 0, rn, operand)
}

pub(super) const fn cmp(rn: R, operand: u32) -> u32 {
    data(10, true, 0, rn, operand)
}

pub(super) const fn orr(rd: R, rn: R, operand: u32) -> u32 {
    data(12, false, rd, rn, operand)
}

pub(super) const fn mov(rd: R, operand: u32) -> u32 {
    data(13, false, rd, 0, operand)
}

pub(super) const fn mvn(rd: R, operand: u32) -> u32 {
    data(15, false, rd, 0, operand)
}

/// `and rd, rn, #value`, the value below 256.
pub(super) const fn and_constant(rd: R, rn: R, value: u32) -> u32 {
    and(rd, rn, 1 << 25 | value & 0xff)
}

/// `movw rd, #value` of the low half.
pub(super) const fn movw(rd: R, value: u32) -> u32 {
    0xe300_0000 | (value >> 12 & 15) << 16 | rd << 12 | value & 0xfff
}

/// `movt rd, #value` of the high half.
pub(super) const fn movt(rd: R, value: u32) -> u32 {
    movw(rd, value >> 16) | 1 << 22
}

/// Whether an access reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Load,
    Store,
}

/// `ldr` or `str rt, [rn, #offset]`, the offset within ±4095.
pub(super) const fn word(direction: Direction, rt: R, rn: R, offset: i32) -> u32 {
    0xe500_0000 | place(direction, offset) | rn << 16 | rt << 12 | offset.unsigned_abs() & 0xfff
}

/// `ldrh` or `strh rt, [rn, #offset]`, the offset within ±255.
pub(super) const fn half(direction: Direction, rt: R, rn: R, offset: i32) -> u32 {
    let magnitude = offset.unsigned_abs();
    let split = (magnitude >> 4 & 15) << 8 | magnitude & 15;
    0xe140_00b0 | place(direction, offset) | rn << 16 | rt << 12 | split
}

/// The bits L and U.
const fn place(direction: Direction, offset: i32) -> u32 {
    ((direction as u32) ^ 1) << 20 | ((offset >= 0) as u32) << 23
}

/// `ldr` or `str rt, [rn, rm, lsl #2]`.
pub(super) const fn word_indexed(direction: Direction, rt: R, rn: R, rm: R) -> u32 {
    word(direction, rt, rn, 0) | 1 << 25 | shifted(rm, ShiftKind::Left, 2)
}

/// `ldrh` or `strh rt, [rn, rm]`.
pub(super) const fn half_indexed(direction: Direction, rt: R, rn: R, rm: R) -> u32 {
    half(direction, rt, rn, 0) & !(1 << 22) | rm
}

/// `mul rd, rn, rm`.
pub(super) const fn mul(set_flags: bool, rd: R, rn: R, rm: R) -> u32 {
    0xe000_0090 | (set_flags as u32) << 20 | rd << 16 | rm << 8 | rn
}

/// `umull` or `smull low, high, rn, rm`.
pub(super) const fn mull(signed: bool, set_flags: bool, low: R, high: R, rn: R, rm: R) -> u32 {
    mul(set_flags, high, rn, rm) | 1 << 23 | (signed as u32) << 22 | low << 12
}

/// `udiv` or `sdiv rd, rn, rm`.
pub(super) const fn div(signed: bool, rd: R, rn: R, rm: R) -> u32 {
    0xe710_f010 | (!signed as u32) << 21 | rd << 16 | rm << 8 | rn
}

/// `bfi rd, rn, #lowest, #width`; `bfc` without a source.
pub(super) const fn bfi(rd: R, source: Option<R>, lowest: u32, width: u32) -> u32 {
    let rn = match source {
        Some(rn) => rn,
        None => 15,
    };
    0xe7c0_0010 | (lowest + width - 1) << 16 | rd << 12 | lowest << 7 | rn
}

pub(super) const fn sxth(rd: R, rm: R) -> u32 {
    0xe6bf_0070 | rd << 12 | rm
}

pub(super) const fn rev(rd: R, rm: R) -> u32 {
    0xe6bf_0f30 | rd << 12 | rm
}

pub(super) const fn rev16(rd: R, rm: R) -> u32 {
    0xe6bf_0fb0 | rd << 12 | rm
}

pub(super) const fn rbit(rd: R, rm: R) -> u32 {
    0xe6ff_0f30 | rd << 12 | rm
}

/// `b<condition>` by a distance in bytes from its own address, within ±32 MB.
pub(super) const fn b(condition: Condition, distance: i64) -> u32 {
    let offset = (distance - 8) >> 2;
    (condition as u32) << 28 | 0x0a00_0000 | offset as u32 & 0x00ff_ffff
}

/// `bx lr`.
pub(super) const BX_LR: u32 = 0xe12f_ff1e;

/// `nop`.
pub(super) const NOP: u32 = 0xe320_f000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_decodes_to_what_its_function_says() {
        use Direction::{Load, Store};
        use ShiftKind::{ArithmeticRight, Left, LogicalRight};
        for (word, text) in [
            (and(1, 2, 3), "and r1, r2, r3"),
            (eor(1, 2, 3), "eor r1, r2, r3"),
            (orr(1, 2, 3), "orr r1, r2, r3"),
            (sub(false, 1, 2, 3), "sub r1, r2, r3"),
            (
                sub(true, 1, 2, shifted(3, Left, 16)),
                "subs r1, r2, r3, lsl #16",
            ),
            (
                add(false, 1, 2, shifted(3, LogicalRight, 1)),
                "add r1, r2, r3, lsr #1",
            ),
            (
                add(true, 1, 2, shifted(3, ArithmeticRight, 31)),
                "adds r1, r2, r3, asr #31",
            ),
            (tst(2, 2), "tst r2, r2"),
            (cmp(2, 3), "cmp r2, r3"),
            (mov(1, shifted(2, LogicalRight, 0)), "mov r1, r2"),
            (mov(1, shifted_by(2, Left, 3)), "lsl r1, r2, r3"),
            (mov(1, shifted_by(2, LogicalRight, 3)), "lsr r1, r2, r3"),
            (mov(1, shifted_by(2, ArithmeticRight, 3)), "asr r1, r2, r3"),
            (mvn(1, 2), "mvn r1, r2"),
            (and_constant(1, 2, 31), "and r1, r2, #31"),
            (movw(12, 0xabcd), "movw r12, #43981"),
            (movt(12, 0xabcd_0000), "movt r12, #43981"),
            (super::word(Load, 1, 12, 4095), "ldr r1, [r12, #4095]"),
            (super::word(Store, 1, 12, -8), "str r1, [r12, #-8]"),
            (half(Load, 1, 12, 255), "ldrh r1, [r12, #255]"),
            (half(Store, 1, 12, -18), "strh r1, [r12, #-18]"),
            (word_indexed(Load, 1, 12, 2), "ldr r1, [r12, r2, lsl #2]"),
            (word_indexed(Store, 1, 12, 2), "str r1, [r12, r2, lsl #2]"),
            (half_indexed(Load, 1, 12, 2), "ldrh r1, [r12, r2]"),
            (half_indexed(Store, 1, 12, 2), "strh r1, [r12, r2]"),
            (mul(false, 1, 2, 3), "mul r1, r2, r3"),
            (mul(true, 1, 2, 3), "muls r1, r2, r3"),
            (mull(false, true, 0, 3, 1, 2), "umulls r0, r3, r1, r2"),
            (mull(true, false, 0, 3, 1, 2), "smull r0, r3, r1, r2"),
            (div(false, 1, 2, 3), "udiv r1, r2, r3"),
            (div(true, 1, 2, 3), "sdiv r1, r2, r3"),
            (bfi(1, Some(2), 4, 8), "bfi r1, r2, #4, #8"),
            (bfi(1, None, 0, 32), "bfc r1, #0, #32"),
            (sxth(1, 2), "sxth r1, r2"),
            (rev(1, 2), "rev r1, r2"),
            (rev16(1, 2), "rev16 r1, r2"),
            (rbit(1, 2), "rbit r1, r2"),
            (BX_LR, "bx lr"),
            (NOP, "nop"),
        ] {
            let decoded = a32::decode(word).unwrap().to_string();
            assert_eq!(decoded.replace("ip", "r12"), text, "{word:#010x}");
        }
        let branch = |condition, distance| {
            let instruction = a32::decode(b(condition, distance)).unwrap();
            instruction.at(0x10000).to_string()
        };
        assert_eq!(branch(Condition::NotEqual, -16), "bne 0xfff0");
        assert_eq!(branch(Condition::Always, 1 << 20), "b 0x110000");
    }
}
