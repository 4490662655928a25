//! The scalar floating-point instructions. DDI 0406C §A8.8, VABS to VSUB; DDI 0487 §F6.1.
//!
//! What only moves bits or signs is composed of words here; arithmetic is one call of
//! [`Machine::float`]. The manual writes `VMLA` and its relatives as a product, perhaps negated,
//! added to a destination, perhaps negated: so they stand here. Its fused forms negate the first
//! factor instead, NaNs included.

mod convert;
mod memory;
mod status;

use super::holds;
use crate::float::{FloatFlag, FloatOperation, FloatRegister, FloatWord, Precision};
use crate::instruction::{
    FloatAccumulate, FloatBinary, FloatInstruction, FloatPair, FloatUnary, Transfer,
};
use crate::machine::Machine;
use crate::register::Register;

const SIGN: u32 = 1 << 31;

/// A value of one or two words, the low one first; a single one's second word is not looked at.
type Value<W> = [W; 2];

fn read<M: Machine>(m: &mut M, register: FloatRegister) -> Value<M::Word> {
    let low = m.float_word(register.word());
    let high = match register.precision() {
        Precision::Single => m.word(0),
        Precision::Double => m.float_word(register.word().after(1)),
    };
    [low, high]
}

fn write<M: Machine>(
    m: &mut M,
    register: FloatRegister,
    [low, high]: Value<M::Word>,
) -> Result<(), M::Error> {
    m.set_float_word(register.word(), low)?;
    match register.precision() {
        Precision::Single => Ok(()),
        Precision::Double => m.set_float_word(register.word().after(1), high),
    }
}

/// The word with the sign in it.
const fn top(precision: Precision) -> usize {
    precision.words() - 1
}

fn negated<M: Machine>(
    m: &mut M,
    precision: Precision,
    mut value: Value<M::Word>,
) -> Value<M::Word> {
    let sign = m.word(SIGN);
    value[top(precision)] = m.xor(&value[top(precision)], &sign);
    value
}

fn compute<M: Machine>(
    m: &mut M,
    operation: FloatOperation,
    precision: Precision,
    values: &[&Value<M::Word>],
) -> Result<Value<M::Word>, M::Error> {
    let words = precision.words();
    let operands: Vec<_> = values
        .iter()
        .flat_map(|value| value.iter().take(words).cloned())
        .collect();
    m.float(operation, &operands)
}

