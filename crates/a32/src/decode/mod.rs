//! From a word to an [`Instruction`].
//!
//! The tree follows the encoding tables of the architecture manual (DDI 0406C §A5), one function
//! per table, so that each can be read beside its page. A word decodes only if its meaning is
//! fully defined: UNPREDICTABLE operands, violated should-be-zero bits included, are refused. So
//! are the two block transfers that store an UNKNOWN value. `decode` is total: every word gives an
//! instruction or an error, without a panic, in constant time.

mod classes;
mod data;
mod float;
mod media;
mod memory;
mod packed;
mod products;
mod status;
mod synchronization;

use crate::condition::Condition;
use crate::error::DecodeError;
use crate::instruction::{Hint, Instruction, Link, Operation, Synchronization, Trap};
use crate::register::Register;

/// Why a part of the tree refuses a word; the root adds the word and a name.
#[derive(Clone, Copy)]
enum Refusal {
    /// Outside the subset or undefined: the class table knows which.
    NotOurs,
    /// In the subset, but UNPREDICTABLE: mnemonic and broken rule.
    Unpredictable(&'static str, &'static str),
}

type Decoded = Result<Operation, Refusal>;

/// The rules that encodings break.
mod rule {
    pub(super) const NO_PC: &str = "an operand is pc";
    pub(super) const RESERVED: &str = "a reserved bit is not as it should be";
    pub(super) const BASE_LOST: &str = "the base is written back and transferred";
    pub(super) const PC_BASE: &str = "the base is pc and written back";
    pub(super) const SAME: &str = "two results go to one register";
    pub(super) const PAIR: &str = "the first register of the pair is odd or lr";
    pub(super) const FIELD: &str = "the bit field leaves the register";
    pub(super) const INDEX: &str = "post-indexing with the writeback bit";
    pub(super) const EMPTY: &str = "the register list is empty";
    pub(super) const CONDITION: &str = "it stands under a condition";
    pub(super) const FRACTION: &str = "the number has a negative number of fraction bits";
    pub(super) const PAST_LAST: &str = "the registers go past the last or are more than 16";
    pub(super) const STATUS: &str = "the status goes to another operand";
    pub(super) const SWAPPED: &str = "the base is one of the exchanged registers";
    pub(super) const OVERLAP: &str = "the index is one of the loaded registers";
}

/// The `width` bits of `word` from `lsb` up.
const fn bits(word: u32, lsb: u32, width: u32) -> u32 {
    word >> lsb & ((1 << width) - 1)
}

/// Bit `index` of `word`.
const fn bit(word: u32, index: u32) -> bool {
    word >> index & 1 == 1
}

/// Refuses where a rule is broken.
const fn forbid(broken: bool, mnemonic: &'static str, rule: &'static str) -> Result<(), Refusal> {
    if broken {
        Err(Refusal::Unpredictable(mnemonic, rule))
    } else {
        Ok(())
    }
}

/// Refuses `pc` among operands that may not be it.
fn forbid_pc(registers: &[Register], mnemonic: &'static str) -> Result<(), Refusal> {
    forbid(registers.contains(&Register::PC), mnemonic, rule::NO_PC)
}

/// Decodes one A32 word.
///
/// ```
/// let instruction = blindcore_a32::decode(0xe2d1_0001)?;
/// assert_eq!(instruction.to_string(), "sbcs r0, r1, #1");
/// assert!(blindcore_a32::decode(0xf220_0840).is_err()); // vadd.i32, of vectors
/// # Ok::<(), blindcore_a32::DecodeError>(())
/// ```
///
/// # Errors
/// [`DecodeError`] for words outside the subset, UNPREDICTABLE ones and undefined ones.
pub fn decode(word: u32) -> Result<Instruction, DecodeError> {
    let decoded = match Condition::of(word) {
        Some(condition) => conditional(word).map(|operation| Instruction {
            condition,
            operation,
        }),
        None => unconditional(word).map(|operation| Instruction {
            condition: Condition::Always,
            operation,
        }),
    };
    decoded.map_err(|refusal| match refusal {
        Refusal::NotOurs => classes::refuse(word),
        Refusal::Unpredictable(mnemonic, reason) => DecodeError::Unpredictable {
            word,
            mnemonic,
            reason,
        },
    })
}

