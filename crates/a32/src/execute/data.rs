//! Data processing: the operand, the operation, the flags. DDI 0406C §A8.4 and §A8.8.

use super::write;
use crate::instruction::{AluOperation, CompareOperation, MoveOperation, SetFlags};
use crate::machine::{Flag, Machine, Sum};
use crate::operand::{ConstantShift, Operand};
use crate::register::Register;

/// An operand after the shifter.
pub(super) struct Shifted<M: Machine> {
    pub(super) value: M::Word,
    /// The shifter's carry; `None` where it passes the flag through.
    carry: Option<M::Bit>,
}

/// Evaluates the second operand. The carry flag is read only by `RRX` and, for `set_flags`, by
/// shifts by a register, whose amount may turn out to be zero.
#[inline]
pub(super) fn shifted<M: Machine>(m: &mut M, operand: Operand, set_flags: SetFlags) -> Shifted<M> {
    match operand {
        Operand::Immediate(immediate) => {
            let carry = immediate.carry().map(|carry| m.bit(carry));
            Shifted {
                value: m.word(immediate.value()),
                carry,
            }
        }
        Operand::Register(register, ConstantShift::None) => Shifted {
            value: m.register(register),
            carry: None,
        },
        Operand::Register(register, ConstantShift::By(kind, amount)) => {
            let value = m.register(register);
            // The amount is not zero: no carry passes through.
            let unused = m.bit(false);
            let (value, carry) = m.shift_by(kind, &value, amount.into(), &unused);
            Shifted {
                value,
                carry: Some(carry),
            }
        }
        Operand::Register(register, ConstantShift::Extend) => {
            let (value, carry) = (m.register(register), m.flag(Flag::Carry));
            let (value, carry) = m.rotate_right_extended(&value, &carry);
            Shifted {
                value,
                carry: Some(carry),
            }
        }
        Operand::ShiftedByRegister {
            value,
            kind,
            amount,
        } => {
            let (value, amount) = (m.register(value), m.register(amount));
            let carry = match set_flags {
                SetFlags::Yes => m.flag(Flag::Carry),
                SetFlags::No => m.bit(false),
            };
            let (value, carry) = m.shift(kind, &value, &amount, &carry);
            Shifted {
                value,
                carry: Some(carry),
            }
        }
    }
}

/// The value of an offset register, shifted.
pub(super) fn shifted_offset<M: Machine>(
    m: &mut M,
    register: Register,
    shift: ConstantShift,
) -> M::Word {
    shifted(m, Operand::Register(register, shift), SetFlags::No).value
}

/// `a − b`; the carry is *not borrow*.
pub(super) fn subtract<M: Machine>(m: &mut M, a: &M::Word, b: &M::Word) -> Sum<M::Word, M::Bit> {
    let (complement, one) = (m.not(b), m.bit(true));
    m.add_with_carry(a, &complement, &one)
}

/// `a + b` where nobody asks for a carry.
pub(super) fn add<M: Machine>(m: &mut M, a: &M::Word, b: &M::Word) -> M::Word {
    let zero = m.bit(false);
    m.add_with_carry(a, b, &zero).result
}

/// `a + constant`, modulo 2³².
pub(super) fn add_constant<M: Machine>(m: &mut M, a: &M::Word, constant: u32) -> M::Word {
    let constant = m.word(constant);
    add(m, a, &constant)
}

/// N and Z of a result.
fn set_sign_and_zero<M: Machine>(m: &mut M, result: &M::Word) {
    let negative = m.bit_at(result, 31);
    m.set_flag(Flag::Negative, negative);
    m.set_zero_of(std::slice::from_ref(result));
}

/// The flags of a bitwise operation: V stays, and so does C where the shifter has no say.
fn set_logical_flags<M: Machine>(m: &mut M, result: &M::Word, carry: Option<M::Bit>) {
    set_sign_and_zero(m, result);
    if let Some(carry) = carry {
        m.set_flag(Flag::Carry, carry);
    }
}

/// The flags of an addition or subtraction.
fn set_sum_flags<M: Machine>(m: &mut M, sum: Sum<M::Word, M::Bit>) {
    set_sign_and_zero(m, &sum.result);
    m.set_flag(Flag::Carry, sum.carry);
    m.set_flag(Flag::Overflow, sum.overflow);
}

/// What an operation gives before anything is written.
enum Outcome<M: Machine> {
    Logical(M::Word),
    Sum(Sum<M::Word, M::Bit>),
}

