//! Scalar floating point, coprocessors 10 and 11: DDI 0406C §A7.5 (arithmetic), §A7.6 (loads and
//! stores), §A7.8 and §A7.9 (transfers); DDI 0487 §F4.1 for what ARMv8 added.

use super::{Decoded, Refusal, bit, bits, forbid, forbid_pc, rule};
use crate::condition::Condition;
use crate::float::{FloatRegister, FloatRounding, FloatScalar, Invalid, Precision};
use crate::instruction::{
    FloatAccumulate, FloatBinary, FloatBlock, FloatBlockMode, FloatInstruction, FloatPair,
    FloatUnary, Half, Operation, Transfer, WriteBack,
};
use crate::machine::{Signedness, Size};
use crate::operand::{Address, Direction, Indexing, Offset};
use crate::register::Register;

/// Whether the word names coprocessor 10 or 11.
pub(super) const fn is_float(word: u32) -> bool {
    bits(word, 9, 3) == 0b101
}

/// Bit 8: `sz` of arithmetic, the coprocessor's number of everything else.
const fn precision(word: u32) -> Precision {
    if bit(word, 8) {
        Precision::Double
    } else {
        Precision::Single
    }
}

/// `Vd`, bits 12 ..= 15 and 22.
const fn destination(word: u32, precision: Precision) -> FloatRegister {
    FloatRegister::field(word, precision, 12, 22)
}

/// `Vm`, bits 0 ..= 3 and 5.
const fn second(word: u32, precision: Precision) -> FloatRegister {
    FloatRegister::field(word, precision, 0, 5)
}

const fn signedness(signed: bool) -> Signedness {
    if signed {
        Signedness::Signed
    } else {
        Signedness::Unsigned
    }
}

const fn half(word: u32) -> Half {
    if bit(word, 7) {
        Half::Top
    } else {
        Half::Bottom
    }
}

/// The conditional instructions of the two coprocessors.
pub(super) fn conditional(word: u32) -> Decoded {
    let decoded = match (bit(word, 25), bit(word, 4)) {
        (false, _) if bits(word, 21, 7) == 0b110_0010 => move_pair(word),
        (false, _) => load_store(word),
        (true, false) => arithmetic(word),
        (true, true) => transfer(word),
    };
    decoded.map(Operation::Float)
}

type Found = Result<FloatInstruction, Refusal>;

/// §A7.5: products, sums, quotients.
fn arithmetic(word: u32) -> Found {
    let precision = precision(word);
    let (rd, rm) = (destination(word, precision), second(word, precision));
    let rn = FloatRegister::field(word, precision, 16, 7);
    let second_form = bit(word, 6);
    let accumulate = |op| FloatInstruction::Accumulate { op, rd, rn, rm };
    let binary = |op| FloatInstruction::Binary { op, rd, rn, rm };
    // Bits 23, 21 and 20; bit 22 belongs to the destination.
    Ok(match (bit(word, 23), bits(word, 20, 2), second_form) {
        (false, 0b00, false) => accumulate(FloatAccumulate::Add),
        (false, 0b00, true) => accumulate(FloatAccumulate::Subtract),
        (false, 0b01, false) => accumulate(FloatAccumulate::NegatedSubtract),
        (false, 0b01, true) => accumulate(FloatAccumulate::NegatedAdd),
        (false, 0b10, false) => binary(FloatBinary::Multiply),
        (false, 0b10, true) => binary(FloatBinary::NegatedMultiply),
        (false, _, false) => binary(FloatBinary::Add),
        (false, _, true) => binary(FloatBinary::Subtract),
        (true, 0b00, false) => binary(FloatBinary::Divide),
        (true, 0b01, false) => accumulate(FloatAccumulate::FusedNegatedSubtract),
        (true, 0b01, true) => accumulate(FloatAccumulate::FusedNegatedAdd),
        (true, 0b10, false) => accumulate(FloatAccumulate::FusedAdd),
        (true, 0b10, true) => accumulate(FloatAccumulate::FusedSubtract),
        (true, 0b11, false) => {
            forbid(bits(word, 4, 4) & 0b1010 != 0, "vmov", rule::RESERVED)?;
            let encoded = (bits(word, 16, 4) << 4 | bits(word, 0, 4)) as u8;
            FloatInstruction::Immediate { rd, encoded }
        }
        (true, 0b11, true) => one_source(word, precision)?,
        (true, ..) => return Err(Refusal::NotOurs),
    })
}