/// Table A5-1: the conditional instructions.
fn conditional(word: u32) -> Decoded {
    match bits(word, 25, 3) {
        0b000 if bit(word, 7) && bit(word, 4) => match bits(word, 5, 2) {
            0 if !bit(word, 24) => data::multiply(word),
            0 => synchronization::synchronization(word),
            _ => memory::extra_load_store(word),
        },
        0b000 if bits(word, 23, 2) == 0b10 && !bit(word, 20) => {
            if bit(word, 7) {
                products::of_halves(word)
            } else {
                miscellaneous(word)
            }
        }
        0b001 if bits(word, 23, 2) == 0b10 && !bit(word, 20) => match bits(word, 21, 2) {
            0b00 | 0b10 => data::move_wide(word),
            0b01 if bits(word, 16, 4) == 0 => hint(word),
            _ => status::write_immediate(word),
        },
        0b000 | 0b001 => data::data_processing(word),
        0b010 => memory::load_store(word),
        0b011 if bit(word, 4) => media::media(word),
        0b011 => memory::load_store(word),
        0b100 => memory::block(word),
        0b101 => Ok(branch(word)),
        0b110 if float::is_float(word) => float::conditional(word),
        0b111 if !bit(word, 24) && float::is_float(word) => float::conditional(word),
        0b111 if !bit(word, 24) => synchronization::system_register(word),
        _ if bits(word, 24, 4) == 0b1111 => Ok(Operation::SupervisorCall {
            number: bits(word, 0, 24),
        }),
        _ => Err(Refusal::NotOurs),
    }
}

/// §A5.2.12: the miscellaneous instructions that a user's program may use.
fn miscellaneous(word: u32) -> Decoded {
    let rm = Register::field(word, 0);
    match (bits(word, 21, 2), bits(word, 4, 4)) {
        (0b00 | 0b10, 0b0000) => status::read(word),
        (0b01 | 0b11, 0b0000) => status::write_register(word),
        (_, 0b0100) => synchronization::checksum(word),
        (_, 0b0101) => data::saturating_sum(word),
        (0b01, 0b0111) => {
            forbid(word >> 28 != 14, "bkpt", rule::CONDITION)?;
            let number = bits(word, 8, 12) << 4 | bits(word, 0, 4);
            Ok(Operation::Trap(Trap::Breakpoint(number as u16)))
        }
        (0b01, 0b0001) => {
            forbid(bits(word, 8, 12) != 0xfff, "bx", rule::RESERVED)?;
            Ok(Operation::BranchExchange { link: Link::No, rm })
        }
        (0b01, 0b0011) => {
            forbid(bits(word, 8, 12) != 0xfff, "blx", rule::RESERVED)?;
            forbid_pc(&[rm], "blx")?;
            Ok(Operation::BranchExchange {
                link: Link::Yes,
                rm,
            })
        }
        (0b11, 0b0001) => data::count_leading_zeros(word),
        _ => Err(Refusal::NotOurs),
    }
}

/// §A5.2.11: hints share their row with `MSR` to no field at all.
fn hint(word: u32) -> Decoded {
    if bit(word, 22) {
        return Err(Refusal::NotOurs);
    }
    let hint = match bits(word, 0, 8) {
        0x00 => Hint::Nop,
        0x01 => Hint::Yield,
        0x02 => Hint::WaitForEvent,
        0x03 => Hint::WaitForInterrupt,
        0x04 => Hint::SendEvent,
        0x05 => Hint::SendEventLocal,
        0x14 => Hint::ConsumptionBarrier,
        option @ 0xf0..=0xff => Hint::Debug(option as u8 & 15),
        _ => return Err(Refusal::NotOurs),
    };
    forbid(bits(word, 8, 8) != 0xf0, "hint", rule::RESERVED)?;
    Ok(Operation::Hint(hint))
}

/// §A8.8.18, §A8.8.25: the 24-bit offset counts words from the instruction's address + 8.
fn branch(word: u32) -> Operation {
    let link = if bit(word, 24) { Link::Yes } else { Link::No };
    Operation::Branch {
        link,
        offset: (word << 8).cast_signed() >> 6,
    }
}