/// Carries out one instruction.
pub(super) fn perform<M: Machine>(
    m: &mut M,
    instruction: &FloatInstruction,
) -> Result<(), M::Error> {
    match *instruction {
        FloatInstruction::Binary { op, rd, rn, rm } => binary(m, op, rd, (rn, rm)),
        FloatInstruction::Accumulate { op, rd, rn, rm } => accumulate(m, op, rd, (rn, rm)),
        FloatInstruction::Unary { op, rd, rm } => unary(m, op, rd, rm),
        FloatInstruction::Immediate { rd, encoded } => {
            let words = immediate(rd.precision(), encoded).map(|word| m.word(word));
            write(m, rd, words)
        }
        FloatInstruction::Round {
            rounding,
            inexact,
            rd,
            rm,
        } => {
            let operation = FloatOperation::RoundToIntegral {
                precision: rm.precision(),
                rounding,
                inexact,
            };
            one_operand(m, operation, rd, rm)
        }
        FloatInstruction::Compare { invalid, rd, rm } => {
            let a = read(m, rd);
            let b = match rm {
                Some(rm) => read(m, rm),
                None => [m.word(0), m.word(0)],
            };
            let operation = FloatOperation::Compare(rd.precision(), invalid);
            let [flags, _] = compute(m, operation, rd.precision(), &[&a, &b])?;
            for flag in COMPARED {
                let bit = m.bit_at(&flags, flag.bit());
                m.set_float_flag(flag, bit);
            }
            Ok(())
        }
        FloatInstruction::Select {
            condition,
            rd,
            rn,
            rm,
        } => {
            let holds = holds(m, condition);
            let (then, otherwise) = (read(m, rn), read(m, rm));
            let low = m.select(&holds, &then[0], &otherwise[0]);
            let high = m.select(&holds, &then[1], &otherwise[1]);
            write(m, rd, [low, high])
        }
        FloatInstruction::Convert { rd, rm } => {
            let operation = FloatOperation::Convert {
                from: rm.precision().into(),
                to: rd.precision().into(),
            };
            one_operand(m, operation, rd, rm)
        }
        FloatInstruction::FromHalf { half, rd, rm } => convert::from_half(m, half, rd, rm),
        FloatInstruction::ToHalf { half, rd, rm } => convert::to_half(m, half, rd, rm),
        FloatInstruction::FromInteger { signedness, rd, rm } => {
            let operation = FloatOperation::FromFixed {
                precision: rd.precision(),
                signedness,
                fraction_bits: 0,
                rounding: None,
            };
            one_operand(m, operation, rd, rm)
        }
        FloatInstruction::ToInteger {
            signedness,
            rounding,
            rd,
            rm,
        } => {
            let operation = FloatOperation::ToFixed {
                precision: rm.precision(),
                signedness,
                width: 32,
                fraction_bits: 0,
                rounding,
            };
            one_operand(m, operation, rd, rm)
        }
        FloatInstruction::FromFixed {
            signedness,
            size,
            fraction_bits,
            rd,
        } => convert::from_fixed(m, (signedness, size), fraction_bits, rd),
        FloatInstruction::ToFixed {
            signedness,
            size,
            fraction_bits,
            rd,
        } => convert::to_fixed(m, (signedness, size), fraction_bits, rd),
        FloatInstruction::MoveWord {
            direction,
            rt,
            scalar,
        } => move_word(m, direction, rt, scalar.word()),
        FloatInstruction::MovePair {
            direction,
            rt,
            rt2,
            pair,
        } => {
            let (FloatPair::Double(register) | FloatPair::Singles(register)) = pair;
            move_pair(m, direction, (rt, rt2), register.word())
        }
        FloatInstruction::Load { rd, address } => memory::load(m, rd, address),
        FloatInstruction::Store { rd, address } => memory::store(m, rd, address),
        FloatInstruction::LoadMultiple(block) => memory::load_multiple(m, block),
        FloatInstruction::StoreMultiple(block) => memory::store_multiple(m, block),
        FloatInstruction::ReadStatus { rt } => status::read_status(m, rt),
        FloatInstruction::WriteStatus { rt } => status::write_status(m, rt),
    }
}

fn binary<M: Machine>(
    m: &mut M,
    op: FloatBinary,
    rd: FloatRegister,
    (rn, rm): (FloatRegister, FloatRegister),
) -> Result<(), M::Error> {
    let precision = rd.precision();
    let operation = match op {
        FloatBinary::Add => FloatOperation::Add(precision),
        FloatBinary::Subtract => FloatOperation::Subtract(precision),
        FloatBinary::Multiply | FloatBinary::NegatedMultiply => FloatOperation::Multiply(precision),
        FloatBinary::Divide => FloatOperation::Divide(precision),
        FloatBinary::MaximumNumber => FloatOperation::MaximumNumber(precision),
        FloatBinary::MinimumNumber => FloatOperation::MinimumNumber(precision),
    };
    let (a, b) = (read(m, rn), read(m, rm));
    let mut result = compute(m, operation, precision, &[&a, &b])?;
    if op == FloatBinary::NegatedMultiply {
        result = negated(m, precision, result);
    }
    write(m, rd, result)
}