/// §A7.5, other instructions: bits 16 ..= 19 and 7 say which.
fn one_source(word: u32, precision: Precision) -> Found {
    let (rd, rm) = (destination(word, precision), second(word, precision));
    let single = (
        destination(word, Precision::Single),
        second(word, Precision::Single),
    );
    let upper = bit(word, 7);
    let unary = |op| FloatInstruction::Unary { op, rd, rm };
    let round = |rounding, inexact| FloatInstruction::Round {
        rounding,
        inexact,
        rd,
        rm,
    };
    Ok(match (bits(word, 16, 4), upper) {
        (0b0000, false) => unary(FloatUnary::Move),
        (0b0000, true) => unary(FloatUnary::Absolute),
        (0b0001, false) => unary(FloatUnary::Negate),
        (0b0001, true) => unary(FloatUnary::SquareRoot),
        (0b0010, _) => FloatInstruction::FromHalf {
            half: half(word),
            rd,
            rm: single.1,
        },
        (0b0011, _) => FloatInstruction::ToHalf {
            half: half(word),
            rd: single.0,
            rm,
        },
        (0b0100 | 0b0101, every) => {
            let zero = bit(word, 16);
            let mnemonic = if every { "vcmpe" } else { "vcmp" };
            forbid(zero && word & 0x2f != 0, mnemonic, rule::RESERVED)?;
            FloatInstruction::Compare {
                invalid: if every {
                    Invalid::Every
                } else {
                    Invalid::Signaling
                },
                rd,
                rm: (!zero).then_some(rm),
            }
        }
        (0b0110, false) => round(None, false),
        (0b0110, true) => round(Some(FloatRounding::Zero), false),
        (0b0111, false) => round(None, true),
        (0b0111, true) => {
            // The bit says the width of the source.
            let other = match precision {
                Precision::Single => Precision::Double,
                Precision::Double => Precision::Single,
            };
            FloatInstruction::Convert {
                rd: destination(word, other),
                rm,
            }
        }
        (0b1000, signed) => FloatInstruction::FromInteger {
            signedness: signedness(signed),
            rd,
            rm: single.1,
        },
        (0b1100 | 0b1101, to_zero) => FloatInstruction::ToInteger {
            signedness: signedness(bit(word, 16)),
            rounding: to_zero.then_some(FloatRounding::Zero),
            rd: single.0,
            rm,
        },
        (0b1010 | 0b1011 | 0b1110 | 0b1111, _) => return fixed(word, rd),
        _ => return Err(Refusal::NotOurs),
    })
}

/// `VCVT` to and from fixed point: the encoding has the integer bits.
fn fixed(word: u32, rd: FloatRegister) -> Found {
    let (size, width) = if bit(word, 7) {
        (Size::Word, 32)
    } else {
        (Size::Half, 16)
    };
    let integer_bits = bits(word, 0, 4) << 1 | bits(word, 5, 1);
    forbid(integer_bits > width, "vcvt", rule::FRACTION)?;
    let signedness = signedness(!bit(word, 16));
    let fraction_bits = width.saturating_sub(integer_bits) as u8;
    Ok(if bit(word, 18) {
        FloatInstruction::ToFixed {
            signedness,
            size,
            fraction_bits,
            rd,
        }
    } else {
        FloatInstruction::FromFixed {
            signedness,
            size,
            fraction_bits,
            rd,
        }
    })
}

/// §A7.8: words between a core register and this unit.
fn transfer(word: u32) -> Found {
    let rt = Register::field(word, 12);
    let direction = direction(word);
    let scalar = if bit(word, 8) {
        // Lanes of 8 and 16 bits and `VDUP` are the vector unit's.
        if bits(word, 22, 2) != 0 || bits(word, 5, 2) != 0 {
            return Err(Refusal::NotOurs);
        }
        let lane = if bit(word, 21) {
            Half::Top
        } else {
            Half::Bottom
        };
        let register = FloatRegister::field(word, Precision::Double, 16, 7);
        forbid(bits(word, 0, 4) != 0, "vmov", rule::RESERVED)?;
        FloatScalar::Lane(register, lane)
    } else {
        match bits(word, 21, 3) {
            0b000 => {}
            0b111 => return status(word, rt),
            _ => return Err(Refusal::NotOurs),
        }
        forbid(word & 0x6f != 0, "vmov", rule::RESERVED)?;
        FloatScalar::Single(FloatRegister::field(word, Precision::Single, 16, 7))
    };
    forbid_pc(&[rt], "vmov")?;
    Ok(FloatInstruction::MoveWord {
        direction,
        rt,
        scalar,
    })
}

const fn direction(word: u32) -> Transfer {
    if bit(word, 20) {
        Transfer::ToCore
    } else {
        Transfer::FromCore
    }
}

/// `VMRS` and `VMSR` of FPSCR; the other registers say what the unit is, or are the system's.
fn status(word: u32, rt: Register) -> Found {
    if bits(word, 16, 4) != 1 {
        return Err(Refusal::NotOurs);
    }
    let (read, mnemonic) = match direction(word) {
        Transfer::ToCore => (true, "vmrs"),
        Transfer::FromCore => (false, "vmsr"),
    };
    forbid(word & 0xef != 0, mnemonic, rule::RESERVED)?;
    if read {
        let rt = (rt != Register::PC).then_some(rt);
        return Ok(FloatInstruction::ReadStatus { rt });
    }
    forbid_pc(&[rt], mnemonic)?;
    Ok(FloatInstruction::WriteStatus { rt })
}

