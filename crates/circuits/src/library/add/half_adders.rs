//! The half-adder chain: a word and one bit.
//!
//! `s = x ⊕ c`, `c' = x·c`: n XORs and n − 1 ANDs at depth n for the sum modulo 2ⁿ. It is what
//! every ripple adder folds to where one operand is zero; [`increment`] takes the adder that suits
//! instead.
//!
//! Source: C. Xu, J. Chen, W. Wu, Y. Feng, Homomorphically encrypted arithmetic operations over the
//! integer ring, 2016, §3.1.

use super::added::Carries;
use super::adders::add_with;
use crate::architectures::{Adder, Formula};
use crate::library::word::{Word, constant};
use crate::{Builder, Wire};

/// Gates and depth of the sum modulo 2ⁿ.
pub(in crate::library) const fn gates(n: usize) -> Formula {
    Formula {
        ands: n.saturating_sub(1),
        xors: n,
        muxes: 0,
        depth: n,
    }
}

/// `x + bit` modulo 2ⁿ, and the carry out.
pub fn increment(b: &mut Builder, x: &[Wire], bit: Wire) -> (Word, Wire) {
    let adder = Adder::chosen(b, x.len(), Carries::Dropped);
    let zero = constant(0, x.len());
    let added = add_with(b, adder, x, &zero, bit);
    (added.sum, added.carry)
}

/// The same by a chain of half adders.
pub(in crate::library) fn half_adder_chain(b: &mut Builder, x: &[Wire], bit: Wire) -> (Word, Wire) {
    let mut carry = bit;
    let mut sum = Word::with_capacity(x.len());
    for &x in x {
        sum.push(b.xor(x, carry));
        carry = b.and(x, carry);
    }
    (sum, carry)
}
