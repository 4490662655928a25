//! The ripple adder of the textbook's full adder: two ANDs, but less depth where every gate is a
//! bootstrap.
//!
//! `s = (x ⊕ y) ⊕ c` and `c' = xy ⊕ c(x ⊕ y)`: a column costs two ANDs and three XORs, the first
//! one of each, the last two XORs. For n ≥ 2 columns
//!
//! ```text
//! ANDs = 2n − 3          XORs = 3n − 3          depth = 2n − 2
//! ```
//!
//! as many gates as with one AND ([`ripple`](super::ripple)), and a carry passes a column in two of
//! them instead of three. With a carry in, carry out and overflow: 2n ANDs, 3n + 1 XORs, depth
//! 2n + 2.
//!
//! Source: the form that both B. Bomolo, B. Ntumba, E. Mbuyi, Performance of adder architectures on
//! encrypted integers, 2021, §IV-A.2, and C. Xu, J. Chen, W. Wu, Y. Feng, Homomorphically encrypted
//! arithmetic operations over the integer ring, 2016, §3.1, start from.

use super::ripple;
use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::{Builder, Wire};

/// Gates and depth.
pub(super) const fn gates(n: usize, carries: Carries) -> Formula {
    let (ands, xors, depth) = match (carries, n) {
        (_, 0) => (0, 0, 0),
        (Carries::Dropped, 1) => (0, 1, 1),
        (Carries::Dropped, _) => (2 * n - 3, 3 * n - 3, 2 * n - 2),
        (Carries::InAndOut, _) => (2 * n, 3 * n + 1, 2 * n + 2),
    };
    Formula {
        ands,
        xors,
        muxes: 0,
        depth,
    }
}

fn full_adder(b: &mut Builder, x: Wire, y: Wire, c: Wire) -> (Wire, Wire) {
    let differ = b.xor(x, y);
    let (both, passed) = (b.and(x, y), b.and(c, differ));
    (b.xor(differ, c), b.xor(both, passed))
}

pub(super) fn add(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    ripple::chain(b, x, y, carry_in, full_adder).finish(b)
}