fn accumulate<M: Machine>(
    m: &mut M,
    op: FloatAccumulate,
    rd: FloatRegister,
    (rn, rm): (FloatRegister, FloatRegister),
) -> Result<(), M::Error> {
    use FloatAccumulate::{
        Add, FusedAdd, FusedNegatedAdd, FusedNegatedSubtract, FusedSubtract, NegatedAdd,
        NegatedSubtract, Subtract,
    };
    let precision = rd.precision();
    let (mut addend, mut a, b) = (read(m, rd), read(m, rn), read(m, rm));
    if let NegatedAdd | NegatedSubtract | FusedNegatedAdd | FusedNegatedSubtract = op {
        addend = negated(m, precision, addend);
    }
    let result = match op {
        FusedAdd | FusedSubtract | FusedNegatedAdd | FusedNegatedSubtract => {
            if let FusedSubtract | FusedNegatedAdd = op {
                a = negated(m, precision, a);
            }
            let operation = FloatOperation::MultiplyAdd(precision);
            compute(m, operation, precision, &[&a, &b, &addend])?
        }
        Add | Subtract | NegatedAdd | NegatedSubtract => {
            let operation = FloatOperation::Multiply(precision);
            let mut product = compute(m, operation, precision, &[&a, &b])?;
            if let Subtract | NegatedAdd = op {
                product = negated(m, precision, product);
            }
            let operation = FloatOperation::Add(precision);
            compute(m, operation, precision, &[&addend, &product])?
        }
    };
    write(m, rd, result)
}

fn unary<M: Machine>(
    m: &mut M,
    op: FloatUnary,
    rd: FloatRegister,
    rm: FloatRegister,
) -> Result<(), M::Error> {
    let precision = rd.precision();
    let mut value = read(m, rm);
    let value = match op {
        FloatUnary::Move => value,
        FloatUnary::Absolute => {
            let others = m.word(!SIGN);
            value[top(precision)] = m.and(&value[top(precision)], &others);
            value
        }
        FloatUnary::Negate => negated(m, precision, value),
        FloatUnary::SquareRoot => {
            let operation = FloatOperation::SquareRoot(precision);
            compute(m, operation, precision, &[&value])?
        }
    };
    write(m, rd, value)
}

/// An operation that takes all of one register and fills another.
fn one_operand<M: Machine>(
    m: &mut M,
    operation: FloatOperation,
    rd: FloatRegister,
    rm: FloatRegister,
) -> Result<(), M::Error> {
    let value = read(m, rm);
    let result = compute(m, operation, rm.precision(), &[&value])?;
    write(m, rd, result)
}

/// `VFPExpandImm` (§A7.4.6): the sign; bit 6 inverted, then copies of it, then bits 4 and 5 are the
/// exponent; the lowest four bits begin the fraction.
fn immediate(precision: Precision, encoded: u8) -> Value<u32> {
    let encoded = u32::from(encoded);
    let (sign, repeated) = (encoded >> 7 << 31, encoded >> 6 & 1);
    match precision {
        Precision::Single => {
            let exponent = if repeated == 1 {
                0x3e00_0000
            } else {
                0x4000_0000
            };
            [sign | exponent | (encoded & 0x3f) << 19, 0]
        }
        Precision::Double => {
            let exponent = if repeated == 1 {
                0x3fc0_0000
            } else {
                0x4000_0000
            };
            [0, sign | exponent | (encoded & 0x3f) << 16]
        }
    }
}

fn move_word<M: Machine>(
    m: &mut M,
    direction: Transfer,
    rt: Register,
    word: FloatWord,
) -> Result<(), M::Error> {
    match direction {
        Transfer::ToCore => {
            let value = m.float_word(word);
            m.set_register(rt, value)
        }
        Transfer::FromCore => {
            let value = m.register(rt);
            m.set_float_word(word, value)
        }
    }
}

fn move_pair<M: Machine>(
    m: &mut M,
    direction: Transfer,
    (rt, rt2): (Register, Register),
    word: FloatWord,
) -> Result<(), M::Error> {
    match direction {
        Transfer::ToCore => {
            let (low, high) = (m.float_word(word), m.float_word(word.after(1)));
            m.set_register(rt, low)?;
            m.set_register(rt2, high)
        }
        Transfer::FromCore => {
            let (low, high) = (m.register(rt), m.register(rt2));
            m.set_float_word(word, low)?;
            m.set_float_word(word.after(1), high)
        }
    }
}

/// What a comparison sets.
const COMPARED: [FloatFlag; 4] = [
    FloatFlag::Negative,
    FloatFlag::Zero,
    FloatFlag::Carry,
    FloatFlag::Overflow,
];
