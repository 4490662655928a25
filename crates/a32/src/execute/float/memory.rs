//! Loads and stores of floating-point registers. DDI 0406C §A8.8, VLDM to VSTR.
//!
//! As for the core registers: everything is accessed first, then the base moves, then results are
//! written.

use super::super::data::add_constant;
use super::{read, write};
use crate::float::{FloatRegister, FloatWord, Precision};
use crate::instruction::{FloatBlock, FloatBlockMode, WriteBack};
use crate::machine::{Alignment, Machine, Size};
use crate::operand::{Address, Direction, Offset};

/// `base ± offset`; `pc` is aligned already, as every instruction is.
fn place<M: Machine>(m: &mut M, address: Address) -> M::Word {
    let base = m.register(address.base);
    let offset = match address.offset {
        Offset::Immediate(offset) => u32::from(offset),
        Offset::Register(..) => 0,
    };
    match address.direction {
        Direction::Add => add_constant(m, &base, offset),
        Direction::Subtract => add_constant(m, &base, offset.wrapping_neg()),
    }
}

pub(super) fn load<M: Machine>(
    m: &mut M,
    rd: FloatRegister,
    address: Address,
) -> Result<(), M::Error> {
    let place = place(m, address);
    let low = m.load(&place, Size::Word, Alignment::Word)?;
    let high = match rd.precision() {
        Precision::Single => m.word(0),
        Precision::Double => {
            let above = add_constant(m, &place, 4);
            m.load(&above, Size::Word, Alignment::Word)?
        }
    };
    write(m, rd, [low, high])
}

pub(super) fn store<M: Machine>(
    m: &mut M,
    rd: FloatRegister,
    address: Address,
) -> Result<(), M::Error> {
    let place = place(m, address);
    let [low, high] = read(m, rd);
    m.store(&place, Size::Word, Alignment::Word, &low)?;
    if rd.precision() == Precision::Single {
        return Ok(());
    }
    let above = add_constant(m, &place, 4);
    m.store(&above, Size::Word, Alignment::Word, &high)
}

/// The words of a block in the order of memory.
fn words(block: FloatBlock) -> impl Iterator<Item = FloatWord> {
    let count = block
        .count
        .saturating_mul(block.first.precision().words() as u8);
    (0..count).map(move |i| block.first.word().after(i))
}

/// The lowest address of a block relative to its base, and what the base moves by.
fn extent(block: FloatBlock) -> (u32, u32) {
    let bytes = words(block).count() as u32 * 4;
    match block.mode {
        FloatBlockMode::IncrementAfter => (0, bytes),
        FloatBlockMode::DecrementBefore => (bytes.wrapping_neg(), bytes.wrapping_neg()),
    }
}

fn move_base<M: Machine>(m: &mut M, block: FloatBlock, base: &M::Word) -> Result<(), M::Error> {
    if block.write_back == WriteBack::No {
        return Ok(());
    }
    let moved = add_constant(m, base, extent(block).1);
    m.set_register(block.base, moved)
}

pub(super) fn load_multiple<M: Machine>(m: &mut M, block: FloatBlock) -> Result<(), M::Error> {
    let base = m.register(block.base);
    let mut offset = extent(block).0;
    let mut loaded = Vec::new();
    for word in words(block) {
        let address = add_constant(m, &base, offset);
        loaded.push((word, m.load(&address, Size::Word, Alignment::Word)?));
        offset = offset.wrapping_add(4);
    }
    move_base(m, block, &base)?;
    for (word, value) in loaded {
        m.set_float_word(word, value)?;
    }
    Ok(())
}

pub(super) fn store_multiple<M: Machine>(m: &mut M, block: FloatBlock) -> Result<(), M::Error> {
    let base = m.register(block.base);
    let mut offset = extent(block).0;
    for word in words(block) {
        let address = add_constant(m, &base, offset);
        let value = m.float_word(word);
        m.store(&address, Size::Word, Alignment::Word, &value)?;
        offset = offset.wrapping_add(4);
    }
    move_base(m, block, &base)
}