fn compute<M: Machine>(m: &mut M, op: AluOperation, a: &M::Word, b: &M::Word) -> Outcome<M> {
    let sum = match op {
        AluOperation::And => return Outcome::Logical(m.and(a, b)),
        AluOperation::Eor => return Outcome::Logical(m.xor(a, b)),
        AluOperation::Orr => return Outcome::Logical(m.or(a, b)),
        AluOperation::Bic => {
            let complement = m.not(b);
            return Outcome::Logical(m.and(a, &complement));
        }
        AluOperation::Add => {
            let zero = m.bit(false);
            m.add_with_carry(a, b, &zero)
        }
        AluOperation::Adc => {
            let carry = m.flag(Flag::Carry);
            m.add_with_carry(a, b, &carry)
        }
        AluOperation::Sub => subtract(m, a, b),
        AluOperation::Rsb => subtract(m, b, a),
        AluOperation::Sbc => {
            let (complement, carry) = (m.not(b), m.flag(Flag::Carry));
            m.add_with_carry(a, &complement, &carry)
        }
        AluOperation::Rsc => {
            let (complement, carry) = (m.not(a), m.flag(Flag::Carry));
            m.add_with_carry(b, &complement, &carry)
        }
    };
    Outcome::Sum(sum)
}

/// `AND` … `BIC`.
#[inline]
pub(super) fn alu<M: Machine>(
    m: &mut M,
    op: AluOperation,
    set_flags: SetFlags,
    rd: Register,
    rn: Register,
    operand: Operand,
) -> Result<(), M::Error> {
    let a = m.register(rn);
    let b = shifted(m, operand, set_flags);
    match compute(m, op, &a, &b.value) {
        Outcome::Logical(result) => {
            if set_flags == SetFlags::Yes {
                set_logical_flags(m, &result, b.carry);
            }
            write(m, rd, result)
        }
        Outcome::Sum(sum) if set_flags == SetFlags::Yes => {
            let result = sum.result.clone();
            set_sum_flags(m, sum);
            write(m, rd, result)
        }
        Outcome::Sum(sum) => write(m, rd, sum.result),
    }
}

/// `MOV` and `MVN`.
#[inline]
pub(super) fn move_operand<M: Machine>(
    m: &mut M,
    op: MoveOperation,
    set_flags: SetFlags,
    rd: Register,
    operand: Operand,
) -> Result<(), M::Error> {
    let Shifted { value, carry } = shifted(m, operand, set_flags);
    let result = match op {
        MoveOperation::Mov => value,
        MoveOperation::Mvn => m.not(&value),
    };
    if set_flags == SetFlags::Yes {
        set_logical_flags(m, &result, carry);
    }
    write(m, rd, result)
}

/// `TST`, `TEQ`, `CMP`, `CMN`.
#[inline]
pub(super) fn compare<M: Machine>(m: &mut M, op: CompareOperation, rn: Register, operand: Operand) {
    let set_flags = match op {
        CompareOperation::Tst | CompareOperation::Teq => SetFlags::Yes,
        // The shifter's carry is not used: the flag need not be read for it.
        CompareOperation::Cmp | CompareOperation::Cmn => SetFlags::No,
    };
    let a = m.register(rn);
    let b = shifted(m, operand, set_flags);
    match op {
        CompareOperation::Tst => {
            let result = m.and(&a, &b.value);
            set_logical_flags(m, &result, b.carry);
        }
        CompareOperation::Teq => {
            let result = m.xor(&a, &b.value);
            set_logical_flags(m, &result, b.carry);
        }
        CompareOperation::Cmp => {
            let sum = subtract(m, &a, &b.value);
            set_sum_flags(m, sum);
        }
        CompareOperation::Cmn => {
            let zero = m.bit(false);
            let sum = m.add_with_carry(&a, &b.value, &zero);
            set_sum_flags(m, sum);
        }
    }
}

/// Writes a 32-bit product; N and Z follow it, C and V stay.
pub(super) fn finish_product<M: Machine>(
    m: &mut M,
    set_flags: SetFlags,
    rd: Register,
    product: M::Word,
) -> Result<(), M::Error> {
    if set_flags == SetFlags::Yes {
        set_sign_and_zero(m, &product);
    }
    m.set_register(rd, product)
}

/// Writes a 64-bit product; N and Z follow all of it, C and V stay.
pub(super) fn finish_long_product<M: Machine>(
    m: &mut M,
    set_flags: SetFlags,
    rd_low: Register,
    rd_high: Register,
    low: M::Word,
    high: M::Word,
) -> Result<(), M::Error> {
    if set_flags == SetFlags::Yes {
        let negative = m.bit_at(&high, 31);
        m.set_flag(Flag::Negative, negative);
        m.set_zero_of(&[low.clone(), high.clone()]);
    }
    m.set_register(rd_low, low)?;
    m.set_register(rd_high, high)
}
