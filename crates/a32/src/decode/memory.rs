//! Loads and stores: DDI 0406C §A5.2.8 (halves, signed, doubles), §A5.3 (words, bytes), §A5.5
//! (blocks).

use super::data::constant_shift;
use super::{Decoded, Refusal, bit, bits, forbid, forbid_pc, rule};
use crate::instruction::{Block, BlockMode, LoadKind, Operation, Preload, WriteBack};
use crate::machine::Size;
use crate::operand::{Address, ConstantShift, Direction, Indexing, Offset};
use crate::register::{Register, RegisterList};

fn address(word: u32, offset: Offset) -> Address {
    Address {
        base: Register::field(word, 16),
        direction: if bit(word, 23) {
            Direction::Add
        } else {
            Direction::Subtract
        },
        offset,
        indexing: match (bit(word, 24), bit(word, 21)) {
            (false, false) => Indexing::PostIndexed,
            (false, true) => Indexing::Unprivileged,
            (true, false) => Indexing::Offset,
            (true, true) => Indexing::PreIndexed,
        },
    }
}

/// The rules that all single and double transfers share: what is written back must be neither
/// `pc` nor among the transferred registers, and an index register is not `pc`.
fn check_address(
    address: Address,
    transferred: &[Register],
    mnemonic: &'static str,
) -> Result<(), Refusal> {
    if let Offset::Register(index, _) = address.offset {
        forbid_pc(&[index], mnemonic)?;
    }
    if address.writes_back() {
        forbid(address.base == Register::PC, mnemonic, rule::PC_BASE)?;
        forbid(
            transferred.contains(&address.base),
            mnemonic,
            rule::BASE_LOST,
        )?;
    }
    Ok(())
}

/// Whether the access is one of the `…T` forms: post-indexed with W set.
fn is_unprivileged(word: u32) -> bool {
    !bit(word, 24) && bit(word, 21)
}

/// `LDR`, `STR`, `LDRB`, `STRB`, and `LDRT` … `STRBT`.
pub(super) fn load_store(word: u32) -> Decoded {
    let rt = Register::field(word, 12);
    let (byte, load, unprivileged) = (bit(word, 22), bit(word, 20), is_unprivileged(word));
    let mnemonic = match (load, byte, unprivileged) {
        (true, false, false) => "ldr",
        (true, true, false) => "ldrb",
        (false, false, false) => "str",
        (false, true, false) => "strb",
        (true, false, true) => "ldrt",
        (true, true, true) => "ldrbt",
        (false, false, true) => "strt",
        (false, true, true) => "strbt",
    };
    let offset = if bit(word, 25) {
        Offset::Register(Register::field(word, 0), constant_shift(word))
    } else {
        Offset::Immediate(bits(word, 0, 12) as u16)
    };
    let address = address(word, offset);
    check_address(address, &[rt], mnemonic)?;
    if byte || (load && unprivileged) {
        forbid_pc(&[rt], mnemonic)?;
    }
    Ok(match (load, byte) {
        (true, false) => Operation::Load {
            kind: LoadKind::Word,
            rt,
            address,
        },
        (true, true) => Operation::Load {
            kind: LoadKind::Byte,
            rt,
            address,
        },
        (false, false) => Operation::Store {
            size: Size::Word,
            rt,
            address,
        },
        (false, true) => Operation::Store {
            size: Size::Byte,
            rt,
            address,
        },
    })
}

