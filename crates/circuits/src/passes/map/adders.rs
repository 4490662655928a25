//! Full adders in netlists of gates: a parity and a majority of the same three signals.
//!
//! Area flow rates every gate by itself and cannot see that both together cost one lookup, of
//! four values, which their sum `a + b + c` (inverted operands counting negative) answers. It also
//! prefers cones that look through the sum of one adder into the next, and so loses the carry
//! chains of which [`fuse`](crate::passes) makes slices. So where both are found they are taken.

use super::cuts::Cut;
use crate::ir::Node;

/// What is half of a full adder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Half {
    Sum,
    Carry,
}

/// Halves of full adders.
#[derive(Default)]
pub(super) struct Adders {
    halves: Vec<([u32; 3], Half, Node, u16)>,
}

/// Over the first three of four variables.
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
    /// Remembers a cut if it is half of a full adder.
    pub(super) fn note(&mut self, node: Node, cut: &Cut) {
        if cut.len != 3 {
            return;
        }
        let half = if cut.function == PARITY || cut.function == !PARITY {
            Half::Sum
        } else if MAJORITIES.contains(&cut.function) {
            Half::Carry
        } else {
            return;
        };
        let [a, b, c, _] = cut.leaves;
        self.halves.push(([a, b, c], half, node, cut.function));
    }

    /// All halves that have a counterpart, with their cuts.
    pub(super) fn pairs(mut self) -> impl Iterator<Item = (Node, Cut)> {
        self.halves.sort_unstable();
        let mut taken = Vec::new();
        for same in self.halves.chunk_by(|a, b| a.0 == b.0) {
            let has = |half| same.iter().any(|other| other.1 == half);
            if has(Half::Sum) && has(Half::Carry) {
                taken.extend(same.iter().map(|&([a, b, c], _, node, function)| {
                    let leaves = [a, b, c, 0];
                    (
                        node,
                        Cut {
                            leaves,
                            len: 3,
                            function,
                        },
                    )
                }));
            }
        }
        taken.into_iter()
    }
}
