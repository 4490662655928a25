//! The ripple adder: a chain of full adders of one AND each, n ANDs at depth n.
//!
//! Source: the one-AND full adder of Boyar and Peralta, `carry = c ⊕ (x ⊕ c)(y ⊕ c)`.

use super::Added;
use crate::{Builder, Wire};

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
    let (mut carry, mut before) = (carry_in, carry_in);
    let mut sum = Vec::with_capacity(x.len());
    for (&x, &y) in x.iter().zip(y) {
        before = carry;
        let (bit, next) = full_adder(b, x, y, carry);
        sum.push(bit);
        carry = next;
    }
    let overflow = b.xor(before, carry);
    Added {
        sum,
        carry,
        overflow,
    }
}