/// `LDRH`, `STRH`, `LDRSB`, `LDRSH`, `LDRD`, `STRD`, and `LDRHT` … `STRHT`.
pub(super) fn extra_load_store(word: u32) -> Decoded {
    let rt = Register::field(word, 12);
    let (load, op) = (bit(word, 20), bits(word, 5, 2));
    let dual = !load && op != 0b01;
    let mnemonic = match (load, op, is_unprivileged(word)) {
        (false, 0b10, _) => "ldrd",
        (false, 0b11, _) => "strd",
        (false, _, false) => "strh",
        (true, 0b01, false) => "ldrh",
        (true, 0b10, false) => "ldrsb",
        (true, _, false) => "ldrsh",
        (false, _, true) => "strht",
        (true, 0b01, true) => "ldrht",
        (true, 0b10, true) => "ldrsbt",
        (true, _, true) => "ldrsht",
    };
    forbid(dual && is_unprivileged(word), mnemonic, rule::INDEX)?;
    let offset = if bit(word, 22) {
        Offset::Immediate((bits(word, 8, 4) << 4 | bits(word, 0, 4)) as u16)
    } else {
        forbid(bits(word, 8, 4) != 0, mnemonic, rule::RESERVED)?;
        Offset::Register(Register::field(word, 0), ConstantShift::None)
    };
    let address = address(word, offset);
    if dual {
        forbid(
            rt.number() & 1 == 1 || rt == Register::LR,
            mnemonic,
            rule::PAIR,
        )?;
        let pair = [rt, rt.next()];
        check_address(address, &pair, mnemonic)?;
        if op == 0b11 {
            return Ok(Operation::StoreDual { rt, address });
        }
        if let Offset::Register(index, _) = offset {
            forbid(pair.contains(&index), mnemonic, rule::OVERLAP)?;
        }
        return Ok(Operation::LoadDual { rt, address });
    }
    forbid_pc(&[rt], mnemonic)?;
    check_address(address, &[rt], mnemonic)?;
    Ok(match (load, op) {
        (false, _) => Operation::Store {
            size: Size::Half,
            rt,
            address,
        },
        (true, 0b01) => Operation::Load {
            kind: LoadKind::Half,
            rt,
            address,
        },
        (true, 0b10) => Operation::Load {
            kind: LoadKind::SignedByte,
            rt,
            address,
        },
        (true, _) => Operation::Load {
            kind: LoadKind::SignedHalf,
            rt,
            address,
        },
    })
}

/// `PLD`, `PLDW`, `PLI`, which the table of unconditional instructions finds.
pub(super) fn preload(word: u32) -> Decoded {
    let (kind, mnemonic) = match (bit(word, 24), bit(word, 22)) {
        (true, true) => (Preload::Data, "pld"),
        (true, false) => (Preload::DataForWriting, "pldw"),
        (false, true) => (Preload::Instructions, "pli"),
        (false, false) => return Err(Refusal::NotOurs),
    };
    let offset = if bit(word, 25) {
        if bit(word, 4) {
            return Err(Refusal::NotOurs);
        }
        Offset::Register(Register::field(word, 0), constant_shift(word))
    } else {
        Offset::Immediate(bits(word, 0, 12) as u16)
    };
    let address = Address {
        indexing: Indexing::Offset,
        ..address(word, offset)
    };
    forbid(bits(word, 12, 4) != 15, mnemonic, rule::RESERVED)?;
    check_address(address, &[], mnemonic)?;
    if kind == Preload::DataForWriting {
        forbid_pc(&[address.base], mnemonic)?;
    }
    Ok(Operation::Preload { kind, address })
}

/// `LDM` and `STM` in their four modes.
pub(super) fn block(word: u32) -> Decoded {
    let load = bit(word, 20);
    if bit(word, 22) {
        return Err(Refusal::NotOurs);
    }
    let mnemonic = if load { "ldm" } else { "stm" };
    let block = Block {
        mode: match bits(word, 23, 2) {
            0b00 => BlockMode::DecrementAfter,
            0b01 => BlockMode::IncrementAfter,
            0b10 => BlockMode::DecrementBefore,
            _ => BlockMode::IncrementBefore,
        },
        base: Register::field(word, 16),
        write_back: if bit(word, 21) {
            WriteBack::Yes
        } else {
            WriteBack::No
        },
        registers: RegisterList::from_mask(bits(word, 0, 16) as u16),
    };
    forbid_pc(&[block.base], mnemonic)?;
    forbid(block.registers.is_empty(), mnemonic, rule::EMPTY)?;
    if block.write_back == WriteBack::Yes && block.registers.contains(block.base) {
        // A store of the base is defined only where it is stored first, before it moves.
        let defined = !load && block.registers.lowest() == Some(block.base);
        forbid(!defined, mnemonic, rule::BASE_LOST)?;
    }
    Ok(if load {
        Operation::LoadMultiple(block)
    } else {
        Operation::StoreMultiple(block)
    })
}
