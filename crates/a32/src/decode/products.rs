//! Products of halves and high words: DDI 0406C §A5.2.7 and §A5.4.4.

use super::{Decoded, Refusal, bit, bits, forbid, forbid_pc, rule};
use crate::instruction::{DualOperation, Exchange, Half, HighOperation, Operation, Rounding};
use crate::register::Register;

/// The names of the products of two halves, by the halves of the second and the first factor.
const SMLA: [&str; 4] = ["smlabb", "smlatb", "smlabt", "smlatt"];
const SMUL: [&str; 4] = ["smulbb", "smultb", "smulbt", "smultt"];
const SMLAL: [&str; 4] = ["smlalbb", "smlaltb", "smlalbt", "smlaltt"];

fn half(word: u32, index: u32) -> Half {
    if bit(word, index) {
        Half::Top
    } else {
        Half::Bottom
    }
}

/// The registers of a multiplication.
struct Registers {
    /// The destination.
    rd: Register,
    /// The addend.
    ra: Register,
    /// A factor.
    rn: Register,
    /// A factor.
    rm: Register,
}

fn registers(word: u32) -> Registers {
    Registers {
        rd: Register::field(word, 16),
        ra: Register::field(word, 12),
        rn: Register::field(word, 0),
        rm: Register::field(word, 8),
    }
}

/// `SMULxy`, `SMLAxy`, `SMULWy`, `SMLAWy`, `SMLALxy`.
pub(super) fn of_halves(word: u32) -> Decoded {
    let Registers { rd, ra, rn, rm } = registers(word);
    let (n, m) = (half(word, 5), half(word, 6));
    let number = bits(word, 5, 2) as usize;
    match bits(word, 21, 2) {
        0b00 => {
            forbid_pc(&[rd, ra, rn, rm], SMLA[number])?;
            Ok(Operation::MultiplyHalves {
                rd,
                rn: (rn, n),
                rm: (rm, m),
                addend: Some(ra),
            })
        }
        0b01 => {
            // Here bit 5 says whether there is an addend.
            let mnemonic = ["smlawb", "smulwb", "smlawt", "smulwt"][number];
            let addend = (n == Half::Bottom).then_some(ra);
            forbid_pc(&[rd, rn, rm], mnemonic)?;
            match addend {
                Some(ra) => forbid_pc(&[ra], mnemonic)?,
                None => forbid(ra.number() != 0, mnemonic, rule::RESERVED)?,
            }
            Ok(Operation::MultiplyWordByHalf {
                rd,
                rn,
                rm: (rm, m),
                addend,
            })
        }
        0b10 => {
            forbid_pc(&[rd, ra, rn, rm], SMLAL[number])?;
            forbid(rd == ra, SMLAL[number], rule::SAME)?;
            Ok(Operation::MultiplyHalvesLong {
                rd_low: ra,
                rd_high: rd,
                rn: (rn, n),
                rm: (rm, m),
            })
        }
        _ => {
            forbid(ra.number() != 0, SMUL[number], rule::RESERVED)?;
            forbid_pc(&[rd, rn, rm], SMUL[number])?;
            Ok(Operation::MultiplyHalves {
                rd,
                rn: (rn, n),
                rm: (rm, m),
                addend: None,
            })
        }
    }
}

/// `SMUAD`, `SMUSD`, `SMLAD`, `SMLSD`, `SMLALD`, `SMLSLD`.
pub(super) fn dual(word: u32) -> Decoded {
    let Registers { rd, ra, rn, rm } = registers(word);
    let (subtract, exchanged, long) = (bit(word, 6), bit(word, 5), bit(word, 22));
    let op = if subtract {
        DualOperation::Subtract
    } else {
        DualOperation::Add
    };
    let exchange = if exchanged {
        Exchange::Yes
    } else {
        Exchange::No
    };
    let addend = (long || ra != Register::PC).then_some(ra);
    let mnemonic = match (subtract, long, addend) {
        (false, true, _) => "smlald",
        (true, true, _) => "smlsld",
        (false, false, Some(_)) => "smlad",
        (true, false, Some(_)) => "smlsd",
        (false, false, None) => "smuad",
        (true, false, None) => "smusd",
    };
    forbid_pc(&[rd, rn, rm], mnemonic)?;
    if long {
        forbid_pc(&[ra], mnemonic)?;
        forbid(rd == ra, mnemonic, rule::SAME)?;
        return Ok(Operation::MultiplyDualLong {
            op,
            exchange,
            rd_low: ra,
            rd_high: rd,
            rn,
            rm,
        });
    }
    Ok(Operation::MultiplyDual {
        op,
        exchange,
        rd,
        rn,
        rm,
        addend,
    })
}

/// `SMMUL`, `SMMLA`, `SMMLS`.
pub(super) fn high(word: u32) -> Decoded {
    let Registers { rd, ra, rn, rm } = registers(word);
    let rounding = if bit(word, 5) {
        Rounding::Nearest
    } else {
        Rounding::Down
    };
    let (op, mnemonic) = match (bits(word, 6, 2), ra) {
        (0b00, Register::PC) => (HighOperation::Multiply, "smmul"),
        (0b00, _) => (HighOperation::Accumulate(ra), "smmla"),
        (0b11, _) => (HighOperation::Subtract(ra), "smmls"),
        _ => return Err(Refusal::NotOurs),
    };
    forbid_pc(&[rd, rn, rm], mnemonic)?;
    if mnemonic == "smmls" {
        forbid_pc(&[ra], mnemonic)?;
    }
    Ok(Operation::MultiplyHigh {
        op,
        rounding,
        rd,
        rn,
        rm,
    })
}
