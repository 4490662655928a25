//! The heap of programs that `blindcore cc` links: which bytes its blocks are.
//!
//! A pointer that was chosen from several blocks selects over those blocks, and not over all of the
//! heap. The blocks are read from the heap itself (`crates/compiler/runtime/heap.c`): a word says how
//! many bytes were handed out, and the first of two words before each block says how large it is. A
//! size that depends on a secret ends what is known; from there on, the bytes that may have been
//! handed out are one object.

use circuits::Wire;

use super::Symbolic;
use super::memory::Memory;
use super::objects::{Extent, Span};
use super::origin::Base;
use super::word::Wires;
use crate::program::Program;

/// Bytes before each block.
const HEADER: u32 = 8;
/// The start of the heap, and where its use is counted.
const LABELS: [&str; 2] = ["bc_heap", "bc_heap_used"];

/// Where the heap lies, and its blocks when somebody last looked.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    all: Span,
    /// Where it is counted how many bytes were handed out: just behind the heap.
    counter: u32,
    /// The bytes that may have been handed out.
    used: u32,
    /// By address.
    blocks: Vec<Extent>,
}

impl Heap {
    pub(super) fn of(program: &Program) -> Option<Self> {
        let label = |name: &str| program.labels().find(|label| label.0 == name);
        let [start, counter] = LABELS.map(label);
        let (start, counter) = (start?.1, counter?.1);
        let size = counter.checked_sub(start)?;
        Some(Self {
            all: Span { start, size },
            counter,
            used: size,
            blocks: Vec::new(),
        })
    }

    pub(super) fn contains(&self, address: u32) -> bool {
        self.all.contains(address)
    }

    pub(super) fn start(&self) -> u32 {
        self.all.start
    }

    fn block(&self, address: u32) -> Option<&Extent> {
        let next = self.blocks.partition_point(|block| block.start <= address);
        let block = next.checked_sub(1).and_then(|last| self.blocks.get(last));
        block.filter(|block| block.contains(address))
    }

    pub(super) fn has_block(&self, address: u32) -> bool {
        self.block(address).is_some()
    }

    /// The block around an address, else all bytes that may have been handed out.
    pub(super) fn at(&self, address: u32) -> Extent {
        let all = || Extent::of_bytes(self.all.start, self.used, "the heap".to_owned());
        self.block(address).cloned().unwrap_or_else(all)
    }

    fn survey(&mut self, memory: &Memory) {
        let count = memory.word(self.counter);
        let is_known = constant(&count).is_some();
        self.used = largest(&count).min(self.all.size);
        self.blocks.clear();
        let mut offset = 0u32;
        while self.used.saturating_sub(offset) >= HEADER {
            let header = self.all.start.wrapping_add(offset);
            let Some(size) = constant(&memory.word(header)) else {
                return;
            };
            // Where the count depends on a secret, there may be no block.
            let room = self.used - offset - HEADER;
            if size > room || (size == 0 && !is_known) {
                return;
            }
            let start = header.wrapping_add(HEADER);
            let name = format!("block of the heap at {start:#010x}");
            self.blocks.push(Extent::of_bytes(start, size, name));
            offset += HEADER + size.next_multiple_of(8).min(room);
        }
    }
}

impl Symbolic {
    /// Sees which blocks the heap has now, if one of these pointers lies there.
    pub(super) fn survey_heap(&mut self, bases: &[Base]) {
        if let Some(heap) = &mut self.objects.heap {
            let mut named = bases
                .iter()
                .flat_map(|base| base.anchor.into_iter().chain([base.at]));
            if named.any(|address| heap.contains(address)) {
                heap.survey(&self.memory);
            }
        }
    }
}

fn constant(word: &Wires) -> Option<u32> {
    let bits = word.iter().enumerate();
    bits.map(|(at, bit)| Some(u32::from(bit.as_constant()?) << at))
        .sum()
}

/// The largest number that the bits can be.
fn largest(word: &Wires) -> u32 {
    let bits = word.iter().enumerate();
    bits.map(|(at, bit)| u32::from(*bit != Wire::FALSE) << at)
        .sum()
}

#[cfg(test)]
mod tests {
    use circuits::Profile;

    use super::super::Word;
    use super::*;

    const START: u32 = 0x2000;
    const COUNTER: u32 = START + 64;

    /// Two blocks of 5 and 12 bytes were handed out; of a third, a secret says whether it was.
    #[test]
    fn blocks_end_where_a_secret_decides() {
        let mut machine = Symbolic::new(&Profile::lookup_simulation());
        machine.memory.add(START, 68, &[0; 68], true, false);
        let mut heap = Heap {
            all: Span {
                start: START,
                size: 64,
            },
            counter: COUNTER,
            used: 0,
            blocks: Vec::new(),
        };
        let store = |machine: &mut Symbolic, address: u32, value: u32| {
            machine.memory.store_clear(address, 4, value).unwrap();
        };
        store(&mut machine, START, 5);
        store(&mut machine, START + 16, 12);
        store(&mut machine, COUNTER, 40);
        heap.survey(&machine.memory);
        let found = |heap: &Heap, at: u32| (heap.at(at).start, heap.at(at).size);
        assert_eq!(found(&heap, START + 12), (START + 8, 5));
        assert_eq!(found(&heap, START + 24), (START + 24, 12));
        // Behind the first, and of the header of the second: no block.
        for at in [START + 13, START + 16, START + 36] {
            assert_eq!(found(&heap, at), (START, 40));
            assert!(!heap.has_block(at));
        }
        let taken = machine.inputs(1)[0];
        for (address, value) in [(START + 40, 6), (COUNTER, 40 ^ 56)] {
            let old = Word::from_slice(&machine.memory.word(address)).wires();
            for (i, byte) in old.chunks(8).enumerate() {
                let bit = |j: usize| match value >> (8 * i + j) & 1 {
                    1 if byte[j] == Wire::TRUE => !taken,
                    1 => taken,
                    _ => byte[j],
                };
                let bits = std::array::from_fn(bit);
                machine.memory.store_byte(address + i as u32, bits).unwrap();
            }
        }
        heap.survey(&machine.memory);
        assert_eq!(found(&heap, START + 24), (START + 24, 12));
        assert_eq!(found(&heap, START + 48), (START, 56));
    }
}
