//! The carry look-ahead adder in blocks of k columns, as the papers on encrypted adders write it:
//! gates only, for comparison with them. [`Adder::Sklansky`](crate::library::Adder) is shallower,
//! and [`Adder::Slices`](crate::library::Adder) is one lookup for three columns.
//!
//! Column i generates (`gᵢ = xᵢyᵢ`) or propagates (`pᵢ = xᵢ ⊕ yᵢ`) a carry. Within a block that
//! begins at column j both are gathered by the nested forms
//!
//! ```text
//! g(i:j) = gᵢ ⊕ pᵢ·g(i−1:j)        p(i:j) = pᵢ·p(i−1:j)        cᵢ = g(i:j) ⊕ p(i:j)·c(j−1)
//! ```
//!
//! so that a carry passes a block in two gates once the block's g and p are there, and all blocks
//! gather theirs at the same time. The papers' "+" may be an XOR, as both terms are never 1
//! together. Expanding the nested forms into sums of products would cost k² gates for a block.
//!
//! For n columns in blocks of k, a carry in and all outputs read: a column costs two ANDs and three
//! XORs, and each but the first of its block one AND and one XOR for g(i:j), one AND for p(i:j):
//! with B = ⌈n/k⌉ blocks
//!
//! ```text
//! ANDs = 2n + 2(n − B)          XORs = 3n + (n − B)
//! ```
//!
//! Without a carry in, the first block needs neither p(i:j) nor the step for cᵢ and its first sum
//! bit is p₀; without the carry out the last column needs none of g, g(i:j), p(i:j) and cᵢ. Where
//! every gate is a bootstrap, the sum modulo 2ⁿ without a carry in is then 2k + 2B − 2 deep (n a
//! multiple of k, k and B at least 2; 2n − 2 for a single block): for 32 columns 214 gates at depth
//! 22 in blocks of 4 or of 8, 196 at 34 in blocks of 16, 154 at 62 in one of 32.
//!
//! Source: Boale Bomolo, Ntumba Badibanga, Mbuyi Mukendi, Improved bootstrapping by FFT on
//! encrypted multi operands homomorphic addition, IJEAT 11(1), 2021, §III-B.

use std::num::NonZeroUsize;

use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::{Builder, Wire};

/// The sum modulo 2ⁿ without a carry in, block by block: what each column of a block needs.
pub(super) fn gates(n: usize, block: NonZeroUsize, carries: Carries) -> Formula {
    let block = block.get();
    let blocks = n.div_ceil(block);
    if carries == Carries::InAndOut && n > 0 {
        let first = block.min(n);
        return Formula {
            ands: 4 * n - 2 * blocks,
            xors: 4 * n - blocks + 1,
            muxes: 0,
            // The first block gathers, a carry passes each other in two gates, then overflow.
            depth: 2 * first + 2 * (blocks - 1) + 1 + usize::from(first == 1),
        };
    }
    let mut formula = Formula {
        xors: n,
        ..Formula::default()
    };
    for number in 0..blocks {
        let width = block.min(n - number * block);
        // The carry out of the last column is not read.
        let carries = width - usize::from(number + 1 == blocks);
        let gathered = carries.saturating_sub(1);
        formula.ands += carries + gathered;
        formula.xors += gathered;
        if number == 0 {
            formula.xors += width - 1;
        } else {
            formula.ands += gathered + carries;
            formula.xors += carries + width;
        }
    }
    let first = block.min(n);
    let last = n - blocks.saturating_sub(1) * block;
    formula.depth = match (blocks, n) {
        (0, _) => 0,
        (1, 1) => 1,
        (1, _) => 2 * n - 2,
        // The first block's carry, two gates for each block between, and the last block's sum.
        _ => (2 * first - 1) + 2 * (blocks - 2) + if last == 1 { 1 } else { 3 },
    };
    formula
}

/// A last block of fewer columns takes what is left.
pub(super) fn add(
    b: &mut Builder,
    block: NonZeroUsize,
    x: &[Wire],
    y: &[Wire],
    carry_in: Wire,
) -> Added {
    let mut sum = Vec::with_capacity(x.len());
    // Into the block, and into and out of the newest column.
    let (mut into_block, mut before, mut carry) = (carry_in, carry_in, carry_in);
    for (x, y) in x.chunks(block.get()).zip(y.chunks(block.get())) {
        let mut gathered: Option<(Wire, Wire)> = None;
        for (&x, &y) in x.iter().zip(y) {
            let (own_generate, own_propagate) = (b.and(x, y), b.xor(x, y));
            let (generate, propagate) = match gathered {
                None => (own_generate, own_propagate),
                Some((generate, propagate)) => {
                    let passed = b.and(own_propagate, generate);
                    (b.xor(own_generate, passed), b.and(own_propagate, propagate))
                }
            };
            gathered = Some((generate, propagate));
            sum.push(b.xor(own_propagate, carry));
            let passed = b.and(propagate, into_block);
            before = carry;
            carry = b.xor(generate, passed);
        }
        into_block = carry;
    }
    let overflow = b.xor(before, carry);
    Added {
        sum,
        carry,
        overflow,
    }
}
