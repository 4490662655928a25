//! Finding equal nodes: an open-addressing table of node numbers. The nodes' contents stay in the
//! builder's arrays, so that an entry costs eight bytes at a load of at most one half.

use crate::ir::{Record, Term, Wire};

/// A free slot.
const FREE: u32 = u32::MAX;

/// Nodes by the hash of their contents.
#[derive(Clone, Default, Debug)]
pub(crate) struct Shared {
    /// Hash and node, the number of slots a power of two.
    slots: Vec<(u32, u32)>,
    used: usize,
}

impl Shared {
    /// The node with this hash that `equal` recognises.
    pub(crate) fn find(&self, hash: u32, equal: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let (stored, node) = self.slots[at];
            if node == FREE {
                return None;
            }
            if stored == hash && equal(node) {
                return Some(node);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a node that `find` did not find.
    pub(crate) fn insert(&mut self, hash: u32, node: u32) {
        if 2 * (self.used + 1) > self.slots.len() {
            let capacity = (4 * self.used).next_power_of_two().max(64);
            let old = std::mem::replace(&mut self.slots, vec![(0, FREE); capacity]);
            for (hash, node) in old {
                if node != FREE {
                    self.place(hash, node);
                }
            }
        }
        self.used += 1;
        self.place(hash, node);
    }

    fn place(&mut self, hash: u32, node: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 != FREE {
            at = (at + 1) & mask;
        }
        self.slots[at] = (hash, node);
    }
}

/// The hash of a node's contents; the terms of a lookup, a parity or a sum are given apart, a
/// lookup's tables and what is promised of it do not count.
pub(super) fn hash(record: &Record, terms: &[Term]) -> u32 {
    // Multiply and rotate, then a final avalanche: the inputs are small counters, and an
    // adversary who could choose them would only slow down its own program.
    let mut state = 0u64;
    let mut mix = |word: u64| {
        state = (state.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    };
    let code = |wire: Wire| wire_code(wire);
    match *record {
        Record::Input(number) => mix(u64::from(number) << 8),
        Record::And(a, b) => mix(code(a) << 32 | code(b)),
        Record::Xor(a, b) => {
            mix(1);
            mix(code(a) << 32 | code(b));
        }
        Record::Mux(select, then, otherwise) => {
            mix(2 << 32 | code(select));
            mix(code(then) << 32 | code(otherwise));
        }
        Record::Lookup { constant, .. } => {
            mix(3 << 32 | u64::from(constant as u8));
            for term in terms {
                mix(code(term.wire) << 8 | u64::from(term.weight as u8));
            }
        }
        Record::Parity { .. } => {
            mix(5 << 32);
            terms.iter().for_each(|term| mix(code(term.wire)));
        }
        Record::Disjoint { .. } => {
            mix(6 << 32);
            terms.iter().for_each(|term| mix(code(term.wire)));
        }
        Record::Refresh(a) => mix(4 << 32 | code(a)),
        Record::Selector { constant, max, .. } => {
            mix(7 << 32 | u64::from(constant as u8) << 8 | u64::from(max));
            for term in terms {
                mix(code(term.wire) << 8 | u64::from(term.weight as u8));
            }
        }
        Record::Choose(select, then, otherwise) => {
            mix(8 << 32 | code(select));
            mix(code(then) << 32 | code(otherwise));
        }
        Record::Load { index, .. } => {
            mix(9 << 32 | u64::from(index));
            terms.iter().for_each(|term| mix(code(term.wire)));
        }
        Record::Linear { .. } => {
            mix(10 << 32);
            terms.iter().for_each(|term| mix(code(term.wire)));
        }
        Record::Subtotal { .. } => {
            mix(12 << 32);
            terms.iter().for_each(|term| mix(code(term.wire)));
        }
        Record::Store { index, width, .. } => {
            mix(11 << 32 | u64::from(index) << 16 | u64::from(width));
            terms.iter().for_each(|term| mix(code(term.wire)));
        }
    }
    state ^= state >> 32;
    state.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(32) as u32
}

fn wire_code(wire: Wire) -> u64 {
    u64::from(wire.signal().0) << 1 | u64::from(wire.is_inverted())
}
