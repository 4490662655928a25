//! Loads and stores. DDI 0406C §A8.5, and §A8.8 of each instruction.
//!
//! Everything is read and accessed first; then the base moves; then results are written, `pc` last.

use super::data::{add, add_constant, shifted_offset, subtract};
use super::{field, write};
use crate::instruction::{Block, BlockMode, LoadKind, WriteBack};
use crate::machine::{Alignment, Machine, Signedness, Size};
use crate::operand::{Address, Direction, Indexing, Offset};
use crate::register::Register;

/// Where an access goes, and what its base becomes.
struct Place<M: Machine> {
    address: M::Word,
    write_back: Option<(Register, M::Word)>,
}

impl<M: Machine> Place<M> {
    fn of(m: &mut M, address: Address) -> Place<M> {
        let base = m.register(address.base);
        let moved = match (address.direction, address.offset) {
            (Direction::Add, Offset::Immediate(offset)) => add_constant(m, &base, offset.into()),
            (Direction::Subtract, Offset::Immediate(offset)) => {
                add_constant(m, &base, u32::from(offset).wrapping_neg())
            }
            (Direction::Add, Offset::Register(index, shift)) => {
                let offset = shifted_offset(m, index, shift);
                add(m, &base, &offset)
            }
            (Direction::Subtract, Offset::Register(index, shift)) => {
                let offset = shifted_offset(m, index, shift);
                subtract(m, &base, &offset).result
            }
        };
        match address.indexing {
            Indexing::Offset => Place {
                address: moved,
                write_back: None,
            },
            Indexing::PreIndexed => Place {
                address: moved.clone(),
                write_back: Some((address.base, moved)),
            },
            Indexing::PostIndexed | Indexing::Unprivileged => Place {
                address: base,
                write_back: Some((address.base, moved)),
            },
        }
    }

    fn write_back(self, m: &mut M) -> Result<(), M::Error> {
        match self.write_back {
            Some((base, value)) => m.set_register(base, value),
            None => Ok(()),
        }
    }
}

/// `LDR`, `LDRB`, `LDRH`, `LDRSB`, `LDRSH`.
pub(super) fn load<M: Machine>(
    m: &mut M,
    kind: LoadKind,
    rt: Register,
    address: Address,
) -> Result<(), M::Error> {
    let place = Place::of(m, address);
    let (size, signed) = match kind {
        LoadKind::Word => (Size::Word, false),
        LoadKind::Byte => (Size::Byte, false),
        LoadKind::Half => (Size::Half, false),
        LoadKind::SignedByte => (Size::Byte, true),
        LoadKind::SignedHalf => (Size::Half, true),
    };
    let alignment = if rt == Register::PC {
        Alignment::Word
    } else {
        Alignment::Any
    };
    let mut value = m.load(&place.address, size, alignment)?;
    if signed {
        value = field::sized(m, Signedness::Signed, size, &value);
    }
    place.write_back(m)?;
    write(m, rt, value)
}

/// `STR`, `STRB`, `STRH`.
pub(super) fn store<M: Machine>(
    m: &mut M,
    size: Size,
    rt: Register,
    address: Address,
) -> Result<(), M::Error> {
    let place = Place::of(m, address);
    let value = m.register(rt);
    m.store(&place.address, size, Alignment::Any, &value)?;
    place.write_back(m)
}

/// `LDRD`.
pub(super) fn load_dual<M: Machine>(
    m: &mut M,
    rt: Register,
    address: Address,
) -> Result<(), M::Error> {
    let place = Place::of(m, address);
    let first = m.load(&place.address, Size::Word, Alignment::Word)?;
    let above = add_constant(m, &place.address, 4);
    let second = m.load(&above, Size::Word, Alignment::Word)?;
    place.write_back(m)?;
    m.set_register(rt, first)?;
    m.set_register(rt.next(), second)
}

/// `STRD`.
pub(super) fn store_dual<M: Machine>(
    m: &mut M,
    rt: Register,
    address: Address,
) -> Result<(), M::Error> {
    let place = Place::of(m, address);
    let (first, second) = (m.register(rt), m.register(rt.next()));
    m.store(&place.address, Size::Word, Alignment::Word, &first)?;
    let above = add_constant(m, &place.address, 4);
    m.store(&above, Size::Word, Alignment::Word, &second)?;
    place.write_back(m)
}

/// The lowest address of a block relative to its base, and what the base moves by.
fn extent(block: Block) -> (u32, u32) {
    let bytes = block.registers.len() * 4;
    match block.mode {
        BlockMode::IncrementAfter => (0, bytes),
        BlockMode::IncrementBefore => (4, bytes),
        BlockMode::DecrementAfter => (4_u32.wrapping_sub(bytes), bytes.wrapping_neg()),
        BlockMode::DecrementBefore => (bytes.wrapping_neg(), bytes.wrapping_neg()),
    }
}

fn move_base<M: Machine>(m: &mut M, block: Block, base: &M::Word) -> Result<(), M::Error> {
    if block.write_back == WriteBack::No {
        return Ok(());
    }
    let moved = add_constant(m, base, extent(block).1);
    m.set_register(block.base, moved)
}

/// `LDM`.
pub(super) fn load_multiple<M: Machine>(m: &mut M, block: Block) -> Result<(), M::Error> {
    let base = m.register(block.base);
    let mut offset = extent(block).0;
    let mut loaded: [Option<M::Word>; 16] = [const { None }; 16];
    for register in block.registers.iter() {
        let address = add_constant(m, &base, offset);
        loaded[register.index()] = Some(m.load(&address, Size::Word, Alignment::Word)?);
        offset = offset.wrapping_add(4);
    }
    move_base(m, block, &base)?;
    for (register, value) in Register::all().zip(loaded) {
        if let Some(value) = value {
            write(m, register, value)?;
        }
    }
    Ok(())
}

/// `STM`.
pub(super) fn store_multiple<M: Machine>(m: &mut M, block: Block) -> Result<(), M::Error> {
    let base = m.register(block.base);
    let mut offset = extent(block).0;
    for register in block.registers.iter() {
        let address = add_constant(m, &base, offset);
        let value = m.register(register);
        m.store(&address, Size::Word, Alignment::Word, &value)?;
        offset = offset.wrapping_add(4);
    }
    move_base(m, block, &base)
}
