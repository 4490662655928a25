//! How to leave a function's frame: the rows of `.debug_frame` (DWARF 5, section 6.4).
//!
//! A row says for some instructions where the canonical frame address is (the stack pointer before
//! the call) and where below it the caller's registers were saved. Rows whose address is anything
//! but a register and an offset end the table's use there. Entries may share what they begin with,
//! and repeat its reading, so the bytes that are interpreted are counted, not only the file's.

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EndianSlice, LittleEndian, RegisterRule,
    UnwindContext, UnwindSection,
};

use super::elf::Sections;

/// The most rows that are kept.
const ROW_LIMIT: usize = 1 << 16;
/// The most bytes of instructions that are interpreted.
const WORK_LIMIT: usize = 1 << 24;

/// What holds from one instruction to another.
#[derive(Clone, Debug)]
struct Row {
    start: u32,
    end: u32,
    /// The canonical frame address is this register's value and this number.
    register: u8,
    offset: i32,
    /// Registers saved at an offset from that address.
    saved: Box<[(u8, i32)]>,
}

/// The rows of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct UnwindTable {
    /// By start.
    rows: Vec<Row>,
}

/// The core registers, as far as they are known; 13 is the stack pointer, 14 the link register.
pub(crate) type Registers = [Option<u32>; 15];

impl UnwindTable {
    /// Reads what can be read.
    pub(super) fn read(sections: &Sections<'_>) -> Self {
        let data = sections.get(".debug_frame").copied().unwrap_or(&[]);
        let mut section = DebugFrame::from(EndianSlice::new(data, LittleEndian));
        section.set_address_size(4);
        let bases = BaseAddresses::default();
        let mut context = UnwindContext::new();
        let mut table = Self::default();
        let mut work = 0usize;
        let mut entries = section.entries(&bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(partial) = entry else {
                continue;
            };
            let Ok(fde) = partial.parse(DebugFrame::cie_from_offset) else {
                continue;
            };
            work = work.saturating_add(fde.entry_len() + fde.cie().entry_len());
            if work > WORK_LIMIT {
                break;
            }
            let Ok(mut rows) = fde.rows(&section, &bases, &mut context) else {
                continue;
            };
            while let Ok(Some(row)) = rows.next_row() {
                if table.rows.len() >= ROW_LIMIT {
                    break;
                }
                table.rows.extend(Row::of(row));
            }
        }
        table.rows.sort_by_key(|row| row.start);
        table
    }

    fn at(&self, pc: u32) -> Option<&Row> {
        let next = self.rows.partition_point(|row| row.start <= pc);
        let row = self.rows.get(next.checked_sub(1)?)?;
        (pc < row.end).then_some(row)
    }

    /// The canonical frame address of the frame that executes the instruction at `pc`.
    pub(super) fn frame_address(&self, pc: u32, registers: &Registers) -> Option<u32> {
        let row = self.at(pc)?;
        let base = registers.get(usize::from(row.register)).copied()??;
        Some(base.wrapping_add_signed(row.offset))
    }

    /// The address of the call that led into this frame, and the caller's registers then.
    pub(super) fn caller(
        &self,
        pc: u32,
        registers: &Registers,
        load: impl Fn(u32) -> Option<u32>,
    ) -> Option<(u32, Registers)> {
        let row = self.at(pc)?;
        let address = self.frame_address(pc, registers)?;
        let mut caller = *registers;
        // Calls may change r0 to r3 and r12; nobody saves them.
        for number in [0, 1, 2, 3, 12] {
            caller[number] = None;
        }
        for &(number, offset) in &row.saved {
            if let Some(register) = caller.get_mut(usize::from(number)) {
                *register = load(address.wrapping_add_signed(offset));
            }
        }
        caller[13] = Some(address);
        let back = caller[14].take()? & !1;
        Some((back.checked_sub(4)?, caller))
    }
}

impl Row {
    fn of(row: &gimli::UnwindTableRow<usize>) -> Option<Self> {
        let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else {
            return None;
        };
        let saved = row.registers().filter_map(|(register, rule)| match rule {
            RegisterRule::Offset(offset) => {
                Some((u8::try_from(register.0).ok()?, i32::try_from(*offset).ok()?))
            }
            _ => None,
        });
        Some(Self {
            start: u32::try_from(row.start_address()).ok()?,
            end: u32::try_from(row.end_address()).ok()?,
            register: u8::try_from(register.0).ok()?,
            offset: i32::try_from(offset).ok()?,
            saved: saved.filter(|(number, _)| *number < 15).collect(),
        })
    }
}
