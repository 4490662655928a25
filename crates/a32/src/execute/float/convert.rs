//! Conversions that take or fill a part of a register. DDI 0406C §A8.8, VCVT to VCVTT.

use super::super::field::sized;
use super::{compute, read, write};
use crate::float::{FloatFormat, FloatOperation, FloatRegister, FloatRounding, Precision};
use crate::instruction::Half;
use crate::machine::{Machine, Signedness, Size};
use crate::operand::ShiftKind;

/// `VCVTB`, `VCVTT` from a half.
pub(super) fn from_half<M: Machine>(
    m: &mut M,
    half: Half,
    rd: FloatRegister,
    rm: FloatRegister,
) -> Result<(), M::Error> {
    let [word, zero] = read(m, rm);
    let word = low_or_high(m, half, &word);
    let operation = FloatOperation::Convert {
        from: FloatFormat::Half,
        to: rd.precision().into(),
    };
    let result = compute(m, operation, Precision::Single, &[&[word, zero]])?;
    write(m, rd, result)
}

fn low_or_high<M: Machine>(m: &mut M, half: Half, word: &M::Word) -> M::Word {
    match half {
        Half::Bottom => {
            let mask = m.word(0xffff);
            m.and(word, &mask)
        }
        Half::Top => {
            let carry = m.bit(false);
            m.shift_by(ShiftKind::LogicalRight, word, 16, &carry).0
        }
    }
}

/// `VCVTB`, `VCVTT` to a half: the other half of the destination stays.
pub(super) fn to_half<M: Machine>(
    m: &mut M,
    half: Half,
    rd: FloatRegister,
    rm: FloatRegister,
) -> Result<(), M::Error> {
    let (value, old) = (read(m, rm), m.float_word(rd.word()));
    let operation = FloatOperation::Convert {
        from: rm.precision().into(),
        to: FloatFormat::Half,
    };
    let [result, _] = compute(m, operation, rm.precision(), &[&value])?;
    let (placed, kept) = match half {
        Half::Bottom => (result, 0xffff_0000),
        Half::Top => {
            let carry = m.bit(false);
            let shifted = m.shift_by(ShiftKind::Left, &result, 16, &carry).0;
            (shifted, 0x0000_ffff)
        }
    };
    let kept = m.word(kept);
    let old = m.and(&old, &kept);
    let word = m.or(&old, &placed);
    m.set_float_word(rd.word(), word)
}

/// `VCVT` from fixed point, which rounds to the nearest whatever FPSCR says.
pub(super) fn from_fixed<M: Machine>(
    m: &mut M,
    (signedness, size): (Signedness, Size),
    fraction_bits: u8,
    rd: FloatRegister,
) -> Result<(), M::Error> {
    let word = m.float_word(rd.word());
    let word = sized(m, signedness, size, &word);
    let operation = FloatOperation::FromFixed {
        precision: rd.precision(),
        signedness,
        fraction_bits,
        rounding: Some(FloatRounding::NearestEven),
    };
    let result = m.float(operation, &[word])?;
    write(m, rd, result)
}

/// `VCVT` to fixed point: the result is extended to the whole register.
pub(super) fn to_fixed<M: Machine>(
    m: &mut M,
    (signedness, size): (Signedness, Size),
    fraction_bits: u8,
    rd: FloatRegister,
) -> Result<(), M::Error> {
    let value = read(m, rd);
    let operation = FloatOperation::ToFixed {
        precision: rd.precision(),
        signedness,
        width: if size == Size::Half { 16 } else { 32 },
        fraction_bits,
        rounding: Some(FloatRounding::Zero),
    };
    let [low, _] = compute(m, operation, rd.precision(), &[&value])?;
    let high = match signedness {
        Signedness::Unsigned => m.word(0),
        Signedness::Signed => {
            let carry = m.bit(false);
            m.shift_by(ShiftKind::ArithmeticRight, &low, 32, &carry).0
        }
    };
    write(m, rd, [low, high])
}
