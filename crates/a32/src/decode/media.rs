//! The media instructions; here those on whole words: DDI 0406C §A5.4.

use super::{Decoded, Refusal, bit, bits, forbid, forbid_pc, packed, products, rule};
use crate::instruction::{Operation, Trap, UnaryOperation};
use crate::machine::{Signedness, Size};
use crate::register::Register;

/// Table A5-16 and those it refers to.
pub(super) fn media(word: u32) -> Decoded {
    match (bits(word, 20, 5), bits(word, 5, 3)) {
        (0b01010 | 0b01011 | 0b01110 | 0b01111, 0b011) => extend(word),
        (0b00000..=0b00111, _) => packed::parallel(word),
        (0b01000, 0b000 | 0b010 | 0b100 | 0b110) => packed::pack_halves(word),
        (0b01010 | 0b01011, 0b000 | 0b010 | 0b100 | 0b110) => packed::saturate(word),
        (0b01110 | 0b01111, 0b000 | 0b010 | 0b100 | 0b110) => packed::saturate(word),
        (0b01010 | 0b01110, 0b001) => packed::saturate_halves(word),
        (0b01000 | 0b01100, 0b011) => packed::extend_halves(word),
        (0b01000, 0b101) => packed::select_bytes(word),
        (0b10000 | 0b10100, 0b000..=0b011) => products::dual(word),
        (0b10101, 0b000 | 0b001 | 0b110 | 0b111) => products::high(word),
        (0b11000, 0b000) => packed::absolute_differences(word),
        (0b11111, 0b111) if word >> 28 == 14 => {
            let number = bits(word, 8, 12) << 4 | bits(word, 0, 4);
            Ok(Operation::Trap(Trap::Undefined(number as u16)))
        }
        (0b01011, 0b001) => reverse(word, UnaryOperation::Rev, "rev"),
        (0b01011, 0b101) => reverse(word, UnaryOperation::Rev16, "rev16"),
        (0b01111, 0b001) => reverse(word, UnaryOperation::Rbit, "rbit"),
        (0b01111, 0b101) => reverse(word, UnaryOperation::Revsh, "revsh"),
        (0b10001, 0b000) => divide(word, Signedness::Signed, "sdiv"),
        (0b10011, 0b000) => divide(word, Signedness::Unsigned, "udiv"),
        (0b11010 | 0b11011, 0b010 | 0b110) => extract(word, Signedness::Signed, "sbfx"),
        (0b11110 | 0b11111, 0b010 | 0b110) => extract(word, Signedness::Unsigned, "ubfx"),
        (0b11100 | 0b11101, 0b000 | 0b100) => insert(word),
        _ => Err(Refusal::NotOurs),
    }
}

fn extend(word: u32) -> Decoded {
    let unsigned = bit(word, 22);
    let half = bit(word, 20);
    let (rn, rd, rm) = (
        Register::field(word, 16),
        Register::field(word, 12),
        Register::field(word, 0),
    );
    let addend = (rn != Register::PC).then_some(rn);
    let mnemonic = match (unsigned, half, addend) {
        (false, false, None) => "sxtb",
        (false, true, None) => "sxth",
        (true, false, None) => "uxtb",
        (true, true, None) => "uxth",
        (false, false, Some(_)) => "sxtab",
        (false, true, Some(_)) => "sxtah",
        (true, false, Some(_)) => "uxtab",
        (true, true, Some(_)) => "uxtah",
    };
    forbid(bits(word, 8, 2) != 0, mnemonic, rule::RESERVED)?;
    forbid_pc(&[rd, rm], mnemonic)?;
    Ok(Operation::Extend {
        signedness: if unsigned {
            Signedness::Unsigned
        } else {
            Signedness::Signed
        },
        from: if half { Size::Half } else { Size::Byte },
        rd,
        addend,
        rm,
        rotation: bits(word, 10, 2) as u8 * 8,
    })
}

fn reverse(word: u32, op: UnaryOperation, mnemonic: &'static str) -> Decoded {
    let (rd, rm) = (Register::field(word, 12), Register::field(word, 0));
    forbid(
        bits(word, 16, 4) != 15 || bits(word, 8, 4) != 15,
        mnemonic,
        rule::RESERVED,
    )?;
    forbid_pc(&[rd, rm], mnemonic)?;
    Ok(Operation::Unary { op, rd, rm })
}

fn divide(word: u32, signedness: Signedness, mnemonic: &'static str) -> Decoded {
    let (rd, rm, rn) = (
        Register::field(word, 16),
        Register::field(word, 8),
        Register::field(word, 0),
    );
    forbid(bits(word, 12, 4) != 15, mnemonic, rule::RESERVED)?;
    forbid_pc(&[rd, rn, rm], mnemonic)?;
    Ok(Operation::Divide {
        signedness,
        rd,
        rn,
        rm,
    })
}

fn extract(word: u32, signedness: Signedness, mnemonic: &'static str) -> Decoded {
    let (rd, rn) = (Register::field(word, 12), Register::field(word, 0));
    let (lsb, width) = (bits(word, 7, 5) as u8, bits(word, 16, 5) as u8 + 1);
    forbid_pc(&[rd, rn], mnemonic)?;
    forbid(lsb + width > 32, mnemonic, rule::FIELD)?;
    Ok(Operation::ExtractField {
        signedness,
        rd,
        rn,
        lsb,
        width,
    })
}

fn insert(word: u32) -> Decoded {
    let (rd, rn) = (Register::field(word, 12), Register::field(word, 0));
    let source = (rn != Register::PC).then_some(rn);
    let mnemonic = if source.is_some() { "bfi" } else { "bfc" };
    let (lsb, msb) = (bits(word, 7, 5) as u8, bits(word, 16, 5) as u8);
    forbid_pc(&[rd], mnemonic)?;
    forbid(msb < lsb, mnemonic, rule::FIELD)?;
    Ok(Operation::InsertField {
        rd,
        source,
        lsb,
        width: msb - lsb + 1,
    })
}
