//! The ripple adder: a chain of full adders of one AND each.
//!
//! `c' = c ⊕ (x ⊕ c)(y ⊕ c)`, so that a column costs one AND and four XORs, the first (nothing
//! comes in) one of each, the last (nobody reads its carry) two XORs: for n ≥ 2 columns
//!
//! ```text
//! ANDs = n − 1          XORs = 4n − 5          depth = 3n − 3
//! ```
//!
//! With a carry in, carry out and overflow: n ANDs, 4n + 1 XORs, depth 3n + 1. No adder has fewer
//! ANDs; where XORs are free the carry is n − 1 ANDs deep.
//!
//! Source: J. Boyar, R. Peralta, Tight bounds for the multiplicative complexity of symmetric
//! functions, 2008; for encrypted words C. Xu, J. Chen, W. Wu, Y. Feng, Homomorphically encrypted
//! arithmetic operations over the integer ring, 2016, §3.1, algorithm 1, and B. Bomolo, B. Ntumba,
//! E. Mbuyi, Performance of adder architectures on encrypted integers, 2021, algorithm 4.

use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::library::word::Word;
use crate::{Builder, Wire};

/// Gates and depth.
pub(super) const fn gates(n: usize, carries: Carries) -> Formula {
    let (ands, xors, depth) = match (carries, n) {
        (_, 0) => (0, 0, 0),
        (Carries::Dropped, 1) => (0, 1, 1),
        (Carries::Dropped, _) => (n - 1, 4 * n - 5, 3 * n - 3),
        (Carries::InAndOut, _) => (n, 4 * n + 1, 3 * n + 1),
    };
    Formula {
        ands,
        xors,
        muxes: 0,
        depth,
    }
}

/// Sum and carry of three bits: one AND, and none where two bits are equal, opposite or clear
/// alike.
pub(in crate::library) fn full_adder(b: &mut Builder, x: Wire, y: Wire, c: Wire) -> (Wire, Wire) {
    let (xc, yc) = (b.xor(x, c), b.xor(y, c));
    let sum = b.xor(xc, y);
    // With a clear bit the majority is an AND or an OR without the XORs around it.
    let bits = [(x, y, c), (y, c, x), (c, x, y)];
    let carry = match bits
        .iter()
        .find_map(|&(x, y, c)| Some((x, y, c.as_constant()?)))
    {
        Some((x, y, false)) => b.and(x, y),
        Some((x, y, true)) => b.or(x, y),
        None => {
            let change = b.and(xc, yc);
            b.xor(change, c)
        }
    };
    (sum, carry)
}

pub(super) fn add(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    chain(b, x, y, carry_in, full_adder).finish(b)
}

/// What comes out of a chain of full adders.
pub(super) struct Chain {
    pub(super) sum: Word,
    /// The carry into the top column.
    pub(super) before: Wire,
    /// The carry out of it.
    pub(super) carry: Wire,
}

impl Chain {
    pub(super) fn finish(self, b: &mut Builder) -> Added {
        Added {
            sum: self.sum,
            carry: self.carry,
            overflow: b.xor(self.before, self.carry),
        }
    }
}

/// A chain of full adders of any form.
pub(super) fn chain(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    carry_in: Wire,
    full_adder: fn(&mut Builder, Wire, Wire, Wire) -> (Wire, Wire),
) -> Chain {
    let (mut carry, mut before) = (carry_in, carry_in);
    let mut sum = Vec::with_capacity(x.len());
    for (&x, &y) in x.iter().zip(y) {
        before = carry;
        let (bit, next) = full_adder(b, x, y, carry);
        sum.push(bit);
        carry = next;
    }
    Chain { sum, before, carry }
}