/// §A5.7: of the unconditional instructions, preloads, the three barriers, `CLREX`, and the
/// floating-point ones that ARMv8 added.
fn unconditional(word: u32) -> Decoded {
    if bits(word, 24, 4) == 0b1110 && float::is_float(word) && !bit(word, 4) {
        return float::unconditional(word);
    }
    if bits(word, 26, 2) == 0b01 && bits(word, 20, 2) == 0b01 {
        return memory::preload(word);
    }
    if word == 0xf57f_f01f {
        return Ok(Operation::Synchronization(Synchronization::ClearExclusive));
    }
    if bits(word, 20, 8) != 0b0101_0111 || !matches!(bits(word, 4, 4), 4..=6) {
        return Err(Refusal::NotOurs);
    }
    let option = bits(word, 0, 4) as u8;
    let (hint, mnemonic) = match bits(word, 4, 4) {
        4 => (Hint::DataSynchronizationBarrier(option), "dsb"),
        5 => (Hint::DataMemoryBarrier(option), "dmb"),
        _ => (Hint::InstructionSynchronizationBarrier(option), "isb"),
    };
    forbid(bits(word, 8, 12) != 0xff0, mnemonic, rule::RESERVED)?;
    Ok(Operation::Hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_offsets_are_sign_extended_words() {
        let offset = |word| match decode(word).unwrap().operation {
            Operation::Branch { offset, .. } => offset,
            other => panic!("{other:?}"),
        };
        assert_eq!(offset(0xeaff_fffe), -8);
        assert_eq!(offset(0xea00_0000), 0);
        assert_eq!(offset(0xeb7f_ffff), (1 << 25) - 4);
        assert_eq!(offset(0xeb80_0000), -(1 << 25));
    }

    #[test]
    fn refusals_name_the_word_and_the_instruction() {
        let refused = |word| decode(word).unwrap_err();
        assert_eq!(
            refused(0xfaff_fffe),
            DecodeError::Thumb { word: 0xfaff_fffe }
        );
        assert_eq!(
            refused(0xfb00_0000),
            DecodeError::Thumb { word: 0xfb00_0000 }
        );
        for (word, mnemonic) in [
            (0xee30_0920, "vfp of halves"),             // vadd.f16 s0, s0, s1
            (0xecb0_0b03, "fldmx"),                     // fldmiax r0!, {d0}
            (0xeca0_0b03, "fstmx"),                     // fstmiax r0!, {d0}
            (0xeef0_0a10, "vmrs of a system register"), // vmrs r0, fpsid
            (0xeee8_0a10, "vmsr of a system register"), // vmsr fpexc, r0
            (0xee40_0b30, "neon"),                      // vmov.8 d0[1], r0
            (0xee80_0b10, "neon"),                      // vdup.32 d0, r0
            (0xeeb9_0bc0, "vjcvt"),                     // vjcvt.s32.f64 s0, d0
            (0xf220_0840, "neon"),                      // vadd.i32 q0, q0, q0
            (0xe160_0042, "crc32"),                     // crc32x
            (0xf102_0010, "cps"),                       // cps #16
            (0xe140_0070, "hvc"),
            (0xe160_0070, "smc"),
            (0xee07_0f15, "mcr"),
            (0xee1d_0f50, "mrc"), // mrc p15, 0, r0, c13, c0, 2
            (0xe14f_0000, "mrs of a saved status register"),
            (0xe129_f000, "msr to control bits"),
            (0xe321_f010, "msr to control bits"),
            (0xe168_f000, "msr to a saved status register"),
            (0xe8d0_0001, "ldm with user registers or exception return"),
            (0xe1b0_f00e, "exception return"), // movs pc, lr
        ] {
            let error = refused(word);
            assert_eq!(
                error,
                DecodeError::Unsupported {
                    word,
                    mnemonic: error.mnemonic()
                },
                "{word:#x}"
            );
            assert_eq!(error.mnemonic(), mnemonic, "{word:#x}");
        }
        assert_eq!(
            refused(0xe5b1_1004).to_string(),
            "0xe5b11004 (ldr) is unpredictable: the base is written back and transferred"
        );
        assert_eq!(
            refused(0xee30_0920).to_string(),
            "0xee300920 (vfp of halves) is not supported"
        );
    }
}
