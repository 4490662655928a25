//! Adders in netlists of gates: a parity and a majority of the same three signals, or exclusive or
//! and and of the same two.
//!
//! Area flow rates every gate by itself and cannot see that both together cost one lookup, of
//! at most four values, which `a + b + c` (inverted operands counting negative) answers. It also
//! prefers cones that look through the sum of one adder into the next, and so loses the carry
//! chains of which [`fuse`](crate::passes) makes slices. So where both are found they are taken.

use super::cuts::Cut;
use crate::ir::Node;

/// What is half of an adder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Half {
    Sum,
    Carry,
}

/// Sums and carries.
#[derive(Default)]
pub(super) struct Adders {
    halves: Vec<([u32; 3], Half, Node, u16)>,
}

/// Of the first two of four variables.
const DIFFER: u16 = 0x6666;

/// ANDs of two operands that are inverted or not.
const ANDS: [u16; 4] = [0x8888, 0x4444, 0x2222, 0x1111];

/// Of the first three of four variables.
const PARITY: u16 = 0x9696;

/// Majorities of operands that are inverted or not.
const MAJORITIES: [u16; 8] = majorities();

const fn majorities() -> [u16; 8] {
    let variables = [0xaaaa_u16, 0xcccc, 0xf0f0];
    let mut all = [0; 8];
    let mut flips = 0;
    while flips < 8 {
        let mut operands = variables;
        let mut i = 0;
        while i < 3 {
            if flips >> i & 1 == 1 {
                operands[i] = !operands[i];
            }
            i += 1;
        }
        let [a, b, c] = operands;
        all[flips] = a & b | a & c | b & c;
        flips += 1;
    }
    all
}

impl Adders {
    /// Remembers a cut if it is half of an adder.
    pub(super) fn note(&mut self, node: Node, cut: &Cut) {
        let half = match cut.len {
            3 if cut.function == PARITY || cut.function == !PARITY => Half::Sum,
            3 if MAJORITIES.contains(&cut.function) => Half::Carry,
            2 if cut.function == DIFFER || cut.function == !DIFFER => Half::Sum,
            2 if ANDS.contains(&cut.function) || ANDS.contains(&!cut.function) => Half::Carry,
            _ => return,
        };
        let [a, b, c, _] = cut.leaves;
        self.halves.push(([a, b, c], half, node, cut.function));
    }

    /// All halves that have a counterpart, with their cuts; those of three signals last.
    pub(super) fn pairs(mut self) -> impl Iterator<Item = (Node, Cut)> {
        self.halves.sort_unstable();
        let mut taken: Vec<(Node, Cut)> = Vec::new();
        for same in self.halves.chunk_by(|a, b| a.0 == b.0) {
            let has = |half| same.iter().any(|other| other.1 == half);
            if has(Half::Sum) && has(Half::Carry) {
                taken.extend(same.iter().map(|&([a, b, c], _, node, function)| {
                    let len = if c == 0 { 2 } else { 3 };
                    let leaves = [a, b, c, 0];
                    let cut = Cut {
                        leaves,
                        len,
                        function,
                    };
                    (node, cut)
                }));
            }
        }
        taken.sort_by_key(|(_, cut)| cut.len);
        taken.into_iter()
    }
}
