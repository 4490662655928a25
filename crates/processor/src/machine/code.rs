//! Decoded instructions, kept by address so that a loop is decoded once.

use std::collections::HashMap;

use a32::Instruction;

use crate::listing::Touch;

const SLOTS: usize = 1024;
const PAGE_SHIFT: u32 = 12;

/// An instruction and what is known about its executions.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    instruction: Option<Instruction>,
    executed: bool,
    secret: bool,
}

/// The cache: pages of 1,024 words, found by number, with the last one at hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pages: Vec<(u32, Box<[Slot]>)>,
    index: HashMap<u32, usize>,
    recent: usize,
    /// How often decoded instructions were overwritten.
    generation: u64,
}

impl Code {
    #[inline]
    fn page(&mut self, address: u32) -> Option<&mut Box<[Slot]>> {
        let number = address >> PAGE_SHIFT;
        if self
            .pages
            .get(self.recent)
            .is_none_or(|(recent, _)| *recent != number)
        {
            self.recent = *self.index.get(&number)?;
        }
        self.pages.get_mut(self.recent).map(|(_, slots)| slots)
    }

    #[inline]
    fn slot(&mut self, address: u32) -> Option<&mut Slot> {
        self.page(address)?.get_mut((address >> 2) as usize % SLOTS)
    }

    /// The instruction at an address, if it was decoded before.
    #[inline]
    pub(crate) fn find(&mut self, address: u32) -> Option<Instruction> {
        self.slot(address)?.instruction
    }

    pub(crate) fn insert(&mut self, address: u32, instruction: Instruction) {
        let number = address >> PAGE_SHIFT;
        if !self.index.contains_key(&number) {
            self.index.insert(number, self.pages.len());
            self.pages
                .push((number, vec![Slot::default(); SLOTS].into_boxed_slice()));
        }
        if let Some(slot) = self.slot(address) {
            slot.instruction = Some(instruction);
        }
    }

    /// Forgets what was decoded from these bytes: they changed.
    pub(crate) fn invalidate(&mut self, address: u32, size: u32) {
        for address in [address, address.wrapping_add(size.saturating_sub(1))] {
            if let Some(slot) = self.slot(address)
                && slot.instruction.take().is_some()
            {
                self.generation += 1;
            }
        }
    }

    /// Whether any of these bytes (at most 4) is part of a decoded instruction.
    pub(crate) fn holds(&mut self, address: u32, size: u32) -> bool {
        let ends = [address, address.wrapping_add(size.saturating_sub(1))];
        ends.into_iter().any(|address| self.find(address).is_some())
    }

    /// A number that changes when decoded instructions are overwritten.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Notes an execution.
    #[inline]
    pub(crate) fn mark(&mut self, address: u32, secret: bool) {
        if let Some(slot) = self.slot(address) {
            slot.executed = true;
            slot.secret |= secret;
        }
    }

    /// Every executed address.
    pub(crate) fn touched(&self) -> impl Iterator<Item = (u32, Touch)> {
        self.pages.iter().flat_map(|(number, slots)| {
            slots
                .iter()
                .enumerate()
                .filter(|(_, slot)| slot.executed)
                .map(move |(i, slot)| {
                    let address = (number << PAGE_SHIFT) + 4 * i as u32;
                    (
                        address,
                        if slot.secret {
                            Touch::Secret
                        } else {
                            Touch::Clear
                        },
                    )
                })
        })
    }
}
