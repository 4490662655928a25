//! What a path did to memory, so that it can be undone.
//!
//! While a journal is open, memory notes the first old value of every byte that is stored to.
//! Rolling back puts these values in place again and hands out what stood there instead; a commit
//! leaves memory as it is and passes the old values on to the journal around it. Journals nest as
//! branches do. Cost: a hash entry for each byte stored to; nothing where no journal is open but
//! one look at whether there is one.

use std::collections::{BTreeMap, HashMap};

use super::Byte;
use super::memory::Memory;

/// A byte and whether the program wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) byte: Byte,
    pub(crate) written: bool,
}

/// The bytes that a path stored to, in address order, so that what follows from them is the same
/// every time.
pub(crate) type Changes = BTreeMap<u32, Cell>;

/// By address: what stood there when the journal was opened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal(HashMap<u32, Cell>);

impl Memory {
    /// Opens a journal.
    pub(crate) fn open_journal(&mut self) {
        self.journals.push(Journal::default());
    }

    /// Notes what the `size` bytes at `address`, all in one region, hold before a store.
    #[cold]
    pub(super) fn note(&mut self, address: u32, size: u32) {
        for address in (0..size).map(|i| address.wrapping_add(i)) {
            let known = |journal: &Journal| journal.0.contains_key(&address);
            if self.journals.last().is_none_or(known) {
                continue;
            }
            let cell = self.cell(address);
            if let Some(journal) = self.journals.last_mut() {
                journal.0.insert(address, cell);
            }
        }
    }

    /// Closes the last journal and undoes what was stored since it was opened; gives what was.
    pub(super) fn roll_back(&mut self) -> Changes {
        let Journal(old) = self.journals.pop().unwrap_or_default();
        let mut changes = Changes::new();
        for (address, cell) in old {
            changes.insert(address, self.cell(address));
            self.restore_cell(address, cell);
        }
        changes
    }

    /// What stands now where the last journal has entries.
    pub(crate) fn stored(&self) -> Changes {
        let last = self.journals.last();
        last.map(|journal| journal.0.keys().map(|a| (*a, self.cell(*a))).collect())
            .unwrap_or_default()
    }

    /// What stood where the last journal has entries when it was opened.
    pub(crate) fn noted(&self) -> Changes {
        let last = self.journals.last();
        last.map(|journal| journal.0.iter().map(|(a, c)| (*a, *c)).collect())
            .unwrap_or_default()
    }

    /// Closes the last journal and keeps what was stored.
    pub(crate) fn commit(&mut self) {
        let Some(Journal(old)) = self.journals.pop() else {
            return;
        };
        if let Some(outer) = self.journals.last_mut() {
            for (address, cell) in old {
                outer.0.entry(address).or_insert(cell);
            }
        }
    }

    /// A byte with its mark.
    pub(super) fn cell(&self, address: u32) -> Cell {
        Cell {
            byte: self.byte(address),
            written: self.was_written(address, 1),
        }
    }
}
