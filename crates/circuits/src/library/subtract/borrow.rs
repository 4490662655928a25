//! The ripple subtractor: a chain of borrows.
//!
//! `d = x ⊕ y ⊕ c` and `c' = (x ⊕ c)(y ⊕ c) ⊕ y`, c the borrow: a full adder's cost of one AND and
//! four XORs, in the lowest column `c' = ¬x·y`, in the highest no borrow out. For n ≥ 2 columns
//!
//! ```text
//! ANDs = n − 1          XORs = 4n − 5          depth = 3n − 3
//! ```
//!
//! Source: C. Xu, J. Chen, W. Wu, Y. Feng, Homomorphically encrypted arithmetic operations over the
//! integer ring, 2016, §3.2.

use crate::architectures::{Adder, Formula};
use crate::library::add::{Added, Carries};
use crate::{Builder, Wire};

/// Gates and depth of the difference modulo 2ⁿ: those of the ripple adder.
pub(super) fn gates(n: usize) -> Option<Formula> {
    Adder::Ripple.formula(n, Carries::Dropped)
}

pub(super) fn subtract(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Added {
    let (mut borrow, mut before) = (Wire::FALSE, Wire::FALSE);
    let mut difference = Vec::with_capacity(x.len());
    for (&x, &y) in x.iter().zip(y) {
        before = borrow;
        let (xc, yc) = (b.xor(x, borrow), b.xor(y, borrow));
        difference.push(b.xor(xc, y));
        let clear = [x, y, borrow].map(|wire| wire.as_constant());
        borrow = match clear {
            [_, _, Some(false)] => b.and(!x, y),
            [_, _, Some(true)] => b.or(!x, y),
            [Some(false), ..] => b.or(y, borrow),
            [Some(true), ..] => b.and(y, borrow),
            [_, Some(false), _] => b.and(!x, borrow),
            [_, Some(true), _] => b.or(!x, borrow),
            _ => {
                let change = b.and(xc, yc);
                b.xor(change, y)
            }
        };
    }
    Added {
        sum: difference,
        carry: !borrow,
        overflow: b.xor(before, borrow),
    }
}