/// §A7.9: two words between two core registers and this unit.
fn move_pair(word: u32) -> Found {
    if bits(word, 6, 2) != 0 || !bit(word, 4) {
        return Err(Refusal::NotOurs);
    }
    let (rt, rt2) = (Register::field(word, 12), Register::field(word, 16));
    let direction = direction(word);
    let first = second(word, precision(word));
    let pair = match first.precision() {
        Precision::Double => FloatPair::Double(first),
        Precision::Single => {
            forbid(first.number() == 31, "vmov", rule::PAST_LAST)?;
            FloatPair::Singles(first)
        }
    };
    forbid_pc(&[rt, rt2], "vmov")?;
    let receives = direction == Transfer::ToCore;
    forbid(receives && rt == rt2, "vmov", rule::SAME)?;
    Ok(FloatInstruction::MovePair {
        direction,
        rt,
        rt2,
        pair,
    })
}

/// §A7.6: P, U and W are bits 24, 23 and 21.
fn load_store(word: u32) -> Found {
    let (load, write_back) = (bit(word, 20), bit(word, 21));
    let precision = precision(word);
    let base = Register::field(word, 16);
    let rd = destination(word, precision);
    let mode = match (bit(word, 24), bit(word, 23), write_back) {
        (true, up, false) => {
            let address = Address {
                base,
                direction: if up {
                    Direction::Add
                } else {
                    Direction::Subtract
                },
                offset: Offset::Immediate((bits(word, 0, 8) << 2) as u16),
                indexing: Indexing::Offset,
            };
            return Ok(if load {
                FloatInstruction::Load { rd, address }
            } else {
                FloatInstruction::Store { rd, address }
            });
        }
        (false, true, _) => FloatBlockMode::IncrementAfter,
        (true, false, true) => FloatBlockMode::DecrementBefore,
        _ => return Err(Refusal::NotOurs),
    };
    let words = bits(word, 0, 8);
    if precision == Precision::Double && words & 1 == 1 {
        // FLDMX and FSTMX.
        return Err(Refusal::NotOurs);
    }
    let mnemonic = if load { "vldm" } else { "vstm" };
    let count = match precision {
        Precision::Single => words,
        Precision::Double => words / 2,
    };
    forbid(count == 0, mnemonic, rule::EMPTY)?;
    let last = u32::from(rd.number()) + count - 1;
    let too_many = precision == Precision::Double && count > 16;
    forbid(last > 31 || too_many, mnemonic, rule::PAST_LAST)?;
    forbid(write_back && base == Register::PC, mnemonic, rule::PC_BASE)?;
    let block = FloatBlock {
        mode,
        base,
        write_back: if write_back {
            WriteBack::Yes
        } else {
            WriteBack::No
        },
        first: rd,
        count: count as u8,
    };
    Ok(if load {
        FloatInstruction::LoadMultiple(block)
    } else {
        FloatInstruction::StoreMultiple(block)
    })
}

/// What ARMv8 added to the space without a condition: bits 24 ..= 27 are `1110`, bit 4 is 0.
pub(super) fn unconditional(word: u32) -> Decoded {
    let precision = precision(word);
    let (rd, rm) = (destination(word, precision), second(word, precision));
    let rn = FloatRegister::field(word, precision, 16, 7);
    let select = |condition| FloatInstruction::Select {
        condition,
        rd,
        rn,
        rm,
    };
    let found = match (bit(word, 23), bits(word, 20, 2), bit(word, 6)) {
        (false, 0b00, false) => select(Condition::Equal),
        (false, 0b01, false) => select(Condition::OverflowSet),
        (false, 0b10, false) => select(Condition::SignedGreaterOrEqual),
        (false, 0b11, false) => select(Condition::SignedGreater),
        (true, 0b00, smaller) => FloatInstruction::Binary {
            op: if smaller {
                FloatBinary::MinimumNumber
            } else {
                FloatBinary::MaximumNumber
            },
            rd,
            rn,
            rm,
        },
        (true, 0b11, true) if bit(word, 19) => {
            let rounding = match bits(word, 16, 2) {
                0b00 => FloatRounding::NearestAway,
                0b01 => FloatRounding::NearestEven,
                0b10 => FloatRounding::Up,
                _ => FloatRounding::Down,
            };
            let rounding = Some(rounding);
            match (bit(word, 18), bit(word, 7)) {
                (false, false) => FloatInstruction::Round {
                    rounding,
                    inexact: false,
                    rd,
                    rm,
                },
                (true, signed) => FloatInstruction::ToInteger {
                    signedness: signedness(signed),
                    rounding,
                    rd: destination(word, Precision::Single),
                    rm,
                },
                (false, true) => return Err(Refusal::NotOurs),
            }
        }
        _ => return Err(Refusal::NotOurs),
    };
    Ok(Operation::Float(found))
}
