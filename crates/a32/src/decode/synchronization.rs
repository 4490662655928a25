//! Synchronization, checksums and the thread pointer: DDI 0406C §A5.2.10, DDI 0487 §F6.

use super::{Decoded, Refusal, bit, bits, forbid, forbid_pc, rule};
use crate::instruction::{Barrier, Operation, Order, Polynomial, Synchronization, Unit};
use crate::machine::Size;
use crate::register::Register;

const UNITS: [Unit; 4] = [Unit::Word, Unit::Double, Unit::Byte, Unit::Half];

/// Words, bytes and halves have these places in [`UNITS`].
fn size(unit: Unit) -> Option<Size> {
    match unit {
        Unit::Word => Some(Size::Word),
        Unit::Double => None,
        Unit::Byte => Some(Size::Byte),
        Unit::Half => Some(Size::Half),
    }
}

/// The row `0001 xxxx … 1001` of the conditional instructions.
pub(super) fn synchronization(word: u32) -> Decoded {
    if !bit(word, 23) {
        return swap(word);
    }
    if bits(word, 10, 2) != 0b11 {
        return Err(Refusal::NotOurs);
    }
    let unit = UNITS[bits(word, 21, 2) as usize];
    match (bits(word, 8, 2), bit(word, 20)) {
        (0b11, true) => load_exclusive(word, unit, Order::Relaxed),
        (0b10, true) => load_exclusive(word, unit, Order::Ordered),
        (0b11, false) => store_exclusive(word, unit, Order::Relaxed),
        (0b10, false) => store_exclusive(word, unit, Order::Ordered),
        (0b00, load) => {
            let size = size(unit).ok_or(Refusal::NotOurs)?;
            if load {
                load_acquire(word, size)
            } else {
                store_release(word, size)
            }
        }
        _ => Err(Refusal::NotOurs),
    }
}

const fn done(synchronization: Synchronization) -> Decoded {
    Ok(Operation::Synchronization(synchronization))
}

fn forbid_odd_pair(unit: Unit, rt: Register, mnemonic: &'static str) -> Result<(), Refusal> {
    let odd = rt.number() & 1 == 1 || rt == Register::LR;
    forbid(unit == Unit::Double && odd, mnemonic, rule::PAIR)
}

fn load_exclusive(word: u32, unit: Unit, order: Order) -> Decoded {
    let (rn, rt) = (Register::field(word, 16), Register::field(word, 12));
    forbid(bits(word, 0, 4) != 15, "ldrex", rule::RESERVED)?;
    forbid_pc(&[rn, rt], "ldrex")?;
    forbid_odd_pair(unit, rt, "ldrexd")?;
    done(Synchronization::LoadExclusive {
        unit,
        order,
        rt,
        rn,
    })
}

fn store_exclusive(word: u32, unit: Unit, order: Order) -> Decoded {
    let (rn, rd, rt) = (
        Register::field(word, 16),
        Register::field(word, 12),
        Register::field(word, 0),
    );
    forbid_pc(&[rn, rd, rt], "strex")?;
    forbid_odd_pair(unit, rt, "strexd")?;
    let second = unit == Unit::Double && rd == rt.next();
    forbid(rd == rn || rd == rt || second, "strex", rule::STATUS)?;
    done(Synchronization::StoreExclusive {
        unit,
        order,
        rd,
        rt,
        rn,
    })
}

fn load_acquire(word: u32, size: Size) -> Decoded {
    let (rn, rt) = (Register::field(word, 16), Register::field(word, 12));
    forbid(bits(word, 0, 4) != 15, "lda", rule::RESERVED)?;
    forbid_pc(&[rn, rt], "lda")?;
    done(Synchronization::LoadAcquire { size, rt, rn })
}

fn store_release(word: u32, size: Size) -> Decoded {
    let (rn, rt) = (Register::field(word, 16), Register::field(word, 0));
    forbid(bits(word, 12, 4) != 15, "stl", rule::RESERVED)?;
    forbid_pc(&[rn, rt], "stl")?;
    done(Synchronization::StoreRelease { size, rt, rn })
}

fn swap(word: u32) -> Decoded {
    if bits(word, 20, 2) != 0 {
        return Err(Refusal::NotOurs);
    }
    let (rn, rt, source) = (
        Register::field(word, 16),
        Register::field(word, 12),
        Register::field(word, 0),
    );
    forbid(bits(word, 8, 4) != 0, "swp", rule::RESERVED)?;
    forbid_pc(&[rn, rt, source], "swp")?;
    forbid(rn == rt || rn == source, "swp", rule::SWAPPED)?;
    let size = if bit(word, 22) {
        Size::Byte
    } else {
        Size::Word
    };
    done(Synchronization::Swap {
        size,
        rt,
        source,
        rn,
    })
}

/// `CRC32`, among the miscellaneous instructions.
pub(super) fn checksum(word: u32) -> Decoded {
    let size = match bits(word, 21, 2) {
        0 => Size::Byte,
        1 => Size::Half,
        2 => Size::Word,
        _ => return Err(Refusal::NotOurs),
    };
    let (rn, rd, rm) = (
        Register::field(word, 16),
        Register::field(word, 12),
        Register::field(word, 0),
    );
    forbid(word >> 28 != 14, "crc32", rule::CONDITION)?;
    forbid(bits(word, 8, 4) & 0b1101 != 0, "crc32", rule::RESERVED)?;
    forbid_pc(&[rn, rd, rm], "crc32")?;
    done(Synchronization::Checksum {
        polynomial: if bit(word, 9) {
            Polynomial::Castagnoli
        } else {
            Polynomial::Ethernet
        },
        size,
        rd,
        rn,
        rm,
    })
}

/// The registers of coprocessor 15 that a user's program may use.
pub(super) fn system_register(word: u32) -> Decoded {
    let rt = Register::field(word, 12);
    let (name, operation) = match word & 0x0fff_0fff {
        0x0e1d_0f70 => ("mrc", Synchronization::ThreadPointer { rt }),
        0x0e07_0f9a => ("mcr", barrier(Barrier::DataSynchronization, rt)),
        0x0e07_0fba => ("mcr", barrier(Barrier::DataMemory, rt)),
        0x0e07_0f95 => ("mcr", barrier(Barrier::InstructionSynchronization, rt)),
        _ => return Err(Refusal::NotOurs),
    };
    forbid_pc(&[rt], name)?;
    done(operation)
}

const fn barrier(barrier: Barrier, rt: Register) -> Synchronization {
    Synchronization::Barrier { barrier, rt }
}
