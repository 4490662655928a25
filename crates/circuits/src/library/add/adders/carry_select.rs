//! The carry-select adder: blocks are added for a carry of 0 and for one of 1 at once, and the
//! carry that comes selects.
//!
//! Two ripple adders of one-AND full adders ([`ripple`](super::ripple)) to a block, and a selection
//! for each sum bit and the carry; the lowest sum bits of both are each other's inverse, so that an
//! XOR selects. The paper's form is one block, the whole word twice, selected by the carry in
//! ([`Blocks::Whole`]): 2n ANDs, 8n − 5 XORs, n selections and one more for the overflow. Without a
//! carry in nothing is left to select, and it is the ripple adder.
//!
//! In blocks of ⌈√n⌉ columns ([`Blocks::SquareRoot`]) the first block is a single ripple adder,
//! since its carry is there, and a carry passes every other block in one selection: depth below 4√n
//! instead of 3n for less than twice the gates.
//!
//! Source: O. J. Bedrij, Carry-select adder, IRE Trans. Electronic Computers, 1962; B. Bomolo,
//! B. Ntumba, E. Mbuyi, Performance of adder architectures on encrypted integers, 2021, §IV-B.5.

use super::ripple::{self, full_adder};
use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::{Builder, Wire};

/// How a word is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocks {
    /// Not at all: the carry in selects between two sums of the whole word.
    Whole,
    /// Into blocks of ⌈√n⌉ columns, the lowest of which is added once.
    SquareRoot,
}

impl Blocks {
    /// Columns of a block.
    fn width(self, n: usize) -> usize {
        let root = n.isqrt();
        match self {
            Self::Whole => n,
            Self::SquareRoot => root + usize::from(root * root < n),
        }
        .max(1)
    }
}

/// Gates and depth, block by block.
pub(super) fn gates(blocks: Blocks, n: usize, carries: Carries) -> Formula {
    let ends = carries == Carries::InAndOut;
    if blocks == Blocks::Whole && !ends || n <= blocks.width(n) && blocks == Blocks::SquareRoot {
        return ripple::gates(n, carries);
    }
    let width = blocks.width(n);
    let mut formula = Formula::default();
    // When the carry into the block is there, and the latest sum.
    let (mut carry, mut latest) = (0, 0);
    let mut at = 0;
    while at < n {
        let w = width.min(n - at);
        let read = ends || at + w < n;
        if at == 0 && blocks == Blocks::SquareRoot {
            let columns = w - usize::from(!ends);
            formula.ands += w;
            formula.xors += 4 * columns + usize::from(!ends);
            carry = 3 * columns + usize::from(!ends);
            latest = carry;
        } else {
            let carries = w - usize::from(!read);
            formula.ands += 2 * carries;
            // p of the lowest column serves both; it and the carry are the lowest sum.
            formula.xors += 2;
            // Full adders above it, of which a last one without carry has two XORs.
            let above = carries.saturating_sub(1);
            formula.xors += 2 * (4 * above + 2 * usize::from(!read && w > 1));
            formula.muxes += w - 1 + usize::from(read);
            // Column i's sum is there after 3i gates, the carry out of it after 3i + 1.
            latest = latest.max(1 + carry.max(1));
            if w > 1 {
                latest = latest.max(1 + carry.max(3 * (w - 1)));
            }
            if ends && at + w == n {
                // The carry into the top column is selected too, where it is within the block.
                formula.muxes += usize::from(w > 1);
                formula.xors += 1;
                let before = match w {
                    1 => carry,
                    _ => 1 + carry.max(3 * (w - 1) - 2),
                };
                let after = 1 + carry.max(3 * w - 2);
                latest = latest.max(1 + before.max(after));
            }
            carry = 1 + carry.max(3 * w - 2);
        }
        at += w;
    }
    formula.depth = latest;
    formula
}

pub(super) fn add(
    b: &mut Builder,
    blocks: Blocks,
    x: &[Wire],
    y: &[Wire],
    carry_in: Wire,
) -> Added {
    let mut sum = Vec::with_capacity(x.len());
    let (mut carry, mut before) = (carry_in, carry_in);
    let width = blocks.width(x.len());
    for (x, y) in x.chunks(width).zip(y.chunks(width)) {
        if sum.is_empty() && blocks == Blocks::SquareRoot {
            let only = ripple::chain(b, x, y, carry, full_adder);
            sum.extend(only.sum);
            (before, carry) = (only.before, only.carry);
            continue;
        }
        let [zero, one] =
            [Wire::FALSE, Wire::TRUE].map(|into| ripple::chain(b, x, y, into, full_adder));
        let into = carry;
        let mut select = |zero: Wire, one: Wire| b.mux(into, one, zero);
        sum.extend(
            zero.sum
                .iter()
                .zip(&one.sum)
                .map(|(&zero, &one)| select(zero, one)),
        );
        before = select(zero.before, one.before);
        carry = select(zero.carry, one.carry);
    }
    Added {
        sum,
        carry,
        overflow: b.xor(before, carry),
    }
}
