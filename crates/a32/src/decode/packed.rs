//! Of the media instructions, those on halves and bytes: DDI 0406C §A5.4.1–3.

use super::data::constant_shift;
use super::{Decoded, Refusal, bit, bits, forbid, forbid_pc, rule};
use crate::instruction::{Half, Operation, ParallelKind, ParallelOperation};
use crate::machine::Signedness;
use crate::register::Register;

/// The registers, where most of these instructions have them.
struct Registers {
    rn: Register,
    rd: Register,
    rm: Register,
}

fn registers(word: u32) -> Registers {
    Registers {
        rn: Register::field(word, 16),
        rd: Register::field(word, 12),
        rm: Register::field(word, 0),
    }
}

fn signedness(word: u32) -> Signedness {
    if bit(word, 22) {
        Signedness::Unsigned
    } else {
        Signedness::Signed
    }
}

/// `SADD16` … `UHSUB8`.
pub(super) fn parallel(word: u32) -> Decoded {
    let Registers { rn, rd, rm } = registers(word);
    let kind = match bits(word, 20, 3) {
        0b001 => ParallelKind::Signed,
        0b010 => ParallelKind::SignedSaturating,
        0b011 => ParallelKind::SignedHalving,
        0b101 => ParallelKind::Unsigned,
        0b110 => ParallelKind::UnsignedSaturating,
        0b111 => ParallelKind::UnsignedHalving,
        _ => return Err(Refusal::NotOurs),
    };
    let op = match bits(word, 5, 3) {
        0b000 => ParallelOperation::Add16,
        0b001 => ParallelOperation::AddSubtractExchanged,
        0b010 => ParallelOperation::SubtractAddExchanged,
        0b011 => ParallelOperation::Subtract16,
        0b100 => ParallelOperation::Add8,
        0b111 => ParallelOperation::Subtract8,
        _ => return Err(Refusal::NotOurs),
    };
    let mnemonic = op.mnemonic(kind);
    forbid(bits(word, 8, 4) != 15, mnemonic, rule::RESERVED)?;
    forbid_pc(&[rn, rd, rm], mnemonic)?;
    Ok(Operation::Parallel {
        kind,
        op,
        rd,
        rn,
        rm,
    })
}

/// `PKHBT`, `PKHTB`.
pub(super) fn pack_halves(word: u32) -> Decoded {
    let Registers { rn, rd, rm } = registers(word);
    let (from_rn, mnemonic) = if bit(word, 6) {
        (Half::Top, "pkhtb")
    } else {
        (Half::Bottom, "pkhbt")
    };
    forbid_pc(&[rn, rd, rm], mnemonic)?;
    Ok(Operation::PackHalves {
        from_rn,
        rd,
        rn,
        rm,
        shift: constant_shift(word),
    })
}

/// `SEL`.
pub(super) fn select_bytes(word: u32) -> Decoded {
    let Registers { rn, rd, rm } = registers(word);
    forbid(bits(word, 8, 4) != 15, "sel", rule::RESERVED)?;
    forbid_pc(&[rn, rd, rm], "sel")?;
    Ok(Operation::SelectBytes { rd, rn, rm })
}

/// `SSAT`, `USAT`.
pub(super) fn saturate(word: u32) -> Decoded {
    let Registers { rd, rm: rn, .. } = registers(word);
    let signedness = signedness(word);
    let (least, mnemonic) = match signedness {
        Signedness::Signed => (1, "ssat"),
        Signedness::Unsigned => (0, "usat"),
    };
    forbid_pc(&[rd, rn], mnemonic)?;
    Ok(Operation::Saturate {
        signedness,
        rd,
        width: bits(word, 16, 5) as u8 + least,
        rn,
        shift: constant_shift(word),
    })
}

/// `SSAT16`, `USAT16`.
pub(super) fn saturate_halves(word: u32) -> Decoded {
    let Registers { rd, rm: rn, .. } = registers(word);
    let signedness = signedness(word);
    let (least, mnemonic) = match signedness {
        Signedness::Signed => (1, "ssat16"),
        Signedness::Unsigned => (0, "usat16"),
    };
    forbid(bits(word, 8, 4) != 15, mnemonic, rule::RESERVED)?;
    forbid_pc(&[rd, rn], mnemonic)?;
    Ok(Operation::SaturateHalves {
        signedness,
        rd,
        width: bits(word, 16, 4) as u8 + least,
        rn,
    })
}

/// `SXTB16`, `UXTB16`, `SXTAB16`, `UXTAB16`.
pub(super) fn extend_halves(word: u32) -> Decoded {
    let Registers { rn, rd, rm } = registers(word);
    let signedness = signedness(word);
    let addend = (rn != Register::PC).then_some(rn);
    let mnemonic = match (signedness, addend) {
        (Signedness::Signed, None) => "sxtb16",
        (Signedness::Signed, Some(_)) => "sxtab16",
        (Signedness::Unsigned, None) => "uxtb16",
        (Signedness::Unsigned, Some(_)) => "uxtab16",
    };
    forbid(bits(word, 8, 2) != 0, mnemonic, rule::RESERVED)?;
    forbid_pc(&[rd, rm], mnemonic)?;
    Ok(Operation::ExtendHalves {
        signedness,
        rd,
        addend,
        rm,
        rotation: bits(word, 10, 2) as u8 * 8,
    })
}

/// `USAD8`, `USADA8`.
pub(super) fn absolute_differences(word: u32) -> Decoded {
    let (rd, ra) = (Register::field(word, 16), Register::field(word, 12));
    let (rn, rm) = (Register::field(word, 0), Register::field(word, 8));
    let addend = (ra != Register::PC).then_some(ra);
    let mnemonic = if addend.is_some() { "usada8" } else { "usad8" };
    forbid_pc(&[rd, rn, rm], mnemonic)?;
    Ok(Operation::AbsoluteDifferences { rd, rn, rm, addend })
}
