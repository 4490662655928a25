//! Where things are in an assembled program's memory.
//!
//! Registers first, at an address that one `movw` can name, the data behind them, the code behind
//! the data. Pages between them are free, and so are the addresses behind the code that stand for
//! labels which nobody defines: going there is the error that says so.

use assembly::Unit;

const PAGE: u32 = 0x1000;
/// The first register; the page below stays free, so that nothing lies at 0.
const REGISTERS: u32 = PAGE;
/// The lowest address of the code, also of short programs: they all begin at the same place.
const CODE: u32 = 0x1_0000;

pub(super) struct Layout {
    width: u32,
    data: Vec<u32>,
    /// The end of registers and data.
    pub(super) end: u32,
    /// The first instruction.
    pub(super) code: u32,
}

impl Layout {
    /// A unit's data is limited, so no sum here leaves 32 bits.
    pub(super) fn new(unit: &Unit) -> Self {
        let width = unit.width.bytes();
        let mut end = REGISTERS + u32::from(unit.registers) * width;
        let mut data = Vec::with_capacity(unit.data.len());
        for datum in &unit.data {
            end = end.next_multiple_of(4);
            data.push(end);
            end += datum.count * width;
        }
        Layout {
            width,
            data,
            end,
            code: (end.next_multiple_of(PAGE) + PAGE).max(CODE),
        }
    }

    /// The beginning of registers and data.
    pub(super) fn begin(&self) -> u32 {
        REGISTERS
    }

    /// The address of a register.
    pub(super) fn register(&self, number: u16) -> u32 {
        REGISTERS + u32::from(number) * self.width
    }

    /// The address of a datum.
    pub(super) fn datum(&self, index: usize) -> u32 {
        // Every index in a unit is one of its data.
        self.data.get(index).copied().unwrap_or(REGISTERS)
    }

    /// How far from the first instruction the place of an undefined label is, in bytes.
    pub(super) fn undefined(&self, words: usize, label: usize) -> i64 {
        let page = i64::from(PAGE);
        let end = 4 * words as i64;
        (end / page + 2) * page + 4 * label as i64
    }
}
